"""Alias classes, activity, layout and stability, on small functions."""
from __future__ import annotations

from typing import Any

import numpy as np

from transgrad.ir.ops import Call, Function, Value, walk
from transgrad.passes.analysis.activity import Activity
from transgrad.passes.analysis.alias import AliasClasses, summarize
from transgrad.passes.analysis.program_order import Layout
from transgrad.passes.analysis.to_be_recorded import Stability

from .show import lowered

X = np.array([0.5, 0.25, 2.0])


def named(fn: Function, name: str) -> Value:
    """The first value of that name."""
    for p in fn.params:
        if p.name == name:
            return p
    return next(r for op in walk(fn.body) for r in op.results if r.name == name)


def test_a_view_is_in_the_class_of_its_base() -> None:
    def f(x: Any) -> Any:
        a = x * 2.0
        b = a[1:]
        c = a[[0, 1]]
        b[0] = 3.0
        return np.sum(a) + np.sum(c)

    fn = lowered(f, X)
    classes = AliasClasses(fn)
    assert classes.same(named(fn, "a"), named(fn, "b"))
    assert not classes.same(named(fn, "a"), named(fn, "c"))
    assert classes.is_written(named(fn, "a")) and not classes.is_written(named(fn, "c"))


def test_what_a_container_holds_shares_its_class() -> None:
    def f(x: Any) -> Any:
        kept = []
        for k in range(2):
            y = x * k
            kept.append(y)
        z = kept[0]
        z[0] = 1.0
        return np.sum(kept[1])

    fn = lowered(f, X)
    classes = AliasClasses(fn)
    assert classes.holds_written(named(fn, "kept"))
    assert classes.same(named(fn, "y"), named(fn, "z"))


def fill(target: Any, source: Any) -> Any:
    target[0] = source[1]
    return target[1:]


def test_a_summary_says_what_a_callee_writes_and_returns() -> None:
    def f(x: Any) -> Any:
        y = np.zeros(3)
        return np.sum(fill(y, x)) + y[0]

    fn = lowered(f, X)
    callee = next(op.func for op in walk(fn.body) if type(op).__name__ == "Invoke")  # type: ignore[union-attr]
    summary = summarize(callee)
    assert summary.written == [0]
    assert (0, -1) in summary.joined
    assert AliasClasses(fn).is_written(named(fn, "y"))


def test_activity_is_varied_and_useful() -> None:
    def f(x: Any, s: Any) -> Any:
        a = x * s
        b = x + 1.0
        c = s * 2.0
        n = np.floor(x)
        return np.sum(a) + c + np.sum(n) * 0.0 + np.sum(np.ceil(b))

    fn = lowered(f, X, 0.5)
    active = Activity(fn, AliasClasses(fn), [named(fn, "x")], fn.body.yields)
    assert active.active(named(fn, "a"))
    assert active.varied(named(fn, "b")) and not active.useful(named(fn, "b"))
    assert active.useful(named(fn, "c")) and not active.varied(named(fn, "c"))
    assert not active.varied(named(fn, "n"))


def test_a_value_stored_through_one_name_is_varied_under_the_other() -> None:
    def f(x: Any) -> Any:
        u = np.zeros(3)
        v = u[1:]
        v[0] = x[0] * x[1]
        return u[1]

    fn = lowered(f, X)
    active = Activity(fn, AliasClasses(fn), fn.params, fn.body.yields)
    assert active.active(named(fn, "u"))


def reads(fn: Function, base: str) -> list[Call]:
    v = named(fn, base)
    return [op for op in walk(fn.body) if isinstance(op, Call) and op.args and op.args[0] is v and op.results]


def test_rows_behind_the_writes_of_a_loop_keep_their_contents() -> None:
    def forward(x: Any, n: Any) -> Any:
        z = np.zeros((5, 3))
        z[0] = x
        for k in range(n):
            z[k + 1] = np.sin(z[k])
        return np.sum(z)

    def backward(x: Any, n: Any) -> Any:
        z = np.zeros((5, 3))
        z[0] = x
        for k in range(n):
            z[k - 1] = np.sin(z[k])
        return np.sum(z)

    for f, expected in ((forward, True), (backward, False)):
        fn = lowered(f, X, 4)
        row = next(op for op in reads(fn, "z") if op.fn.__name__ == "getitem")
        assert Stability(Layout(fn), AliasClasses(fn)).stable(row.result, row) is expected
