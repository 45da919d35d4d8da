"""Variables that some paths leave unbound."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

XS = np.array([0.3, -0.5, 1.5])


def unbound_in_test(x: float, y: float) -> float:
    if y > 0.5:
        pass
    else:
        while n < 2 and not y < 0.5:      # type: ignore[name-defined]  # noqa: F821
            n += 1      # type: ignore[name-defined]  # noqa: F821, F841
    return x * y


def unbound_as_flag(x: float, y: float) -> float:
    if y <= 0.5:
        while n:      # type: ignore[name-defined]  # noqa: F821
            n -= 1      # type: ignore[name-defined]  # noqa: F821, F841
    return x * y


def unbound_after_a_branch(x: float, y: float) -> float:
    if not x > -0.4:
        m = -y
    z = m
    return z * y + (x if y > z else 2.0 * x)


@pytest.mark.parametrize("f", [unbound_in_test, unbound_as_flag, unbound_after_a_branch])
@pytest.mark.parametrize("transform", [
    lambda f: tg.compile(f, fallback="error"),
    lambda f: tg.value_and_grad(f, (0, 1), fallback="error"),
    lambda f: lambda *a: tg.jvp(f, a, (1.0, 1.0), fallback="error"),
    lambda f: lambda x, y: tg.vmap(f)(np.array([x, x]), np.array([y, y])),
], ids=["compile", "value_and_grad", "jvp", "vmap"])
@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning")
def test_reading_one_raises(f: Callable[..., float], transform: Callable[..., Any]) -> None:
    with pytest.raises(UnboundLocalError):
        f(0.2, 0.3)
    # generated code copies None in place of a variable without a value, if it copies the variable; a use of None raises TypeError
    with pytest.raises((UnboundLocalError, TypeError)):
        transform(f)(0.2, 0.3)


def the_other_path_is_taken(x: float, y: float) -> float:
    if not x > -0.4:
        m = -y
    z = m
    x = y * x * 0.1
    if y > z:
        y = z * 0.5
    else:
        return z
    return x * y + z


@pytest.mark.parametrize("f, at", [(unbound_in_test, (0.2, 0.8)), (unbound_as_flag, (0.2, 0.8)), (unbound_after_a_branch, (-0.6, 0.7)),
                                   (the_other_path_is_taken, (-0.6, 0.7)), (the_other_path_is_taken, (-0.6, -0.7))])
def test_paths_that_bind_it_have_their_derivative(f: Callable[..., float], at: tuple[float, float]) -> None:
    value, found = tg.value_and_grad(f, (0, 1), fallback="error")(*at)
    assert value == f(*at)
    h = 1e-6
    for k in range(2):
        above, below = ([a + s * h * (j == k) for j, a in enumerate(at)] for s in (1, -1))
        assert found[k] == pytest.approx((f(*above) - f(*below)) / (2 * h), rel=1e-6, abs=1e-8)


def same_condition(x: float) -> float:
    if x > 0:
        m = np.sin(x)
    if x > 0:
        return m * 2  # type: ignore[no-any-return]
    return x


def other_side(x: float) -> float:
    if x > 0:
        pass
    else:
        m = np.cos(x)
    if not x > 0:
        return m * x  # type: ignore[no-any-return]
    return x


def under_a_flag(x: float) -> float:
    known = False
    if x > 0:
        m, known = np.sin(x), True
    if known:
        return m * x  # type: ignore[no-any-return]
    return -x


def helper(x: float) -> float:
    if x > 0:
        return np.exp(x)  # type: ignore[no-any-return]
    y = np.cos(x)
    return y * y  # type: ignore[no-any-return]


def from_a_loop(x: float) -> float:
    for k in range(3):
        if x > k:
            return helper(x) * (k + 1)
    return x


def calls_it(x: float) -> float:
    return helper(x) * from_a_loop(-x)


@pytest.mark.parametrize("f", [same_condition, other_side, under_a_flag, from_a_loop, calls_it])
def test_safe_reads_are_batched(f: Callable[[Any], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(tg.vmap(f)(XS), [f(x) for x in XS], rtol=1e-14)


def two_branches(x: float) -> float:
    if x > 0:
        m = x
    elif x > -1:
        m = 2 * x
    return m * x


def counter_condition(x: float) -> float:
    if x > 0:
        m = np.sin(x)
    return m * 2 if x <= 0.1 else x


def bound_by_a_flag_of_another_branch(x: float) -> float:
    known = x < 1
    if x > 0:
        m = np.sin(x)
    return m * x if known else x


@pytest.mark.parametrize("f", [two_branches, counter_condition, bound_by_a_flag_of_another_branch])
def test_unsafe_reads_of_a_batch_raise(f: Callable[[Any], Any]) -> None:
    bound = np.array([0.3, 0.7, 1.5])
    with pytest.warns(tg.BatchLoopWarning, match="'m' is read and may be unbound"):
        np.testing.assert_allclose(tg.vmap(f)(bound), [f(x) for x in bound], rtol=1e-14)
    with pytest.raises(UnboundLocalError), warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.BatchLoopWarning)
        tg.vmap(f)(np.array([0.3, -1.5]))
