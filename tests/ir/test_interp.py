"""The interpreter runs each kind of operation as Python would."""
import contextlib
import operator
from collections import namedtuple
from pathlib import PurePath
from types import SimpleNamespace

import numpy as np
import pytest

from transgrad.ir import interp
from transgrad.ir.build import Builder
from transgrad.ir.ops import (
    UNDEF,
    Block,
    Build,
    Call,
    CallValue,
    For,
    Function,
    GetAttr,
    Handler,
    If,
    Invoke,
    Lit,
    Raise,
    SetAttr,
    Source,
    Star,
    Tree,
    Try,
    Value,
    While,
    With,
)
from transgrad.ir.prims import unguarded, unpack
from transgrad.ir.types import UNKNOWN, Num
from transgrad.ir.verify import verify

FLOAT, INT, BOOL = Num("float"), Num("int"), Num("bool")


def function(params, ops, yields, returns=None):
    fn = Function("f", Block(params, ops, yields), returns or Tree("leaf", index=0))
    verify(fn)
    return fn


def val(t=FLOAT, name=None):
    return Value(t, name)


def test_straight_line_and_returned_structure():
    x, a, b = val(), val(), val()
    ops = [Call(operator.mul, [x, Lit(2.0)], results=[a]), Call(np.sin, [a], results=[b])]
    pair = namedtuple("pair", "first second")
    tree = Tree("tuple", [
        Tree("leaf", index=0), Tree("list", [Tree("leaf", index=1)]), Tree("lit", value="k"),
        Tree("dict", [Tree("leaf", index=0)], keys=["a"]),
        Tree("tuple", [Tree("leaf", index=0), Tree("leaf", index=1)], cls=pair),
        Tree("object", [Tree("leaf", index=1)], keys=["v"], cls=SimpleNamespace),
    ])
    fn = function([x], ops, [a, b], tree)
    assert interp.run(fn, [0.5]) == [1.0, np.sin(1.0)]
    out = interp.call(fn, [0.5])
    assert out[:4] == (1.0, [np.sin(1.0)], "k", {"a": 1.0})
    assert out[4] == pair(1.0, np.sin(1.0)) and out[5].v == np.sin(1.0)


def test_wrong_number_of_arguments():
    x = val()
    with pytest.raises(TypeError, match="takes 1"):
        interp.run(function([x], [], [x]), [])


def test_if_carries_undef_that_nobody_reads():
    x, y = val(), val()
    taken = If(Lit(True), Block([], [], [x]), Block([], [], [UNDEF]), results=[y])
    assert interp.run(function([x], [taken], [y]), [3.0]) == [3.0]


def test_reading_undef_raises():
    x, y, z = val(), val(), val()
    ops = [If(Lit(False), Block([], [], [x]), Block([], [], [UNDEF]), results=[y]), Call(operator.neg, [y], results=[z])]
    with pytest.raises(UnboundLocalError):
        interp.run(function([x], ops, [z]), [3.0])


def test_for_over_several_sources_stops_early():
    xs, i, x, s, s2, stop, out = val(UNKNOWN), val(INT), val(UNKNOWN), val(UNKNOWN), val(UNKNOWN), val(BOOL), val(UNKNOWN)
    body = Block([i, x, s], [Call(operator.add, [s, x], results=[s2]), Call(operator.ge, [i, Lit(2)], results=[stop])], [stop, s2])
    loop = For([Source("count", [Lit(0)]), Source("seq", [xs])], [Lit(0.0)], body, stops=True, results=[out])
    fn = function([xs], [loop], [out])
    assert interp.run(fn, [[1.0, 2.0, 4.0, 8.0]]) == [7.0]
    assert interp.run(fn, [[1.0]]) == [1.0]
    assert interp.run(fn, [np.array([])]) == [0.0]


@pytest.mark.parametrize("kind, operands, reverse, want", [
    ("range", [0, 6, 2], False, [0, 2, 4]), ("range", [0, 6, 2], True, [4, 2, 0]), ("seq", [(3, 1)], True, [1, 3]),
    ("keys", [{"a": 1, "b": 2}], False, ["a", "b"]), ("values", [{"a": 1, "b": 2}], True, [2, 1]), ("iter", ["xy"], False, ["x", "y"]),
])
def test_sources(kind, operands, reverse, want):
    seen, item, i = val(UNKNOWN), val(UNKNOWN), []
    loop = For([Source(kind, [Lit(o) for o in operands], reverse)], [], Block([item], [Call(list.append, [seen, item])], []))
    interp.run(function([seen], [loop], [seen]), [i])
    assert i == want


def test_items_gives_two_variables():
    d, k, v, s, s1, s2, out = (val(UNKNOWN) for _ in range(7))
    body = Block([k, v, s], [Call(len, [k], results=[s1]), Call(operator.mul, [s1, v], results=[s2])], [s2])
    fn = function([d], [For([Source("items", [d])], [Lit(0)], body, results=[out])], [out])
    assert interp.run(fn, [{"a": 2, "bcd": 5}]) == [15]


def test_while_and_recursion():
    n, c, c1, ok, out = val(INT), val(INT), val(INT), val(BOOL), val(INT)
    cond_n = val(INT)
    loop = While([n], Block([cond_n], [Call(operator.gt, [cond_n, Lit(10)], results=[ok])], [ok]),
                 Block([c], [Call(operator.floordiv, [c, Lit(2)], results=[c1])], [c1]), results=[out])
    assert interp.run(function([n], [loop], [out]), [81]) == [10]

    k, small, k1, rest, r, res = val(INT), val(BOOL), val(INT), val(INT), val(INT), val(INT)
    fact = Function("fact", Block([k]))
    again = Block([], [Call(operator.sub, [k, Lit(1)], results=[k1]), Invoke(fact, [k1], results=[rest]),
                       Call(operator.mul, [k, rest], results=[r])], [r])
    fact.body.ops = [Call(operator.le, [k, Lit(1)], results=[small]), If(small, Block([], [], [Lit(1)]), again, results=[res])]
    fact.body.yields = [res]
    verify(fact)
    assert interp.run(fact, [5]) == [120]


