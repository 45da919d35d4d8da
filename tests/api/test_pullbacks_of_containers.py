"""Pullbacks inside of compiled functions: of dicts and lists, whose items change; none is a value at run time."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.array([0.3, 0.7, 1.1])


def read(d: dict[str, Any]) -> Any:
    return np.sum(d["a"] ** 2) * np.sum(d["b"])


def replaced(d: dict[str, Any]) -> Any:
    d["a"] = d["a"] * 2
    return read(d)


def added(d: dict[str, Any]) -> Any:
    s = np.sum(d["a"]) * np.sum(d["b"])
    d["c"] = d["a"] * 2
    return s + np.sum(d["c"] ** 3)


def in_turns(d: dict[str, Any], w: Any) -> Any:
    for _ in range(2):
        d["a"] = d["a"] * w
    return read(d)


def of_what_is_read(x: Any) -> Any:
    d = {"a": x, "b": x * 2}
    y, pull = tg.vjp(read, d)
    g = pull(1.0)[0]
    return y, g["a"] + g["b"], pull(2.0)[0]["a"]


def of_what_changes_later(x: Any) -> Any:
    d = {"a": x, "b": x * 2}
    y, pull = tg.vjp(read, d)
    d["a"] = x[:2]
    g = pull(1.0)[0]
    return y, g["a"] * np.sum(d["a"]), g["b"]


def of_what_it_replaces(x: Any) -> Any:
    y, pull = tg.vjp(replaced, {"a": x, "b": x * 2})
    g = pull(1.0)[0]
    return y, g["a"], g["b"]


def of_what_it_adds(x: Any) -> Any:
    y, pull = tg.vjp(added, {"a": x, "b": x * 2})
    g = pull(1.0)[0]
    return y, g["a"], g["b"], len(g)


def of_several(x: Any) -> Any:
    y, pull = tg.vjp(in_turns, {"a": x, "b": x * 2}, 1.5)
    g, h = pull(1.0)
    return y, g["a"], h


def of_a_list(x: Any) -> Any:
    def f(items: list[Any]) -> Any:
        items[0] = items[0] * 2
        items.append(items[1] * items[0])
        return np.sum(items[-1]) + np.sum(items[0] ** 3)
    y, pull = tg.vjp(f, [x, x * 0.5])
    g = pull(1.0)[0]
    return y, g[0], g[1]


FUNCTIONS = [of_what_is_read, of_what_changes_later, of_what_it_replaces, of_what_it_adds, of_several, of_a_list]


def flat(parts: Any) -> Any:
    return np.concatenate([np.ravel(p) for p in parts])


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("optimize", [True, False])
def test_inside_of_compiled_functions(f: Callable[[Any], Any], optimize: bool) -> None:
    np.testing.assert_allclose(flat(tg.compile(f, fallback="error", optimize=optimize)(X)), flat(f(X)), rtol=1e-14)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_differentiated(f: Callable[[Any], Any]) -> None:
    def total(x: Any) -> Any:
        s = 0.0
        for part in f(x):
            s = s + np.sum(part)
        return s
    want = [(total(X + e) - total(X - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(tg.grad(total)(X), want, rtol=1e-7)


def square(x: Any) -> Any:
    return x * x


def helper(x: Any) -> Any:
    return tg.vjp(square, x)


def used(pull: Any, x: Any) -> Any:
    return pull(x)[0]


def of_a_helper(x: Any) -> Any:
    y, pull = helper(x)
    return pull(y)[0] + used(pull, x)


def test_helpers_return_and_take_them() -> None:
    assert tg.compile(of_a_helper, fallback="error")(2.0) == of_a_helper(2.0)
    assert tg.grad(of_a_helper, fallback="error")(2.0) == pytest.approx(6 * 2.0 ** 2 + 4 * 2.0)


def chosen(x: Any) -> Any:
    if x > 0:
        pull = tg.vjp(square, x)[1]
    else:
        pull = tg.vjp(np.sin, x)[1]
    return pull(1.0)[0]


@pytest.mark.parametrize("f, what", [
    (lambda x: (x, tg.vjp(square, x)[1]), "the pullback that tg.vjp returns is returned"), (lambda x: tg.grad(square), "a derivative"),
    (lambda x: [tg.linearize(square, x)[1]], "the linear function"), (lambda x: {"f": tg.vmap(square)}, "tg.vmap"),
    (lambda x: tg.checkpoint(square), "tg.checkpoint"), (chosen, "'pull' is one thing on one path"),
])
def test_they_are_no_values(f: Callable[[Any], Any], what: str) -> None:
    with pytest.raises(tg.UnsupportedSyntax, match=what):
        tg.compile(f, fallback="error")(2.0)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_functions_that_return_them_run_as_they_are() -> None:
    y, pull = tg.compile(lambda x: (x, tg.vjp(square, x)[1]))(2.0)
    assert (y, pull(1.0)[0]) == (2.0, 4.0)
    assert tg.compile(chosen)(2.0) == 4.0
