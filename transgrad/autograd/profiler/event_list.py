"""The events of a profile: a list that averages, prints and exports itself."""
from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .averages import FunctionEventAvg, grouped, total
from .chrome_trace import write_chrome_trace
from .columns import Layout
from .events import FunctionEvent
from .table import build_table
from .tree import give_forward_stacks, nest

_STACK_METRICS = ("self_cpu_time_total", "self_cuda_time_total")


class EventList(list[FunctionEvent | FunctionEventAvg]):
    """A list of `FunctionEvent` or `FunctionEventAvg`.

    Parameters
    ----------
    events : iterable
        Events in any order.
    profile_memory : bool
        Whether tables show memory.
    with_flops : bool
        Whether tables show floating-point operations.
    """

    def __init__(
        self, events: Iterable[FunctionEvent | FunctionEventAvg] = (), *, profile_memory: bool = False, with_flops: bool = False
    ) -> None:
        super().__init__(events)
        self._profile_memory = profile_memory
        self._with_flops = with_flops

    @classmethod
    def of_calls(cls, calls: list[FunctionEvent], *, profile_memory: bool = False, with_flops: bool = False) -> EventList:
        """The list of events whose parents and stacks are still to be found."""
        kept = nest(calls)
        give_forward_stacks(kept)
        return cls(kept, profile_memory=profile_memory, with_flops=with_flops)

    def __str__(self) -> str:
        return self.table()

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds spent in the events, each counted once."""
        return sum(event.self_cpu_time_total for event in self)

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The events as a table.

        Parameters
        ----------
        sort_by : str, optional
            Attribute to sort by, largest first: ``cpu_time``, ``cpu_time_total``, ``self_cpu_time_total``, ``cpu_memory_usage``,
            ``self_cpu_memory_usage``, the same with ``cuda``, ``count`` or ``flops``.  By default as recorded.
        row_limit : int
            Most rows; -1 for all.
        max_src_column_width, max_name_column_width, max_shapes_column_width : int or None
            Widths beyond which entries are cut; None for no limit.
        header : str, optional
            A line above the table.
        top_level_events_only : bool
            Whether to leave out what ran inside other events.
        time_unit : {"s", "ms", "us"}, optional
            One unit for all times; by default each in its own.

        Raises
        ------
        AttributeError
            If events have no such attribute as `sort_by`.
        ValueError
            If `time_unit` is not a unit.
        """
        widths = max_src_column_width, max_name_column_width, max_shapes_column_width
        layout = Layout(*widths, self._profile_memory, self._with_flops, time_unit)
        return build_table(self, layout, sort_by, row_limit, header, top_level_events_only)

    def key_averages(self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0) -> EventList:
        """Averages over the events of one name.

        Parameters
        ----------
        group_by_input_shapes : bool
            Whether other shapes of arguments make other groups; needs a profile with ``record_shapes=True``.
        group_by_stack_n : int
            How many innermost lines of the stack make other groups; needs a profile with ``with_stack=True``.

        Returns
        -------
        EventList
            Of `FunctionEventAvg`.
        """
        averages = grouped(self, group_by_input_shapes, group_by_stack_n)
        return EventList(averages, profile_memory=self._profile_memory, with_flops=self._with_flops)

    def total_average(self) -> FunctionEventAvg:
        """The sum over all events."""
        return total(self)

    def export_chrome_trace(self, path: str | Path) -> None:
        """Write the events in the Trace Event Format, which Perfetto and ``chrome://tracing`` open.

        Arrows lead from forward operations to the nodes they made.

        Raises
        ------
        TypeError
            If the list holds averages, which have no place in time.
        """
        calls = [event for event in self if isinstance(event, FunctionEvent)]
        if len(calls) < len(self):
            raise TypeError("averages have no start and end; export the trace of the profile itself, not of its key_averages()")
        write_chrome_trace(path, calls)

    def export_stacks(self, path: str | Path, metric: str = "self_cpu_time_total") -> None:
        """Write folded stacks, a line ``outer;…;inner microseconds`` an event, as flame graph tools read them.

        Raises
        ------
        ValueError
            If `metric` is neither ``self_cpu_time_total`` nor ``self_cuda_time_total``.
        """
        if metric not in _STACK_METRICS:
            raise ValueError(f"metric should be one of: {list(_STACK_METRICS)}")
        with open(path, "w", encoding="utf-8") as file:
            for event in self:
                time = int(getattr(event, metric))
                if event.stack and time > 0:
                    file.write(";".join(entry.translate(_FOLDED) for entry in reversed(event.stack)) + f" {time}\n")


_FOLDED = str.maketrans(" ;\t\n", "____")