def test_calls_and_displays():
    xs, t, first, rest, total, d, sl, text, s = (val(UNKNOWN) for _ in range(9))
    ops = [
        Build("tuple", [Star(xs), Lit(9)], results=[t]),
        Call(unpack, [t, Lit(3)], results=[first, rest, total]),
        Build("dict", [Lit("a"), first, Star(Lit({"b": 7}))], results=[d]),
        Build("slice", [Lit(None), first, Lit(None)], results=[sl]),
        Build("str", [Lit("n="), first], results=[text]),
        Build("set", [Star(xs)], results=[s]),
    ]
    one, back, named = val(UNKNOWN), val(UNKNOWN), val(UNKNOWN)
    ops += [Build("list", [first], results=[one]), Call(unpack, [one, Lit(1)], results=[back])]
    pair = namedtuple("pair", "a b")
    ops += [Build("namedtuple", [first, back], cls=pair, results=[named])]
    fn = function([xs], ops, [first, rest, total, d, sl, text, s, back, named])
    assert interp.run(fn, [[1, 2]]) == [1, 2, 9, {"a": 1, "b": 7}, slice(None, 1, None), "n=1", {1, 2}, 1, pair(1, 1)]


def test_attributes_and_called_values():
    o, a, b, c = (val(UNKNOWN) for _ in range(4))
    ops = [GetAttr(o, "x", results=[a]), SetAttr(o, "y", a), CallValue(o, [a], {"k": Lit(1)}, results=[b]),
           CallValue(o, [Star(Lit((5,)))], {}, "method", results=[c]), CallValue(o, [a], {})]

    class Thing:
        x = 3

        def __call__(self, v, k=0):
            return v + k

        def method(self, v):
            return -v

    thing = Thing()
    assert interp.run(function([o], ops, [b, c]), [thing]) == [4, -5] and thing.y == 3


def attempt(error):
    """try: t = xs[0] / d; else: r = t + 1; except error as e: r = e; finally: log.append('end')."""
    xs, d, log, x, t, r, e, out = (val(UNKNOWN) for _ in range(8))
    body = Block([], [Call(operator.getitem, [xs, Lit(0)], results=[x]), Call(operator.truediv, [x, d], results=[t]),
                      Call(unguarded, []), Call(operator.add, [t, Lit(1)], results=[r])], [r])
    final = Block([], [Call(list.append, [log, Lit("end")])])
    op = Try(body, [Handler(Lit(error), Block([e], [], [e]), "e")], final, results=[out])
    return function([xs, d, log], [op], [out])


def test_try():
    log = []
    assert interp.run(attempt(ZeroDivisionError), [[4], 2, log]) == [3.0]
    assert isinstance(interp.run(attempt((ZeroDivisionError, KeyError)), [[4], 0, log])[0], ZeroDivisionError)
    with pytest.raises(IndexError):
        interp.run(attempt(ZeroDivisionError), [[], 2, log])
    with pytest.raises(TypeError):  # raised in else, which is not guarded
        interp.run(attempt(TypeError), [[PurePath("a")], "b", log])
    assert log == ["end"] * 4


def test_raise_and_reraise():
    x, out = val(), val()
    bare = Try(Block([], [Raise(Lit(KeyError("k")), Lit(ValueError("v")))], [UNDEF]),
               [Handler(None, Block([], [Raise(None)], [UNDEF]))], results=[out])
    with pytest.raises(KeyError) as info:
        interp.run(function([x], [bare], [out]), [1.0])
    assert isinstance(info.value.__cause__, ValueError)
    with pytest.raises(OSError):
        interp.run(function([x], [Raise(Lit(OSError))], [x]), [1.0])


def test_with():
    ctx, item, out, x = val(UNKNOWN), val(UNKNOWN), val(UNKNOWN), val()
    op = With(ctx, Block([item], [], [item]), results=[out])
    assert interp.run(function([ctx], [op], [out]), [contextlib.nullcontext(4)]) == [4]
    swallowed = With(Lit(contextlib.suppress(KeyError)), Block([], [Raise(Lit(KeyError))], [UNDEF]), results=[out])
    assert interp.run(function([x], [swallowed], [out]), [1.0]) == [UNDEF]


def test_builder_writes_what_the_interpreter_runs():
    x = Value(FLOAT, "x")
    block = Block([x])
    with Builder(block):
        block.yields = [2.0 * x + np.sin(x)]
    assert interp.run(function([x], block.ops, block.yields), [0.3]) == [0.6 + np.sin(0.3)]


def test_results_must_match():
    x, a, b = val(UNKNOWN), val(UNKNOWN), val(UNKNOWN)
    fn = Function("f", Block([x], [Call(tuple, [x], results=[a, b])], [a]))
    with pytest.raises(ValueError, match="2 results gave 3"):
        interp.run(fn, [[1, 2, 3]])


@pytest.mark.parametrize("broken", [lambda: Build("heap", [], results=[val()]), lambda: object()])
def test_unknown_operations(broken):
    with pytest.raises(TypeError):
        interp._op(broken(), {})
    with pytest.raises(TypeError):
        interp.rebuild(Tree("heap"), [])
