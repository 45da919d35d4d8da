"""Operations as expressions: operators, subscripts, calls, literals."""
import ast
import collections
import math
import operator

import astunparse
import numpy as np
import pytest

from transgrad import emit
from transgrad.ir.build import Builder
from transgrad.ir.ops import Block, Call, CallValue, For, Function, GetAttr, If, Invoke, Lit, Param, Source, Star, Tree, Value
from transgrad.ir.prims import inplace_at, not_in, unpack
from transgrad.ir.types import BIG, UNKNOWN, Arr, ListT, Num, Obj, TupleT

FLOAT, INT, BOOL, SCALAR = Num("float"), Num("int"), Num("bool"), Arr("float64", (), True)
VECTOR, MATRIX = Arr("float64", (BIG,)), Arr("float64", (BIG, BIG))
Point = collections.namedtuple("Point", "x y")
TABLE = np.arange(3.0)


def text_of(make, *params, names=None):
    """The statements written for what ``make`` builds from the parameters and returns."""
    body = Block(list(params))
    with Builder(body) as b:
        out = make(b, *params)
        body.yields = [out if isinstance(out, (Value, Lit)) else Lit(out)]
    module = emit.emit(Function("f", body, names=names or {}))
    tree = ast.parse(module.text)
    if not any(isinstance(n, ast.Tuple) and any(isinstance(e, ast.Slice) for e in n.elts) for n in ast.walk(tree)):
        # (astunparse cannot write slices in a tuple)
        assert ast.dump(ast.parse(astunparse.unparse(tree))) == ast.dump(tree)
    lines = module.text.splitlines()[1:]
    return "\n".join(line[4:] for line in lines)


def expression(make, *params, **kwargs):
    text = text_of(make, *params, **kwargs)
    assert text.startswith("return ") and "\n" not in text
    return text[len("return "):]


def x(t=FLOAT):
    return Value(t, "x")


def y(t=FLOAT):
    return Value(t, "y")


@pytest.mark.parametrize("make, expected", [
    (lambda b, x, y: 0.5 * x * y, "0.5 * x * y"),
    (lambda b, x, y: 0.5 * (x * y), "0.5 * (x * y)"),
    (lambda b, x, y: x - (y - 1.0), "x - (y - 1.0)"),
    (lambda b, x, y: (-x) ** 2, "(-x) ** 2"),
    (lambda b, x, y: -(x ** 2), "-x ** 2"),
    (lambda b, x, y: x ** -2.0, "x ** -2.0"),
    (lambda b, x, y: b.call(operator.pow, -1.5, x), "(-1.5) ** x"),
    (lambda b, x, y: x * -1.0, "x * -1.0"),
    (lambda b, x, y: b.call(math.exp, x), "math.exp(x)"),
    (lambda b, x, y: b.call(max, x, y), "max(x, y)"),
    (lambda b, x, y: abs(x), "abs(x)"),
    (lambda b, x, y: b.call(operator.not_, x < y), "not x < y"),
    (lambda b, x, y: b.call(operator.not_, b.call(operator.is_, x, None)), "x is not None"),
    (lambda b, x, y: b.call(operator.contains, Lit((1, 2)), x), "x in (1, 2)"),
    (lambda b, x, y: b.call(not_in, x, Lit([1])), "x not in [1]"),
    (lambda b, x, y: x + math.inf, "x + np.inf"),
    (lambda b, x, y: x + -math.inf, "x + -np.inf"),
    (lambda b, x, y: x + math.nan, "x + np.nan"),
    (lambda b, x, y: x + -0.0, "x + -0.0"),
    (lambda b, x, y: x + 2j, "x + 2j"),
    (lambda b, x, y: x + (1 + 2j), "x + complex(1.0, 2.0)"),
    (lambda b, x, y: x * np.float32(2), "x * np.float32(2.0)"),
    (lambda b, x, y: b.call(np.asarray, x, dtype=np.float32), "np.asarray(x, dtype=np.float32)"),
    (lambda b, x, y: b.call(np.asarray, x, dtype=np.dtype("float32")), "np.asarray(x, dtype=np.dtype('float32'))"),
    (lambda b, x, y: b.build("namedtuple", [x, y], Point), "Point(x, y)"),
    (lambda b, x, y: b.build("tuple", [x]), "(x,)"),
    (lambda b, x, y: b.build("dict", ["a", x, "b", y]), "{'a': x, 'b': y}"),
    (lambda b, x, y: b.build("str", ["a{", x, "'"]), """f"a{{{x}'\""""),
    (lambda b, x, y: b.build("str", ["v=", b.call(format, x, ".2f")]), "f'v={x:.2f}'"),
])
def test_scalars(make, expected):
    assert expression(make, x(), y()) == expected


