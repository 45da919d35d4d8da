"""Derivatives by means that share nothing with transgrad: central differences with extrapolation, complex steps, JAX.

Arguments may be nested (lists, tuples, named tuples, dicts, dataclasses of numbers and arrays); a function's differentiated
arguments are laid out as one real vector, in which a complex number takes two places.  A gradient is laid out the same way,
so that ``g = df/d(re) + i df/d(im)``.  NaN equals NaN only: nothing is masked.
"""
from __future__ import annotations

import copy
import dataclasses
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = [
    "Problem", "assert_close", "assert_same", "complex_step", "directional", "flatten", "gradient", "hessian_vector", "jax_gradient",
    "leaves", "rebuild_like",
]

Scalar = Callable[[np.ndarray], float]


# Nested arguments as vectors

def children(x: Any) -> list[tuple[Any, Any]] | None:
    """The (key, part) pairs of a container; None for a leaf."""
    if isinstance(x, dict):
        return list(x.items())
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return [(name, getattr(x, name)) for name in x._fields]
    if isinstance(x, (list, tuple)):
        return list(enumerate(x))
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return [(f.name, getattr(x, f.name)) for f in dataclasses.fields(x)]
    return None


def is_number(x: Any) -> bool:
    """Whether a leaf is differentiated: a real or complex number or array, but no integer."""
    return isinstance(x, (float, complex, np.floating, np.complexfloating)) or isinstance(x, np.ndarray) and x.dtype.kind in "fc"


