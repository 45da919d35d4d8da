"""Cyclic learning-rate schedules."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .optimizer import Optimizer
from .schedule import LRScheduler

__all__ = ["CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR"]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosine annealing with warm restarts: each period is ``T_mult`` times as long as the previous one."""

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = self.T_i = T_0
        self.T_mult, self.eta_min = T_mult, eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Any]:
        part = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * part for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Set the learning rates of the next step, or of a given number of epochs, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        elif epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult ** n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult ** n
        self.last_epoch = math.floor(epoch)
        self._set(self.get_lr())


class _Cycle(LRScheduler):
    """A schedule that changes the momentum, or the first beta, inversely to the rates."""

    def _momentum(self, group: dict[str, Any], value: float) -> None:
        if "betas" in group:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(_Cycle):
    """Rates that cycle between two bounds (Smith 2017)."""

    def __init__(self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000, step_size_down: int | None = None,
                 mode: str = "triangular", gamma: float = 1.0, scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle",
                 cycle_momentum: bool = True, base_momentum: float = 0.8, max_momentum: float = 0.9, last_epoch: int = -1):
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise ValueError("mode is invalid and scale_fn is None")
        groups = optimizer.param_groups
        lows, self.max_lrs = ([*v] if isinstance(v, (list, tuple)) else [v] * len(groups) for v in (base_lr, max_lr))
        if last_epoch == -1:
            for low, group in zip(lows, groups):
                group["lr"] = low
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up + down)
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma, self.cycle_momentum = mode, gamma, cycle_momentum
        self._scale, self.scale_mode = scale_fn, scale_mode if scale_fn else "iterations" if mode == "exp_range" else "cycle"
        if cycle_momentum:
            if not any(name in optimizer.defaults for name in ("momentum", "betas")):
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.base_momentums, self.max_momentums = [base_momentum] * len(groups), [max_momentum] * len(groups)
            if last_epoch == -1:
                for group in groups:
                    self._momentum(group, max_momentum)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def scale_fn(self, x: float) -> float:
        """The factor of the height of a cycle."""
        if self._scale is not None:
            return self._scale(x)
        return 1.0 if self.mode == "triangular" else 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else self.gamma ** x

    def get_lr(self) -> Sequence[Any]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        factor = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums):
                self._momentum(group, high - (high - low) * height * factor)
        return [low + (high - low) * height * factor for low, high in zip(self.base_lrs, self.max_lrs)]


class OneCycleLR(_Cycle):
    """Rates that rise once and fall once (Smith & Topin 2018)."""

    def __init__(self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None, epochs: int | None = None,
                 steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos", cycle_momentum: bool = True,
                 base_momentum: float = 0.85, max_momentum: float = 0.95, div_factor: float = 25.0, final_div_factor: float = 1e4,
                 three_phase: bool = False, last_epoch: int = -1):
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        if not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.total_steps = total_steps if total_steps is not None else epochs * steps_per_epoch     # type: ignore[operator]
        first, last = float(pct_start * self.total_steps) - 1, self.total_steps - 1
        names = [("initial_lr", "max_lr"), ("max_lr", "initial_lr"), ("initial_lr", "min_lr")] if three_phase else [
            ("initial_lr", "max_lr"), ("max_lr", "min_lr")]
        ends = [first, float(2 * pct_start * self.total_steps) - 2, last] if three_phase else [first, last]
        momenta = [("max_momentum", "base_momentum"), ("base_momentum", "max_momentum"), ("max_momentum", "max_momentum")]
        self._phases = [(end, *pair, *other) for end, pair, other in zip(ends, names, momenta)]
        self.anneal_strategy, self.cycle_momentum = anneal_strategy, cycle_momentum
        highest = [*max_lr] if isinstance(max_lr, (list, tuple)) else [max_lr] * len(optimizer.param_groups)
        if cycle_momentum and not any(name in optimizer.defaults for name in ("momentum", "betas")):
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, highest):
                group.update(initial_lr=high / div_factor, max_lr=high, min_lr=high / div_factor / final_div_factor)
                if cycle_momentum:
                    self._momentum(group, max_momentum)
                    group.update(max_momentum=max_momentum, base_momentum=base_momentum)
        super().__init__(optimizer, last_epoch)

    def _between(self, start: float, end: float, part: float) -> float:
        if self.anneal_strategy == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)
        return (end - start) * part + start

    def get_lr(self) -> Sequence[Any]:
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The total number of steps is {self.total_steps}")
        rates = []
        for group in self.optimizer.param_groups:
            begin = 0.0
            for k, (end, low, high, momentum, other) in enumerate(self._phases):
                if step <= end or k == len(self._phases) - 1:
                    part = (step - begin) / (end - begin)
                    rates.append(self._between(group[low], group[high], part))
                    if self.cycle_momentum:
                        self._momentum(group, self._between(group[momentum], group[other], part))
                    break
                begin = end
        return rates
