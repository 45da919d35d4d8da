"""What turns side by side read by their numbers: as slices where the rows are evenly spaced and there, and as it was where they are not."""
from __future__ import annotations

import inspect
import operator
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.ir import verify
from transgrad.ir.attributes import Attributes
from transgrad.ir.build import Builder
from transgrad.ir.interp import run
from transgrad.ir.ops import Block, Function, Invoke, Lit, Param, Tree, Value
from transgrad.ir.prims import inplace_at
from transgrad.ir.types import Arr, Dim, Num
from transgrad.passes.ad.block_sparse_forward.strided_reads import read_by_slices

RNG = np.random.default_rng(53)
M, B, W = RNG.normal(size=(13, 4, 4)) / 2, RNG.normal(size=(4, 9)), RNG.normal(size=(13, 9))
X = RNG.normal(size=14)
COUNT, STEP = 3, 4


def spread(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(COUNT):
        k = 1 + STEP * f
        total = total + w[k] * (np.sin(x[2 + 4 * f]) * m[k + 3] @ m[f] @ b)
    return total


def in_a_row(x: Any, m: Any, b: Any, w: Any) -> Any:
    """Rows that lie one behind the other: those of a turn, and those of the next."""
    total = np.zeros_like(b)
    for f in range(COUNT):
        own, left = m[1 + 4 * f + np.arange(4)], w[4 * f + np.arange(4)]
        total = total + x[2 * f] * (left * np.cos(x[2 * f + 1]) * np.sum(own @ b, axis=0))
    return total


def every_second(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(COUNT):
        own = m[4 * f + np.arange(1) + np.arange(1, 4, 2), 1, :2]
        total = total + x[f] * np.sum(own) * np.exp(x[f + 1] * b)
    return total


def with_others(x: Any, m: Any, b: Any, w: Any) -> Any:
    """Indices of several parts."""
    total = np.zeros_like(b)
    for f in range(COUNT):
        total = total + x[f] * (m[f + 1, 2] + m[2 * f, 1, 1:2] + m[f, 0, ..., 2] + m[2, f]) @ b * np.sin(x[f] * b)
    return total


def of_a_part(x: Any, m: Any, b: Any, w: Any) -> Any:
    """An array that is as long as an argument is, but for some rows."""
    bones, total = m[2:] * 2.0, np.zeros_like(b)
    for f in range(COUNT):
        total = total + np.sin(x[f]) * bones[5 * f] @ b
    return total


def in_a_loop(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(COUNT):
        y = b * x[f]
        for j in range(7):
            y = np.tanh(m[4 * f] @ y) + np.sum(w[j])
        total = total + y
    return total


def overlapping(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(COUNT):
        total = total + np.sin(x[f] * np.sum(m[3 * f + np.arange(4)], axis=0)) @ b
    return total


def with_gaps(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(COUNT):
        total = total + np.sin(x[f] * np.sum(m[5 * f + np.arange(2)], axis=0)) @ b
    return total


def backwards(x: Any, m: Any, b: Any, w: Any) -> Any:
    """Rows the other way round, the last one of them at the end, and rows that are not evenly spaced."""
    total = np.zeros_like(b)
    for f in range(COUNT):
        total = total + np.sin(x[f] * m[2 - f]) @ m[f - 1] @ m[f * f] @ m[0 * f] @ b
    return total


def a_diagonal(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(COUNT):
        total = total + np.sin(x[f] * m[f, f]) @ b
    return total


def asked_itself(x: Any, m: Any, b: Any, w: Any) -> Any:
    """The number of the turn is computed with."""
    total = np.zeros_like(b)
    for f in range(COUNT):
        total = total + np.sin(x[f] * m[2 * f]) @ b * f
    return total


SLICED = (spread, in_a_row, every_second, of_a_part, in_a_loop, asked_itself)
LEFT = (overlapping, with_gaps, backwards, a_diagonal)
PROGRAMS = (*SLICED, with_others, *LEFT)


def turn_of(f: Any, *args: Any) -> str:
    """The text of all turns at once."""
    text = tg.jacfwd(f, fallback="error").source_for(*args)
    start = text.index(f"def jvp_{f.__name__}_turn")
    return text[start:text.index("\n\n\n", start)]


def close(found: Any, expected: Any, tolerance: float = 1e-10) -> None:
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_differences(f: Any) -> None:
    eps = 1e-6
    expected = [(f(X + eps * unit, M, B, W) - f(X - eps * unit, M, B, W)) / (2 * eps) for unit in np.eye(len(X))]
    np.testing.assert_allclose(tg.jacfwd(f, fallback="error")(X, M, B, W), np.stack(expected, axis=-1), rtol=1e-6, atol=1e-7)


def test_the_text() -> None:
    assert turn_of(spread, X, M, B, W) == inspect.cleandoc("""
        def jvp_spread_turn_batched_batched(w, x, m, b, x_dot):
            return w[1:10:4][:, None, None] * ((np.cos(x[2:11:4])[:, None] * x_dot[:, 0])[:, :, None, None] * m[4:13:4][:, None] @ m[:3][:, None] @ b)
    """)
    text = turn_of(in_a_row, X, M, B, W)
    assert "np.reshape(m[1:13], (3, 4, *m.shape[1:]))" in text and "np.reshape(w[:12], (3, 4, -1))" in text and "arange" not in text
    text = turn_of(every_second, X, M, B, W)
    assert "np.reshape(m[1:12:2, 1, :2], (3, 2, -1))" in text
    assert "bones[:11:5]" in turn_of(of_a_part, X, M, B, W)


@pytest.mark.usefixtures("rows_stay_arrays")
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_numbers_that_nothing_reads_are_not_handed_on(f: Any) -> None:
    text = tg.jacfwd(f).source_for(X, M, B, W)
    given = f in (*LEFT, with_others, asked_itself)
    assert ("np.arange(COUNT)" in text) == ("_turn_batched_batched(f, " in text) == given


@pytest.mark.usefixtures("rows_stay_arrays")
@pytest.mark.parametrize("f", LEFT, ids=lambda f: f.__name__)
def test_what_is_no_slice_stays(f: Any) -> None:
    assert not any(f"m[{start}:" in turn_of(f, X, M, B, W) for start in ("", *range(9)))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_arrays_of_any_layout(f: Any, dtype: str) -> None:
    df, plain = tg.jacfwd(f, fallback="error"), tg.jacfwd(f, optimize=False)
    m, b, w = np.asarray(M, dtype), B, np.asarray(W, dtype)
    for given in ((np.asfortranarray(m), np.asfortranarray(b), np.asfortranarray(w)), (m[::-1], b[:, ::2], w[:, ::2]),
                  (np.repeat(m, 2, axis=0)[::2], b[:, :0], w[:, :0]), (np.broadcast_to(m[0], m.shape), b, w)):
        x = np.repeat(X, 2)[::2]
        close(df(x, *given), plain(x, *given), 1e-10 if dtype == "float64" else 1e-3)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_not_there(f: Any) -> None:
    """A slice ends where its array does, an index outside of it raises: at the first call, and after one with a longer array."""
    df, plain = tg.jacfwd(f), tg.jacfwd(f, optimize=False)
    df(X, M, B, W)
    raised = 0
    for n in range(14):
        for args in ((X, M[:n], B, W), (X, M, B, W[:n]), (X[:n], M, B, W)):
            try:
                expected = plain(*args)
            except (IndexError, ValueError) as error:
                raised += 1
                for fresh in (df, tg.jacfwd(f)):
                    with pytest.raises(type(error)):
                        fresh(*args)
            else:
                close(df(*args), expected)
    assert raised
    close(df(X, M, B, W), plain(X, M, B, W))


def short_for(x: Any, m: Any, b: Any) -> Any:
    """Nothing but the derivative would notice rows that are not there: there is one, or none."""
    total = np.zeros_like(b)
    for f in range(COUNT):
        total = total + x[f] * m[4 * f] @ b
    return total


@pytest.mark.parametrize("n", range(9))
def test_one_row_is_not_taken_for_all(n: int) -> None:
    df = tg.jacfwd(short_for)
    assert "m[:9:4]" in df.source_for(X, M, B)
    df(X, M, B)
    for fresh in (df, tg.jacfwd(short_for)):
        with pytest.raises(IndexError):
            fresh(X, M[:n], B)


@pytest.mark.parametrize("axes", [(0, 0, None), (1, -1, None), (None, 2, None), (-1, 1, None), (0, None, 0)])
def test_batches(axes: Any) -> None:
    """What is checked of an example's arrays is checked of those of a batch along another axis."""
    def batch_of(a: Any, axis: Any, n: int = 20) -> Any:
        return a if axis is None else np.stack([a * (1.0 + k) for k in range(n)], axis=axis)

    def example(a: Any, axis: Any, k: int) -> Any:
        return a if axis is None else np.take(a, k, axis)

    df = tg.vmap(tg.jacfwd(short_for), in_axes=axes)
    args = [batch_of(a, axis) for a, axis in zip((X, M, B), axes)]
    found, plain = df(*args), tg.jacfwd(short_for, optimize=False)
    for k in range(20):
        close(found[k], plain(*(example(a, axis, k) for a, axis in zip(args, axes))))
    for x, m in ((X, M[:1]), (X, M[:8]), (X[:1], M), (X[:2], M)):
        given = [batch_of(a, axis) for a, axis in zip((x, m, B), axes)]
        for fresh in (df, tg.vmap(tg.jacfwd(short_for), in_axes=axes)):
            with pytest.raises(IndexError):
                fresh(*given)


def test_another_count_and_another_step(monkeypatch: pytest.MonkeyPatch) -> None:
    df = tg.jacfwd(spread)
    df(X, M, B, W)
    for name, value in (("STEP", 2), ("COUNT", 2)):
        monkeypatch.setitem(globals(), name, value)
        close(df(X, M, B, W), tg.jacfwd(spread, optimize=False)(X, M, B, W))


def test_second_derivatives() -> None:
    def total(x: Any) -> Any:
        return np.sum(spread(x, M, B, W) ** 2)

    close(tg.jacfwd(tg.jacfwd(total))(X), tg.hessian(total, optimize=False)(X))


# by the pass alone

def function(body: Any, more: tuple[Value, ...] = ()) -> Function:
    """A function of the numbers of three turns and of an array with rows."""
    f, x = Value(Arr("int64", (Dim(None),)), "f"), Value(Arr("float64", (Dim(False, ("x", 0)), Dim(False, ("x", 1)))), "x")
    fn = Function("turns", Block([f, x, *more]), names={"np": np})
    fn.signature = [Param(p.name or "", p) for p in fn.params]
    with Builder(fn.body) as b:
        out = body(b, f, x, *more)
        fn.body.yields = [out]
    fn.returns = Tree("leaf", index=0)
    return fn


def caller(length: int) -> Function:
    return Function("caller", Block(), attrs=Attributes(shapes={"x": (length, 2)}))


def rows(b: Any, f: Any, x: Any) -> Any:
    return b.call(operator.getitem, x, 1 + 2 * f, type=Arr("float64", (f.type.dims[0], x.type.dims[1])))


def plain(b: Any, f: Any, x: Any) -> Any:
    return np.sin(rows(b, f, x))


def returned(b: Any, f: Any, x: Any) -> Any:
    return rows(b, f, x)


def returned_in_part(b: Any, f: Any, x: Any) -> Any:
    return b.attr(rows(b, f, x), "T")


def returned_in_a_list(b: Any, f: Any, x: Any) -> Any:
    return b.build("list", [rows(b, f, x)])


def part_is_written_to(b: Any, f: Any, x: Any) -> Any:
    part = rows(b, f, x)
    b.call(inplace_at, part, 0, 1.0, Lit(operator.iadd, "operator.iadd"))
    return np.sin(part)


def view_of_part_is_written_to(b: Any, f: Any, x: Any) -> Any:
    part = rows(b, f, x)
    b.call(operator.setitem, b.attr(part, "T"), 0, 1.0)
    return np.sin(part)


def array_is_written_to(b: Any, f: Any, x: Any) -> Any:
    part = rows(b, f, x)
    b.call(operator.setitem, x, 1, 5.0)
    return np.sin(part)


def view_of_array_is_written_to(b: Any, f: Any, x: Any) -> Any:
    part = rows(b, f, x)
    b.call(operator.setitem, b.call(operator.getitem, x, 1), 0, 5.0)
    return np.sin(part)


def written_to_by_a_callee(b: Any, f: Any, x: Any) -> Any:
    part = rows(b, f, x)
    p = Value(part.type, "p")
    callee = Function("fill", Block([p]), signature=[Param("p", p)], names={"np": np}, attrs=Attributes(emit=True))
    with Builder(callee.body) as inner:
        inner.call(operator.setitem, p, 0, 2.0)
        callee.body.yields = [np.cos(p)]
    out = Value(part.type)
    b.emit(Invoke(callee, [part], results=[out]))
    return out + np.sin(part)


def handed_back_by_a_callee(b: Any, f: Any, x: Any) -> Any:
    part = rows(b, f, x)
    p = Value(part.type, "p")
    callee = Function("same", Block([p]), signature=[Param("p", p)], names={"np": np}, attrs=Attributes(emit=True))
    callee.body.yields = [p]
    out = Value(part.type)
    b.emit(Invoke(callee, [part], results=[out]))
    return out


SEEN = (returned, returned_in_part, returned_in_a_list, part_is_written_to, view_of_part_is_written_to, array_is_written_to,
        view_of_array_is_written_to, written_to_by_a_callee, handed_back_by_a_callee)


@pytest.mark.parametrize("body", SEEN, ids=lambda body: body.__name__)
def test_a_copy_that_somebody_notices_stays_one(body: Any) -> None:
    fn = function(body)
    before = str(fn)
    assert read_by_slices(fn, Lit(3), caller(6)) == [] and str(fn) == before


@pytest.mark.parametrize("length", range(9))
def test_long_enough(length: int) -> None:
    fn = function(plain)
    verify.verify(fn)
    x = RNG.normal(size=(length, 2))
    found = read_by_slices(fn, Lit(3), caller(length))
    verify.verify(fn)
    if length < 6:
        assert found == [] and len(fn.params) == 2
    else:
        assert found == [("many", "x", 0, 6)] and [p.name for p in fn.params] == ["x"] == [p.name for p in fn.signature]
        np.testing.assert_array_equal(run(fn, [x])[0], np.sin(x[[1, 3, 5]]))


def test_lengths_that_are_not_known() -> None:
    for dims in ((Dim(False), Dim(False)), (Dim(None, ("y", 0)), Dim(False)), (Dim(True), Dim(False))):
        fn = function(plain)
        fn.params[1].type = Arr("float64", dims)
        assert read_by_slices(fn, Lit(3), caller(6)) == []
    fn = function(plain)
    fn.params[1].type = Arr("float64", (Dim(False, ("<const>", 6)), Dim(False)))
    assert read_by_slices(fn, Lit(3), caller(6)) == [] and "slice(1, 6, 2)" in str(fn)
    fn = function(plain)
    fn.params[1].type = Arr("float64", (Dim(False, ("x", 0), -2), Dim(False)))
    assert read_by_slices(fn, Lit(3), caller(7)) == [] and "slice" not in str(fn)
    assert read_by_slices(fn, Lit(3), caller(8)) == [("many", "x", 0, 8)]


def test_an_index_that_is_no_whole_number_stays() -> None:
    n = Value(Num("int"), "n")
    fn = function(lambda b, f, x, n: np.sin(b.call(operator.getitem, x, f + n, type=Arr("float64", (Dim(None), Dim(None))))), (n,))
    assert read_by_slices(fn, Lit(3), caller(60)) == []
    fn = function(lambda b, f, x: np.sin(b.call(operator.getitem, x, b.build("tuple", [1 + f, Lit(True)]), type=Arr("float64", (Dim(None),) * 3))))
    assert read_by_slices(fn, Lit(3), caller(60)) == []
