"""Runs a program's text, and the derivative of its twin by complex steps."""
from __future__ import annotations

import builtins
import cmath
import copy
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np

from tests import oracles

from .program import Program

__all__ = ["compile_text", "complex_gradient", "real_problem"]


def compile_text(text: str, name: str, space: dict[str, Any] | None = None) -> Callable[..., Any]:
    """The function ``program`` of a source text, which linecache knows."""
    filename = f"<random program {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    space = {"__name__": "random_program"} if space is None else space
    exec(compile(text, filename, "exec"), space)
    return space["program"]  # type: ignore[no-any-return]


class _ComplexNumpy:
    """NumPy whose new arrays are complex and whose comparisons look at real parts."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    @staticmethod
    def zeros(shape: Any) -> Any:
        return np.zeros(shape, complex)

    @staticmethod
    def ones(shape: Any) -> Any:
        return np.ones(shape, complex)

    @staticmethod
    def full(shape: Any, value: Any) -> Any:
        return np.full(shape, value, complex)

    @staticmethod
    def array(value: Any) -> Any:
        return np.array(value, complex)

    @staticmethod
    def maximum(a: Any, b: Any) -> Any:
        return np.where(np.real(a) > np.real(b), a, b)

    @staticmethod
    def max(a: Any) -> Any:
        return np.ravel(a)[np.argmax(np.real(a))]


def _abs(v: Any) -> Any:
    return abs(v) if isinstance(v, int) else v if np.real(v) > 0 else -v


_SPACE = {
    "np": _ComplexNumpy(), "math": cmath, "re": np.real, "abs": _abs, "max": lambda *v: builtins.max(*v, key=np.real),
    "min": lambda *v: builtins.min(*v, key=np.real),
}


def _complex_copy(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.astype(complex)
    if isinstance(x, list):
        return [complex(v) for v in x]
    if isinstance(x, dict):
        return {k: complex(v) for k, v in x.items()}
    return complex(x)


def complex_gradient(twin: str, program: Program) -> tuple[complex, np.ndarray]:
    """The value, and the gradient with respect to all arguments in one vector."""
    f = compile_text(twin, f"{program.seed} twin", dict(_SPACE))
    size = len(oracles.flatten(program.args))

    def at(k: int) -> complex:
        args = [_complex_copy(a) for a in program.args]
        place = k
        for j, a in enumerate(args):
            n = a.size if isinstance(a, np.ndarray) else len(a) if isinstance(a, (list, dict)) else 1
            if 0 <= place < n:
                if isinstance(a, np.ndarray):
                    a.reshape(-1)[place] += 1e-30j
                elif isinstance(a, complex):
                    args[j] = a + 1e-30j
                else:
                    a[place if isinstance(a, list) else list(a)[place]] += 1e-30j
            place -= n
        return complex(f(*args))

    return at(-1), np.array([at(k).imag * 1e30 for k in range(size)])


def real_problem(f: Callable[..., Any], program: Program) -> oracles.Problem:
    """The program as a function of one vector, for central differences."""
    return oracles.Problem(f, copy.deepcopy(program.args), range(len(program.args)))
