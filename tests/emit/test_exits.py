"""Stop flags become break, continue and return again."""
import operator

import pytest

from transgrad import emit
from transgrad.ir.build import Builder
from transgrad.ir.interp import call
from transgrad.ir.ops import UNDEF, Block, For, Function, If, Lit, Loc, Raise, Source, Value, While
from transgrad.ir.types import Num, Obj

INT, BOOL = Num("int"), Num("bool")


def loc(line, text, col=5):
    return Loc("user.py", line, col, text)


def finish(body, name="f", **kwargs):
    fn = Function(name, body, **kwargs)
    module = emit.emit(fn)
    run = emit.load(module)
    return fn, module.text.split("\n", 1)[1], run


def counted(n):
    return Source("range", [Lit(0), n, Lit(1)])


def test_early_return():
    x = Value(INT, "x")
    body, then, orelse = Block([x]), Block(), Block()
    b = Builder(body, loc=loc(2, "if x > 3:"))
    with b:
        cond = x > 3
        with b.inside(then):
            then.yields = [x * 2]
        with b.inside(orelse):
            y = x + 1
            y.name = "y"
            orelse.yields = [y * y]
        r = Value(INT)
        b.emit(If(cond, then, orelse, results=[r]))
        body.yields = [r]
    _, text, run = finish(body)
    assert text == """\
    if x > 3:
        return x * 2
    y = x + 1
    return y * y
"""
    assert (run(4), run(1)) == (8, 4)


def test_named_results_of_a_last_branch_are_assigned():
    x = Value(INT, "x")
    body, then, orelse = Block([x]), Block(), Block()
    b = Builder(body, loc=loc(2, "if x > 3:"))
    with b:
        cond = x > 3
        with b.inside(then):
            then.yields = [x * 2]
        with b.inside(orelse):
            orelse.yields = [x + 1]
        y = Value(INT, "y")
        b.emit(If(cond, then, orelse, results=[y]))
        body.yields = [y]
    assert finish(body)[1] == """\
    if x > 3:
        y = x * 2
    else:
        y = x + 1
    return y
"""


def test_break():
    n = Value(INT, "n")
    body = Block([n])
    b = Builder(body, loc=loc(3, "for i in range(n):"))
    with b:
        i, total = Value(INT, "i"), Value(INT, "total")
        loop, then, orelse = Block([i, total]), Block(), Block()
        with b.inside(loop):
            b.loc = loc(4, "if total > 5:", 9)
            cond = total > 5
            with b.inside(then):
                then.yields = [Lit(True), total]
            with b.inside(orelse):
                more = total + i
                more.name = "total"
                orelse.yields = [Lit(False), more]
            results = [Value(BOOL), Value(INT, "total")]
            b.emit(If(cond, then, orelse, results=results))
            loop.yields = results
        out = Value(INT, "total")
        b.emit(For([counted(n)], [Lit(0)], loop, True, results=[out]))
        body.yields = [out]
    fn, text, run = finish(body)
    assert text == """\
    total = 0
    for i in range(n):
        if total > 5:
            break
        total += i
    return total
"""
    assert [run(k) for k in range(9)] == [call(fn, [k]) for k in range(9)]


def test_continue():
    n = Value(INT, "n")
    body = Block([n])
    b = Builder(body, loc=loc(3, "for i in range(n):"))
    with b:
        i, total = Value(INT, "i"), Value(INT, "total")
        loop, then, orelse = Block([i, total]), Block(), Block()
        with b.inside(loop):
            b.loc = loc(4, "if i == 2:", 9)
            cond = b.call(operator.eq, i, 2)
            then.yields = [total]
            with b.inside(orelse):
                b.loc = loc(6, "total = total + i", 9)
                more = total + i
                more.name = "total"
                orelse.yields = [more]
            b.loc = loc(4, "if i == 2:", 9)
            r = Value(INT, "total")
            b.emit(If(cond, then, orelse, results=[r]))
            loop.yields = [r]
        out = Value(INT, "total")
        b.emit(For([counted(n)], [Lit(0)], loop, results=[out]))
        body.yields = [out]
    fn, text, run = finish(body)
    assert text == """\
    total = 0
    for i in range(n):
        if i == 2:
            continue
        total += i
    return total
"""
    assert [run(k) for k in range(5)] == [call(fn, [k]) for k in range(5)]


def search(nested):
    """``for …: if i * i > x: return i`` and, with ``nested``, the same around it; then ``return -1``."""
    x = Value(INT, "x")
    body = Block([x])
    b = Builder(body, loc=loc(3, "for i in range(9):"))

    def loop(name, inside):
        """A loop whose body ends in (returned, value)."""
        i = Value(INT, name)
        block = Block([i, Value(BOOL), Value(INT)])
        with b.inside(block):
            returned, value = inside(i)
        block.yields = [returned, returned, value]
        results = [Value(BOOL), Value(INT)]
        b.emit(For([counted(Lit(9))], [Lit(False), UNDEF], block, True, results=results))
        return results

    def test(i):
        then, orelse, results = Block(), Block(), [Value(BOOL), Value(INT)]
        b.loc = loc(4, "if i * i > x:")
        cond = i * i > x
        with b.inside(then):
            then.yields = [Lit(True), i + 100]
        orelse.yields = [Lit(False), UNDEF]
        b.emit(If(cond, then, orelse, results=results))
        return results

    def after(results, orelse_yields, orelse_ops=()):
        then, orelse = Block(yields=list(results)[-len(orelse_yields):]), Block(yields=list(orelse_yields))
        out = [Value(BOOL), Value(INT)][-len(orelse_yields):]
        b.emit(If(results[0], then, orelse, results=out))
        return out

    with b:
        if nested:
            def inside(j):
                flag, value = loop("i", lambda i: test(b.call(operator.mul, i, j)))
                then, orelse = Block(yields=[Lit(True), value]), Block(yields=[Lit(False), UNDEF])
                out = [Value(BOOL), Value(INT)]
                b.emit(If(flag, then, orelse, results=out))
                return out
            results = loop("j", inside)
        else:
            results = loop("i", test)
        body.yields = after(results, [Lit(-1)])
    return body


