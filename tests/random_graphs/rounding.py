"""How far rounding alone can move a number: what PyTorch itself computes where each of its operations rounds at random.

Monte Carlo arithmetic: under `Jitter` each kernel's result is moved by a unit in the last place, up or down, in forward and in backward
passes. Where a formula is ill-conditioned the runs spread; where it is not they stay together, and a factor that is wrong by a thousandth is
seen in sixteen bits as in sixty-four.
"""
from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np
from torch import Tensor, complex128, float64, sparse_coo, strided
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from .functions import threaded
from .run import Run, memory

__all__ = ["Rounding", "differ"]

#: how many runs there are; how often their spread a difference may be; how many units in the last place need no explanation, those of the
#: number and of the greatest one beside it
SAMPLES, FACTOR, FREE = 6, 4.0, 2.0
#: the spacing of numbers near 1, and the least normal one
UNITS = {"float16": (2.0**-10, 2.0**-14), "bfloat16": (2.0**-7, 2.0**-126), "float32": (2.0**-23, 2.0**-126), "float64": (2.0**-52, 2.0**-1022)}


def units(dtype: str) -> tuple[float, float]:
    """The spacing of the dtype's numbers near 1, and its least normal number."""
    return UNITS[{"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)]


class Jitter(TorchDispatchMode):
    """Moves each new number of a kernel's result by a unit, and by how far it is from the kernel in double precision at operands a unit off.

    Numbers that the kernel took from its operands are exact, and stay; so do those that the moved operands throw to the other side of a jump.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.random = np.random.default_rng(seed)

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        aliases = [returned.alias_info for returned in function._schema.returns]
        operands = [wide(t) for t in tree_leaves((args, kwargs)) if floating(t)]
        if not operands or any(alias and not alias.is_write for alias in aliases):      # a view
            return function(*args, **kwargs)
        beside = self.beside(function, args, kwargs)
        results = function(*args, **kwargs)
        for result, other in zip(several(results), several(beside), strict=False):
            if floating(result):
                numbers = [wide(t) for t in (other, result) if floating(t)]
                self.move(result, operands, numbers[0] if numbers[0].shape == numbers[-1].shape else numbers[-1])
        return results

    def beside(self, function: Any, args: Any, kwargs: Any) -> Any:
        """The results for operands that are a unit off: in double precision, where there is a kernel of it."""
        for precise in (True, False):
            with contextlib.suppress(RuntimeError, TypeError, NotImplementedError):
                return function(*tree_map(partial(self.moved, precise), args), **tree_map(partial(self.moved, precise), kwargs))
        return None

    def moved(self, precise: bool, value: Any) -> Any:
        """A copy of a Tensor with each number moved by a unit."""
        if not isinstance(value, Tensor) or not value.numel():
            return value
        copy = value.detach().clone()
        if not floating(value):
            return copy
        self.move(copy, [], wide(copy))
        return copy.to(complex128 if copy.is_complex() else float64) if precise else copy

    def move(self, result: Any, operands: list[Any], beside: Any) -> None:
        numbers = wide(result)
        if not numbers.size:
            return
        known = np.concatenate([np.zeros(0), *(abs(o).ravel() for o in operands)])
        unit, least = units(str(result.dtype).removeprefix("torch."))
        signs = self.random.choice((-1.0, 1.0), (2, *numbers.shape))
        with np.errstate(all="ignore"), contextlib.suppress(RuntimeError, ValueError):      # what has no memory of its own stays
            step = np.maximum(abs(numbers), least) * (numbers != 0) * unit * (signs[0] + 1j * signs[1] if np.iscomplexobj(numbers) else signs[0])
            far = beside - numbers
            step = step + np.where(abs(far) <= np.sqrt(unit) * np.maximum(abs(numbers), known.max(initial=0.0)), far, 0)
            elements = memory(values(result))
            elements[...] = (numbers + step * ~np.isin(abs(numbers), known)).astype(elements.dtype)


def several(results: Any) -> Any:
    return results if isinstance(results, (tuple, list)) else (results,)


def floating(value: Any) -> bool:
    """Whether this is a Tensor, dense or of coordinates, with floating or complex numbers."""
    return isinstance(value, Tensor) and value.layout in (strided, sparse_coo) and not value.is_meta and (value.is_floating_point() or value.is_complex())


def values(t: Any) -> Any:
    """The numbers that a Tensor has stored."""
    return t._values() if t.layout is sparse_coo else t


def wide(t: Any) -> np.ndarray[Any, Any]:
    """The stored numbers of a Tensor in double precision, as they are now."""
    t = values(t)
    array = (t.double() if t.is_floating_point() else t).numpy(force=True)
    return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)


class Rounding:
    """Runs of a program with random rounding, made when first asked for, which begin each step with the numbers that the reference had."""

    def __init__(self, torch: Any, watched: bool) -> None:
        self.torch = torch
        self.watched = watched
        self.lines: list[str] = []
        self.numbers: list[dict[str, np.ndarray[Any, Any]]] = []      # before each of them
        self.ran = 0
        self.last: list[dict[str, Any]] = []

    @cached_property
    def runs(self) -> list[Run]:
        found = [Run(self.torch, Jitter(seed)) for seed in range(SAMPLES)]
        for run in found:
            run.scope["threaded"] = lambda f, mode=run.mode: threaded(lambda: under(mode, f))      # a mode is one thread's
        return found

    def begin(self, line: str, numbers: dict[str, np.ndarray[Any, Any]]) -> None:
        self.lines.append(line)
        self.numbers.append({name: a.copy() for name, a in numbers.items()})

    def samples(self) -> list[dict[str, Any]]:
        """What there is to observe after the last line, in each run."""
        for line, numbers in zip(self.lines[self.ran :], self.numbers[self.ran :]):
            for run in self.runs:
                run.put(numbers)
            self.last = [run.observe(line, self.watched or not line) for run in self.runs]
        self.ran = len(self.lines)
        return self.last


def under(mode: Jitter, f: Callable[[], Any]) -> Any:
    with mode:
        return f()


def differ(expected: np.ndarray[Any, Any], actual: np.ndarray[Any, Any], dtype: str, samples: Callable[[], list[np.ndarray[Any, Any]]]) -> bool:
    """Whether rounding does not explain that these are not the same numbers; ``samples`` are what else rounding made of the expected ones."""
    with np.errstate(all="ignore"):
        size = np.where(np.isfinite(expected), abs(expected), 0)
        free = FREE * units(dtype)[0] * np.maximum(size + size.max(initial=0.0), units(dtype)[1])
        if near(expected, actual, free).all():
            return False
        possible = np.stack([expected, *samples()])
        finite = np.isfinite(possible)
        centre = np.where(finite, possible, 0).sum(0) / finite.sum(0)
        spread = np.where(finite, abs(possible - centre), 0).max(0)
        return not np.any([near(one, actual, FACTOR * spread + free) for one in possible], axis=0).all()


def near(expected: np.ndarray[Any, Any], actual: np.ndarray[Any, Any], distance: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where the numbers are that near, or neither is finite and both are the same; of complex ones each library's arithmetic has its own parts."""
    finite = np.isfinite(expected) & np.isfinite(actual)
    if np.iscomplexobj(expected):
        alike = ~np.isfinite(expected) & ~np.isfinite(actual)
    else:
        alike = (expected == actual) | np.isnan(expected) & np.isnan(actual)
    return np.where(finite, abs(expected - actual) <= distance, alike)
