"""Schedules of learning rates, by the number of steps that have been made."""
from __future__ import annotations

import math
import types
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from .optimizer import Optimizer

__all__ = ["ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR", "LRScheduler",
           "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR",
           "StepLR"]


class LRScheduler:
    """The base of schedules: `get_lr` gives the learning rates of the groups for ``last_epoch``.

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
        """Have the optimizer tell whether it has made a step, so that a wrong order can be warned of."""
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
        """The learning rates for ``last_epoch``, one a group."""
        raise NotImplementedError

    def get_last_lr(self) -> list[Any]:
        """The learning rates that were set last."""
        return self._last_lr

    def _closed(self) -> Sequence[Any]:
        """The learning rates for ``last_epoch``, whatever the present ones are."""
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
        """All but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        self.__dict__.update(state_dict)


class _ByFactor(LRScheduler):
    """A schedule that multiplies the present rates by a factor."""

    def _factor(self) -> float:
        raise NotImplementedError

    def get_lr(self) -> Sequence[Any]:
        factor = self._factor() if self.last_epoch > 0 else 1.0
        return [rate if factor == 1.0 else rate * factor for rate in self._rates()]


class LambdaLR(LRScheduler):
    """The initial rates times what functions return for the number of the step."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1):
        groups = len(optimizer.param_groups)
        self.lr_lambdas: list[Callable[[int], float]] = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
        if len(self.lr_lambdas) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Any]:
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs)]

    def state_dict(self) -> dict[str, Any]:
        return {k: v for k, v in super().state_dict().items() if k != "lr_lambdas"} | {"lr_lambdas": [
            None if isinstance(f, types.FunctionType) else f.__dict__.copy() for f in self.lr_lambdas]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        for f, saved in zip(self.lr_lambdas, state.pop("lr_lambdas", [])):
            if saved is not None:
                f.__dict__.update(saved)
        self.__dict__.update(state)


class MultiplicativeLR(LambdaLR):
    """The rates times what functions return, step by step."""

    def get_lr(self) -> Sequence[Any]:
        if self.last_epoch <= 0:
            return self._rates()
        return [rate * f(self.last_epoch) for f, rate in zip(self.lr_lambdas, self._rates())]


class StepLR(_ByFactor):
    """The rates times ``gamma`` at every ``step_size``-th step."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        return 1.0 if self.last_epoch % self.step_size else self.gamma

    def _closed(self) -> Sequence[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(_ByFactor):
    """The rates times ``gamma`` at each milestone."""

    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        return self.gamma ** self.milestones[self.last_epoch] if self.last_epoch in self.milestones else 1.0

    def _closed(self) -> Sequence[Any]:
        return [base * self.gamma ** bisect_right(sorted(self.milestones.elements()), self.last_epoch) for base in self.base_lrs]


class ConstantLR(_ByFactor):
    """The rates times a factor for the first steps."""

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1):
        if not 0 <= factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Any]:
        factor = self.factor if self.last_epoch == 0 else 1.0 / self.factor if self.last_epoch == self.total_iters else 1.0
        return [rate * factor for rate in self._rates()]

    def _closed(self) -> Sequence[Any]:
        return [base * (1.0 if self.last_epoch >= self.total_iters else self.factor) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """The rates times a factor that changes linearly."""

    def __init__(self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
                 last_epoch: int = -1):
        if not 0 < start_factor <= 1:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Any]:
        if self.last_epoch == 0:
            return [rate * self.start_factor for rate in self._rates()]
        if self.last_epoch > self.total_iters:
            return self._rates()
        rise = self.end_factor - self.start_factor
        return [rate * (1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise)) for rate in self._rates()]

    def _closed(self) -> Sequence[Any]:
        part = min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * (self.start_factor + (self.end_factor - self.start_factor) * part) for base in self.base_lrs]


