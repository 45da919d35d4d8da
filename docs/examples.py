"""Runs the examples of a Markdown file, and compares or fills in what they print.

A block marked ``python`` is run, in one namespace a file.  A block marked ``text`` or ``py`` that follows it (``py`` where it is
Python, as a derivative's source is) holds what it prints.  Blocks with other marks are left alone.

``python docs/examples.py FILE…`` rewrites the printed blocks; the tests compare them.
"""
from __future__ import annotations

import contextlib
import io
import linecache
import pathlib
import re
import sys
from dataclasses import dataclass
from typing import Any

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Example:
    """A block that was run: its place, what it printed, and the span and text of the block that says so."""

    line: int
    printed: str
    expected: str | None
    span: tuple[int, int] | None


def run(path: pathlib.Path) -> list[Example]:
    """Runs a file's examples in order."""
    text = path.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    space: dict[str, Any] = {"__name__": f"docs_{path.stem.replace('-', '_')}"}
    out = []
    for k, block in enumerate(blocks):
        if block[1] != "python":
            continue
        line = text.count("\n", 0, block.start()) + 1
        name = f"<{path.name}, line {line}>"
        code = block[2]
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, name, "exec"), space)
        after = blocks[k + 1] if k + 1 < len(blocks) and blocks[k + 1][1] in ("text", "py") else None
        out.append(Example(line, printed.getvalue().rstrip() + "\n", after and after[2], after and (after.start(2), after.end(2))))
    return out


def fill(path: pathlib.Path) -> None:
    """Writes what the examples print into the blocks that follow them."""
    text = path.read_text(encoding="utf-8")
    for example in reversed(run(path)):
        if example.span is not None:
            text = text[:example.span[0]] + example.printed + text[example.span[1]:]
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        fill(pathlib.Path(name))
