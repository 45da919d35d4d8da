"""Progress of long work, on request: bars with a rate and the remaining time, on a terminal only.

``progress=True`` of a transformation shows the loops of the generated code, of checkpoints, batches and sparse derivatives, and the
compilation by Numba; `shown` does so for all work in a ``with`` block.  Nothing is printed where the error stream is no terminal.
"""
from __future__ import annotations

import contextlib
import contextvars
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

__all__ = ["Bar", "asked", "bar", "is_shown", "is_terminal", "showing", "shown", "status", "tracked"]

T = TypeVar("T")
_on: contextvars.ContextVar[bool] = contextvars.ContextVar("progress is shown", default=False)
_busy: contextvars.ContextVar[bool] = contextvars.ContextVar("a bar is shown", default=False)


@contextlib.contextmanager
def shown(on: bool = True) -> Iterator[None]:
    """A context in which long work shows its progress."""
    token = _on.set(on)
    try:
        yield
    finally:
        _on.reset(token)


def showing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that shows its progress."""
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with shown():
            return function(*args, **kwargs)
    return run


def asked() -> bool:
    """Whether progress was asked for."""
    return _on.get()


def is_terminal() -> bool:
    """Whether the error stream is a terminal."""
    return sys.stderr.isatty()


def is_shown() -> bool:
    """Whether work that begins now shows its progress: it was asked for, there is a terminal, and no other bar is shown."""
    return _on.get() and not _busy.get() and is_terminal()


class Bar:
    """A bar that counts steps."""

    def __init__(self, advance: Callable[[], Any]):
        self.advance = advance


@contextlib.contextmanager
def bar(label: str, total: int | None) -> Iterator[Bar]:
    """A bar for some steps of work; a silent one where progress is not shown."""
    if not is_shown():
        yield Bar(lambda: None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        """Steps a second."""

        def render(self, task: Any) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.1f}/s" if speed else "", style="dim")
    token = _busy.set(True)
    try:
        with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn(),
                      console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task(label, total=total)
            yield Bar(lambda: progress.advance(task))
    finally:
        _busy.reset(token)


def tracked(items: Iterable[T], label: str, total: int | None = None) -> Iterable[T]:
    """The items, with a bar that counts them; the iterable itself where progress is not shown."""
    if not is_shown():
        return items
    if total is None:
        with contextlib.suppress(TypeError):
            total = len(items)  # type: ignore[arg-type]
    return _counted(items, label, total)


def _counted(items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
    with bar(label, total) as shown_bar:
        for item in items:
            yield item
            shown_bar.advance()


@contextlib.contextmanager
def status(label: str) -> Iterator[None]:
    """A line with a spinner while something runs whose steps cannot be counted."""
    if not is_shown():
        yield
        return
    from rich.console import Console
    token = _busy.set(True)
    try:
        with Console(stderr=True).status(label):
            yield
    finally:
        _busy.reset(token)
