"""The emitted gradient against the one a person wrote: the same result, in no more than 1.1 times the time."""
from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad as tg
from transgrad.transforms.derivative import Derivative
from transgrad.transforms.options import Options
from transgrad.transforms.transformations import Forward

from .timing import compare

LIMIT = 1.1
NAMES = ("branches", "dense_layer", "newton", "stencil", "trajectory")


def cases() -> list[tuple[str, Callable[..., Any], Callable[..., Any], tuple[Any, ...]]]:
    """Name, hand-written derivative, emitted derivative, arguments."""
    out = []
    for name in NAMES:
        primal, by_hand, args, wrt = importlib.import_module(f"benchmarks.golden.{name}").case
        out.append((name, by_hand, tg.grad(primal, wrt if len(wrt) > 1 else wrt[0], fallback="error"), args))
    tangent = importlib.import_module("benchmarks.golden.tangent")
    emitted = Derivative(Forward(), tangent.pendulum, (0, 1), None, Options(fallback="error"))
    out.append(("tangent", tangent.jvp_pendulum, emitted, (0.7, -0.2, 0.05, 80, 0.3, 1.1)))
    return out


def agree(a: Any, b: Any) -> bool:
    """Whether two nested results are equal but for rounding."""
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(agree, a, b))
    return bool(np.allclose(a, b, rtol=1e-10, atol=1e-12))


def main() -> bool:
    """Prints a row a file; whether all hold."""
    print(f"emitted gradient against the golden one (limit {LIMIT})")
    good = True
    for name, by_hand, emitted, args in cases():
        same = agree(emitted(*args), by_hand(*args))
        text = emitted.variants[-1].function
        _, ratio, with_call = compare([lambda: by_hand(*args), lambda: text(*args), lambda: emitted(*args)])  # noqa: B023
        holds = same and ratio <= LIMIT
        good &= holds
        print(f"  {name:14s} {'agrees' if same else 'DIFFERS'}   time {ratio:5.2f} x golden "
              f"({with_call:5.2f} x with dispatch)   {'ok' if holds else 'OVER'}")
    return good


if __name__ == "__main__":
    raise SystemExit(not main())