@pytest.mark.parametrize("make, expected", [
    (lambda b, x: x[1:-1], "x[1:-1]"),
    (lambda b, x: x[:, 0], "x[:, 0]"),
    (lambda b, x: x[..., None], "x[..., None]"),
    (lambda b, x: x[::2, 1:], "x[::2, 1:]"),
    (lambda b, x: x.T @ x, "x.T @ x"),
    (lambda b, x: b.call(np.ndarray.sum, x, axis=0), "x.sum(axis=0)"),
    (lambda b, x: np.linalg.norm(x), "np.linalg.norm(x)"),
    (lambda b, x: np.abs(x), "np.abs(x)"),
    (lambda b, x: b.call(np.add.reduce, x), "np.add.reduce(x)"),
    (lambda b, x: b.call(np.concatenate, [x, x], axis=1), "np.concatenate([x, x], axis=1)"),
    (lambda b, x: b.call(np.dot, x, Lit(TABLE)), "np.dot(x, const_1)"),
    (lambda b, x: b.call(np.dot, x, Lit(TABLE, "TABLE")), "np.dot(x, TABLE)"),
])
def test_arrays(make, expected):
    assert expression(make, x(MATRIX), names={"TABLE": TABLE} if "TABLE" in expected else {}) == expected


def test_computed_slices():
    def make(b, x, i, j):
        return x[i:j + 1, i]
    assert expression(make, x(MATRIX), Value(INT, "i"), Value(INT, "j")) == "x[i:j + 1, i]"


def test_statements():
    def make(b, x, i, xs):
        b.call(operator.setitem, x, i, 1.0)
        b.emit(Call(inplace_at, [x, Lit(slice(1, None)), Lit(2.0), Lit(operator.imul)]))
        b.emit(Call(operator.delitem, [xs, Lit(0)]))
        b.emit(Call(list.append, [xs, x]))
        b.set_attr(xs, "label", 1)
        b.call(np.add.at, x, i, 1.0)
        return x
    body = Block([x(VECTOR), Value(INT, "i"), Value(ListT(VECTOR), "xs")])
    assert text_of(lambda b, *a: make(b, *a), *body.params).splitlines()[:5] == [
        "x[i] = 1.0", "x[1:] *= 2.0", "del xs[0]", "xs.append(x)", "xs.label = 1"]


def test_arrays_are_never_augmented_unless_written_in_place():
    def make(b, u):
        t = u + 1.0
        t.name = "u"
        r = Value(VECTOR, "u")
        b.emit(Call(operator.iadd, [t, Lit(2.0)], results=[r]))
        return r
    assert text_of(make, Value(VECTOR, "u")) == "u = u + 1.0\nu += 2.0\nreturn u"


def test_zero_dimensional_arrays_are_no_scalars():
    def make(b, t):
        s = b.call(operator.add, t, 1.0, type=Arr("float64"))
        s.name = "t"
        return s * 2.0
    assert text_of(make, Value(Arr("float64"), "t")) == "t = t + 1.0\nreturn t * 2.0"


def test_in_place_on_something_else_keeps_both_names():
    def make(b, u):
        r = Value(VECTOR, "v")
        b.emit(Call(operator.iadd, [u, Lit(2.0)], results=[r]))
        return r + u
    assert text_of(make, Value(VECTOR, "u")) == "v = u\nv += 2.0\nreturn v + u"


def test_unpacking():
    def make(b, z):
        p, q = Value(FLOAT, "p"), Value(FLOAT)
        b.emit(Call(unpack, [z, Lit(2)], results=[p, q]))
        r, _ = b.call(divmod, p, 2.0)
        return r
    assert text_of(make, Value(TupleT((FLOAT, FLOAT)), "z")) == "p, _ = z\ns, _ = divmod(p, 2.0)\nreturn s"


def test_calls_of_values():
    def make(b, obj, xs):
        r = Value(UNKNOWN)
        b.emit(CallValue(obj, [Star(xs)], {"k": Lit(1)}, "run", results=[r]))
        s = Value(UNKNOWN)
        b.emit(GetAttr(r, "size", results=[s]))
        return s
    assert expression(make, Value(UNKNOWN, "obj"), Value(ListT(FLOAT), "xs")) == "obj.run(*xs, k=1).size"


def choice(b, cond, then, orelse):
    blocks = []
    for side in (then, orelse):
        with b.inside(Block()) as block:
            block.yields = [side() if callable(side) else side if isinstance(side, Value) else Lit(side)]
            blocks.append(block)
    r = Value(FLOAT)
    b.emit(If(cond, *blocks, results=[r]))
    return r


