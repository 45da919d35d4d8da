"""What the rules do where a function has no derivative, and where a formula would divide by zero: the policy, said in numbers."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from transgrad.rules import NoDerivative, Rule, lookup


def entries(fn: Callable[..., Any], *args: Any, g: Any = None, **kwargs: Any) -> list[Any]:
    rule = lookup(fn)
    assert rule is not None
    with np.errstate(all="ignore"):
        y = fn(*args, **kwargs)
        bound, options = rule.bind(args, kwargs)
        return rule.pullback(np.ones_like(y) if g is None else g, y, bound, options)


A = np.array
ONE_TIE = A([1.0, 3.0, 3.0])


@pytest.mark.parametrize(("fn", "args", "want"), [
    (np.absolute, [A([0.0, -2.0])], [[0.0, -1.0]]),
    (np.nanquantile, [A([1.0, np.nan, 3.0]), 0.25], [[0.75, 0.0, 0.25], 2.0]),
    (np.quantile, [A([1.0, 3.0, np.inf]), 0.25], [[0.5, 0.5, 0.0], 4.0]),
    (np.maximum, [A([1.0, 2.0]), A([1.0, 1.0])], [[0.5, 1.0], [0.5, 0.0]]),
    (np.minimum, [A([1.0, 2.0]), A([1.0, 1.0])], [[0.5, 0.0], [0.5, 1.0]]),
    (max, [1.0, 1.0], [0.5, 0.5]),
    (min, [1.0, 1.0, 2.0], [0.5, 0.5, 0.0]),
    (np.max, [ONE_TIE], [[0.0, 0.5, 0.5]]),
    (np.min, [-ONE_TIE], [[0.0, 0.5, 0.5]]),
    (np.clip, [A([0.0, 1.0, 2.0]), 0.0, 1.0], [[1.0, 1.0, 0.0]]),
    (np.linalg.norm, [np.zeros(3)], [[0.0, 0.0, 0.0]]),
    (np.hypot, [0.0, 0.0], [0.0, 0.0]),
    (np.std, [A([2.0, 2.0])], [[0.0, 0.0]]),
    (np.sqrt, [A([0.0, 4.0])], [[np.inf, 0.25]]),
    (operator.pow, [A([0.0, -1.0]), 0], [None]),
    (operator.pow, [A([0.0, 0.0, 2.0]), A([0, 2, 3])], [[0.0, 0.0, 12.0]]),
    (operator.pow, [A([0.0, 2.0]), A([2.0, 1.0])], [[0.0, 1.0], [0.0, 2 * np.log(2)]]),
    (np.prod, [A([0.0, 2.0, 3.0])], [[6.0, 0.0, 0.0]]),
    (np.prod, [A([0.0, 0.0, 3.0])], [[0.0, 0.0, 0.0]]),
    (np.cumprod, [A([2.0, 0.0, 3.0])], [[1.0, 8.0, 0.0]]),
    (np.sinc, [A([0.0])], [[0.0]]),
    (np.sort, [A([2.0, 1.0, 1.0])], [[1.0, 1.0, 1.0]]),
    (np.copysign, [0.0, 2.0], [0.0]),
    (np.median, [A([1.0, 1.0, 1.0])], [[0.0, 1.0, 0.0]]),
])
def test_policy(fn: Callable[..., Any], args: list[Any], want: list[Any]) -> None:
    got = entries(fn, *args)
    for p, q in zip(got, want):
        assert (p is None) == (q is None)
        if q is not None:
            np.testing.assert_allclose(p, q)


def test_no_nan_from_the_branch_not_taken() -> None:
    g = A([np.nan, 1.0])
    condition = A([False, True])
    np.testing.assert_array_equal(entries(np.where, condition, A([1.0, 2.0]), 0.0, g=g)[1], [0.0, 1.0])
    np.testing.assert_array_equal(entries(np.maximum, A([-1.0, 2.0]), 0.0, g=A([np.inf, 1.0]))[0], [0.0, 1.0])
    np.testing.assert_array_equal(entries(np.clip, A([-1.0, 2.0]), 0.0, None, g=A([np.inf, 1.0]))[0], [0.0, 1.0])


def test_masked_elements_of_a_sum_get_nothing() -> None:
    got = entries(np.sum, A([1.0, 2.0]), where=A([True, False]), g=np.inf)[0]
    np.testing.assert_array_equal(got, [np.inf, 0.0])


def test_what_has_no_text_is_refused() -> None:
    x = A([1.0, 2.0, 4.0])
    half = Rule([lambda a, b: a * np.floor(b)], "multilinear", lambda g, y, a, b: (np.floor(b) * g, None))
    with pytest.raises(NoDerivative, match="argument 1"):
        half.pullback(1.0, 2.0, [1.0, 2.3], {}, [True, True])
    with pytest.raises(NoDerivative, match="argument 1"):
        half.pushforward(2.0, [1.0, 2.3], [1.0, 1.0])
    with pytest.raises(TypeError, match="out"):
        lookup(np.sum).bind([x], {"out": np.zeros(())})  # type: ignore[union-attr]
    with pytest.raises(TypeError, match="weird"):
        lookup(np.sum).bind([x], {"weird": 1})  # type: ignore[union-attr]
    with pytest.raises(TypeError):
        entries(np.pad, x, 1, mode="linear_ramp")


def test_unused_entries_are_not_computed() -> None:
    rule = lookup(operator.pow)
    assert rule is not None
    with np.errstate(all="raise"):      # the logarithm of a negative number would raise
        np.testing.assert_allclose(rule.pullback(1.0, -8.0, [-2.0, 3.0], {}, [True, False])[0], 12.0)


def test_precision_is_kept() -> None:
    """Without a cast (those of extrema divide by a count, and are cast by the driver)."""
    x = np.linspace(0.1, 0.9, 6, dtype=np.float32).reshape(2, 3)
    for fn in (np.sin, np.tanh, np.exp, np.sqrt, np.log, np.cbrt, np.arcsin, np.absolute, np.sum, np.mean, np.std, np.prod, np.cumsum, np.sort,
               np.linalg.norm, np.sinc, np.median, np.exp2, np.log2, np.log10, np.diff):
        for entry in entries(fn, x):
            assert np.asarray(entry).dtype == np.float32, fn


def test_vectors_of_equal_values() -> None:
    """Functions of the values have their derivative where values are equal too, and so have those of the vectors of other values;
    what depends on single vectors of equal values has none."""
    a = np.diag([1.0, 1.0, 3.0])
    w, v = np.linalg.eigh(a)
    assert np.all(np.isfinite(entries(np.linalg.eigh, a, g=(np.ones(3), None))[0]))
    assert np.all(np.isfinite(entries(np.linalg.eigh, a, g=(np.ones(3), v * np.array([0.0, 0.0, 2.0])))[0]))
    weights = np.arange(9.0).reshape(3, 3)
    assert np.any(np.isnan(entries(np.linalg.eigh, a, g=(np.ones(3), weights @ v * np.exp(w)))[0]))     # of a matrix function
    s = entries(np.linalg.svd, np.diag([2.0, 2.0, 1.0]), g=(None, np.ones(3), None))[0]
    np.testing.assert_allclose(s, np.eye(3), atol=1e-12)


def test_second_derivatives_where_values_are_equal() -> None:
    import transgrad as tg

    def cubes(a):
        return np.sum(np.linalg.eigh(0.5 * (a + a.T))[0] ** 3)

    assert np.all(np.isfinite(tg.hessian(cubes)(np.diag([1.0, 2.0, 3.0]))))
    assert np.any(np.isnan(tg.hessian(cubes)(np.diag([1.0, 1.0, 3.0]))))       # and not another number


def test_second_derivative_of_sinc_at_zero() -> None:
    import transgrad as tg
    np.testing.assert_allclose(tg.grad(tg.grad(np.sinc))(0.0), -np.pi ** 2 / 3.0)


def test_a_call_the_rule_is_not_there_for_is_refused() -> None:
    rule = lookup(np.pad)
    assert rule is not None
    x = A([1.0, 2.0])
    assert rule.accepts([x, 1], {"mode": "edge"}) and not rule.accepts([x, 1], {"mode": "mean"})
    with pytest.raises(TypeError, match="these options"):
        rule.bind([x, 1], {"mode": "mean"})


@pytest.mark.parametrize(("fn", "args", "want"), [
    (np.unique, [A([2.0, 1.0, 1.0])], [1.0, 1.0, 0.0]),
    (np.maximum.accumulate, [A([1.0, 3.0, 3.0])], [1.0, 1.0, 1.0]),
    (np.repeat, [A([1.0, 2.0, 3.0]), A([0, 2, 1])], [0.0, 2.0, 1.0]),
    (np.nanmax, [A([np.nan, 3.0, 3.0])], [0.0, 0.5, 0.5]),
    (np.interp, [A([0.0, 1.0, 2.0]), A([0.0, 1.0, 2.0]), A([0.0, 1.0, 3.0])], [1.0, 2.0, 2.0]),
])
def test_first_entries(fn: Callable[..., Any], args: list[Any], want: list[float]) -> None:
    np.testing.assert_allclose(entries(fn, *args)[0], want)
