"""A labelled range in a profile."""
from __future__ import annotations

from contextlib import ContextDecorator
from types import TracebackType
from typing import Any, Literal, Self

from ..observer import USER_SCOPE, Observer
from ..state import STATE


class record_function(ContextDecorator):
    """Context manager and decorator that gives a block of code, or every call of a function, a line of its own in the profile.

    Parameters
    ----------
    name : str
        The label.
    args : str, optional
        A string recorded as the argument of the range.

    Examples
    --------
    >>> import transgrad as torch
    >>> x = torch.ones(3, requires_grad=True)
    >>> with torch.autograd.profiler.profile() as prof:
    ...     with torch.autograd.profiler.record_function("square"):
    ...         y = x ** 2
    >>> [event.name for event in prof.function_events]
    ['square', 'aten::pow']
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args
        self._open: list[tuple[Observer, Any] | None] = []

    def _recreate_cm(self) -> record_function:
        return record_function(self.name, self.args)

    def __enter__(self) -> Self:
        observer = STATE.profiler
        inputs = () if self.args is None else (self.args,)
        self._open.append(observer and (observer, observer.begin(self.name, USER_SCOPE, -1, inputs)))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> Literal[False]:
        opened = self._open.pop()
        if opened is not None:
            observer, token = opened
            observer.end(token, ())
        return False