@pytest.mark.parametrize("make, expected", [
    (lambda b, x, y: choice(b, x > y, lambda: x * 2.0, y), "x * 2.0 if x > y else y"),
    (lambda b, x, y: choice(b, c := x > y, lambda: y > 0.0, c), "x > y > 0.0"),
    (lambda b, x, y: choice(b, c := x > y, lambda: choice(b, d := x > 1.0, lambda: x > 2.0, d), c), "x > y and x > 1.0 and x > 2.0"),
    (lambda b, x, y: choice(b, c := x > y, c, lambda: y > 0.0), "x > y or y > 0.0"),
    (lambda b, x, y: choice(b, b.call(operator.gt, x, y, type=BOOL), False, True), "not x > y"),
    (lambda b, x, y: choice(b, x > y, lambda: choice(b, y > 1.0, 1.0, 2.0), 3.0), "(1.0 if y > 1.0 else 2.0) if x > y else 3.0"),
])
def test_conditional_expressions(make, expected):
    assert expression(make, x(), y()) == expected


def test_sources_of_loops():
    def loop(b, sources, n):
        items = [Value(FLOAT, name) for name in "abcd"[:n]]
        block = Block(items)
        with b.inside(block):
            b.call(print, *items)
        b.emit(For(sources, [], block))

    def make(b, x, d):
        loop(b, [Source("range", [Lit(1), Lit(9), Lit(1)])], 1)
        loop(b, [Source("range", [Lit(0), Lit(9), Lit(2)], True)], 1)
        loop(b, [Source("count", [Lit(0)]), Source("seq", [x])], 2)
        loop(b, [Source("count", [Lit(1)]), Source("seq", [x]), Source("seq", [x], True)], 3)
        loop(b, [Source("items", [d]), Source("keys", [d]), Source("values", [d])], 4)
        return x
    heads = [line for line in text_of(make, x(VECTOR), Value(Obj(dict), "d")).splitlines() if line.startswith("for")]
    assert heads == ["for a in range(1, 9):", "for a in reversed(range(0, 9, 2)):", "for a, b in enumerate(x):",
                     "for a, (b, c) in enumerate(zip(x, reversed(x)), 1):", "for (a, b), c, d in zip(d.items(), d, d.values()):"]


def helper(z, scale=2.0, *, power=1):
    return z * scale ** power


def invoked(signature, tree=None):
    params = [p.value for p in signature if isinstance(p.value, Value)]
    return Function("helper", Block(params), tree or Tree("leaf", index=0), signature, origin=helper)


def test_calls_of_the_users_helpers():
    z, s = Value(FLOAT, "z"), Value(FLOAT, "scale")
    full = invoked([Param("z", z), Param("scale", s), Param("power", Lit(3), "keyword")])
    short = invoked([Param("z", z), Param("scale", Lit(2.0)), Param("power", Lit(1), "keyword")])

    def make(b, x):
        a, c = Value(FLOAT), Value(FLOAT)
        b.emit(Invoke(short, [x], results=[a]))
        b.emit(Invoke(full, [a, x], results=[c]))
        return c
    assert expression(make, x()) == "helper(helper(x), x, power=3)"


def test_results_in_a_structure():
    leaf = [Tree("leaf", index=k) for k in range(3)]
    func = invoked([Param("z", Value(FLOAT, "z"))], Tree("tuple", [leaf[0], Tree("dict", leaf[1:], keys=["p", "q"])]))

    def make(b, x):
        results = [Value(FLOAT, n) for n in "abc"]
        b.emit(Invoke(func, [x], results=results))
        return results[0] + results[1] * results[2]
    assert text_of(make, x()) == "out = helper(x)\na = out[0]\nb = out[1]['p']\nc = out[1]['q']\nreturn a + b * c"


def test_halves_are_written_above_their_caller():
    inner = Block([Value(FLOAT, "z"), Value(FLOAT, "out_bar")])
    with Builder(inner, part="adjoint"):
        inner.yields = [inner.params[1] * 2.0]
    half = Function("rates_backward", inner, doc="Adds the gradient.")
    other = Function("rates_backward", Block([Value(FLOAT, "z")], yields=[Lit(1.0)]))

    def make(b, x):
        a, c = Value(FLOAT), Value(FLOAT)
        b.emit(Invoke(half, [x, Lit(1.0)], results=[a]))
        b.emit(Invoke(other, [a], results=[c]))
        return c
    body = Block([x()])
    with Builder(body) as b:
        body.yields = [make(b, body.params[0])]
    module = emit.emit(Function("grad", body))
    assert module.text == '''\
def rates_backward(z, out_bar):
    """Adds the gradient."""
    return out_bar * 2.0


def rates_backward_1(z):
    return 1.0


def grad(x):
    return rates_backward_1(rates_backward(x, 1.0))
'''
    assert emit.load(module)(3.0) == 1.0


def test_long_lines_are_broken_at_commas():
    def make(b, x):
        r = b.call(np.array, [b.call(np.where, x > float(k), x * 2.5, -x) for k in range(5)], type=MATRIX)
        r.name = "rows"
        return r
    text = text_of(make, x(VECTOR))
    assert text.startswith("rows = np.array([\n    np.where(x > 0.0, x * 2.5, -x),\n") and text.endswith("])\nreturn rows")

