"""`tg.primitive` under `vmap`: example by example, with a function of all examples, or with functions that take all examples at once."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.random.default_rng(0).normal(size=(4, 3))
S = np.arange(1.0, 5.0)
CALLS: list[Any] = []


def scaled(x: Any, s: Any) -> Any:
    CALLS.append(np.shape(x))
    return np.sin(x) * (s[..., None] if np.ndim(s) else s)


def scaled_vjp(g: Any, y: Any, x: Any, s: Any) -> Any:
    CALLS.append(np.shape(x))
    return g * np.cos(x) * (s[..., None] if np.ndim(s) else s), np.sum(g * np.sin(x), axis=-1)


def scaled_jvp(t: Any, y: Any, x: Any, s: Any) -> Any:
    column = (lambda a: a[..., None]) if np.ndim(s) else (lambda a: a)
    return t[0] * np.cos(x) * column(s) + np.sin(x) * column(t[1])


KINDS = {
    "one by one": tg.primitive(scaled, vjp=scaled_vjp, result=lambda x, s: x),
    "vectorized": tg.primitive(scaled, vjp=scaled_vjp, result=lambda x, s: x, batch="vectorized"),
    "both modes": tg.primitive(scaled, vjp=scaled_vjp, jvp=scaled_jvp, result=lambda x, s: x, batch="vectorized"),
    "a function": tg.primitive(scaled, vjp=scaled_vjp, result=lambda x, s: x, batch=lambda x, s: np.sin(x) * s[:, None]),
}


def plain(x: Any, s: Any) -> Any:
    return np.sum((np.sin(x * 1.5) * s) ** 2)


@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_batches_and_derivatives_in_any_order(kind: str, axes: Any) -> None:
    p = KINDS[kind]

    def f(x: Any, s: Any) -> Any:
        return np.sum(p(x * 1.5, s) ** 2)

    def total(x: Any, s: Any) -> Any:
        return np.sum(tg.vmap(f, in_axes=axes)(x, s) ** 2)

    def plain_total(x: Any, s: Any) -> Any:
        return np.sum(tg.vmap(plain, in_axes=axes)(x, s) ** 2)
    args = X if axes[0] == 0 else X[0], S if axes[1] == 0 else 2.0
    dots = tuple(np.ones_like(a) if isinstance(a, np.ndarray) else 1.0 for a in args)
    for argnums in (0, 1):
        for make in (tg.grad, tg.hessian)[:1 + (axes == (0, None))]:
            want = tg.vmap(make(plain, argnums), in_axes=axes)(*args)
            np.testing.assert_allclose(tg.vmap(make(f, argnums), in_axes=axes, fallback="error")(*args), want, atol=1e-12)
        np.testing.assert_allclose(tg.grad(total, argnums, fallback="error")(*args), tg.grad(plain_total, argnums)(*args))
        if axes == (0, None):
            np.testing.assert_allclose(tg.hessian(total, argnums, fallback="error")(*args), tg.hessian(plain_total, argnums)(*args), atol=1e-10)
    np.testing.assert_allclose(tg.jvp(total, args, dots, fallback="error")[1], tg.jvp(plain_total, args, dots)[1])


def test_a_vectorized_function_is_called_once() -> None:
    counts = {}
    for kind in ("one by one", "vectorized", "a function"):
        p = KINDS[kind]
        gradient = tg.vmap(tg.grad(lambda x, s: np.sum(p(x, s) ** 2)), in_axes=(0, None))
        CALLS.clear()
        gradient(X, 2.0)
        counts[kind] = CALLS[:]
    assert counts == {"one by one": [(3,)] * 8, "vectorized": [(4, 3)] * 2, "a function": [(3,)] * 4}


def test_numbers_structures_and_other_arguments() -> None:
    power = tg.primitive(lambda x, n, name: {"y": x ** n, "n": np.broadcast_to(n, np.shape(x))}, nondiff_argnums=(1, 2), result=lambda x, n, name: {"y": x, "n": int},
                         vjp=lambda g, y, x, n, name: n * x ** (n - 1) * g["y"], batch="vectorized")

    def f(x: Any, n: Any) -> Any:
        out = power(x, n, "name")
        return out["y"] * x + out["n"]
    xs, ns = np.array([1.0, 2.0, 3.0]), np.array([1, 2, 3])
    np.testing.assert_allclose(tg.vmap(tg.grad(f), in_axes=(0, None), fallback="error")(xs, 2), 3.0 * xs ** 2)
    np.testing.assert_allclose(tg.vmap(tg.grad(f), fallback="error")(xs, ns), (ns + 1) * xs ** ns)
    np.testing.assert_allclose(tg.vmap(tg.grad(lambda x: power(2.0, 2, "name")["y"] * x), fallback="error")(xs), [4.0, 4.0, 4.0])
    cube = tg.primitive(lambda x: math.pow(x, 3), vjp=lambda g, y, x: 3.0 * x * x * g, result=float, batch=lambda x: x ** 3)
    assert tg.grad(cube)(2.0) == 12.0
    np.testing.assert_allclose(tg.vmap(tg.grad(lambda x: cube(x) * x), fallback="error")(xs), 4.0 * xs ** 3)


def test_in_a_loop_in_a_batch_in_a_hessian() -> None:
    for kind, p in KINDS.items():
        def energy(x: Any) -> Any:
            def one(row: Any) -> Any:
                for k in range(3):
                    row = p(row, 0.5 + k)
                return np.sum(row ** 2)
            return np.sum(tg.vmap(one)(np.stack([x, 2.0 * x])))

        def same(x: Any) -> Any:
            rows = np.stack([x, 2.0 * x])
            for k in range(3):
                rows = np.sin(rows) * (0.5 + k)
            return np.sum(rows ** 2)
        np.testing.assert_allclose(tg.hessian(energy, fallback="error")(X[0]), tg.hessian(same)(X[0]), atol=1e-10, err_msg=kind)


def test_results_are_checked() -> None:
    wrong = tg.primitive(lambda x: np.sum(x ** 2), vjp=lambda g, y, x: 2.0 * x * g, result=np.float64, batch="vectorized")
    with pytest.raises(TypeError, match="the result of wrong is .*, but a float64 array with 1 dimension was declared"):
        tg.vmap(lambda x: wrong(x))(X)
    with pytest.raises(TypeError, match="expected 'vectorized', a function of all examples, or None"):
        tg.primitive(np.sin, batch="fast")


POWERS = {
    "as the argument": (tg.primitive(lambda x: x ** 3, vjp=lambda g, y, x: 3.0 * x ** 2 * g, result=lambda x: x), np.sum),
    "a number": (tg.primitive(lambda x: float(np.sum(x ** 3)), vjp=lambda g, y, x: 3.0 * x ** 2 * g, result=float), lambda y: y ** 2),
    "from an example": (tg.primitive(lambda x: np.sum(x ** 3), vjp=lambda g, y, x: 3.0 * x ** 2 * g, example=(np.ones(3),)), lambda y: y ** 2),
    "fixed lengths": (tg.primitive(lambda x: np.outer(x, x[:2]), vjp=lambda g, y, x: g @ x[:2] + np.pad(g.T @ x, (0, 1)),
                                   result=tg.ShapeDtypeStruct((3, 2), "float64")), np.sum),
    "computed lengths": (tg.primitive(lambda x: np.append(x, x[:1]), vjp=lambda g, y, x: g[:-1] + np.append(g[-1:], np.zeros(2, g.dtype)),
                                      result=lambda x: tg.ShapeDtypeStruct((x.shape[0] + 1,), x.dtype)), np.sum),
    "structure": (tg.primitive(lambda x: {"a": x, "n": len(x), "s": float(x.sum())}, vjp=lambda g, y, x: g["a"] + g["s"],
                               result=lambda x: {"a": x, "n": int, "s": float}), lambda y: np.sum(y["a"]) * y["s"]),
    "vectorized": (tg.primitive(lambda x: x ** 3, vjp=lambda g, y, x: 3.0 * x ** 2 * g, result=lambda x: x, batch="vectorized"), np.sum),
}


@pytest.mark.parametrize(("name", "dtype"), [*((name, "float64") for name in POWERS), ("as the argument", "float32"),
                                             ("vectorized", "float32"), ("computed lengths", "float32")])
def test_a_batch_without_examples(name, dtype):
    primitive, then = POWERS[name]

    def f(x):
        return then(primitive(x))

    empty, some = np.ones((0, 3), dtype), np.ones((2, 3), dtype)
    second = [tg.vmap(tg.hessian(f))] if "lengths" not in name else []        # their derivatives call functions that have no form for a batch
    for made in (tg.vmap(f), tg.vmap(tg.grad(f)), tg.grad(lambda xs: np.sum(tg.vmap(f)(xs))), *second):
        expected, found = made(some), made(empty)
        assert found.shape == (0, *expected.shape[1:]) and found.dtype == expected.dtype


def test_a_batch_without_examples_of_unknown_lengths_is_refused():
    largest = tg.primitive(lambda x: x[x > 0.0], vjp=lambda g, y, x: g, result=tg.ShapeDtypeStruct((None,), "float64"))
    for made in (tg.vmap(largest), tg.vmap(tg.grad(lambda x: np.sum(largest(x))))):
        with pytest.raises(ValueError, match="shape of the results of .* is not known for a batch without examples"):
            made(np.ones((0, 3)))
    assert tg.vmap(largest)(np.ones((2, 3))).shape == (2, 3)
