"""Names: the user's own where they can be, unique where two want the same, never one that means something else."""
import math
import operator
import subprocess
import sys

import numpy as np

from transgrad import emit
from transgrad.emit.naming import bar, dot, saved, unique
from transgrad.ir.build import Builder
from transgrad.ir.ops import Block, For, Function, Handler, Lit, Param, Source, Try, Value
from transgrad.ir.types import BIG, Arr, ListT, Num, Obj

FLOAT, INT = Num("float"), Num("int")
VECTOR = Arr("float64", (BIG,))


def build(params, make, **kwargs):
    body = Block(list(params))
    with Builder(body) as b:
        body.yields = [make(b, *params)]
    module = emit.emit(Function("f", body, **kwargs))
    return module, emit.load(module)


def named(v, name):
    v.name = name
    return v


def test_unique():
    assert unique("x", ()) == "x"
    assert unique("x", ("x", "x_1")) == "x_2"
    assert unique("lambda", ()) == "lambda_1"
    assert (bar("x"), dot("x"), saved("x"), bar(None)) == ("x_bar", "x_dot", "saved_x", "s_bar")


def test_suffixes_do_not_make_other_names():
    """`b` + `eta` would be `beta`."""
    def make(b, beta, b_):
        y = named(beta * b_, "eta")
        b.part = "adjoint"
        return named(y * 2.0, bar("b")) * named(y + 1.0, bar("eta")) * beta
    module, run = build([Value(FLOAT, "beta"), Value(FLOAT, "b")], make)
    assert "b_bar = eta * 2.0" in module.text and "eta_bar = eta + 1.0" in module.text
    assert run(2.0, 3.0) == 12.0 * 7.0 * 2.0


def test_the_users_own_bar_keeps_its_name():
    def make(b, x):
        mine = named(x + 1.0, "x_bar")
        y = named(mine * mine, "y")
        b.part = "adjoint"
        return named(y * 2.0, "x_bar") * x
    module, _ = build([Value(FLOAT, "x")], make)
    assert "x_bar = x + 1.0" in module.text and "x_bar_1 = y * 2.0" in module.text


def test_a_value_read_after_its_name_was_given_to_another():
    """x is captured before the loop and read after it."""
    def make(b, x, n):
        p = Value(FLOAT, "x")
        loop = Block([Value(INT, "i"), p])
        with b.inside(loop):
            loop.yields = [named(p * 2.0, "x")]
        r = Value(FLOAT, "x")
        b.emit(For([Source("range", [Lit(0), n, Lit(1)])], [x], loop, results=[r]))
        return x + r
    module, run = build([Value(FLOAT, "x"), Value(INT, "n")], make)
    assert module.text == """\
def f(x, n):
    x_1 = x
    for _ in range(n):
        x_1 *= 2.0
    return x + x_1
"""
    assert run(3.0, 2) == 15.0


def test_fibonacci():
    def make(b, n):
        p, q = Value(INT, "a"), Value(INT, "b")
        loop = Block([Value(INT), p, q])
        with b.inside(loop):
            loop.yields = [q, named(p + q, "b")]
        results = [Value(INT, "a"), Value(INT, "b")]
        b.emit(For([Source("range", [Lit(0), n, Lit(1)])], [Lit(0), Lit(1)], loop, results=results))
        return results[0]
    module, run = build([Value(INT, "n")], make)
    assert "        a, b = b, a + b\n" in module.text
    assert run(10) == 55


def test_parameters_keep_their_names():
    """A parameter called np, math or sum makes the module take another name."""
    def make(b, np_, sum_):
        return b.call(sum, b.build("list", [b.call(np.sin, np_), b.call(math.cos, sum_), Lit(math.inf)]), type=FLOAT)
    module, run = build([Value(FLOAT, "np"), Value(FLOAT, "sum")], make)
    assert module.text == "def f(np, sum):\n    return builtin_sum([np_1.sin(np), math.cos(sum), np_1.inf])\n"
    assert module.names == {"builtin_sum": sum, "np_1": np, "math": math}
    assert run(1.0, 2.0) == math.inf


def test_variables_do_not_shadow_what_the_text_needs():
    def make(b, x):
        total = named(x + 1.0, "max")
        return b.call(max, total, named(total * 2.0, "np")) + b.call(np.sin, x)
    module, run = build([Value(FLOAT, "x")], make)
    assert "max_1 = x + 1.0" in module.text and "np_1 = max_1 * 2.0" in module.text
    assert run(1.0) == 4.0 + np.sin(1.0)


