"""Observations of calls that ran on the tape, for which the front end compiles the code around them."""
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
    """Observed behavior of calls: the form of the result and the arrays they write to; None if unknown."""

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
    """Compile with the observations, and record refusals."""
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
    """The observations of the current compilation."""
    return _observed.get()
