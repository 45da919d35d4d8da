"""Functions whose derivatives the user says: compiled, on the tape, and against JAX where that has the same form."""
from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad

X = np.array([0.5, 1.5, 2.5])


@tg.custom_vjp
def clipped(x: Any) -> Any:
    return np.clip(x, -1.0, 1.0)


clipped.defvjp(lambda x: (np.clip(x, -1.0, 1.0), x), lambda x, g: (np.where(np.abs(x) < 2.0, g, 0.0),))


@tg.custom_vjp
def rounded(x: Any) -> Any:
    """Straight through."""
    return np.round(x)


rounded.defvjp(lambda x: (np.round(x), None), lambda _, g: (g,))


@tg.custom_jvp
def softplus(x: Any) -> Any:
    return np.log(1.0 + np.exp(x))


@softplus.defjvp
def softplus_jvp(primals: Any, tangents: Any) -> Any:
    x, = primals
    x_dot, = tangents
    return softplus(x), x_dot / (1.0 + np.exp(-x))


@partial(tg.custom_vjp, nondiff_argnums=(0,))
def doubled(fn: Any, x: Any, y: Any) -> Any:
    return fn(x) * y


doubled.defvjp(lambda fn, x, y: (fn(x) * y, (x, y)), lambda fn, res, g: (2.0 * g * fn(res[0]), g * res[1]))


@tg.custom_jvp
def power(x: Any, n: Any) -> Any:
    return x ** n


power.defjvps(lambda t, y, x, n: t * n * y / x, None)


@tg.custom_vjp
def exponential(x: Any) -> Any:
    return np.exp(x)


def exponential_fwd(x: Any) -> Any:
    y = np.exp(x)
    return y, y


exponential.defvjp(exponential_fwd, lambda y, g: (y * g,))


def strict(f: Any, *args: Any, argnums: Any = 0) -> Any:
    return tg.grad(f, argnums=argnums, fallback="error")(*args)


def test_reverse() -> None:
    np.testing.assert_array_equal(strict(lambda x: np.sum(clipped(x)), X), [1.0, 1.0, 0.0])
    np.testing.assert_array_equal(strict(lambda x: np.sum(rounded(x) ** 2), X), 2.0 * np.round(X))
    check_grad(lambda x: np.sum(exponential(x) * np.sin(x)), (X,))
    got = strict(lambda x, y: np.sum(doubled(np.sin, x, y)), X, X, argnums=(0, 1))
    np.testing.assert_allclose(got, (2.0 * np.sin(X), X))


def test_the_text_calls_the_users_functions() -> None:
    gradient = tg.grad(lambda x: np.sum(clipped(x) * x), fallback="error")
    gradient(X)
    assert "clipped_cotangents(" in gradient.source and "np.where(np.abs(x)" in gradient.source


def test_inside_helpers_loops_and_in_place() -> None:
    def helper(x: Any) -> Any:
        return rounded(x) ** 2

    def loop(x: Any) -> Any:
        for _k in range(3):
            x = rounded(x * 1.5)
            x += 1.0
        return np.sum(helper(x)) * 0.0 + np.sum(x)
    np.testing.assert_allclose(strict(loop, X), np.full(3, 1.5 ** 3))


def test_second_derivatives() -> None:
    s = 1.0 / (1.0 + np.exp(-X))
    np.testing.assert_allclose(tg.hessian(lambda x: np.sum(softplus(x)), fallback="error")(X), np.diag(s * (1.0 - s)))
    np.testing.assert_allclose(tg.hessian(lambda x: power(x, 3.0), fallback="error")(2.0), 12.0)
    np.testing.assert_allclose(tg.grad(tg.grad(lambda x: exponential(x * x), fallback="error"), fallback="error")(0.7), np.exp(0.49) * (2.0 + 4 * 0.49))


def test_forward() -> None:
    y, y_dot = tg.jvp(lambda x: softplus(x) * x, (X,), (np.ones(3),), fallback="error")
    np.testing.assert_allclose(y, np.log1p(np.exp(X)) * X)
    np.testing.assert_allclose(y_dot, np.log1p(np.exp(X)) + X / (1.0 + np.exp(-X)))
    check_grad(lambda x: np.sum(softplus(x) * x), (X,))
    check_grad(lambda x: np.sum(power(x, 3.0)), (X,))
    with pytest.raises(tg.UnsupportedCall, match="(?s)clipped has no forward derivative.*custom_jvp"):
        tg.jvp(lambda x: clipped(x), (X,), (X,), fallback="error")


def test_several_results_and_structures() -> None:
    @tg.custom_vjp
    def both(p: Any) -> Any:
        return p[0] * p[1], p[0]
    both.defvjp(lambda p: ((p[0] * p[1], p[0]), p), lambda p, g: ((g[0] * p[1] + g[1], g[0] * p[0]),))

    def f(a: Any, b: Any) -> Any:
        u, v = both((a, b))
        return np.sum(3.0 * u + np.sin(v))
    check_grad(f, (X, 2.0 * X))


def test_complex_numbers() -> None:
    z = np.array([0.3 + 1.0j, -0.2 + 0.1j])
    np.testing.assert_allclose(strict(lambda z: np.sum(np.abs(exponential(z)) ** 2), z), strict(lambda z: np.sum(np.abs(np.exp(z)) ** 2), z))


def test_on_the_tape() -> None:
    for f in (clipped, rounded, softplus, exponential, partial(doubled, np.sin, 2.0 * X)):
        x = tg.tensor(X, requires_grad=True)  # type: ignore[attr-defined]
        (f(x) * x).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), strict(lambda x: np.sum(f(x) * x), X), rtol=1e-12)


def test_as_jax() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy
    theirs = jax.custom_vjp(lambda x: jnp.clip(x, -1.0, 1.0))
    theirs.defvjp(lambda x: (jnp.clip(x, -1.0, 1.0), x), lambda x, g: (jnp.where(jnp.abs(x) < 2.0, g, 0.0),))
    np.testing.assert_allclose(strict(lambda x: np.sum(clipped(x) ** 2 * x), X), jax.grad(lambda x: jnp.sum(theirs(x) ** 2 * x))(X))


def test_mistakes_are_named() -> None:
    @tg.custom_vjp
    def bare(x: Any) -> Any:
        return x * x
    assert bare(3.0) == 9.0
    with pytest.raises(AttributeError, match="bare.defvjp"):
        strict(lambda x: bare(x), 2.0)
    bare.defvjp(lambda x: (x * x, x), lambda x, g: (g, g))
    with pytest.raises(TypeError, match="tuple of 1"):
        strict(lambda x: bare(x), 2.0)
    with pytest.raises(ValueError, match="nondiff_argnums"):
        tg.custom_vjp(lambda x: x, nondiff_argnums=(3,))
    with pytest.raises(TypeError, match="function"):
        tg.custom_jvp(3)  # type: ignore[arg-type]
