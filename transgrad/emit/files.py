"""Source files of generated code.

Generated code is written to a file in the cache directory, named after its function and a digest of its source, so that a
debugger can set a breakpoint in it, and profilers, coverage tools and tracebacks show its lines.  The file is the same in
every process.  With ``TRANSGRAD_CACHE=off`` it is in a private temporary directory, which is removed when the process ends.
Where no file can be written, the source is registered with `linecache` alone.
"""
from __future__ import annotations

import contextlib
import functools
import linecache
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from . import cache
from .text import Origin

__all__ = ["Lines", "expected_file", "is_generated", "origins_in", "publish"]

_FOLDER = "source"
#: The origin of the lines of each file, by line number.
_ORIGINS: dict[str, Mapping[int, tuple[Any, ...]]] = {}


class Lines(Sequence[str]):
    """The lines of a source, split when one is first asked for: few sources are ever shown."""

    def __init__(self, text: str):
        self.text = text

    @functools.cached_property
    def _lines(self) -> list[str]:
        return self.text.splitlines(keepends=True)

    def __getitem__(self, k: Any) -> Any:
        return self._lines[k]

    def __len__(self) -> int:
        return len(self._lines)


def expected_file(name: str, text: str) -> str:
    """The path of the file for a source, whether it exists or not."""
    name = re.sub(r"\W+", "_", name)[:80] or "function"
    return f"{cache.directory()}/{_FOLDER}/{name}_{cache.digest(text)[:12]}.py"


def publish(filename: str, text: str, origins: Mapping[int, tuple[Any, ...]]) -> None:
    """Write a source to its file, and register its lines and their origins.

    A file that exists is left as it is: its name depends on its content.
    """
    if not os.path.exists(filename):
        with contextlib.suppress(OSError):      # `linecache` has the source
            cache.write_text(filename, text)
    linecache.cache[filename] = len(text), None, cast(list[str], Lines(text)), filename
    _ORIGINS[filename] = origins


def is_generated(filename: str) -> bool:
    """Whether this process has loaded generated code under this file name."""
    return filename in _ORIGINS


def origins_in(filename: str) -> dict[int, Origin]:
    """The origin of each line of generated code that has one."""
    return {line: Origin(*origin) for line, origin in _ORIGINS.get(filename, {}).items()}
