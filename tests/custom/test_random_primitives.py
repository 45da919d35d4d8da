"""Random programs that call primitives, beside the same programs with NumPy's functions: writes in place, views, loops, branches, lists.

``PRIMITIVE_PROGRAMS=500 pytest tests/custom/test_random_primitives.py`` runs more of them.
"""
from __future__ import annotations

import linecache
import os
import random
from typing import Any

import numpy as np
import pytest

import transgrad as tg

PRIMITIVES = {
    "sin": tg.primitive(lambda x: np.sin(x), vjp=lambda g, y, x: g * np.cos(x), result=lambda x: x),
    "exp": tg.primitive(lambda x: np.exp(0.3 * x), vjp=lambda g, y, x: 0.3 * g * y, result=lambda x: x),
    "cum": tg.primitive(lambda x: np.cumsum(x), vjp=lambda g, y, x: np.cumsum(g[::-1])[::-1], result=lambda x: x, linear=True),
    "tanh": tg.primitive(lambda x: np.tanh(x), jvp=lambda t, y, x: (1.0 - y * y) * t[0], result=lambda x: x),
    "same": tg.primitive(lambda x: x, vjp=lambda g, y, x: g, result=lambda x: x),
    "two": tg.primitive(lambda a, b: (a * b, a + b), vjp=lambda g, y, a, b: (g[0] * b + g[1], g[0] * a + g[1]), result=lambda a, b: (a, b)),
}
FUNCTIONS: dict[str, Any] = {
    "sin": np.sin, "exp": lambda x: np.exp(0.3 * x), "cum": np.cumsum, "tanh": np.tanh, "same": lambda x: x.copy(),
    "two": lambda a, b: (a * b, a + b),
}
KINDS = ("call", "call", "call", "two", "add", "item", "scale", "slice", "loop", "if", "view", "list", "lambda")
X = np.array([0.3, -0.4, 0.8, 0.2])


def statements(rng: random.Random, indent: str, depth: int) -> list[str]:
    """One random statement, as lines."""
    kind, v, w = rng.choice(KINDS), rng.choice("ab"), rng.choice("ab")
    fn = rng.choice(("sin", "exp", "cum", "tanh", "same"))
    lines = {
        "call": [f"{v} = {fn}({w})"],
        "two": [f"a, b = two({v}, {w})", "a = a * 0.3"],
        "add": [f"{v} = {v} * 1.0", f"{v} += 0.2 * {fn}({w})"],
        "item": [f"{v} = same({v})", f"{v}[1] = {fn}({w})[0]"],
        "scale": [f"{v} = {fn}({v})", f"{v} *= 0.5"],
        "slice": [f"{v} = np.concatenate([{fn}({w}[1:]), {w}[:1]])"],
        "view": [f"{v} = {fn}({v})", f"c = {v}[1:]", "c *= 0.9", f"{v} = {v} + same({v}) * 0.1"],
        "list": [f"items = [{fn}({v}), {w} * 0.5]", "items[0] = items[0] + items[1]", f"{v} = {fn}(items[0]) * 0.5"],
        "lambda": [f"{v} = (lambda q: {fn}(q) * q * 0.4)({w})"],
    }.get(kind)
    if lines is not None or depth == 2:
        return [indent + line for line in lines or [f"{v} = {fn}({w}) * 0.8"]]
    inner = indent + "    "
    if kind == "loop":
        return [f"{indent}for k in range({rng.choice([2, 3])}):", *statements(rng, inner, depth + 1), *statements(rng, inner, depth + 1)]
    return [f"{indent}if {v}[0] > 0.1:", *statements(rng, inner, depth + 1), f"{indent}else:", *statements(rng, inner, depth + 1)]


def program(seed: int) -> Any:
    """A random function of an array and of the functions that it calls."""
    rng = random.Random(seed)
    lines = ["def f(x, sin, exp, cum, tanh, same, two):", "    a = x * 0.7", "    b = x[::-1] * 0.5"]
    for _ in range(rng.randint(3, 6)):
        lines += statements(rng, "    ", 0)
    source = "\n".join([*lines, "    return np.sum(a * b) + np.sum(a ** 2)", ""])
    file = f"<program with primitives {seed}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    space: dict[str, Any] = {"np": np, "__name__": __name__}
    exec(compile(source, file, "exec"), space)
    return space["f"]


@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning")
@pytest.mark.parametrize("seed", range(int(os.environ.get("PRIMITIVE_PROGRAMS", "6"))))
def test_random_programs(seed: int) -> None:
    f, v = program(seed), np.arange(4.0) - 1.0

    def derivatives(functions: dict[str, Any]) -> list[Any]:
        fns = tuple(functions.values())

        def of_x(x: Any) -> Any:
            return f(x, *fns)
        return [tg.grad(f, fallback="error")(X, *fns), tg.hessian(f, fallback="error")(X, *fns),
                tg.jvp(of_x, (X,), (v,), fallback="error")[1], tg.vmap(tg.grad(of_x), fallback="error")(np.stack([X, 1.1 * X]))]
    for found, want in zip(derivatives(PRIMITIVES), derivatives(FUNCTIONS)):
        np.testing.assert_allclose(found, want, rtol=1e-8, atol=1e-10)
