"""What a case is, and the arguments that cases are made of: inside domains, away from kinks."""
from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from transgrad.rules import definition_of, lookup
from transgrad.testing import _leaves as leaves


class Case(NamedTuple):
    """A call whose derivative is checked; ``kwargs`` may hold what `transgrad.testing.check_rule` is told beside the function's own."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = {}

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments of the function."""
        return {k: v for k, v in self.kwargs.items() if k not in ("fixed", "without", "modes")}

    @property
    def is_single(self) -> bool:
        """Whether an argument is in single precision, which finite differences say little about; the family has checks for that."""
        return any(getattr(a, "dtype", None) in (np.float32, np.complex64) for a in leaves(list(self.args)))

    @property
    def ends_in_single(self) -> bool:
        """Whether the function returns for arguments in single precision: SciPy's search of spheroidal functions' level never ends."""
        return getattr(self.fn, "__name__", "") not in ("pro_cv", "obl_cv", *(f"{a}_{b}" for a in ("pro", "obl") for b in ("ang1", "rad1", "rad2")))

    @property
    def by_rule(self) -> bool:
        """Whether a rule takes the call, and not the function's definition."""
        rule = lookup(self.fn)
        return rule is not None and (definition_of(self.fn) is None or rule.accepts(self.args, self.options))

    def __str__(self) -> str:
        def show(x: Any) -> str:
            if isinstance(x, np.ndarray):
                return f"{x.dtype}{list(x.shape)}".replace(" ", "")
            if isinstance(x, (list, tuple)):
                return "[" + ",".join(map(show, x)) + "]"
            if isinstance(x, dict):
                return "{" + ",".join(f"{k}:{show(v)}" for k, v in x.items()) + "}"
            if callable(x) and hasattr(x, "__name__"):
                return str(x.__name__)
            return re.sub(" at 0x[0-9a-f]+", "", str(x)).replace(" ", "")       # the same in every process
        name = getattr(self.fn, "__qualname__", None) or getattr(self.fn, "__name__", str(self.fn))
        owner = getattr(getattr(self.fn, "__self__", None), "__name__", None)
        module = getattr(self.fn, "__module__", None) or ""
        given = ", ".join([*map(show, self.args), *(f"{k}={show(v)}" for k, v in self.kwargs.items())])
        return f"{module}.{owner + '.' if owner and owner != 'builtins' else ''}{name}({given})"


def case(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Case:
    return Case(fn, args, kwargs)


rng = np.random.default_rng(5)


def real(*shape: int, low: float = -2.0, high: float = 2.0) -> Any:
    return rng.uniform(low, high, size=shape)


def positive(*shape: int) -> Any:
    return real(*shape, low=0.3, high=2.0)


def cplx(*shape: int) -> Any:
    return real(*shape) + 1j * real(*shape)


def distinct(*shape: int) -> Any:
    """Numbers that differ by more than any step of a finite difference."""
    n = math.prod(shape)
    return rng.permutation(np.linspace(-2.0, 2.0, n) if n > 1 else np.array([0.7])).reshape(shape)


def spd_matrix(n: int) -> Any:
    """A symmetric positive definite matrix."""
    a = real(n, n)
    return a @ a.T + n * np.eye(n)


def along_axes(fn: Callable[..., Any], x: Any, **extra: Any) -> Iterator[Case]:
    """A reduction over everything, over an axis (also negative, several), with its dimension kept."""
    yield case(fn, x[0, 0], **extra)
    yield case(fn, x, **extra)
    for axis in (0, -1, (0, 2), 1):
        yield case(fn, x, axis=axis, **extra)
        yield case(fn, x, axis=axis, keepdims=True, **extra)
    yield case(fn, x, keepdims=True, **extra)
