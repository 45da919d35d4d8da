"""The user's frames on the stack, without those of this package and of generated code."""
from __future__ import annotations

import sys
from types import FrameType

__all__ = ["stacklevel", "user_frames"]

_PACKAGE = __name__.partition(".")[0]


def _users(frame: FrameType) -> bool:
    module = frame.f_globals.get("__name__")
    return module is not None and module != _PACKAGE and not module.startswith(_PACKAGE + ".")


def _frames() -> list[FrameType]:
    """Those of the caller's caller and outwards."""
    frame: FrameType | None = sys._getframe(2)
    frames = []
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    return frames


def user_frames() -> list[FrameType]:
    """The frames, innermost first."""
    return [frame for frame in _frames() if _users(frame)]


def stacklevel() -> int:
    """What `warnings.warn`, called by the caller, takes to point at the user's line."""
    return next((level for level, frame in enumerate(_frames(), 1) if _users(frame)), 1)