def leaves(x: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    """The differentiated leaves of ``x`` with their paths."""
    parts = children(x)
    if parts is None:
        return [(path, x)] if is_number(x) else []
    return [leaf for key, part in parts for leaf in leaves(part, (*path, key))]


def flatten(x: Any) -> np.ndarray:
    """The numbers in ``x`` as one real vector."""
    out = []
    for _, leaf in leaves(x):
        a = np.asarray(leaf).ravel()
        out.append(a.astype(complex).view(float) if a.dtype.kind == "c" else a.astype(float))
    return np.concatenate(out) if out else np.zeros(0)


def rebuild_like(x: Any, vector: np.ndarray, exact: bool = False) -> Any:
    """``x`` with its numbers replaced by those of ``vector``, in double precision (``exact``: in that of ``x``); everything else
    is copied."""
    rest = list(vector)

    def take(part: Any) -> Any:
        if is_number(part):
            a = np.asarray(part)
            width = 2 if a.dtype.kind == "c" else 1
            values = np.array(rest[:a.size * width])
            del rest[:a.size * width]
            values = (values.view(complex) if width == 2 else values).reshape(a.shape)
            values = values.astype(a.dtype) if exact else values
            if isinstance(part, np.ndarray):
                return values
            return values[()] if isinstance(part, np.generic) else values.item()
        parts = children(part)
        if parts is None:
            return copy.deepcopy(part)
        made = {key: take(v) for key, v in parts}
        if isinstance(part, dict):
            return type(part)(made)
        if isinstance(part, tuple) and hasattr(part, "_fields") or dataclasses.is_dataclass(part):
            return type(part)(**made)
        return type(part)(made.values())

    return take(x)


class Problem:
    """A scalar function of a vector: ``f(*args, **kwargs)`` as a function of the arguments ``wrt``."""

    def __init__(self, f: Callable[..., Any], args: Sequence[Any], wrt: Sequence[int], kwargs: dict[str, Any] | None = None):
        self.f, self.args, self.wrt, self.kwargs = f, tuple(args), tuple(wrt), kwargs or {}
        self.point = tuple(self.args[k] for k in self.wrt)
        self.x = flatten(self.point)

    def __call__(self, x: np.ndarray) -> float:
        # everything is copied for each evaluation, since the function may write into its arguments
        full = [None if k in self.wrt else copy.deepcopy(a) for k, a in enumerate(self.args)]
        for k, value in zip(self.wrt, rebuild_like(self.point, x)):
            full[k] = value
        with np.errstate(all="ignore"):
            return float(np.real(self.f(*full, **copy.deepcopy(self.kwargs))))


# Differences

def directional(f: Callable[[np.ndarray], Any], x: np.ndarray, v: np.ndarray, step: float = 1e-3) -> tuple[Any, float]:
    """Derivative of ``f`` at ``x`` along ``v``, and an estimate of its error: central differences of three steps,
    extrapolated twice (error of order step**6)."""
    rows = [(np.asarray(f(x + h * v)) - np.asarray(f(x - h * v))) / (2 * h) for h in (step, step / 2, step / 4)]
    once = [(4 * b - a) / 3 for a, b in zip(rows, rows[1:])]
    best = (16 * once[1] - once[0]) / 15
    return best, float(np.max(np.abs(best - once[1]), initial=0.0))


def gradient(f: Scalar, x: np.ndarray, step: float = 1e-3) -> tuple[np.ndarray, float]:
    """Gradient by differences, and the largest estimated error."""
    pairs = [directional(f, x, e, step) for e in np.eye(len(x))]
    return np.array([float(d) for d, _ in pairs]), max((err for _, err in pairs), default=0.0)


def hessian_vector(f: Scalar, x: np.ndarray, v: np.ndarray, step: float = 2e-3) -> tuple[np.ndarray, float]:
    """Hessian times ``v`` by differences of the gradient by differences, and the estimated error."""
    return directional(lambda y: gradient(f, y, step)[0], x, v, step)


def complex_step(f: Callable[[np.ndarray], Any], x: np.ndarray) -> np.ndarray:
    """Gradient to full precision of a function that is analytic in each of its operations (its comparisons on ``.real``)."""
    tiny = 1e-30
    return np.array([np.imag(f(x + 1j * tiny * e)) / tiny for e in np.eye(len(x))])


def jax_gradient(f: Callable[..., Any], args: Sequence[Any], wrt: Sequence[int]) -> Any:
    """Gradient by JAX, with the function's global ``np`` read as ``jax.numpy``."""
    import jax
    jax.config.update("jax_enable_x64", True)
    twin = types.FunctionType(f.__code__, {**f.__globals__, "np": jax.numpy}, f.__name__, f.__defaults__, f.__closure__)
    return jax.grad(twin, argnums=tuple(wrt))(*args)


# Comparison

def assert_close(got: Any, want: np.ndarray, like: Any, *, rtol: float = 1e-6, error: float = 0.0, what: str = "gradient") -> None:
    """``got`` has the structure and shapes of ``like``, and its numbers are those of the vector ``want``."""
    mine, theirs = leaves(got), leaves(like)
    assert [p for p, _ in mine] == [p for p, _ in theirs], \
        f"{what} has the leaves {[p for p, _ in mine]}, its argument {[p for p, _ in theirs]}: {got!r}"
    for (path, g), (_, a) in zip(mine, theirs):
        assert np.shape(g) == np.shape(a), f"{what}{list(path)} has shape {np.shape(g)}, its argument {np.shape(a)}"
        assert np.result_type(g) == np.result_type(a), f"{what}{list(path)} is {np.result_type(g)}, its argument {np.result_type(a)}"
    flat = flatten(got)
    scale = max(1.0, float(np.max(np.abs(want[np.isfinite(want)]), initial=0.0)))
    np.testing.assert_allclose(flat, want, rtol=rtol, atol=max(rtol * scale, 10 * error), equal_nan=True, err_msg=what)


def assert_same(got: Any, want: Any, what: str = "value") -> None:
    """Equal structure, types of containers, shapes and numbers; NaN equals NaN."""
    parts = children(want)
    if parts is not None:
        other = children(got)
        assert other is not None and [k for k, _ in other] == [k for k, _ in parts], f"{what}: {got!r} is not {want!r}"
        for (key, a), (_, b) in zip(other, parts):
            assert_same(a, b, f"{what}[{key!r}]")
    elif isinstance(want, (int, float, complex, np.generic, np.ndarray)) and np.asarray(want).dtype.kind in "biufc":
        assert np.shape(got) == np.shape(want), f"{what}: shape {np.shape(got)}, expected {np.shape(want)}"
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-300, equal_nan=True, err_msg=what)
    elif hasattr(want, "__dict__") and not callable(want):
        assert_same(vars(got), vars(want), what)