def sin(x):
    return x + 1.0


def test_spellings_are_honoured_where_they_mean_the_same():
    def make(b, x):
        y = b.call(math.sin, x, spelling="sin")
        return y + b.call(math.cos, x, spelling="cos") + b.call(np.sin, x, spelling="xp.sin")
    module, run = build([Value(FLOAT, "x")], make, names={"sin": math.sin, "cos": sin, "xp": np})
    assert "return sin(x) + math.cos(x) + xp.sin(x)" in module.text
    assert run(0.5) == math.sin(0.5) + math.cos(0.5) + np.sin(0.5)


def test_two_helpers_of_one_name():
    def other(x):
        return x * 10.0
    other.__name__ = "sin"

    def make(b, x):
        return b.call(sin, x, type=FLOAT) + b.call(other, x, type=FLOAT)
    module, run = build([Value(FLOAT, "x")], make)
    assert "return sin(x) + sin_1(x)" in module.text
    assert run(1.0) == 12.0


def test_caught_exceptions_are_gone_after_their_handler():
    def make(b, x):
        e, r = Value(Obj(ValueError), "e"), Value(Obj(None), "e")
        handler = Block([e])
        handler.yields = [e]
        inside = Block()
        with b.inside(inside):
            inside.yields = [b.call(int, x, type=INT)]
        b.emit(Try(inside, [Handler(Lit(ValueError), handler)], results=[r]))
        return b.call(str, r, type=Obj(str))
    module, run = build([Value(Obj(str), "x")], make)
    assert run("12") == "12"
    assert "invalid literal" in run("x")


def test_what_a_handler_reads_is_not_overwritten_before():
    def make(b, x):
        inside = Block()
        with b.inside(inside):
            first = named(b.call(float, x, type=FLOAT), "y")
            b.call(operator.truediv, 1.0, first)
            inside.yields = [first]
        before = named(b.call(len, x, type=INT), "y")
        r = Value(Obj(None), "y")
        b.emit(Try(inside, [Handler(Lit(ZeroDivisionError), Block(yields=[before]))], results=[r]))
        return r
    _, run = build([Value(Obj(str), "x")], make)
    assert (run("4.0"), run("0.000")) == (4.0, 5)


def test_order_of_opaque_calls_and_writes_is_kept():
    def make(b, x, i):
        first = b.call(operator.getitem, x, i, type=FLOAT)
        b.call(operator.setitem, x, i, 5.0)
        return first + x[i]
    module, run = build([Value(VECTOR, "x"), Value(INT, "i")], make)
    assert run(np.ones(3), 1) == 6.0
    assert module.text.count("\n") == 4

    def pops(b, xs):
        a = b.call(list.pop, xs, type=FLOAT)
        c = b.call(list.pop, xs, type=FLOAT)
        return c - a
    module, run = build([Value(ListT(FLOAT), "xs")], pops)
    assert run([1.0, 5.0]) == -4.0

    def straight(b, xs):
        a = b.call(list.pop, xs, type=FLOAT)
        return a - b.call(list.pop, xs, type=FLOAT)
    module, run = build([Value(ListT(FLOAT), "xs")], straight)
    assert "return xs.pop() - xs.pop()" in module.text


def test_signature():
    def user(a, /, b, c=2.0, *rest, d, e=None, **more):
        return a
    a, x, d = Value(FLOAT, "a"), Value(FLOAT, "b"), Value(FLOAT, "d")
    signature = [Param("a", a, "positional"), Param("b", x), Param("c", Lit(2.0)), Param("rest", Lit(()), "varargs"),
                 Param("d", d, "keyword"), Param("e", Lit(None), "keyword"), Param("more", Lit({}), "varkwargs")]
    body = Block([a, x, d], yields=[a])
    module = emit.emit(Function("f", body, signature=signature, origin=user))
    assert module.text.startswith("def f(a, /, b, c=2.0, *rest, d, e=None, **more):\n")


PROGRAM = """
from tests.emit.random_ir import RandomArrays, RandomIR
from transgrad import emit
for seed in range(30):
    print(emit.emit(RandomIR(seed).function()).text, emit.emit(RandomArrays(seed).function()).text)
"""


def test_same_text_in_every_process():
    texts = {subprocess.run([sys.executable, "-c", PROGRAM], env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."}, capture_output=True,
                            check=True, text=True).stdout for seed in ("1", "2")}
    assert len(texts) == 1

