"""Where the time of a program on the tape goes: profiles, labelled ranges, annotations for other tools."""
from typing import TYPE_CHECKING

from ...absent import refusing
from .averages import FunctionEventAvg
from .emit import emit_itt, emit_nvtx
from .event_list import EventList
from .events import FunctionEvent, Interval, Kernel
from .nvprof import load_nvprof, parse_nvprof_trace
from .profile import _ExperimentalConfig, profile
from .record_function import record_function

__all__ = [
    "EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "Kernel", "_ExperimentalConfig", "emit_itt", "emit_nvtx", "load_nvprof",
    "parse_nvprof_trace", "profile", "record_function",
]

if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.autograd.profiler")
