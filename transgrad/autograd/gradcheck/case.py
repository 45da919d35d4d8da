"""One function to check: with real outputs (by backward), or with real inputs (by forward mode)."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..tensor import Tensor
from .arrays import as_tuple, require_grad

__all__ = ["Case", "Options", "backward_cases", "forward_cases"]


@dataclass(frozen=True)
class Options:
    """The options of `gradcheck` that say how numbers are compared."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool
    fast_mode: bool


@dataclass(frozen=True)
class Case:
    """A function at a point, with its result; ``part`` selects the real or imaginary part."""

    func: Callable[..., Any]
    inputs: Sequence[Any]
    returned: tuple[Any, ...]
    forward: bool
    parts: tuple[int, ...] = ()
    part: str | None = None

    @property
    def sources(self) -> list[tuple[int, Tensor]]:
        return require_grad(self.inputs)

    @property
    def targets(self) -> list[tuple[int, Tensor]]:
        return require_grad(self.returned)


def backward_cases(func: Callable[..., Any], inputs: Sequence[Any], returned: tuple[Any, ...]) -> Iterator[Case]:
    """A function of complex outputs is two of real ones."""
    if not any(y.is_complex() for y in returned):
        yield Case(func, inputs, returned, forward=False)
        return
    complex_targets = tuple(k for k, (_, y) in enumerate(require_grad(returned)) if y.is_complex())
    for part in ("imaginary", "real"):
        of = _output_part(func, part)
        yield Case(of, inputs, of(*inputs), forward=False, parts=complex_targets, part=part)


def _output_part(func: Callable[..., Any], part: str) -> Callable[..., Any]:
    def of(*inputs: Any) -> tuple[Any, ...]:
        return tuple(_part(y, part) for y in as_tuple(func(*inputs)))
    return of


def _part(t: Tensor, part: str) -> Tensor:
    if not t.is_complex():
        return t
    return t.real if part == "real" else t.imag       # type: ignore[no-any-return]


def forward_cases(func: Callable[..., Any], inputs: Sequence[Any], returned: tuple[Any, ...]) -> Iterator[Case]:
    """A function of complex inputs is two of real ones: of the real parts, and of the imaginary parts, with the others held."""
    places = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.is_complex()]
    if not places:
        yield Case(func, inputs, returned, forward=True)
        return
    complex_sources = tuple(k for k, (i, _) in enumerate(require_grad(inputs)) if i in places)
    for part in ("imaginary", "real"):
        of = _input_part(func, inputs, places, part)
        parts = [_part(x, part) if i in places else x for i, x in enumerate(inputs)]
        yield Case(of, parts, of(*parts), forward=True, parts=complex_sources, part=part)


def _input_part(func: Callable[..., Any], inputs: Sequence[Any], places: Sequence[int], part: str) -> Callable[..., Any]:
    def of(*parts: Any) -> tuple[Any, ...]:
        whole = list(parts)
        for i in places:
            whole[i] = parts[i] + inputs[i].imag * 1j if part == "real" else inputs[i].real + parts[i] * 1j
        return as_tuple(func(*whole))
    return of
