"""The profile: a context manager that records the operations run inside it."""
from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Concatenate, Literal, ParamSpec, Self, TypeVar

from .event_list import EventList
from .events import FunctionEvent
from .recorder import Recorder
from .switch import listening

_DEVICES = ("cuda", "xpu", "mtia", "hpu", "privateuseone")

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class _ExperimentalConfig:
    """Options that torch keeps apart.

    Parameters
    ----------
    profile_all_threads : bool
        Whether to record the operations of every thread, not only of the one that opens the profile.
    """

    profile_all_threads: bool = False


def _of_the_events(method: Callable[Concatenate[EventList, P], R]) -> Callable[Concatenate[profile, P], R]:
    """The method of a profile that is one of its events."""

    @functools.wraps(method)
    def call(self: profile, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return method(self.function_events, *args, **kwargs)

    return call


class profile:
    """Records every operation, node of the backward pass and `record_function` range of this thread, with its time.

    Parameters
    ----------
    enabled : bool
        False makes the context manager do nothing, and give None.
    use_cuda, use_device : bool, str or None
        Arrays live on the CPU: asking for a device warns, and records the CPU alone.
    record_shapes : bool
        Whether to note the shapes of arguments, for ``key_averages(group_by_input_shape=True)``.
    with_flops : bool
        Whether to estimate floating-point operations (of matrix products, sums and products).
    profile_memory : bool
        Whether to note the memory of the arrays that operations return, and when it is freed.
    with_stack : bool
        Whether to note the source lines that called.
    with_modules : bool
        Accepted for torch's sake: there are no modules.
    use_kineto : bool
        Accepted for torch's sake: there is one profiler.
    use_cpu : bool
        False records nothing; needs ``use_kineto=True``, as in torch.
    experimental_config : _ExperimentalConfig, optional
        With ``profile_all_threads=True`` operations of other threads are recorded as well.
    acc_events : bool
        Whether the profile may be opened again, to add to its events.

    Raises
    ------
    RuntimeError
        If it is entered twice without `acc_events`.

    Examples
    --------
    >>> import transgrad as torch
    >>> x = torch.ones((1, 1), requires_grad=True)
    >>> with torch.autograd.profiler.profile() as prof:
    ...     for _ in range(100):
    ...         y = x ** 2
    ...         y.backward()
    >>> [average.count for average in prof.key_averages() if average.key == "PowBackward0"]
    [100]
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: _ExperimentalConfig | None = None,
        acc_events: bool = False,
    ) -> None:
        if use_cuda:
            message = "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead."
            warnings.warn(message, FutureWarning, stacklevel=2)
            use_device = "cuda"
        if use_device is not None:
            name = use_device.upper()
            known = f"{name} is not available, disabling {name} profiling: arrays live on the CPU"
            warnings.warn(known if use_device in _DEVICES else f"The {use_device} is not a valid device option.", UserWarning, stacklevel=2)
        if not use_cpu and not use_kineto:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        self.enabled = enabled
        self.entered = False
        self.record_shapes = record_shapes
        self.with_flops = with_flops
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_modules = with_modules
        self.use_cpu = use_cpu
        self.acc_events = acc_events
        self._everywhere = experimental_config is not None and experimental_config.profile_all_threads
        self._events: EventList | None = None

    def __enter__(self) -> Self | None:
        if not self.enabled:
            return None
        if self.entered and not self.acc_events:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        if self.use_cpu:
            self._recorder = Recorder(self.record_shapes, self.with_flops, self.profile_memory, self.with_stack)
            self._listening = listening(self._recorder, self._everywhere)
            self._listening.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Literal[False]:
        if self.enabled:
            calls: list[FunctionEvent] = []
            if self.use_cpu:
                self._listening.__exit__(kind, error, trace)
                calls = self._recorder.events()
            # each opening has a clock of its own, by which its events are nested
            found = EventList.of_calls(calls, profile_memory=self.profile_memory, with_flops=self.with_flops)
            if self.acc_events:
                found[:0] = self.function_events
            self._events = found
        return False

    @property
    def function_events(self) -> EventList:
        """The events, as an `EventList`; empty until the profile ends."""
        if self._events is None:
            self._events = EventList()
        return self._events

    def __repr__(self) -> str:
        return "<unfinished transgrad.autograd.profile>" if self._events is None else repr(self._events)

    def __str__(self) -> str:
        return "<unfinished transgrad.autograd.profile>" if self._events is None else str(self._events)

    table = _of_the_events(EventList.table)
    export_chrome_trace = _of_the_events(EventList.export_chrome_trace)
    total_average = _of_the_events(EventList.total_average)

    def export_stacks(self, path: str | Path, metric: str = "self_cpu_time_total") -> None:
        """`EventList.export_stacks` of the events.

        Raises
        ------
        AssertionError
            If the profile was made without ``with_stack=True``.
        """
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self.function_events.export_stacks(path, metric)

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> EventList:
        """`EventList.key_averages` of the events."""
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n)

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds spent in the events, each counted once."""
        return self.function_events.self_cpu_time_total
