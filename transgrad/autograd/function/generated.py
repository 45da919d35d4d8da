"""The ``vmap`` of a `Function` with ``generate_vmap_rule``: another function, whose methods are the first one's for a whole batch."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..batching.levels import opened
from ..batching.values import BatchedTensor, Level, mapped_at
from ..dispatch import apply
from ..fit import fitted
from ..tensor import Tensor

__all__ = ["generated"]


def generated(cls: Any, args: tuple[Any, ...], level: Level) -> Any:
    """The function on arguments of which some are mapped over at ``level``."""
    from .base import Function
    inside = _Inside(cls, [mapped_at(a, level) for a in args], level)
    members = {name: staticmethod(getattr(inside, name)) for name in ("forward", "setup_context", "backward", "jvp")}
    made: Any = type(f"Vmapped{cls.__name__}", (Function,), {**members, "generate_vmap_rule": True})
    results = made.apply(*[a.physical if mapped_at(a, level) else a for a in args])
    return inside.shown(results, level)


class _Inside:
    """The methods of the function, run under a `vmap` of their own on Tensors that have the dimension of the batch."""

    def __init__(self, cls: Any, mapped: Sequence[bool], level: Level):
        self.cls, self.mapped, self.size, self.randomness = cls, mapped, level.size, level.randomness
        self.several = False
        self.results: list[bool] = []

    def forward(self, *args: Any) -> Any:
        with opened(self.size, self.randomness) as level:
            returned = self.cls.forward(*self._entered(args, self.mapped, level))
            self.several = isinstance(returned, tuple)
            parts = returned if self.several else (returned,)
            self.results = [mapped_at(y, level) for y in parts]
            left = tuple(y.physical if mapped_at(y, level) else y for y in parts)
        return left if self.several else left[0]

    def setup_context(self, ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        parts = output if self.several else (output,)
        with opened(self.size, self.randomness) as level:
            shown = self._entered(parts, self.results, level)
            self.cls.setup_context(_Context(ctx, level), self._entered(inputs, self.mapped, level),
                                   tuple(shown) if self.several else shown[0])

    def backward(self, ctx: Any, *grads: Any) -> tuple[Any, ...]:
        with opened(self.size, self.randomness) as level:
            own = self.cls.backward if self.cls.backward is not self.cls._undefined.backward else self.cls.vjp
            found = own(_Context(ctx, level), *self._entered(grads, self.results, level))
            entries = found if isinstance(found, tuple) else (found,)
            rest = [None] * len(entries)        # surplus ones, which may only be None
            return tuple(self._gradient(e, mapped, meta, level)
                         for e, mapped, meta in zip(entries, [*self.mapped, *rest], [*ctx._inputs, *rest]))

    def jvp(self, ctx: Any, *tangents: Any) -> Any:
        with opened(self.size, self.randomness) as level:
            found = self.cls.jvp(_Context(ctx, level), *self._entered(tangents, self.mapped, level))
            parts = found if isinstance(found, tuple) else (found,)
            left = tuple(self._full(t, level) if mapped and isinstance(t, Tensor) else t for t, mapped in zip(parts, self.results))
        return left if isinstance(found, tuple) else left[0]

    def shown(self, results: Any, level: Level) -> Any:
        """The results as Tensors of the `vmap` around."""
        parts = self._entered(results if self.several else (results,), self.results, level)
        return tuple(parts) if self.several else parts[0]

    def _entered(self, values: Sequence[Any], mapped: Sequence[bool], level: Level) -> list[Any]:
        return [BatchedTensor(v, level) if m and isinstance(v, Tensor) else v for v, m in zip(values, mapped)]

    def _full(self, t: Any, level: Level) -> Any:
        return t.physical if mapped_at(t, level) else apply(np.broadcast_to, t, (self.size, *t.shape))

    def _gradient(self, g: Any, mapped: bool | None, meta: Any, level: Level) -> Any:
        """A gradient for all examples, or their sum where the input is the same for all."""
        if not isinstance(g, Tensor) or meta is None:
            return g
        if mapped:
            return self._full(fitted(g, meta[0][1:], g.dtype), level)
        return apply(np.sum, self._full(g, level), 0)


class _Context:
    """The context of the methods inside `vmap`: saved tensors hide their batch dimension."""

    def __init__(self, ctx: Any, level: Level):
        object.__setattr__(self, "_ctx", ctx)
        object.__setattr__(self, "_level", level)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._ctx, name, value)

    def _left(self, tensors: Sequence[Any]) -> list[Any]:
        return [t.physical if mapped_at(t, self._level) else t for t in tensors]

    def save_for_backward(self, *tensors: Any) -> None:
        self._ctx._saved_mapped = [mapped_at(t, self._level) for t in tensors]
        self._ctx.save_for_backward(*self._left(tensors))

    def save_for_forward(self, *tensors: Any) -> None:
        self._ctx._saved_mapped = [mapped_at(t, self._level) for t in tensors]
        self._ctx.save_for_forward(*self._left(tensors))

    def mark_dirty(self, *tensors: Any) -> None:
        self._ctx.mark_dirty(*self._left(tensors))

    def mark_non_differentiable(self, *tensors: Any) -> None:
        self._ctx.mark_non_differentiable(*self._left(tensors))

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        saved = zip(self._ctx.saved_tensors, self._ctx._saved_mapped)
        return tuple(BatchedTensor(t, self._level) if mapped and t is not None else t for t, mapped in saved)