class ExponentialLR(_ByFactor):
    """The rates times ``gamma`` at every step."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float:
        return self.gamma

    def _closed(self) -> Sequence[Any]:
        return [base * self.gamma ** self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The rates times a power of the part that is left of ``total_iters``."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Any]:
        if not 0 < self.last_epoch <= self.total_iters:
            return self._rates()
        factor = ((1.0 - self.last_epoch / self.total_iters) / (1.0 - (self.last_epoch - 1) / self.total_iters)) ** self.power
        return [rate * factor for rate in self._rates()]

    def _closed(self) -> Sequence[Any]:
        return [base * (1.0 - min(self.total_iters, self.last_epoch) / self.total_iters) ** self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """The rates along half a period of a cosine, from the initial ones to ``eta_min`` and back."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Any]:
        k, period = self.last_epoch, self.T_max
        if k == 0:
            return self._rates()
        if self._step_count == 1 and k > 0:
            return self._closed()
        if (k - 1 - period) % (2 * period) == 0:
            return [rate + (base - self.eta_min) * (1 - math.cos(math.pi / period)) / 2 for base, rate in zip(self.base_lrs, self._rates())]
        factor = (1 + math.cos(math.pi * k / period)) / (1 + math.cos(math.pi * (k - 1) / period))
        return [factor * (rate - self.eta_min) + self.eta_min for rate in self._rates()]

    def _closed(self) -> Sequence[Any]:
        part = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * part for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half periods of a cosine, each ``T_mult`` times as long as the last, from the initial rates to ``eta_min``."""

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
    """A schedule that moves the momentum, or the first beta, against the rates."""

    def _momentum(self, group: dict[str, Any], value: float) -> None:
        if "betas" in group:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(_Cycle):
    """Rates that rise and fall between two bounds (Smith 2017)."""

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
        """By how much the height of a cycle is changed."""
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


class SequentialLR(LRScheduler):
    """Schedules that take turns, from one milestone to the next."""

    def __init__(self, optimizer: Optimizer, schedulers: Sequence[Any], milestones: Sequence[int], last_epoch: int = -1):
        if not schedulers:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler.")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
                             f"points, but got number of schedulers {len(schedulers)} and the number of milestones to be equal to "
                             f"{len(milestones)}")
        self._schedulers, self._milestones = list(schedulers), list(milestones)
        self.optimizer, self.last_epoch = optimizer, last_epoch + 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in self._schedulers:
            scheduler.last_epoch -= 1
        self._schedulers[0].step()
        self._last_lr = self._schedulers[0].get_last_lr()

    def step(self) -> None:     # type: ignore[override]
        """Step the schedule whose turn it is."""
        self.last_epoch += 1
        k = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[k]
        if k > 0 and self._milestones[k - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "_schedulers")}
        return {**state, "_schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        for scheduler, saved in zip(self._schedulers, state.pop("_schedulers")):
            scheduler.load_state_dict(saved)
        self.__dict__.update(state)


class ChainedScheduler(SequentialLR):
    """Schedules that are applied one after the other at each step."""

    def __init__(self, schedulers: Sequence[Any], optimizer: Optimizer | None = None):
        if not schedulers:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler.")
        self._schedulers, self.optimizer = list(schedulers), optimizer or schedulers[0].optimizer
        self._last_lr = self._rates()

    def step(self) -> None:     # type: ignore[override]
        """Step every schedule."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._rates()


class ReduceLROnPlateau(LRScheduler):
    """The rates times ``factor`` where a number has not become better for ``patience`` steps."""

    def __init__(self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10, threshold: float = 1e-4,
                 threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0, eps: float = 1e-8):
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.optimizer, self.mode, self.factor, self.patience, self.threshold = optimizer, mode, factor, patience, threshold
        self.threshold_mode, self.cooldown, self.eps, self.last_epoch = threshold_mode, cooldown, eps, 0
        self.min_lrs = [*min_lr] if isinstance(min_lr, (list, tuple)) else [min_lr] * len(optimizer.param_groups)
        self._last_lr = self._rates()
        self._reset()

    def _reset(self) -> None:
        self.best, self.cooldown_counter, self.num_bad_epochs = math.inf if self.mode == "min" else -math.inf, 0, 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:     # type: ignore[override]
        """Take notice of the number, and reduce the rates if it is time."""
        current = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, low in zip(self.optimizer.param_groups, self.min_lrs):
                rate = max(float(group["lr"]) * self.factor, low)
                if float(group["lr"]) - rate > self.eps:
                    group["lr"] = rate
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._rates()

    def is_better(self, a: float, best: float) -> bool:
        """Whether a number is better than the best so far."""
        if self.threshold_mode == "rel":
            return a < best * (1.0 - self.threshold) if self.mode == "min" else a > best * (self.threshold + 1.0)
        return a < best - self.threshold if self.mode == "min" else a > best + self.threshold

    @property
    def in_cooldown(self) -> bool:
        """Whether no number counts as bad for now."""
        return self.cooldown_counter > 0
