"""Learning-rate schedules."""
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
    """Base class of schedules: `get_lr` returns the learning rates of the groups for ``last_epoch``.

    Parameters
    ----------
    optimizer : Optimizer
        The optimizer whose learning rates are set.
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
        self._watch_optimizer()
        self._initial_step()

    def _watch_optimizer(self) -> None:
        """Record whether the optimizer has made a step, so that `step` can warn about the wrong order."""
        optimizer: Any = self.optimizer
        if not hasattr(optimizer, "_opt_called"):
            optimizer._opt_called = False
            plain = type(optimizer).step

            def step(self: Any, *args: Any, **kwargs: Any) -> Any:
                self._opt_called = True
                return plain(self, *args, **kwargs)
            optimizer.step = types.MethodType(step, optimizer)

    def _initial_step(self) -> None:
        self._step_count, self._is_initial = 0, True
        self.step()
        self._is_initial = False

    def _rates(self) -> list[Any]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def get_lr(self) -> Sequence[Any]:
        """Return the learning rates for ``last_epoch``, one for each group."""
        raise NotImplementedError

    def get_last_lr(self) -> list[Any]:
        """Return the current learning rates."""
        return self._last_lr

    def _closed_form(self) -> Sequence[Any]:
        """Return the learning rates for ``last_epoch``, independent of the current ones."""
        return self.get_lr()

    def step(self, epoch: int | None = None) -> None:
        """Set the learning rates of the next step, or of a given one."""
        if self._step_count == 1 and not getattr(self.optimizer, "_opt_called", True):
            warnings.warn("Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in the opposite order, otherwise "
                          "the first value of the learning rate schedule is skipped.", UserWarning, stacklevel=2)
        self._step_count += 1
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set(self.get_lr() if epoch is None else self._closed_form())

    def _set(self, rates: Sequence[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates):
            group["lr"] = rate
        self._last_lr = self._rates()

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimizer; of functions, only their attributes."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore a `state_dict`."""
        self.__dict__.update(state_dict)


class _ClosedForm(LRScheduler):
    """A schedule ``rate = floor + (initial - floor) * factor(epoch)``.

    A step multiplies the current rate by the ratio of two factors, so that schedules can be chained.
    """

    _floor = 0.0
    #: whether a schedule that resumes at a later epoch starts with the current rates
    _resumes = True

    def _factor(self, epoch: int) -> float:
        raise NotImplementedError

    def _ratio(self, epoch: int) -> float:
        before = self._factor(epoch - 1) if epoch > 0 else 1.0
        return self._factor(epoch) / before if before else math.inf

    def get_lr(self) -> Sequence[Any]:
        ratio, floor = self._ratio(self.last_epoch), self._floor
        if ratio == 1.0 or self._is_initial and self._resumes and self.last_epoch > 0:
            return self._rates()
        if math.isinf(ratio):       # the rate rises again from the floor
            return [rate + (base - floor) * self._factor(self.last_epoch) for base, rate in zip(self.base_lrs, self._rates())]
        return [floor + (rate - floor) * ratio for rate in self._rates()]

    def _closed_form(self) -> Sequence[Any]:
        return [self._floor + (base - self._floor) * self._factor(self.last_epoch) for base in self.base_lrs]


class _Power(_ClosedForm):
    """A schedule whose factor is ``gamma`` to the power of ``_exponent(epoch)``."""

    gamma: float

    def _exponent(self, epoch: int) -> int:
        raise NotImplementedError

    def _factor(self, epoch: int) -> float:
        return self.gamma ** self._exponent(epoch)

    def _ratio(self, epoch: int) -> float:
        return self.gamma ** (self._exponent(epoch) - (self._exponent(epoch - 1) if epoch > 0 else 0))


class StepLR(_Power):
    """Multiply the rates by ``gamma`` at every ``step_size``-th step."""

    _resumes = False

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _exponent(self, epoch: int) -> int:
        return epoch // self.step_size


class MultiStepLR(_Power):
    """Multiply the rates by ``gamma`` at each milestone."""

    _resumes = False

    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _exponent(self, epoch: int) -> int:
        return bisect_right(sorted(self.milestones.elements()), epoch)


