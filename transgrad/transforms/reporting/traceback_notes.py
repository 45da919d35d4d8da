"""Exception notes that name the user's line behind a line of generated code."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from ...emit.files import is_generated, origins_in
from ...emit.text import Origin

__all__ = ["annotate", "annotated", "origin_at"]

_PARTS = {"primal": "forward part", "adjoint": "reverse sweep", "tangent": "tangent"}
_MARK = "The generated line belongs to"


def origin_at(origins: Mapping[int, Origin], line: int) -> Origin | None:
    """The origin of a line, or of the nearest line above it that has one."""
    return next((origins[k] for k in range(line, 0, -1) if k in origins), None)


def annotate(error: BaseException) -> None:
    """Add a note with the user's file, line and statement to an exception that came through generated code.

    The innermost frame of generated code counts.  An exception has one such note.
    """
    frame, found = error.__traceback__, None
    while frame is not None:
        filename = frame.tb_frame.f_code.co_filename
        if is_generated(filename):
            found = filename, frame.tb_lineno
        frame = frame.tb_next
    if found is None or any(note.startswith(_MARK) for note in getattr(error, "__notes__", ())):
        return
    origin = origin_at(origins_in(found[0]), found[1])
    if origin is not None:
        error.add_note(f'{_MARK}\n  File "{origin.file}", line {origin.line} ({_PARTS[origin.part]})\n    {origin.text}')


@contextlib.contextmanager
def annotated() -> Iterator[None]:
    """A context in which exceptions get a note (see `annotate`)."""
    try:
        yield
    except Exception as error:
        annotate(error)
        raise
