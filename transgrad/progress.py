"""Progress bars for long computations, with the rate and the remaining time.

``progress=True`` shows the loops of generated code, of checkpoints, batches and sparse derivatives, and compilation by Numba;
`shown` does so for a ``with`` block. Nothing is printed if the error stream is not a terminal.
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
    """Show the progress of long computations in a ``with`` block.

    Parameters
    ----------
    on : bool, default True
        False disables it inside a block that shows progress.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> from transgrad import progress
    >>> with progress.shown():
    ...     tg.sparse_jacobian(lambda x: x[1:] * x[:-1])(np.ones(3)).toarray()
    array([[1., 1., 0.],
           [0., 1., 1.]])
    """
    token = _on.set(on)
    try:
        yield
    finally:
        _on.reset(token)


def showing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that it shows its progress."""
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with shown():
            return function(*args, **kwargs)
    return run


def asked() -> bool:
    """Return whether progress was requested."""
    return _on.get()


def is_terminal() -> bool:
    """Return whether the error stream is a terminal."""
    return sys.stderr.isatty()


def is_shown() -> bool:
    """Return whether a new bar would be shown: progress was requested, there is a terminal, and no other bar is visible."""
    return _on.get() and not _busy.get() and is_terminal()


class Bar:
    """A bar that counts steps."""

    def __init__(self, advance: Callable[[], Any]):
        self.advance = advance


@contextlib.contextmanager
def bar(label: str, total: int | None) -> Iterator[Bar]:
    """Show a bar for a number of steps; without progress, return a silent bar."""
    if not is_shown():
        yield Bar(lambda: None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        """The number of steps per second."""

        def render(self, task: Any) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.1f}/s" if speed else "", style="dim")
    token = _busy.set(True)
    try:
        with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn(),
                      console=Console(stderr=True), transient=True, redirect_stdout=sys.stdout.isatty()) as progress:
            task = progress.add_task(label, total=total)
            yield Bar(lambda: progress.advance(task))
    finally:
        _busy.reset(token)


def tracked(items: Iterable[T], label: str, total: int | None = None) -> Iterable[T]:
    """Iterate with a bar that counts the items; without progress, return the iterable itself."""
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
    """Show a spinner during work without countable steps."""
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