class ExponentialLR(_Power):
    """Multiply the rates by ``gamma`` at every step."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _exponent(self, epoch: int) -> int:
        return epoch


class ConstantLR(_ClosedForm):
    """Multiply the rates by a factor for the first ``total_iters`` steps."""

    _resumes = False

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1):
        if not 0 <= factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        return self.factor if epoch < self.total_iters else 1.0


class LinearLR(_ClosedForm):
    """Multiply the rates by a factor that changes linearly for the first ``total_iters`` steps."""

    def __init__(self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
                 last_epoch: int = -1):
        if not 0 < start_factor <= 1:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        return self.start_factor + (self.end_factor - self.start_factor) * min(self.total_iters, epoch) / self.total_iters


class PolynomialLR(_ClosedForm):
    """Multiply the rates by a power of the remaining fraction of ``total_iters``."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        return float((1.0 - min(self.total_iters, epoch) / self.total_iters) ** self.power)


class CosineAnnealingLR(_ClosedForm):
    """Decrease the rates to ``eta_min`` along half a period of a cosine, in ``T_max`` steps, then increase them again."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    @property
    def _floor(self) -> float:      # type: ignore[override]
        return self.eta_min

    def _factor(self, epoch: int) -> float:
        return 0.0 if epoch % (2 * self.T_max) == self.T_max else (1 + math.cos(math.pi * epoch / self.T_max)) / 2

    def get_lr(self) -> Sequence[Any]:
        resumed = self._step_count == 1 and self.last_epoch > 0 and not self._is_initial
        return self._closed_form() if resumed else super().get_lr()


class LambdaLR(LRScheduler):
    """Multiply the initial rates by the values of functions of the number of the step."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1):
        groups = len(optimizer.param_groups)
        self.lr_lambdas: list[Callable[[int], float]] = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
        if len(self.lr_lambdas) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Any]:
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs)]

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "lr_lambdas": [
            None if isinstance(f, types.FunctionType) else f.__dict__.copy() for f in self.lr_lambdas]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        for f, saved in zip(self.lr_lambdas, state.pop("lr_lambdas", [])):
            if saved is not None:
                f.__dict__.update(saved)
        self.__dict__.update(state)


class MultiplicativeLR(LambdaLR):
    """Multiply the current rates by the values of functions of the number of the step."""

    def get_lr(self) -> Sequence[Any]:
        if self.last_epoch <= 0:
            return self._rates()
        return [rate * f(self.last_epoch) for f, rate in zip(self.lr_lambdas, self._rates())]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosine annealing with warm restarts: each period is ``T_mult`` times as long as the previous one."""

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        self.T_i, self.T_cur = T_0, float(last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Sequence[Any]:
        factor = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * factor for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Set the learning rates of the next step, or of a given number of epochs, which may be a fraction."""
        if epoch is None:
            epoch = self.last_epoch + 1
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        self.last_epoch = math.floor(epoch)
        self.T_cur, self.T_i = epoch, self.T_0
        if self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        while self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
        self._set(self.get_lr())


class _Cycle(LRScheduler):
    """A schedule that changes the momentum, or the first beta, inversely to the rates."""

    def _begin(self, cycle_momentum: bool, base_momentum: Any, max_momentum: Any) -> None:
        """Store the bounds of the momentum in the groups, and set it to the upper one at the first epoch."""
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if not any(name in self.optimizer.defaults for name in ("momentum", "betas")):
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            if self.last_epoch == -1:
                lows, highs = self._per_group(base_momentum), self._per_group(max_momentum)
                for group, low, high in zip(self.optimizer.param_groups, lows, highs):
                    group.update(max_momentum=high, base_momentum=low)
                    self._set_momentum(group, high)

    def _set_momentum(self, group: dict[str, Any], value: float) -> None:
        if "betas" in group:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def _per_group(self, value: Any) -> list[Any]:
        return [*value] if isinstance(value, (list, tuple)) else [value] * len(self.optimizer.param_groups)


