"""Derivatives written as IR by hand, the way the passes write them."""
from __future__ import annotations

import operator

import numpy as np

from transgrad.ir.attributes import Attributes
from transgrad.ir.build import Builder
from transgrad.ir.ops import Block, Call, For, Function, If, Lit, Loc, Param, Source, Tree, Value, While
from transgrad.ir.prims import inplace_at
from transgrad.ir.types import BIG, Arr, ListT, Num

FLOAT, INT, SCALAR = Num("float"), Num("int"), Arr("float64", (), True)
VECTOR, MATRIX = Arr("float64", (BIG,)), Arr("float64", (BIG, BIG))
NAMES = {"np": np}


def loc(line: int, text: str, col: int = 5) -> Loc:
    return Loc("user.py", line, col, text)


def named(v: Value, name: str) -> Value:
    v.name = name
    return v


def leaves(n: int) -> Tree:
    return Tree("tuple", [Tree("leaf", index=k) for k in range(n)])


def newton() -> Function:
    a, tol = Value(FLOAT, "a"), Value(FLOAT, "tol")
    body = Block([a, tol])
    b = Builder(body)
    start, header, step = loc(2, "x = a"), loc(3, "while abs(x * x - a) > tol:"), loc(4, "x = 0.5 * (x + a / x)", 9)
    with b:
        b.loc = header
        saved = b.build("list", [], name="saved_x")
        cond, loop = Block([Value(FLOAT, "x")]), Block([Value(FLOAT, "x")])
        with b.inside(cond):
            x = cond.params[0]
            cond.yields = [abs(x * x - a) > tol]
        with b.inside(loop):
            b.loc, x = step, loop.params[0]
            b.emit(Call(list.append, [saved, x]))
            loop.yields = [named(0.5 * (x + a / x), "x")]
        b.loc = header
        b.emit(While([a], cond, loop, results=[Value(FLOAT, "x")]))
        b.part = "adjoint"
        x, x_bar, a_bar = Value(FLOAT, "x"), Value(FLOAT, "x_bar"), Value(FLOAT, "a_bar")
        back = Block([x, x_bar, a_bar])
        with b.inside(back):
            b.loc = step
            s_bar = named(0.5 * x_bar, "s_bar")
            q_bar = named(s_bar / x, "q_bar")
            more = named(a_bar + q_bar, "a_bar")
            back.yields = [s_bar - q_bar * a / x, more]
        b.loc = header
        results = [Value(FLOAT, "x_bar"), Value(FLOAT, "a_bar")]
        b.emit(For([Source("seq", [saved], True)], [Lit(1.0), Lit(0.0)], back, results=results))
        b.loc = start
        body.yields = [named(results[1] + results[0], "a_bar")]
    return Function("grad_newton_sqrt", body, names=NAMES, doc="Gradient of newton_sqrt with respect to a.",
                    attrs=Attributes(return_loc=loc(5, "return x")))


def dense_layer() -> Function:
    x, w, bias = Value(MATRIX, "x"), Value(MATRIX, "w"), Value(VECTOR, "b")
    body = Block([x, w, bias])
    b = Builder(body, loc=loc(2, "h = np.tanh(x @ w + b)"))
    with b:
        h = named(np.tanh(x @ w + bias), "h")
        b.part, b.loc = "adjoint", loc(3, "return np.sum(h ** 2)")
        h_bar = named(2.0 * h, "h_bar")
        b.loc = loc(2, "h = np.tanh(x @ w + b)")
        s_bar = named(h_bar * (1.0 - h ** 2), "s_bar")
        b_bar = named(np.sum(s_bar, axis=0), "b_bar")
        w_bar = named(x.T @ s_bar, "w_bar")
        body.yields = [w_bar, b_bar]
    return Function("grad_loss", body, leaves(2), [Param("x", x), Param("w", w), Param("b", bias)], NAMES,
                    doc="Gradient of loss with respect to w, b.")


