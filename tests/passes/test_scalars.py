"""Small arrays as Python floats: values, derivatives, warnings that become exceptions and back, what stays an array."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.ir.verify import verify
from transgrad.passes.scalarize.values import scalarize_small_arrays

from .show import lowered


def kepler(x: Any, n: int) -> Any:
    s = np.array([x, 0.0, 0.0, 1.0])
    for _ in range(n):
        r = s[:2]
        s = s + 0.01 * np.concatenate([s[2:], -r / np.linalg.norm(r) ** 3])
    return np.sum(s) + s @ s


def reciprocal(x: Any, n: int) -> Any:
    t = 1.0 / np.array([x, 1.0 - x])
    return np.sum(t) + n * t[0]


def root(x: Any, n: int) -> Any:
    t = np.sqrt(np.array([x, -x]))
    return t[0] * 3.0 + (t[1] if t[1] > 0 else 0.0) + n


def growing(x: Any, n: int) -> Any:
    s = np.array([x, 2.0, x * x])
    while np.sum(s) < 50.0 + n:
        s = s * 1.5
        if s[0] > 4.0:
            s = np.array([1.0, s[1], s[2]])
    return s[0] * s[2] + s.sum()


def stored(x: Any, n: int) -> Any:
    s = np.array([x, 1.0])
    out = np.zeros((n, 2))
    for i in range(n):
        s = np.array([s[1], -np.sin(s[0])]) * 0.1 + s
        out[i] = s
    return np.sum(out ** 2)


def powers(x: Any, n: int) -> Any:
    s = np.array([x, 1, True])
    kept = []
    for _ in range(n):
        s = np.tanh(s ** 1.5 - s ** 2 + s ** 0.5 + s ** -1)
        s = np.abs(s) + 0.5
        kept.append(s[1])
    return s.max() + sum(kept)


def overflow(x: Any, n: int) -> Any:
    s = np.array([x, 1e200])
    return (s * s)[0] + np.exp(np.array([x, 800.0]))[0] + n


def chosen(x: Any, n: int) -> Any:
    a, b = np.array([x, 2.0]), np.array([3.0, x])
    c = a if x > 0.2 else b
    for i in range(n):
        a, b = b, a + 0.1 * b
        if i == 2:
            continue
        c = c + a * b
    return c[-1] * 2 + np.dot(a, b) + (a / 4)[0] + len(a) * a.size * a.shape[0]


def taken_apart(v: Any, n: int) -> Any:
    p, q, r = v
    s = np.array([p, q])
    for _ in range(n):
        s = s + 0.1 * np.array([s[1] * r, -s[0] * v[0]])
    return s[0]


def returned(v: Any, n: int) -> Any:
    s = v
    for _ in range(n):
        s = s + 0.1 * np.array([s[1], -s[0], s[2]])
    return s


def written(x: Any, n: int) -> Any:
    s = np.array([x, 1.0])
    for _ in range(n):
        s[0] += 0.1 * s[1]
    return s[0] * s[1]


def turned(x: Any, n: int) -> Any:
    """Attributes of a small array that are no part of its shape."""
    v = np.array([1.0, 2.0, 3.0]) - x
    r = np.sqrt(np.sum(v ** 2, axis=-1))
    return np.sum((v.T / r).T * np.array([1.0, -2.0, 0.5])) * v.nbytes + v.strides[0] + v.ndim + v.size + v.shape[0] + n


SCALAR = [kepler, reciprocal, root, growing, stored, powers, overflow, chosen, written, turned]
POINTS = [(f, x) for f in SCALAR for x in (0.7, 0.0, 1.0, -0.5, 1e3)]
VECTORS = [(f, np.array(v)) for f in (taken_apart, returned) for v in ([0.3, 0.4, 0.5], [0.3, 0.4, 0.0], [0.3, 0.4, 0.5, 0.6])]


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    """What a call returns, or the exception that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f(*args)
        except Exception as error:
            return type(error)


def same(a: Any, b: Any) -> None:
    if isinstance(a, type) or isinstance(b, type):
        assert a is b
        return
    assert type(a) is type(b)
    if isinstance(a, tuple):
        for x, y in zip(a, b, strict=True):
            same(x, y)
        return
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("f, x", POINTS + VECTORS)
def test_values_and_their_types_are_those_of_the_function(f: Any, x: Any, n: int) -> None:
    same(outcome(tg.compile(f), x, n), outcome(f, x, n))


TRANSFORMATIONS: dict[str, Callable[..., Callable[..., Any]]] = {
    "grad": tg.grad,
    "value_and_grad": tg.value_and_grad,
    "jvp": lambda f, **how: lambda x, n: tg.jvp(lambda x: f(x, n), (x,), (x,), **how),
    "vjp": lambda f, **how: lambda x, n: tg.vjp(lambda x: f(x, n), x, **how)[1](1.0),
    "jacfwd": tg.jacfwd,
    "hessian": tg.hessian,
    "vmap": lambda f, **how: lambda x, n: tg.vmap(tg.grad(f, **how), in_axes=(0, None))(np.array([x, x]), n),
}


