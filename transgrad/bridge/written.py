"""Strings formatted from differentiated numbers: they may be printed, but not parsed back into numbers.

Strings are recognized by their digits, because the methods of ``str`` return plain strings. A run on the tape remembers the strings
that it has formatted, and a function that parses a number (`READERS`) refuses a string that is part of one of them, or contains one.
"""
from __future__ import annotations

import ast
import contextlib
import decimal
import fractions
import functools
import json
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["READERS", "Text", "check_read", "holds_written", "refused", "run_number", "running", "text_of"]


class Text(str):
    """The string of a differentiated number."""

    __slots__ = ()


class _State(threading.local):
    """The strings formatted by the current run; each outermost run has a number."""

    def __init__(self) -> None:
        self.number = self.depth = 0
        self.written: set[str] = set()
        #: the refusals that were raised in each run under way
        self.refusals: list[list[Exception]] = []


_state = _State()


@contextlib.contextmanager
def running() -> Iterator[None]:
    """Count a run of the tape; the outermost starts with nothing written.

    A refusal that the function has caught, as an error of its own, is raised at the end: without the tape it would not have been there.
    """
    if not _state.depth:
        _state.number += 1
        _state.written = set()
    _state.depth += 1
    found: list[Exception] = []
    _state.refusals.append(found)
    try:
        yield
        if found:
            raise found[0]
    finally:
        _state.depth -= 1
        _state.refusals.pop()


def refused(error: Exception) -> Exception:
    """Record a refusal that is about to be raised in a function on the tape, and return it."""
    if _state.refusals:
        _state.refusals[-1].append(error)
    return error


def run_number() -> int:
    """The number of the run under way."""
    return _state.number


def text_of(text: str) -> Text:
    """Remember and return the string of a differentiated number."""
    if _state.depth:
        _state.written.update(_NUMBER.findall(text))
    return Text(text)


#: matches strings that look like numbers
_NUMBER = re.compile(r"(?:0x)?[\d.][\d.a-fA-F]*(?:[eEp][+-]?\d+)?")


def holds_written(text: Any) -> bool:
    """Whether text, or text in a container, may be that of a differentiated number."""
    if isinstance(text, Text):
        return True
    if not _state.written:
        return False
    if isinstance(text, (list, tuple)):
        return any(map(holds_written, text))
    if isinstance(text, np.ndarray):
        return text.dtype.kind in "US" and any(map(holds_written, text.ravel().tolist()))
    if isinstance(text, (bytes, bytearray)):
        text = bytes(text).decode("ascii", "replace")
    if not isinstance(text, str):
        return False
    return any(found in known or known in found for found in _NUMBER.findall(text) for known in _state.written)


def check_read(text: Any) -> Any:
    """``text``, of which a number is made; TypeError where it may be that of a differentiated number."""
    if holds_written(text):
        raise refused(TypeError("a number that is differentiated would leave the tape as a string and come back as a plain number here: "
                                "use the number itself, or transgrad.stop_gradient if it is meant to be a constant"))
    return text


def _reader(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def read(source: Any, *args: Any, **kwargs: Any) -> Any:
        check_read(_content(source))
        return fn(source, *args, **kwargs)
    return read


def _content(source: Any) -> Any:
    """The string to be parsed: for a file in memory, its contents."""
    value = getattr(source, "getvalue", None)
    if value is not None:
        return value()
    return list(source) if isinstance(source, (list, tuple)) else source


#: functions that parse numbers → their replacements on the tape
READERS: dict[Any, Any] = {fn: _reader(fn) for fn in (
    ast.literal_eval, json.load, json.loads, np.fromstring, np.loadtxt, np.genfromtxt, np.load, np.frombuffer, np.fromfile,
)}
#: classes whose instances may be made from strings
READ_CLASSES = (decimal.Decimal, fractions.Fraction)
