"""Parameters of layers in lists and tuples: of tuples, lists and dicts, read in each way that programs do."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.linspace(-1.0, 1.0, 12).reshape(3, 4)


def by_slice(params: Any, x: Any) -> Any:
    for w, b in params[:-1]:
        x = np.tanh(x @ w + b)
    w, b = params[-1]
    return np.sum((x @ w + b) ** 2)


def by_place(params: Any, x: Any) -> Any:
    for k in range(len(params) - 1):
        w, b = params[k]
        x = np.tanh(x @ w + b)
    return np.sum((x @ params[-1][0] + params[-1][1]) ** 2)


def counted(params: Any, x: Any) -> Any:
    for k, (w, b) in enumerate(params):
        x = x @ w + b
        if k < len(params) - 1:
            x = np.tanh(x)
    return np.sum(x ** 2)


def dicts_by_slice(params: Any, x: Any) -> Any:
    for layer in params[:-1]:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return np.sum((x @ params[-1]["w"] + params[-1]["b"]) ** 2)


def dicts_by_place(params: Any, x: Any) -> Any:
    for k in range(len(params) - 1):
        x = np.tanh(x @ params[k]["w"] + params[k]["b"])
    return np.sum((x @ params[-1]["w"] + params[-1]["b"]) ** 2)


def grown(params: Any, x: Any) -> Any:
    """The list is changed meanwhile, of a copy."""
    params = list(params)
    params.append(params[0])
    params[1] = (params[1][0] * 2.0, params[1][1])
    last = params.pop()
    return np.sum((np.tanh(x @ params[0][0]) @ params[1][0]) ** 2) + np.sum(last[1] ** 2)


def written(params: Any, x: Any) -> Any:
    """Arrays are written to, of copies."""
    total = 0.0
    for w, b in [(w.copy(), b.copy()) for w, b in params]:
        w[0] = 0.0
        b += 1.0
        total = total + np.sum(w ** 2) * np.sum(b)
    return total


def layers(widths: list[int]) -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(0)
    return [(rng.normal(size=(n, m)), 0.1 * rng.normal(size=m)) for n, m in zip(widths, widths[1:])]


def differences(f: Any, params: Any) -> list[Any]:
    """The gradient by each array, in order."""
    out = []
    for layer in params:
        for a in (layer.values() if isinstance(layer, dict) else layer):
            slopes = np.empty_like(a)
            for place in np.ndindex(a.shape):
                kept, values = a[place], []
                for change in (1e-6, -1e-6):
                    a[place] = kept + change
                    values.append(f(params, X))
                a[place] = kept
                slopes[place] = (values[0] - values[1]) / 2e-6
            out.append(slopes)
    return out


@pytest.mark.parametrize("widths", [[4, 5, 3], [4, 4, 4, 4], [4, 3, 1]], ids=str)
@pytest.mark.parametrize("outer", [list, tuple], ids=["list", "tuple"])
@pytest.mark.parametrize(("f", "inner"), [*((f, inner) for f in (by_slice, by_place, counted) for inner in (tuple, list)), (grown, tuple),
                                          (written, tuple), (dicts_by_slice, dict), (dicts_by_place, dict)], ids=lambda x: x.__name__)
def test_gradients(f: Any, inner: Any, outer: Any, widths: list[int]) -> None:
    params = outer({"w": w, "b": b} if inner is dict else inner((w, b)) for w, b in layers(widths))
    found = tg.grad(f, fallback="error")(params, X)
    assert type(found) is outer and all(type(layer) is inner for layer in found)
    leaves = [a for layer in found for a in (layer.values() if inner is dict else layer)]
    for got, want in zip(leaves, differences(f, params), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-7)
    value, pullback = tg.vjp(lambda p: f(p, X), params, fallback="error")
    np.testing.assert_allclose(value, f(params, X))
    again, = pullback(1.0)
    for got, want in zip((a for layer in again for a in (layer.values() if inner is dict else layer)), leaves, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_many_layers_stay_a_loop() -> None:
    params = layers([4] * 30)
    gradient = tg.grad(by_slice, fallback="error")
    gradient(params, X)
    assert gradient.source.count("\n") < 60