def stencil() -> Function:
    u0, c, steps = Value(VECTOR, "u0"), Value(FLOAT, "c"), Value(INT, "steps")
    body = Block([u0, c, steps])
    b = Builder(body, loc=loc(2, "u = u0.copy()"))
    first, header = b.loc, loc(3, "for _ in range(steps):")
    step = loc(4, "u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])", 9)
    with b:
        u = b.call(np.ndarray.copy, u0, name="u")
        b.loc = header
        saved = b.build("list", [], name="saved_s")
        saved.type = ListT(VECTOR)
        loop = Block([Value(INT)])
        with b.inside(loop):
            b.loc = step
            s = u[2:] - 2.0 * u[1:-1] + u[:-2]
            b.emit(Call(list.append, [saved, s]))
            b.emit(Call(inplace_at, [u, Lit(slice(1, -1)), c * s, Lit(operator.iadd)]))
        b.loc = header
        b.emit(For([Source("range", [Lit(0), steps, Lit(1)])], [], loop))
        b.part, b.loc = "adjoint", loc(5, "return np.sum(u ** 2)")
        u_bar = named(2.0 * u, "u_bar")
        s, c_bar = Value(VECTOR, "s"), Value(SCALAR, "c_bar")
        back = Block([s, c_bar])
        with b.inside(back):
            b.loc = step
            more = named(c_bar + np.vdot(s, u_bar[1:-1]), "c_bar")
            s_bar = named(c * u_bar[1:-1], "s_bar")
            b.emit(Call(inplace_at, [u_bar, Lit(slice(2, None)), s_bar, Lit(operator.iadd)]))
            b.emit(Call(inplace_at, [u_bar, Lit(slice(1, -1)), 2.0 * s_bar, Lit(operator.isub)]))
            b.emit(Call(inplace_at, [u_bar, Lit(slice(None, -2)), s_bar, Lit(operator.iadd)]))
            back.yields = [more]
        b.loc = header
        result = Value(SCALAR, "c_bar")
        b.emit(For([Source("seq", [saved], True)], [Lit(0.0)], back, results=[result]))
        b.loc = first
        body.yields = [u_bar, result]
    return Function("grad_heat", body, leaves(2), names=NAMES, doc="Gradient of heat with respect to u0, c.")


def branches() -> Function:
    y, delta = Value(VECTOR, "y"), Value(FLOAT, "delta")
    body = Block([y, delta])
    header = loc(4, "for i in range(len(y)):")
    read, test = loc(5, "r = y[i] - level", 9), loc(6, "if abs(r) <= delta:", 9)
    square, linear = loc(7, "cost += 0.5 * r * r", 13), loc(9, "cost += delta * (abs(r) - 0.5 * delta)", 13)
    update = loc(10, "level += 0.3 * r", 9)
    b = Builder(body, loc=header)
    with b:
        saved = b.build("list", [], name="saved_r")
        saved.type = ListT(FLOAT)
        n = b.call(len, y)
        i, level, cost = Value(INT, "i"), Value(SCALAR, "level"), Value(SCALAR, "cost")
        loop = Block([i, level, cost])
        with b.inside(loop):
            b.loc = read
            r = named(y[i] - level, "r")
            b.emit(Call(list.append, [saved, r]))
            b.loc = test
            cond = abs(r) <= delta
            then, orelse = Block(), Block()
            with b.inside(then):
                b.loc = square
                then.yields = [named(cost + 0.5 * r * r, "cost")]
            with b.inside(orelse):
                b.loc = linear
                orelse.yields = [named(cost + delta * (abs(r) - 0.5 * delta), "cost")]
            b.loc = test
            more = Value(SCALAR, "cost")
            b.emit(If(cond, then, orelse, results=[more]))
            b.loc = update
            loop.yields = [named(level + 0.3 * r, "level"), more]
        b.loc = header
        b.emit(For([Source("range", [Lit(0), n, Lit(1)])], [Lit(0.0), Lit(0.0)], loop,
                   results=[Value(SCALAR, "level"), Value(SCALAR, "cost")]))
        b.part, b.loc = "adjoint", loc(11, "return cost")
        y_bar = named(np.zeros_like(y), "y_bar")
        b.loc = header
        n = b.call(len, y)
        i, level_bar, delta_bar = Value(INT, "i"), Value(SCALAR, "level_bar"), Value(SCALAR, "delta_bar")
        back = Block([i, level_bar, delta_bar])
        with b.inside(back):
            b.loc = None
            r = named(saved[i], "r")
            b.loc = update
            r_bar = named(0.3 * level_bar, "r_bar")
            b.loc = test
            cond = abs(r) <= delta
            then, orelse = Block(), Block()
            with b.inside(then):
                b.loc = square
                then.yields = [named(r_bar + r, "r_bar"), delta_bar]
            with b.inside(orelse):
                b.loc = linear
                d = named(delta_bar + (abs(r) - delta), "delta_bar")
                orelse.yields = [named(r_bar + delta * b.call(np.sign, r), "r_bar"), d]
            b.loc = test
            after = [Value(SCALAR, "r_bar"), Value(SCALAR, "delta_bar")]
            b.emit(If(cond, then, orelse, results=after))
            b.loc = read
            b.emit(Call(inplace_at, [y_bar, i, after[0], Lit(operator.iadd)]))
            back.yields = [named(level_bar - after[0], "level_bar"), after[1]]
        b.loc = header
        results = [Value(SCALAR, "level_bar"), Value(SCALAR, "delta_bar")]
        b.emit(For([Source("range", [Lit(0), n, Lit(1)], True)], [Lit(0.0), Lit(0.0)], back, results=results))
        body.yields = [y_bar, results[1]]
    return Function("grad_huber_path", body, leaves(2), names=NAMES, doc="Gradient of huber_path with respect to y, delta.")
