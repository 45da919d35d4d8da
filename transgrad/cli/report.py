"""``transgrad report``: show the report of an internal error."""
from __future__ import annotations

import pathlib

from ..transforms.reporting import defects
from .target import TargetError

__all__ = ["show"]


def show(name: str | None, output: pathlib.Path | None) -> str:
    """Return the report of an internal error, or write it to a file and return the path."""
    found = defects.find(name)
    if found is None:
        what = f"no report {name!r}" if name else "no report of an internal error"
        raise TargetError(f"there is {what} in {defects.directory()}")
    text = found.read_text()
    if output is None:
        return text
    output.write_text(text)
    return str(output)
