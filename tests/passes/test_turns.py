"""Loops whose turns read parts of the argument of their own: their Jacobians, side by side, are those of the loops."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(41)
M, B, W = RNG.normal(size=(12, 4, 4)) / 2, RNG.normal(size=(4, 9)), RNG.normal(size=(12, 9))
X = RNG.normal(size=14)
FINGERS = 3


def turned(a: Any, c: Any) -> Any:
    return np.array([[np.cos(a), -np.sin(a), 0.0, 0.0], [np.sin(a), np.cos(a) * c, 0.0, c], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def hand(x: Any, m: Any, b: Any, w: Any) -> Any:
    wrist = m[0]
    total = w[0] * (wrist @ b)
    for f in range(FINGERS):
        frame = wrist
        for j in range(4):
            k = 3 * f + j
            if j == 0:
                frame = frame @ m[k]
            elif j == 1:
                frame = frame @ m[k] @ turned(x[2 + 4 * f], x[3 + 4 * f])
            else:
                frame = frame @ m[k] @ turned(x[2 + 4 * f + j], 0.5)
            total = total + w[k] * (frame @ m[j] @ b)
    return (total[:3] * x[0] + x[1]).ravel()


def slices(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for i in range(3):
        v = x[4 * i:4 * i + 4]
        total = total + (np.outer(m[i] @ v, np.ones(9)) * b + np.sin(m[i] @ v)[:, None])
    return total


def linear_slices(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = b * 1.0
    for i in range(3):
        total = total + (m[i] @ x[4 * i + 1:4 * i + 5])[:, None] * b
    return total


def overlapping(x: Any, m: Any, b: Any, w: Any) -> Any:
    """Each turn moves with directions that the turns beside it move with, too."""
    total = np.ones((4, 9))
    for i in range(6):
        total = total + x[i] * b * x[i + 1] * np.exp(x[i + 3])
    return total * x[3]


def by_number(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(4):
        y = x[f] * m[f]
        if f == 2:
            y = y * x[f]
        total = total + y @ b / (1.0 + f)
    return total


def two_sums(x: Any, m: Any, b: Any, w: Any) -> Any:
    total, other = np.zeros_like(b), np.zeros_like(w)
    for f in range(3):
        for j in range(2):
            total = total + w[f] * (x[2 * f + j] * m[f] @ b)
            other = other + x[2 * f + j] * w[f] * w
    return total.ravel() * 2.0, other


def inner_never(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = b * 1.0
    for f in range(3):
        for j in range(f - f):
            total = total + w[f] * (x[f] * m[j] @ b)
    return total


def rows_of_its_own(x: Any, m: Any, b: Any, w: Any) -> Any:
    """An array that a turn makes and writes to."""
    total = np.zeros_like(b)
    for f in range(3):
        own = m[f] * 1.0
        own[0] *= x[f]
        own[1:3] = x[f] * own[0]
        total = total + own @ b
    return total


def begins_with_x(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = x[0] * b
    for f in range(3):
        total = total + x[f] * m[f] @ b
    return total


def carried(x: Any, m: Any, b: Any, w: Any) -> Any:
    """A turn goes on from the one before."""
    frame, total = m[0], np.zeros_like(b)
    for f in range(3):
        frame = frame @ (m[f] * x[f])
        total = total + frame @ b
    return total


def all_of_x(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(3):
        total = total + x[f] * np.sum(x) * m[f] @ b
    return total


def another_step(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(3):
        total = total + x[f] * x[2 * f] * (m[f] @ b)
    return total


def backwards(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(3):
        total = total + x[3 - f] * (m[f] @ b) + x[f - 1] * b
    return total


def written_outside(x: Any, m: Any, b: Any, w: Any) -> Any:
    notes, total = np.zeros((3, 4), x.dtype), np.zeros_like(b)
    for f in range(3):
        notes[f] = x[f] * m[f, 0]
        total = total + x[f] * m[f] @ b
    return total @ b.T * np.sum(notes)


def changing(x: Any, m: Any, b: Any, w: Any) -> Any:
    """The matrix that all products have is written to meanwhile."""
    c, total = b * 1.0, np.zeros_like(b)
    for f in range(3):
        for j in range(2):
            total = total + w[j] * (x[2 * f + j] * m[f] @ c)
            c[j] += 1.0
    return total


def seen_before(x: Any, m: Any, b: Any, w: Any) -> Any:
    """The sum is read in the loop."""
    total = np.zeros_like(b)
    for f in range(3):
        total = total + x[f] * m[f] @ b + np.sum(total)
    return total


PROGRAMS = (hand, slices, linear_slices, overlapping, by_number, two_sums, inner_never, rows_of_its_own, begins_with_x, carried, all_of_x, another_step,
            backwards, written_outside, changing, seen_before)
SIDE_BY_SIDE = (hand, linear_slices, overlapping, by_number, two_sums, inner_never, rows_of_its_own)


def _differences(f: Any, x: Any) -> list[Any]:
    eps, columns = 1e-6, []
    for unit in np.eye(len(x)):
        up, down = f(x + eps * unit, M, B, W), f(x - eps * unit, M, B, W)
        up, down = (v if isinstance(v, tuple) else (v,) for v in (up, down))
        columns.append([(a - b) / (2 * eps) for a, b in zip(up, down)])
    return [np.stack(c, axis=-1) for c in zip(*columns)]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_differences(f: Any) -> None:
    found = tg.jacfwd(f, fallback="error")(X, M, B, W)
    for a, b in zip(found if isinstance(found, tuple) else (found,), _differences(f, X)):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_which_are_side_by_side(f: Any) -> None:
    text = tg.jacfwd(f).source_for(X, M, B, W)
    assert ("_turn_" in text) == (f in SIDE_BY_SIDE)
    assert "_turn_" not in tg.jacfwd(f, optimize={"turns": False, "stacks": False}).source_for(X, M, B, W)


def test_products_are_one_behind_the_loop() -> None:
    text = tg.jacfwd(hand).source_for(X, M, B, W)
    turn = text[text.index("def jvp_hand_turn"):text.index("def jvp_hand_batched")]
    assert turn.count("@ b") == 0 and turn.count("* b") == 1
    assert "w[q[:, None] + np.arange(4)][:, :, None] * b, (n_batch, k, b.shape[1]))" in turn
    assert "c[" in (text := tg.jacfwd(changing).source_for(X, M, B, W)) and "@ c" in text


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_other_dtypes(f: Any, dtype: str) -> None:
    args = [np.asarray(a, dtype) for a in (X, M, B, W)]
    options = {"holomorphic": True} if dtype == "complex128" else {}
    ours, plain = tg.jacfwd(f, **options)(*args), tg.jacfwd(f, optimize=False, **options)(*args)
    for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (ours, plain))):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-3 if dtype == "float32" else 1e-9, atol=1e-4 if dtype == "float32" else 1e-9)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_mixed_dtypes(f: Any) -> None:
    """The argument is of float64, what the turns compute with is not."""
    args = [X, *(np.asarray(a, "float32") for a in (M, B, W))]
    ours, plain = tg.jacfwd(f)(*args), tg.jacfwd(f, optimize=False)(*args)
    for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (ours, plain))):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("f", SIDE_BY_SIDE, ids=lambda f: f.__name__)
@pytest.mark.parametrize("size", [300, 1000])
def test_more_directions_than_one_call_takes(f: Any, size: int) -> None:
    x = np.concatenate([X, RNG.normal(size=size - len(X))])
    ours, plain = tg.jacfwd(f)(x, M, B, W), tg.jacfwd(f, optimize=False)(x, M, B, W)
    for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (ours, plain))):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_not_there(f: Any) -> None:
    """Arguments that are too short raise what they raise without, whether or not longer ones came before."""
    df, plain = tg.jacfwd(f), tg.jacfwd(f, optimize={"turns": False, "stacks": False})
    df(X, M, B, W)
    for n in (2, 5, 6, 9, 13):
        try:
            expected = plain(X[:n], M, B, W)
        except (IndexError, ValueError) as error:
            with pytest.raises(type(error)):
                df(X[:n], M, B, W)
            with pytest.raises(type(error)):
                tg.jacfwd(f)(X[:n], M, B, W)
        else:
            for found in (df(X[:n], M, B, W), tg.jacfwd(f)(X[:n], M, B, W)):
                for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (found, expected))):
                    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_what_is_not_there_in_a_batch(axis: int) -> None:
    """What is checked are the arrays of an example, whichever axis the examples stand along."""
    df = tg.vmap(tg.jacfwd(linear_slices), in_axes=(axis, None, None, None))
    x = np.stack([k * X for k in range(1, 21)], axis)
    np.testing.assert_allclose(df(x, M, B, W), np.stack([_differences(linear_slices, k * X)[0] for k in range(1, 21)]), rtol=1e-6, atol=1e-6)
    with pytest.raises(ValueError, match="mismatch"):
        df(np.delete(x, slice(12, None), 1 - axis % 2), M, B, W)


@pytest.mark.parametrize("f", SIDE_BY_SIDE, ids=lambda f: f.__name__)
def test_other_transformations(f: Any) -> None:
    def total(x: Any) -> Any:
        out = f(x, M, B, W)
        return np.sum(out[0] ** 2) + np.sum(out[1]) if isinstance(out, tuple) else np.sum(out ** 2)

    d = RNG.normal(size=len(X))
    g = tg.grad(total)(X)
    np.testing.assert_allclose(tg.jvp(total, (X,), (d,))[1], g @ d, rtol=1e-9)
    h = tg.hessian(total)(X)
    eps = 1e-6
    np.testing.assert_allclose(h @ d, (tg.grad(total)(X + eps * d) - tg.grad(total)(X - eps * d)) / (2 * eps), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(tg.jacfwd(tg.jacfwd(total))(X), h, rtol=1e-8, atol=1e-8)


def test_another_number_of_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """How often the loop turns is asked at each call."""
    df = tg.jacfwd(hand)
    three = df(X, M, B, W)
    monkeypatch.setitem(globals(), "FINGERS", 2)
    assert not np.allclose(df(X, M, B, W), three)
    np.testing.assert_allclose(df(X, M, B, W), _differences(hand, X)[0], rtol=1e-6, atol=1e-7)


def test_what_a_turn_prints(capsys: pytest.CaptureFixture[str]) -> None:
    def talking(x: Any, b: Any) -> Any:
        total = np.zeros_like(b)
        for f in range(3):
            print("turn", f)
            total = total + x[f] * b
        return total

    tg.jacfwd(talking)(X, B)
    assert capsys.readouterr().out == "turn 0\nturn 1\nturn 2\n"


def test_arguments_stay_as_they_are() -> None:
    kept = [a.copy() for a in (X, M, B, W)]
    for f in PROGRAMS:
        tg.jacfwd(f)(X, M, B, W)
    for a, b in zip((X, M, B, W), kept):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("f", [hand, two_sums, changing], ids=lambda f: f.__name__)
def test_turn_by_turn(f: Any) -> None:
    """Without the one, there is still the other: each turn has one large product."""
    df = tg.jacfwd(f, optimize={"turns": False})
    assert ("_turn_" in df.source_for(X, M, B, W)) == (f is not changing)
    found = df(X, M, B, W)
    for a, b in zip(found if isinstance(found, tuple) else (found,), _differences(f, X)):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


def test_large_arrays_stay_turn_by_turn() -> None:
    """What all turns add up would take long to go through; large products are still one a turn."""
    b, w = RNG.normal(size=(4, 100_000)), RNG.normal(size=(12, 100_000))
    def blended(x: Any, m: Any, b: Any, w: Any) -> Any:
        total = np.zeros_like(b)
        for f in range(3):
            for j in range(4):
                total = total + w[f + j] * (np.sin(x[4 * f + j]) * m[j] @ b)
        return total[:3]

    df = tg.jacfwd(blended)
    assert "_turn_batched_batched(" in df.source_for(X, M, B, W)
    text = df.source_for(X, M, b, w)
    assert "_turn_batched(" in text and "_turn_batched_batched" not in text
    some = slice(0, None, 9_999)
    found = df(X, M, b, w).reshape(3, -1, len(X))[:, some]
    expected = tg.jacfwd(blended, optimize=False)(X, M, b[:, some].copy(), w[:, some].copy())
    np.testing.assert_allclose(found, expected.reshape(3, -1, len(X)), rtol=1e-9, atol=1e-12)
