"""The base class of learning-rate schedules."""
from __future__ import annotations

import types
import warnings
from collections.abc import Sequence
from typing import Any

from .optimizer import Optimizer

__all__ = ["ByFactor", "LRScheduler"]


class LRScheduler:
    """Base class of schedules: `get_lr` returns the learning rates of the groups for ``last_epoch``.

    Parameters
    ----------
    optimizer : Optimizer
        Whose learning rates are set.
    last_epoch : int
        The number of the last step; -1 to begin.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for k, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", float(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(f"param 'initial_lr' is not specified in param_groups[{k}] when resuming an optimizer")
        self.base_lrs: list[Any] = [group["initial_lr"] for group in optimizer.param_groups]
        self._step_count = 0
        self._counts_steps()
        self.step()

    def _counts_steps(self) -> None:
        """Record whether the optimizer has made a step, so that a wrong order can be reported."""
        optimizer: Any = self.optimizer
        if not hasattr(optimizer, "_opt_called"):
            optimizer._opt_called = False
            plain = type(optimizer).step

            def step(self: Any, *args: Any, **kwargs: Any) -> Any:
                self._opt_called = True
                return plain(self, *args, **kwargs)
            optimizer.step = types.MethodType(step, optimizer)

    def _rates(self) -> list[Any]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def get_lr(self) -> Sequence[Any]:
        """The learning rates for ``last_epoch``, one for each group."""
        raise NotImplementedError

    def get_last_lr(self) -> list[Any]:
        """The current learning rates."""
        return self._last_lr

    def _closed(self) -> Sequence[Any]:
        """The learning rates for ``last_epoch``, independently of the current ones."""
        return self.get_lr()

    def step(self, epoch: int | None = None) -> None:
        """Set the learning rates of the next step (or of a given one)."""
        if self._step_count == 1 and not getattr(self.optimizer, "_opt_called", True):
            warnings.warn("Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in the opposite order, otherwise "
                          "the first value of the learning rate schedule is skipped.", UserWarning, stacklevel=2)
        self._step_count += 1
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set(self.get_lr() if epoch is None else self._closed())

    def _set(self, rates: Sequence[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates):
            group["lr"] = rate
        self._last_lr = self._rates()

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore a `state_dict`."""
        self.__dict__.update(state_dict)


class ByFactor(LRScheduler):
    """A schedule that multiplies the current rates by a factor."""

    def _factor(self) -> float:
        raise NotImplementedError

    def get_lr(self) -> Sequence[Any]:
        factor = self._factor() if self.last_epoch > 0 else 1.0
        return [rate if factor == 1.0 else rate * factor for rate in self._rates()]