def test_return_from_a_loop():
    fn, text, run = finish(search(nested=False))
    assert text == """\
    for i in range(9):
        if i * i > x:
            return i + 100
    return -1
"""
    assert [run(k) for k in (0, 3, 50, 99)] == [call(fn, [k]) for k in (0, 3, 50, 99)]


def test_return_from_a_loop_in_a_loop():
    fn, text, run = finish(search(nested=True))
    assert text == """\
    for j in range(9):
        for i in range(9):
            n = i * j
            if n * n > x:
                return n + 100
    return -1
"""
    assert [run(k) for k in (0, 3, 50, 99999)] == [call(fn, [k]) for k in (0, 3, 50, 99999)]


def test_break_or_return():
    """A loop with both: its stop flag is the disjunction of two flags."""
    x = Value(INT, "x")
    body = Block([x])
    b = Builder(body, loc=loc(3, "for i in range(9):"))
    with b:
        i, returned, value, last = Value(INT, "i"), Value(BOOL), Value(INT), Value(INT, "last")
        loop = Block([i, returned, value, last])
        with b.inside(loop):
            b.loc = loc(4, "if i * x > 20:", 9)
            cond = i * x > 20
            outer = [Value(BOOL), Value(INT), Value(BOOL)]
            then, orelse = Block(yields=[Lit(True), i, Lit(False)]), Block()
            with b.inside(orelse):
                b.loc = loc(6, "if i > 5:", 9)
                inner_cond = i > 5
                inner = [Value(BOOL)]
                b.emit(If(inner_cond, Block(yields=[Lit(True)]), Block(yields=[Lit(False)]), results=inner))
                orelse.yields = [Lit(False), UNDEF, inner[0]]
            b.loc = loc(4, "if i * x > 20:", 9)
            b.emit(If(cond, then, orelse, results=outer))
            stop = b.call(operator.or_, outer[0], outer[2])
            loop.yields = [stop, outer[0], outer[1], i]
        results = [Value(BOOL), Value(INT), Value(INT, "last")]
        b.emit(For([counted(Lit(9))], [Lit(False), UNDEF, Lit(-5)], loop, True, results=results))
        then, orelse = Block(yields=[results[1]]), Block()
        with b.inside(orelse):
            orelse.yields = [results[2] + 1000]
        out = Value(INT)
        b.emit(If(results[0], then, orelse, results=[out]))
        body.yields = [out]
    fn, text, run = finish(body)
    assert text == """\
    last = -5
    for i in range(9):
        if i * x > 20:
            return i
        if i > 5:
            last = i
            break
        last = i
    return last + 1000
"""
    assert [run(k) for k in (0, 3, 10, 99)] == [call(fn, [k]) for k in (0, 3, 10, 99)]


def test_raise_is_not_nested_in_else():
    x = Value(INT, "x")
    body, then, orelse = Block([x]), Block(), Block()
    b = Builder(body, loc=loc(2, "if x < 0:"))
    with b:
        cond = x < 0
        with b.inside(then):
            b.emit(Raise(b.call(ValueError, "negative", type=Obj(ValueError))))
            then.yields = [UNDEF]
        with b.inside(orelse):
            orelse.yields = [x + 1]
        r = Value(INT, "y")
        b.emit(If(cond, then, orelse, results=[r]))
        body.yields = [r * 2]
    fn, text, run = finish(body)
    assert text == """\
    if x < 0:
        raise ValueError('negative')
    y = x + 1
    return y * 2
"""
    assert run(2) == 6
    with pytest.raises(ValueError, match="negative"):
        run(-1)


def test_while_with_statements_in_its_condition():
    x = Value(INT, "x")
    body, cond, loop = Block([x]), Block([Value(INT, "x")]), Block([Value(INT, "x")])
    b = Builder(body)
    with b:
        with b.inside(cond):
            t = cond.params[0] * 2
            t.name = "t"
            cond.yields = [t < 50]
        with b.inside(loop):
            more = loop.params[0] + 1
            more.name = "x"
            loop.yields = [more]
        r = Value(INT, "x")
        b.emit(While([x], cond, loop, results=[r]))
        body.yields = [r]
    _, text, run = finish(body)
    assert text == """\
    while True:
        t = x * 2
        if not t < 50:
            break
        x += 1
    return x
"""
    assert run(3) == 25


def test_elif_chain():
    x = Value(INT, "x")
    body = Block([x])
    b = Builder(body, loc=loc(2, "if x < 0:"))
    with b:
        c1 = x < 0
        second = Block()
        with b.inside(second):
            b.loc = loc(4, "elif x < 9:")
            c2 = x < 9
            inner = Value(INT, "y")
            b.emit(If(c2, Block(yields=[Lit(2)]), Block(yields=[Lit(3)]), results=[inner]))
            second.yields = [inner]
        b.loc = loc(2, "if x < 0:")
        y = Value(INT, "y")
        b.emit(If(c1, Block(yields=[Lit(1)]), second, results=[y]))
        body.yields = [y * 2]
    assert finish(body)[1] == """\
    if x < 0:
        y = 1
    elif x < 9:
        y = 2
    else:
        y = 3
    return y * 2
"""
