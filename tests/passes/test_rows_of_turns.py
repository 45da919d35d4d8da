"""Rows that the turns of a loop read, one each, are one read behind it: as turn by turn, and where that cannot be they stay there."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.passes.vectorize.gather_rows import RowsOfTurns

RNG = np.random.default_rng(53)
M, B, W = RNG.normal(size=(12, 4, 4)), RNG.normal(size=(4, 9)), RNG.normal(size=(12, 9))
X = RNG.normal(size=12)


def one_after_the_other(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(3):
        for j in range(4):
            total = total + w[4 * f + j] * (np.sin(x[4 * f + j]) * m[j] @ b)
    return total


def far_apart(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = b * 1.0
    for f in range(3):
        for j in range(4):
            total = total + (x[4 * f + j] ** 2 * m[j] @ b) * w[(1 + j) * 3 - (3 - f)]
    return total


def backwards(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(3):
        for j in range(4):
            total = total + w[11 - 4 * f - j] * (x[4 * f + j] * m[j] @ b)
    return total


def from_the_end(x: Any, m: Any, b: Any, w: Any) -> Any:
    """Numbers of rows that are negative in some turns, and not in others."""
    total = np.zeros_like(b)
    for f in range(3):
        for j in range(4):
            total = total + w[j - 2 - f] * (x[4 * f + j] * m[f] @ b)
    return total


def the_same_for_all(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(3):
        for j in range(4):
            total = total + w[j] * (np.cos(x[4 * f + j]) * m[j] @ b)
    return total


def two_tables(x: Any, m: Any, b: Any, w: Any) -> Any:
    """Rows of one array for one sum, and of another one for the other; the second has twice the same."""
    v = w * 2.0
    total, other = np.zeros_like(b), np.ones_like(b)
    for f in range(3):
        for j in range(4):
            total = total + w[f + j] * (x[4 * f + j] * m[j] @ b)
            other = other + v[f + 2 * j] * (x[4 * f + j] ** 2 * m[j] @ b)
    return total, other


READ_AT_ONCE = {
    one_after_the_other: "np.reshape(w[:12], (3, 4, -1))[:, :, None] * b",
    far_apart: "w[(3 - (3 - f))[:, None] + 3 * np.arange(4)][:, :, None] * b",
    backwards: "w[(11 - 4 * f)[:, None] - np.arange(4)][:, :, None] * b",
    from_the_end: "w[(-2 - f)[:, None] + np.arange(4)][:, :, None] * b",
    the_same_for_all: "w[:4][:, None] * b",
    two_tables: "v[r + 2 * q][:, :, None] * b",
}


def in_a_branch(x: Any, m: Any, b: Any, w: Any) -> Any:
    """In the last turn there is no such row."""
    total = np.zeros_like(b)
    for f in range(3):
        for j in range(4):
            row = w[4 * f + j + 1] if 4 * f + j < 11 else w[0]
            total = total + row * (x[4 * f + j] * m[j] @ b)
    return total


def squares(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(3):
        for j in range(4):
            total = total + w[j * j] * (x[4 * f + j] * m[j] @ b)
    return total


def halves(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(3):
        for j in range(4):
            total = total + w[f + j // 2] * (x[4 * f + j] * m[j] @ b)
    return total


def further_by_the_turn(x: Any, m: Any, b: Any, w: Any) -> Any:
    """How far the rows are from each other differs between the turns of the outer loop."""
    total = np.zeros_like(b)
    for f in range(3):
        for j in range(4):
            total = total + w[f * j] * (x[4 * f + j] * m[j] @ b)
    return total


def one_for_all_turns(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(3):
        for j in range(4):
            total = total + w[f] * (x[4 * f + j] * m[j] @ b)
    return total


def written_meanwhile(x: Any, m: Any, b: Any, w: Any) -> Any:
    """A row is changed once it has been read."""
    total = np.zeros_like(b)
    for f in range(3):
        v = w * 1.0
        for j in range(4):
            total = total + v[f + j] * (x[4 * f + j] * m[j] @ b)
            v[f + j] *= 2.0
    return total


def made_in_each_turn(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(3):
        for j in range(4):
            total = total + (w * (1.0 + j))[f + j] * (x[4 * f + j] * m[j] @ b)
    return total


def perhaps_an_error(x: Any, m: Any, b: Any, w: Any) -> Any:
    """What comes first is raised: the error, or that there is no such row."""
    total = np.zeros_like(b)
    for f in range(3):
        for j in range(4):
            total = total + w[f + j] * (x[4 * f + j] * m[j] @ b)
            if m[0, 0, 0] > 100.0:
                raise ValueError
    return total


TURN_BY_TURN = (in_a_branch, squares, halves, further_by_the_turn, one_for_all_turns, written_meanwhile, made_in_each_turn, perhaps_an_error)
PROGRAMS = (*READ_AT_ONCE, *TURN_BY_TURN)


def _parts(v: Any) -> tuple[Any, ...]:
    return v if isinstance(v, tuple) else (v,)


def _turns(f: Any, **options: Any) -> str:
    """The text of the turns of a Jacobian."""
    text = tg.jacfwd(f, fallback="error", **options).source_for(X, M, B, W)
    assert f"def jvp_{f.__name__}_turn" in text
    return text[text.index(f"def jvp_{f.__name__}_turn"):text.index(f"def jvp_{f.__name__}_batched")]


def _differences(f: Any) -> list[Any]:
    eps, columns = 1e-6, []
    for unit in np.eye(len(X)):
        up, down = _parts(f(X + eps * unit, M, B, W)), _parts(f(X - eps * unit, M, B, W))
        columns.append([(a - b) / (2 * eps) for a, b in zip(up, down)])
    return [np.stack(c, axis=-1) for c in zip(*columns)]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("optimize", [True, {"turns": False}, {"unrolled": False}, {"stacks": False}], ids=str)
def test_as_differences(f: Any, optimize: Any) -> None:
    for a, b in zip(_parts(tg.jacfwd(f, fallback="error", optimize=optimize)(X, M, B, W)), _differences(f)):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f", READ_AT_ONCE, ids=lambda f: f.__name__)
def test_one_read(f: Any) -> None:
    text = _turns(f)
    assert READ_AT_ONCE[f] in text
    assert "w[4 * f + j]" not in text and "= np.empty((n_batch, m, b.shape[1]))" not in text     # nothing is put there turn by turn


@pytest.mark.parametrize("f", TURN_BY_TURN, ids=lambda f: f.__name__)
def test_turn_by_turn(f: Any) -> None:
    assert "np.arange" not in _turns(f, optimize={"turns": False})


def test_the_whole_text() -> None:
    assert _turns(one_after_the_other, optimize={"turns": False}).rstrip() == '''def jvp_one_after_the_other_turn_batched(f, w, x, m, b, total, x_dot):
    n_batch = len(x_dot)
    n = len(b)
    k = 4 * n
    s = np.zeros((n_batch, len(total), k))
    for j in range(4):
        t = slice(j, j + 1, None)
        i = j * n
        s[t, :, i:i + n] = (np.cos(x[4 * f + j]) * x_dot[t, j])[:, None, None] * m[j]
    q = np.reshape(w[4 * f + np.arange(4)][:, None] * b, (k, b.shape[1]))
    n_1 = s.shape[1]
    total_dot = np.reshape(np.reshape(s, (n_batch * n_1, s.shape[2])) @ q, (n_batch, n_1, q.shape[1]))
    return total_dot'''


@pytest.mark.parametrize("f", READ_AT_ONCE, ids=lambda f: f.__name__)
def test_what_is_not_there(f: Any) -> None:
    """Tables with too few rows: an error, or the row from the other end, as turn by turn."""
    df, plain = tg.jacfwd(f, fallback="error"), tg.jacfwd(f, fallback="error", optimize={"turns": False, "stacks": False})
    outcomes = set()
    for n in (12, 11, 8, 5, 4, 3, 2, 1, 0):
        try:
            expected = plain(X, M, B, W[:n])
        except IndexError:
            outcomes.add("raised")
            with pytest.raises(IndexError):
                df(X, M, B, W[:n])
            with pytest.raises(IndexError):
                tg.jacfwd(f, fallback="error", optimize={"turns": False})(X, M, B, W[:n])
        else:
            outcomes.add("computed")
            for a, b in zip(_parts(df(X, M, B, W[:n])), _parts(expected)):
                np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    assert outcomes == {"raised", "computed"}


@pytest.mark.parametrize("turns", [True, False])
def test_what_comes_first_is_raised(turns: bool) -> None:
    """All numbers of the outer loop have their row in the first turn of the inner one, but not in the second."""
    df = tg.jacfwd(perhaps_an_error, optimize={"turns": turns})
    df(X, M, B, W)
    with pytest.raises(ValueError):
        df(X, M * 1000 + 1000, B, W[:3])
    with pytest.raises(IndexError):
        df(X, M, B, W[:3])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(("height", "length"), [(4, 0), (4, 1), (4, 2)])
def test_short_arrays(f: Any, height: int, length: int) -> None:
    args = X, M, B[:height, :length], W[:, :length]
    ours, plain = tg.jacfwd(f, fallback="error")(*args), tg.jacfwd(f, optimize=False)(*args)
    for a, b in zip(_parts(ours), _parts(plain)):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def test_no_rows_of_the_one_matrix() -> None:
    args = X, M[:, :, :0], B[:0], W
    def flat(x: Any, m: Any, b: Any, w: Any) -> Any:
        total = np.zeros((4, w.shape[1]))
        for f in range(3):
            for j in range(4):
                total = total + w[f + j] * (x[4 * f + j] * m[j] @ b)
        return total

    np.testing.assert_array_equal(tg.jacfwd(flat)(*args), np.zeros((4, 9, 12)))


@pytest.mark.parametrize("f", READ_AT_ONCE, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_as_turn_by_turn_to_the_bit(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is multiplied is the same: also what is no number, and zeros with a sign."""
    w = W.copy(order="F")
    w[::2, 0], w[1::3, 1], w[:, 2], w[:, 3] = np.nan, np.inf, -0.0, 1e-310
    df = tg.jacfwd(f)
    assert READ_AT_ONCE[f] in df.source_for(X, M, B, w)
    found = _parts(df(X, M, B, w))
    monkeypatch.setattr(RowsOfTurns, "read", lambda *args: None)
    df = tg.jacfwd(f, optimize={"diagonals": False})        # which is not kept from before
    assert READ_AT_ONCE[f] not in df.source_for(X, M, B, w)
    for a, b in zip(found, _parts(df(X, M, B, w))):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(np.signbit(a), np.signbit(b))


@pytest.mark.parametrize("f", READ_AT_ONCE, ids=lambda f: f.__name__)
def test_arguments_stay_as_they_are(f: Any) -> None:
    kept = [a.copy() for a in (X, M, B, W)]
    tg.jacfwd(f)(X, M, B, W)
    for a, b in zip((X, M, B, W), kept):
        np.testing.assert_array_equal(a, b)
