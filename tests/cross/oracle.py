"""Directional derivatives by finite differences with an error estimate, of functions of nested arguments."""
from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .trees import is_number, leaves, rebuild

__all__ = ["NoOracle", "along", "direction", "numbers", "second", "settled"]

Run = Callable[[tuple[Any, ...]], Any]
STEPS = (1e-3, 2e-5)


class NoOracle(Exception):
    """Differences do not converge here: the function is not smooth, or not finite."""


def direction(x: Any, rng: np.random.Generator) -> list[np.ndarray]:
    """A random direction for each number in ``x``."""
    out = []
    for _, leaf in leaves(x):
        v = rng.normal(size=np.shape(leaf))
        out.append(v + 1j * rng.normal(size=np.shape(leaf)) if np.iscomplexobj(leaf) else v)
    return out


def like(x: Any, directions: Sequence[np.ndarray]) -> Any:
    """A direction in the structure, types and dtypes of ``x``."""
    rest: Iterator[np.ndarray] = iter(directions)

    def cast(leaf: Any) -> Any:
        v = next(rest)
        if isinstance(leaf, np.ndarray):
            return v.astype(leaf.dtype)
        return leaf.dtype.type(v[()]) if isinstance(leaf, np.generic) else type(leaf)(v)
    return rebuild(x, cast)


def moved(x: Any, directions: Sequence[np.ndarray], h: float) -> Any:
    """``x + h * direction``, in double precision or more."""
    rest = iter(directions)

    def move(leaf: Any) -> Any:
        wide = np.result_type(np.asarray(leaf).dtype, np.float64)
        out = np.asarray(leaf, wide) + h * next(rest)
        if isinstance(leaf, np.ndarray):
            return np.asarray(out, wide)
        return out[()] if isinstance(leaf, np.generic) else type(leaf)(out)
    return rebuild(x, move)


def numbers(y: Any) -> list[np.ndarray]:
    """The numbers in a result as arrays."""
    return [np.asarray(leaf) for _, leaf in leaves(y)]


def _run(run: Run, x: Any) -> list[np.ndarray]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return numbers(run(x))
        except (ValueError, ArithmeticError) as error:      # a step leaves the domain of the function
            raise NoOracle(f"the function raises {type(error).__name__} nearby") from error


def _extrapolated(rows: list[list[np.ndarray]]) -> tuple[list[np.ndarray], list[float]]:
    once = [[(4 * b - a) / 3 for a, b in zip(p, q)] for p, q in zip(rows, rows[1:])]
    best = [(16 * b - a) / 15 for a, b in zip(*once)]
    return best, [float(np.max(np.abs(b - a), initial=0.0)) for a, b in zip(once[1], best)]


def along(run: Run, x: Any, directions: Sequence[np.ndarray]) -> tuple[list[np.ndarray], list[float]]:
    """The derivative of each number in the result along a direction, and estimates of the errors."""
    tried = ""
    for step in STEPS:
        middle = _run(run, x)
        rows, sides = [], None
        for h in (step, step / 2, step / 4):
            up, down = (_run(run, moved(x, directions, s * h)) for s in (1, -1))
            if not [a.shape for a in up] == [a.shape for a in down] == [a.shape for a in middle]:
                raise NoOracle("the shapes of the results change")
            rows.append([(a - b) / (2 * h) for a, b in zip(up, down)])
            sides = [(a - m, m - b, h) for a, m, b in zip(up, middle, down)]
        best, errors = _extrapolated(rows)
        if not all(np.all(np.isfinite(b)) for b in best):
            tried = "not finite"
            continue
        if all(e <= 1e-5 * max(1.0, _size(b)) for e, b in zip(errors, best)) and all(
                _size((p - q) / h) <= 0.05 * max(1.0, _size(b)) + 1e-7 / h * max(1.0, _size(m))
                for (p, q, h), b, m in zip(sides or (), best, middle)):
            return best, errors
        tried = "differences do not converge"
    raise NoOracle(tried)


def _size(a: Any) -> float:
    return float(np.max(np.abs(a), initial=0.0))


def second(run: Run, x: Any, u: Sequence[np.ndarray], v: Sequence[np.ndarray]) -> tuple[list[np.ndarray], list[float]]:
    """The mixed second derivative of each number in the result along two directions, and estimates of the errors."""
    for step in (2e-2, 4e-3):
        rows = []
        for h in (step, step / 2, step / 4):
            parts = [_run(run, moved(x, [h * (s * p + t * q) for p, q in zip(u, v)], 1.0)) for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
            if len({tuple(a.shape for a in part) for part in parts}) > 1:
                raise NoOracle("the shapes of the results change")
            rows.append([(a - b - c + d) / (4 * h * h) for a, b, c, d in zip(*parts)])
        best, errors = _extrapolated(rows)
        if all(np.all(np.isfinite(b)) for b in best) and all(e <= 1e-4 * max(1.0, _size(b)) for e, b in zip(errors, best)):
            return best, errors
    raise NoOracle("second differences do not converge")


def settled(got: Sequence[Any], want: Sequence[np.ndarray], errors: Sequence[float], rtol: float) -> str | None:
    """None where numbers agree to a tolerance and to the estimated errors; what differs otherwise."""
    for k, (g, w, e) in enumerate(zip(got, want, errors)):
        g = np.asarray(g)
        bound = rtol * max(1.0, _size(w)) + 20 * e
        if g.shape != w.shape:
            return f"result {k} has shape {g.shape}, differences {w.shape}"
        if not np.all(np.abs(g - w) <= bound):
            worst = np.unravel_index(int(np.argmax(np.where(np.isfinite(g), np.abs(g - w), np.inf))), w.shape) if w.ndim else ()
            return f"{g[worst]:.8g} where differences give {w[worst]:.8g} ± {e:.1g}"
    return None


def paired(g: Any, v: Sequence[np.ndarray]) -> float:
    """The derivative along ``v`` that a gradient means: the real part of the sum of ``conj(g) * v``."""
    return float(sum(np.real(np.sum(np.conj(np.asarray(a, complex)) * b)) for a, b in zip([leaf for _, leaf in _all(g)], v)))


def _all(g: Any) -> list[tuple[str, Any]]:
    return leaves(rebuild(g, lambda leaf: leaf))


def active(x: Any) -> bool:
    """Whether there is a number in ``x``."""
    return is_number(x) or bool(leaves(x))
