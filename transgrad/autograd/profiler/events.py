"""One event of a profile: an operation, a node of the backward pass or a user's range, with its times."""
from __future__ import annotations

import enum
from dataclasses import dataclass, field
from operator import attrgetter

from ..observer import FUNCTION
from .units import format_time


@dataclass(frozen=True)
class Interval:
    """Start and end, in microseconds."""

    start: float
    end: float

    def elapsed_us(self) -> float:
        """Length in microseconds."""
        return self.end - self.start


@dataclass(frozen=True)
class Kernel:
    """A kernel that the operation launched on a device, with its duration in microseconds."""

    name: str
    device: int
    duration: float


def _text(name: str) -> property:
    """A time as text."""
    return property(lambda self: format_time(getattr(self, name)))


class DeviceType(enum.Enum):
    """Where an event took place."""

    CPU = 0


class Times:
    """What events and their averages derive from their totals.

    The times ``cpu_time`` and ``device_time`` are averages over calls; those that end in ``_str`` are text.  The names with ``cuda`` are
    the older ones of those with ``device``.
    """

    device_type = DeviceType.CPU
    device_index = 0
    device_resource_id = 0
    use_device: str | None = None
    node_id = -1
    is_remote = False
    is_legacy = False
    overload_name = ""

    count: int
    cpu_time_total: float
    self_cpu_time_total: float
    device_time_total: float
    self_device_time_total: float
    device_memory_usage: int
    self_device_memory_usage: int

    @property
    def cpu_time(self) -> float:
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        return self.device_time_total / self.count if self.count else 0.0

    cpu_time_str = _text("cpu_time")
    cpu_time_total_str = _text("cpu_time_total")
    self_cpu_time_total_str = _text("self_cpu_time_total")
    device_time_str = _text("device_time")
    device_time_total_str = _text("device_time_total")
    self_device_time_total_str = _text("self_device_time_total")

    cuda_time = property(attrgetter("device_time"))
    cuda_time_total = property(attrgetter("device_time_total"))
    self_cuda_time_total = property(attrgetter("self_device_time_total"))
    cuda_memory_usage = property(attrgetter("device_memory_usage"))
    self_cuda_memory_usage = property(attrgetter("self_device_memory_usage"))


@dataclass(eq=False)
class FunctionEvent(Times):
    """One call.

    Parameters
    ----------
    id : int
        Number of the event in its profile.
    name : str
        ``aten::mul``, ``MulBackward0``, a label of `record_function`, or ``[memory]`` for allocations and deallocations outside of these.
    thread : int
        Identifier of the thread that ran it.
    start_us, end_us : float
        Microseconds since the profile began.
    fwd_thread : int
        Of a node: the thread of its forward operation; 0 if it is not known.
    input_shapes : list of list of int or None
        A shape for each argument, ``[]`` for those without one; empty if shapes were not recorded.
    concrete_inputs : list
        The arguments that are plain numbers, strings and the like; None for the others.
    stack : list of str
        ``file(line): function``, innermost first; of a node, the stack of its forward operation.
    scope : int
        0 for an operation, 1 for a node of the backward pass, 7 for a user's range.
    cpu_memory_usage : int
        Bytes of arrays allocated less bytes freed while it ran.
    is_async : bool
        Whether it ended on another thread than it began.
    sequence_nr : int
        The number that an operation and its node share, -1 for none.
    flops : int or None
        Estimate of floating-point operations.
    """

    id: int
    name: str
    thread: int
    start_us: float
    end_us: float
    fwd_thread: int = 0
    input_shapes: list[list[int]] | None = None
    concrete_inputs: list[object] = field(default_factory=list)
    stack: list[str] = field(default_factory=list)
    scope: int = FUNCTION
    cpu_memory_usage: int = 0
    is_async: bool = False
    sequence_nr: int = -1
    flops: int | None = None
    is_user_annotation: bool = False

    def __post_init__(self) -> None:
        self.time_range = Interval(self.start_us, self.end_us)
        self.count = 1
        self.kernels: list[Kernel] = []
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.device_memory_usage = 0
        self.self_device_memory_usage = 0

    @property
    def key(self) -> str:
        """What averages are grouped by."""
        return self.name

    trace_name = property(attrgetter("name"))

    def append_kernel(self, name: str, device: int, duration: float) -> None:
        """Add a kernel of `duration` microseconds that the operation launched."""
        self.kernels.append(Kernel(name, device, duration))

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        return 0.0 if self.is_async else self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        return 0.0 if self.is_async else self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_device_time_total(self) -> float:  # type: ignore[override]
        return sum(kernel.duration for kernel in self.kernels)

    @property
    def device_time_total(self) -> float:  # type: ignore[override]
        return self.self_device_time_total + sum(child.device_time_total for child in self.cpu_children)

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} thread={self.thread} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} is_async={self.is_async} seq_nr={self.sequence_nr}>"
        )
