"""``transgrad cache``: show where the disk cache is and how large, or delete its files."""
from __future__ import annotations

import json
from typing import Any

from ..emit import cache, cache_size

__all__ = ["run"]


def run(action: str, as_json: bool) -> int:
    """Run ``info`` or ``clear``; the exit code is 1 if files could not be deleted."""
    directory = cache.base()
    if action == "info":
        found = cache_size.info()
        print(json.dumps(found, indent=2) if as_json else shown(found))
        return 0
    if directory is None:
        cleared: dict[str, Any] = {"directory": None, "deleted": 0, "bytes": 0, "left": 0}
    else:
        cleared = cache_size.clear(directory)
    if as_json:
        print(json.dumps(cleared, indent=2))
    elif directory is None:
        print("the cache is off: there is nothing to delete")
    else:
        left = f"; {cleared['left']} could not be deleted" if cleared["left"] else ""
        print(f"deleted {cleared['deleted']} files ({_size(cleared['bytes'])}) in {directory}{left}")
    return 1 if cleared["left"] else 0


def shown(found: dict[str, Any]) -> str:
    """Format the summary as text."""
    if found["directory"] is None:
        return f"cache      off ({found['off']})"
    lines = [f"cache      {found['directory']}",
             f"size       {_size(found['bytes'])} of {_size(found['limit'])} in {found['files']} files"]
    lines += [f"{name:10s} {_size(folder['bytes'])} in {folder['files']} files" for name, folder in found["folders"].items()]
    return "\n".join([*lines, *(f"not used   {why}" for why in found["unused"])])


def _size(count: int) -> str:
    """Format a number of bytes.

    >>> _size(532), _size(200 * 2 ** 20)
    ('532 B', '200.0 MB')
    """
    size = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024 or unit == "GB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    raise AssertionError