@pytest.mark.parametrize("name", TRANSFORMATIONS)
@pytest.mark.parametrize("f, x", [p for p in POINTS + VECTORS if p[0] is not returned])
def test_derivatives_are_those_of_the_arrays(f: Any, x: Any, name: str) -> None:
    """Infinity and nan too, where Python's arithmetic would have raised an exception."""
    for n in (1, 5):
        got, want = (outcome(TRANSFORMATIONS[name](f, **how), x, n) for how in ({}, {"optimize": {"scalars": False}}))
        if isinstance(got, type) or isinstance(want, type):
            assert got is want
        else:
            parts = zip(got, want, strict=True) if isinstance(got, tuple) else [(got, want)]
            for a, b in parts:
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def test_what_is_turned_is_there() -> None:
    x, h = 0.7, 1e-6
    numeric = (turned(x + h, 1) - turned(x - h, 1)) / (2 * h)
    np.testing.assert_allclose([tg.grad(turned)(x, 1), tg.jvp(lambda x: turned(x, 1), (x,), (1.0,))[1]], numeric, rtol=1e-7)
    vector = np.array([0.7, -0.2, 1.5])
    np.testing.assert_array_equal(tg.grad(lambda e: np.sum((np.zeros(3) - e).T * np.arange(1.0, 4.0)))(vector), [-1.0, -2.0, -3.0])


def text(f: Callable[..., Any], *args: Any) -> str:
    return tg.grad(f).source_for(*args)


def test_no_array_is_left_of_a_state_vector() -> None:
    assert "np." not in text(kepler, 0.5, 3).partition("# return")[0] and "np." not in text(growing, 0.5, 3).partition("# return")[0]


def test_a_row_is_written_element_by_element() -> None:
    assert "out_i[0] = " in text(stored, 0.5, 3)       # of a list of rows
    assert "out[i, 0] = " in tg.grad(stored, optimize={"lists": False}).source_for(0.5, 3)


def test_a_helper_is_written_out() -> None:
    def rates(s: Any, w: Any) -> Any:
        x, v = s
        return np.array([v, -w * x])

    def f(w: Any, n: int) -> Any:
        s = np.array([1.0, 0.0])
        for _ in range(n):
            s = s + 0.1 * rates(s, w)
        return s[0]

    assert "def rates" not in text(f, 0.5, 3)


def test_a_long_array_stays_one() -> None:
    def f(x: Any, n: int) -> Any:
        s = np.array([x, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
        for _ in range(n):
            s = s * 1.1
        return s[0]

    assert "np.array(" in text(f, 0.5, 3)


def test_an_array_that_is_handed_on_in_every_iteration_stays_one() -> None:
    def f(x: Any, n: int) -> Any:
        s = np.array([x, 1.0])
        m = np.eye(2)
        for _ in range(n):
            s = m @ s
        return s[0]

    assert "np.array(" in text(f, 0.5, 3)


def test_a_length_that_the_text_takes_an_argument_to_have_is_checked_at_each_call() -> None:
    def f(v: Any, n: int) -> Any:
        for k in range(n):
            v = v + 0.1 * v * v
            if k > 4:
                v = v + np.array([v[1], v[0]])
        return np.sum(v)

    df = tg.grad(f)
    for v in (np.ones(2), np.ones(3), np.ones(100), np.ones(2)):
        np.testing.assert_allclose(df(v, 3), tg.grad(f, optimize=False)(v, 3), rtol=1e-12)
    assert "v_1 = v.tolist()" in df.source_for(np.ones(2), 3) and "tolist" not in df.source_for(np.ones(100), 3)
    with pytest.raises(ValueError, match="could not be broadcast together"):
        df(np.ones(3), 6)


def test_a_length_that_the_text_leaves_open_is_no_matter() -> None:
    def f(v: Any, n: int) -> Any:
        for _ in range(n):
            v = v + 0.1 * v * v
        return np.sum(v)

    df = tg.grad(f)
    for v in (np.ones(2), np.ones(3), np.ones(100)):
        df(v, 3)
    assert len(df.variants) == 1


def test_a_caught_exception_is_the_one_that_numpy_raises() -> None:
    def f(x: Any) -> Any:
        s = np.array([x, 0.0])
        try:
            t = 1.0 / s
        except ZeroDivisionError:
            return x * 0.0
        return t[0] + s[0]

    with np.errstate(divide="ignore"):
        assert tg.grad(f)(2.0) == pytest.approx(0.75)


def test_what_is_seen_outside_happens_once() -> None:
    seen: list[float] = []

    def f(x: Any) -> Any:
        s = np.array([x, 0.0])
        seen.append(1.0)
        t = 1.0 / s
        return t[0] * x + s[1]

    with np.errstate(divide="ignore"):
        tg.grad(f)(2.0)
    assert len(seen) == 1


def test_errors_of_the_user_are_raised_as_they_are() -> None:
    def f(x: Any) -> Any:
        s = 1.0 / np.array([x, 2.0])
        if s[0] > 1.0:
            raise ValueError("too large")
        return s[0] * s[1]

    with pytest.raises(ValueError, match="too large"):
        tg.grad(f)(0.5)


@pytest.mark.parametrize("f", SCALAR)
def test_the_ir_is_well_formed_afterwards(f: Any) -> None:
    fn = lowered(f, 0.5, 3)
    scalarize_small_arrays(fn)
    verify(fn)


def test_options_name_the_optimisation_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="no optimization 'speed'"):
        tg.grad(kepler, optimize={"speed": False})


def test_elements_counted_from_the_end() -> None:
    def f(x: Any, n: int) -> Any:
        s = 0.5
        for _ in range(n):
            s = s * x[-2] + x[-1]
        return s
    x = np.array([0.3, 0.7, -0.2])
    np.testing.assert_allclose(tg.grad(f, fallback="error")(x, 3), tg.grad(f, optimize=False)(x, 3), rtol=1e-13)
