"""What calls were seen to do when they ran on the tape: what the front end compiles the text around them for."""
from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..errors import TransgradError

__all__ = ["Observed", "ReadDerivative", "Site", "Taped", "current", "is_changing", "observations"]


@dataclass(frozen=True)
class Site:
    """A call: of which code, and where it stands."""

    code: Any
    file: str
    line: int
    width: int | None


@dataclass
class Observed:
    """What calls have been seen to do: the form of what they return and the arrays they write into; None where it cannot be said."""

    calls: dict[Site, tuple[str, tuple[int | str, ...]] | None] = field(default_factory=dict)
    #: What keeps a call from running on the tape alone.
    reasons: dict[Site, str] = field(default_factory=dict)
    #: How often each was seen.
    counts: dict[Site, int] = field(default_factory=dict)
    #: Those that were refused, and why.
    refused: dict[Site, TransgradError] = field(default_factory=dict)
    #: Derivatives of primitives whose code is compiled: the primitive, and "vjp" or "jvp".
    derivatives: set[tuple[Any, str]] = field(default_factory=set)
    #: Numbers outside of the function that have changed since a variant was compiled with them as constants: the kind of the guard, the id
    #: of the container, and the key. They are read when the code runs.
    changing: set[tuple[str, int, Any]] = field(default_factory=set)


class ReadDerivative(BaseException):
    """Compile again: a derivative in `Observed.derivatives` has to be differentiated, so that its code is needed.

    No handler of exceptions between a pass and the start of the compilation is meant to see it.
    """


@dataclass(frozen=True)
class Taped:
    """A call that runs on the tape: for `explain`."""

    name: str
    loc: Any
    reason: TransgradError


_observed: contextvars.ContextVar[Observed | None] = contextvars.ContextVar("observed", default=None)


@contextlib.contextmanager
def observations(observed: Observed) -> Iterator[None]:
    """Compiles with what was observed, and notes what is refused."""
    token = _observed.set(observed)
    try:
        yield
    finally:
        _observed.reset(token)


def is_changing(kind: str, container: Any, key: Any) -> bool:
    """Return whether a number outside of the function is known to change between calls."""
    observed = _observed.get()
    return observed is not None and (kind, id(container), key) in observed.changing


def current() -> Observed | None:
    """What the compilation under way knows."""
    return _observed.get()
