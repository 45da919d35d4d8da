"""Warnings at the user's line: each time, or once in a process, as torch's are."""
from __future__ import annotations

import warnings
from typing import Any

from .callers import stacklevel
from .dtypes import discards

__all__ = ["set_always", "warn", "warn_of_imaginary_parts", "warn_old_function", "warn_once"]

_SAID: set[str] = set()
_SETTING = {"always": False}


def warn(message: str) -> None:
    """A UserWarning."""
    warnings.warn(message, UserWarning, stacklevel())


def warn_once(message: str) -> None:
    """A UserWarning, where there has not been the same one, or where `set_always` says so."""
    if message not in _SAID or _SETTING["always"]:
        _SAID.add(message)
        warnings.warn(message, UserWarning, stacklevel())


def warn_old_function(name: str, today: str) -> None:
    """Warn that a newer function replaces this one."""
    warn_once(f"torch.{name} is deprecated in favor of {today}, which programs should call instead.")


def warn_of_imaginary_parts(source: Any, target: Any) -> None:
    """Warn if a cast from one dtype to another loses them."""
    if discards(source, target):
        warn_once("Casting complex values to real discards the imaginary part")


def set_always(always: bool) -> None:
    """Return whether one-time warnings are repeated."""
    _SETTING["always"] = always
