"""One checkpointed call: what backward will ask for, and running the function again to have it."""
from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from ...autograd.grad_mode import enable_grad
from ...autograd.graph import saved_tensors_hooks
from ...autograd.state import STATE
from ...autograd.tensor import Tensor
from .operations import Operations

Meta = dict[str, Any] | None

METADATA: dict[str, Callable[[Tensor], Meta]] = {
    "default": lambda x: {"shape": x.shape, "dtype": x.dtype, "device": x.device},
    "none": lambda x: None,
}

_TIP = (
    "\n\nTip: To see a more detailed error message, either pass `debug=True` to `checkpoint(...)` or wrap the code block with "
    "`with set_checkpoint_debug_enabled(True):` to enable it for all."
)


class CheckpointError(RuntimeError):
    """The function did something else when it was run again."""


class _Place:
    """Stands for a tensor that backward may ask for; dies with the node that would ask."""

    __slots__ = ("__weakref__",)


_Filled = weakref.WeakKeyDictionary[_Place, Tensor]


class _Enough(Exception):
    """All that is wanted has been computed."""


class Frame:
    """The places of one call's saved tensors, and how to fill them.

    Parameters
    ----------
    rerun : callable
        Runs the function again on its arguments.
    describe : callable
        The properties that are compared between a tensor and its recomputed copy.
    early_stop : bool
        Whether to stop running when the last place is filled.
    operations : Operations or None
        The record of what ran, for messages.
    """

    def __init__(
        self, rerun: Callable[[], object], describe: Callable[[Tensor], Meta], early_stop: bool, operations: Operations | None
    ) -> None:
        self._rerun = rerun
        self._describe = describe
        self._early_stop = early_stop
        self._operations = operations
        self._places: list[weakref.ref[_Place]] = []
        self._metadata: list[Meta] = []
        self._filled: weakref.WeakKeyDictionary[Any, _Filled] = weakref.WeakKeyDictionary()     # by backward sweep

    @contextmanager
    def forward(self, context: AbstractContextManager[Any]) -> Iterator[None]:
        """The first run: tensors that are saved become places."""
        with saved_tensors_hooks(self._pack, self._unpack), context, Operations.noted(self._operations, "forward"):
            yield

    def _pack(self, tensor: Tensor) -> _Place:
        place = _Place()
        self._places.append(weakref.ref(place))
        self._metadata.append(self._describe(tensor))
        return place

    def _unpack(self, place: _Place) -> Tensor:
        filled = _Filled() if STATE.sweep is None else self._filled.setdefault(STATE.sweep, _Filled())
        if place not in filled:
            self._recompute(filled)
        return filled.pop(place)

    def _recompute(self, filled: _Filled) -> None:
        recomputed: list[Meta] = []

        def keep(tensor: Tensor) -> Tensor:
            number = len(recomputed)
            if number == len(self._places):
                if self._early_stop:
                    raise _Enough
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward pass."
                    + self._details()
                )
            recomputed.append(self._describe(tensor))
            kept: Tensor = tensor.detach()      # with its history it would keep its node, and that would keep it
            place = self._places[number]()
            if place is not None:
                filled[place] = kept
            if self._early_stop and len(recomputed) == len(self._places):
                raise _Enough
            return kept

        try:
            with enable_grad(), saved_tensors_hooks(keep, lambda tensor: tensor), Operations.noted(self._operations, "recomputation"):
                self._rerun()
        except _Enough:
            pass
        self._compare(recomputed)

    def _compare(self, recomputed: list[Meta]) -> None:
        if len(recomputed) != len(self._metadata):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self._metadata)}\n"
                f"Number of tensors saved during recomputation: {len(recomputed)}." + self._details()
            )
        different = [
            f"tensor at position {number}:\nsaved metadata: {saved}\nrecomputed metadata: {again}\n"
            for number, (saved, again) in enumerate(zip(self._metadata, recomputed, strict=True))
            if saved != again and self._places[number]() is not None
        ]
        if different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the forward "
                "pass.\n"
                + "".join(different)
                + self._details()
            )

    def _details(self) -> str:
        return _TIP if self._operations is None else f"\n\n{self._operations}"
