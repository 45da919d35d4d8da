"""A list of the operations that ran, for the messages of a checkpoint in debug mode."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...autograd.profiler.recorder import shape_of
from ...autograd.profiler.switch import listening


class Operations:
    """An observer that lists operations, by the run they were part of."""

    def __init__(self) -> None:
        self._runs: dict[str, list[str]] = {}
        self._current: list[str] = []

    @staticmethod
    @contextmanager
    def noted(operations: Operations | None, run: str) -> Iterator[None]:
        """Inside, operations are added to the list of the run; without a list they are not."""
        if operations is None:
            yield
            return
        operations._current = operations._runs[run] = []
        with listening(operations):
            yield

    def begin(self, name: str, scope: int, sequence_nr: int, inputs: Sequence[object]) -> None:
        """Lists an operation."""
        self._current.append(f"{name}({', '.join(str(shape_of(value) or value) for value in inputs)})")

    def end(self, token: None, outputs: Sequence[object]) -> None:
        """Nothing to do."""

    def __str__(self) -> str:
        return "\n\n".join(f"Operations executed during the {run}:\n" + "\n".join(lines) for run, lines in self._runs.items())
