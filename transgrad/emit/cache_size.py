"""The size of the cache: the limit, the deletion of files that were not used for the longest time, and a summary."""
from __future__ import annotations

import contextlib
import os
import pathlib
import re
import stat
import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..errors import CacheWarning
from . import cache

__all__ = ["DEFAULT", "clear", "evict", "files", "info", "limit", "written"]

#: The limit in bytes, without ``TRANSGRAD_CACHE_SIZE``.
DEFAULT = 512 * 2 ** 20
_UNITS = {"": 1, "k": 2 ** 10, "m": 2 ** 20, "g": 2 ** 30, "t": 2 ** 40}
_EVERY = 64             # writes of this process between two looks at the size of the directory
_ABANDONED = 3600.0     # seconds after which a file that was never completed is deleted
_AFTER = 0.8            # the part of the limit that is left after a deletion
_count = 0


class File(NamedTuple):
    """A file of the cache."""

    path: str
    size: int
    used: float


def limit() -> int:
    """Return the largest size of the cache in bytes: ``$TRANSGRAD_CACHE_SIZE``, for example ``200M`` or ``2G``.

    Examples
    --------
    >>> import os
    >>> os.environ["TRANSGRAD_CACHE_SIZE"] = "200M"
    >>> limit()
    209715200
    >>> del os.environ["TRANSGRAD_CACHE_SIZE"]
    >>> limit() == DEFAULT
    True
    """
    given = os.environ.get("TRANSGRAD_CACHE_SIZE", "").strip()
    if not given:
        return DEFAULT
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", given.lower())
    if found is None:
        warnings.warn(CacheWarning(f"TRANSGRAD_CACHE_SIZE={given!r} is not a size; the limit is {DEFAULT // 2 ** 20}M\n"
                                   "Hint: write a number of bytes, or a number with K, M, G or T, for example 200M"), stacklevel=2)
        return DEFAULT
    return int(float(found[1]) * _UNITS[found[2]])


def files(directory: str) -> Iterator[File]:
    """Yield the files of a cache directory. Symbolic links are not followed."""
    for folder in cache.FOLDERS:
        root = os.path.join(directory, folder)
        if os.path.islink(root):
            continue
        for path, _, names in os.walk(root):
            for name in names:
                with contextlib.suppress(OSError):      # another process has deleted it
                    found = os.lstat(os.path.join(path, name))
                    if stat.S_ISREG(found.st_mode):
                        yield File(os.path.join(path, name), found.st_size, max(found.st_mtime, found.st_atime))


def written(path: pathlib.Path) -> None:
    """Note that a file was written; now and then, delete files if the cache is larger than its limit."""
    global _count
    _count += 1
    directory = cache.base()
    if directory is None or not str(path).startswith(f"{directory}{os.sep}"):
        return
    if _count % _EVERY == 1 or _large(path):
        evict(directory, limit())


def _large(path: pathlib.Path) -> bool:
    with contextlib.suppress(OSError):
        return path.stat().st_size > limit() // _EVERY
    return False


def evict(directory: str, size: int) -> int:
    """Delete the files that were not used for the longest time, until the cache is smaller than its limit; return their number."""
    found = sorted(files(directory), key=lambda file: file.used)
    total, deleted, now = sum(file.size for file in found), 0, time.time()
    over = total > size
    for file in found:
        abandoned = file.path.endswith(".tmp")
        if abandoned and now - file.used > _ABANDONED or over and not abandoned and total > size * _AFTER:
            total -= file.size
            deleted += _delete(file.path)
    return deleted


def _delete(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def clear(directory: str) -> dict[str, Any]:
    """Delete all files of a cache directory; return their number and size, and the number of those that could not be deleted."""
    found = list(files(directory))
    deleted = [file for file in found if _delete(file.path)]
    for folder in cache.FOLDERS:
        for path, _, _ in os.walk(os.path.join(directory, folder), topdown=False):
            if not os.path.islink(path):
                with contextlib.suppress(OSError):      # not empty
                    os.rmdir(path)
    return {"directory": directory, "deleted": len(deleted), "bytes": sum(file.size for file in deleted),
            "left": len(found) - len(deleted)}


def info() -> dict[str, Any]:
    """Return a summary of the cache: its directory, limit, files and size, by folder, and the files that are not used, with reasons."""
    directory = cache.base()
    if directory is None:
        why = "TRANSGRAD_CACHE" if os.environ.get("TRANSGRAD_CACHE") in ("off", "0") else "no home directory"
        return {"directory": None, "off": why, "limit": limit(), "files": 0, "bytes": 0, "folders": {}, "unused": []}
    found = list(files(directory))
    folders = {}
    for name in cache.FOLDERS:
        inside = [f for f in found if f.path.startswith(os.path.join(directory, name) + os.sep)]
        folders[name] = {"files": len(inside), "bytes": sum(f.size for f in inside)}
    return {"directory": directory, "off": None, "limit": limit(), "files": len(found), "bytes": sum(f.size for f in found),
            "folders": folders, "unused": list(_unused(directory, found))}


def _unused(directory: str, found: list[File]) -> Iterator[str]:
    for path in (*(os.path.join(directory, name) for name in cache.FOLDERS), *(file.path for file in found)):
        with contextlib.suppress(OSError):
            why = cache.untrusted(os.lstat(path), path)
            if why:
                yield why