class CyclicLR(_Cycle):
    """Cycle the rates between two bounds (Smith 2017)."""

    def __init__(self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000, step_size_down: int | None = None,
                 mode: str = "triangular", gamma: float = 1.0, scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle",
                 cycle_momentum: bool = True, base_momentum: float = 0.8, max_momentum: float = 0.9, last_epoch: int = -1):
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise ValueError("mode is invalid and scale_fn is None")
        self.optimizer, self.last_epoch = optimizer, last_epoch
        lows, self.max_lrs = self._per_group(base_lr), self._per_group(max_lr)
        if last_epoch == -1:
            for low, group in zip(lows, optimizer.param_groups):
                group["lr"] = low
        self.total_size = float(step_size_up + (step_size_up if step_size_down is None else step_size_down))
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma, self._scale = mode, gamma, scale_fn
        self.scale_mode = scale_mode if scale_fn else "iterations" if mode == "exp_range" else "cycle"
        self._begin(cycle_momentum, base_momentum, max_momentum)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def scale_fn(self, x: float) -> float:
        """Return the factor of the height of a cycle."""
        if self._scale is not None:
            return self._scale(x)
        return 1.0 if self.mode == "triangular" else 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else self.gamma ** x

    def get_lr(self) -> Sequence[Any]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                self._set_momentum(group, group["max_momentum"] - (group["max_momentum"] - group["base_momentum"]) * height)
        return [low + (high - low) * height for low, high in zip(self.base_lrs, self.max_lrs)]


class OneCycleLR(_Cycle):
    """Increase the rates once and decrease them once (Smith & Topin 2018)."""

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
        rise, last = float(pct_start * self.total_steps) - 1, self.total_steps - 1
        up, down = ("initial_lr", "max_lr", "max_momentum", "base_momentum"), ("max_lr", "min_lr", "base_momentum", "max_momentum")
        self._phases: list[Any] = [(rise, *up), (last, *down)]
        if three_phase:
            self._phases = [(rise, *up), (2 * rise, "max_lr", "initial_lr", *down[2:]), (last, "initial_lr", "min_lr", *down[3:], down[3])]
        self.anneal_strategy = anneal_strategy
        self.optimizer, self.last_epoch = optimizer, last_epoch
        self._begin(cycle_momentum, base_momentum, max_momentum)
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, self._per_group(max_lr)):
                group.update(initial_lr=high / div_factor, max_lr=high, min_lr=high / div_factor / final_div_factor)
        super().__init__(optimizer, last_epoch)

    def _between(self, start: float, end: float, part: float) -> float:
        if self.anneal_strategy == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)
        return (end - start) * part + start

    def get_lr(self) -> Sequence[Any]:
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The total number of steps is {self.total_steps}")
        k = next((k for k, phase in enumerate(self._phases) if step <= phase[0]), len(self._phases) - 1)
        begin = self._phases[k - 1][0] if k else 0.0
        end, low, high, momentum, other = self._phases[k]
        part = (step - begin) / (end - begin)
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                self._set_momentum(group, self._between(group[momentum], group[other], part))
        return [self._between(group[low], group[high], part) for group in self.optimizer.param_groups]


class SequentialLR(LRScheduler):
    """Switch from one schedule to the next at each milestone."""

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
        self._undo()
        current = self._schedulers[bisect_right(self._milestones, 0)]
        current._initial_step()
        self._last_lr = current.get_last_lr()

    def _undo(self) -> None:
        """Undo the initial steps of the schedules."""
        for scheduler in self._schedulers:
            if isinstance(scheduler, SequentialLR):
                scheduler._undo()
            else:
                scheduler.last_epoch -= 1

    def step(self) -> None:     # type: ignore[override]
        """Step the current schedule."""
        self.last_epoch += 1
        k = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[k]
        if k > 0 and self._milestones[k - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "_schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        for scheduler, saved in zip(self._schedulers, state.pop("_schedulers")):
            scheduler.load_state_dict(saved)
        self.__dict__.update(state)


class ChainedScheduler(SequentialLR):
    """Apply several schedules in order at each step."""

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
    """Multiply the rates by ``factor`` when a metric has not improved for ``patience`` steps."""

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
        self.best, self.cooldown_counter, self.num_bad_epochs = math.inf if mode == "min" else -math.inf, 0, 0
        self._last_lr = self._rates()

    def step(self, metrics: Any, epoch: int | None = None) -> None:     # type: ignore[override]
        """Compare the metric with the best one so far, and reduce the rates if necessary."""
        current = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
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
        """Return whether a metric is better than the best one by more than the threshold."""
        sign = 1 if self.mode == "min" else -1
        margin = self.threshold if self.threshold_mode == "abs" else best * self.threshold if math.isfinite(best) else 0.0
        return sign * a < sign * best - margin

    @property
    def in_cooldown(self) -> bool:
        """Whether bad steps are not counted at present."""
        return self.cooldown_counter > 0
