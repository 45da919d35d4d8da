"""try, with, and what stands between statements that write and statements that read."""
import contextlib
import operator

import numpy as np

from transgrad import emit, runtime
from transgrad.ir.build import Builder
from transgrad.ir.interp import call
from transgrad.ir.ops import UNDEF, Block, Call, For, Function, Handler, Lit, Source, Try, Value, With
from transgrad.ir.prims import inplace_at, unguarded
from transgrad.ir.types import BIG, UNKNOWN, Arr, Num

FLOAT, INT, VECTOR = Num("float"), Num("int"), Arr("float64", (BIG,))


def finish(body, **kwargs):
    fn = Function("f", body, **kwargs)
    module = emit.emit(fn)
    return fn, module.text.split("\n", 1)[1], emit.load(module)


def test_try_with_all_its_clauses():
    x, log = Value(FLOAT, "x"), Value(UNKNOWN, "log")
    body = Block([x, log])
    with Builder(body) as b:
        inside, handler, final = Block(), Block([Value(UNKNOWN, "error")]), Block()
        with b.inside(inside):
            y = b.call(operator.truediv, 1.0, x)
            y.name = "y"
            b.emit(Call(unguarded, []))
            b.emit(Call(list.append, [log, Lit("else")]))
            inside.yields = [y]
        with b.inside(handler):
            b.emit(Call(list.append, [log, handler.params[0]]))
            handler.yields = [Lit(0.0)]
        with b.inside(final):
            b.emit(Call(list.append, [log, Lit("finally")]))
        r = Value(FLOAT, "y")
        b.emit(Try(inside, [Handler(Lit(ZeroDivisionError), handler, "error")], final, results=[r]))
        body.yields = [r * 2.0]
    _, text, run = finish(body)
    assert text == """\
    try:
        y = 1.0 / x
    except ZeroDivisionError as error:
        log.append(error)
        y = 0.0
    else:
        log.append('else')
    finally:
        log.append('finally')
    return y * 2.0
"""
    log = []
    assert (run(4.0, log), log) == (0.5, ["else", "finally"])
    assert run(0.0, log) == 0.0 and len(log) == 4


def test_with():
    x = Value(FLOAT, "x")
    body = Block([x])
    with Builder(body) as b:
        inside = Block()
        context = b.call(np.errstate, divide="raise", type=UNKNOWN)
        with b.inside(inside):
            y = b.call(np.divide, 1.0, x)
            inside.yields = [y]
        r = Value(FLOAT)
        b.emit(With(context, inside, results=[r]))
        body.yields = [r]
    _, text, run = finish(body)
    assert text == """\
    with np.errstate(divide='raise'):
        return np.divide(1.0, x)
"""
    assert run(2.0) == 0.5


def test_a_swallowed_exception_leaves_the_variable_as_it_was():
    x = Value(FLOAT, "x")
    body = Block([x])
    with Builder(body) as b:
        before = x + 1.0
        before.name = "y"
        inside = Block()
        context = b.call(contextlib.suppress, Lit(ZeroDivisionError), type=UNKNOWN)
        with b.inside(inside):
            y = b.call(operator.truediv, 1.0, x)
            y.name = "y"
            inside.yields = []
            b.emit(Call(print, [y]))
        b.emit(With(context, inside))
        body.yields = [before * 2.0]
    fn, _, run = finish(body)
    assert (run(0.0), run(1.0)) == (2.0, 4.0) == (call(fn, [0.0]), call(fn, [1.0]))


def test_helpers_may_hand_back_a_view():
    """unbroadcast returns its argument where there is nothing to sum: a write in between must not be moved past."""
    u = Value(VECTOR, "u")
    body = Block([u])
    with Builder(body) as b:
        view = u[1:]
        same = b.call(runtime.unbroadcast, view, view, type=VECTOR)
        product = same * 2.0
        b.emit(Call(inplace_at, [u, Lit(1), Lit(5.0), Lit(operator.iadd)]))
        body.yields = [product]
    fn, _, run = finish(body)
    np.testing.assert_array_equal(run(np.ones(3)), call(fn, [np.ones(3)]))


def test_a_variable_without_a_value_can_be_handed_on():
    """The inner loop may never run; what it would have assigned is handed to the outer one's variable all the same."""
    n = Value(INT, "n")
    body = Block([n])
    with Builder(body) as b:
        p, keep = Value(INT, "p"), Value(INT, "keep")
        outer = Block([Value(INT, "i"), p, keep])
        with b.inside(outer):
            q = Value(INT, "q")
            inner = Block([Value(INT, "j"), q], yields=[Lit(3)])
            r = Value(INT, "q")
            b.emit(For([Source("range", [Lit(0), outer.params[0], Lit(1)])], [UNDEF], inner, results=[r]))
            b.call(print, keep)
            outer.yields = [r, keep]
        out = [Value(INT, "p"), Value(INT, "keep")]
        b.emit(For([Source("range", [Lit(0), n, Lit(1)])], [Lit(7), Lit(1)], outer, results=out))
        body.yields = [out[0]]
    fn, _, run = finish(body)
    assert [run(0), run(2)] == [7, 3] == [call(fn, [0]), call(fn, [2])]
    assert run(1) is None       # and not an UnboundLocalError: nobody has read it yet

