"""Run the examples of Markdown pages, and compare or update their printed output.

The blocks of a page run in order in one namespace.  A block marked ``python`` is code, and so is a ``{code-cell}``, which the
documentation build executes as a notebook cell.  The block that follows may hold the printed output: it is marked ``text``
or ``py`` after ``python``, and ``{output}`` after ``{code-cell}``.  All other blocks are ignored.

``python docs/page_code.py FILE…`` updates the printed output of pages, of all pages if none is named; the tests compare it.
A page whose header says ``requires: PACKAGE`` is left out where that package is not installed.
"""
from __future__ import annotations

import contextlib
import importlib.util
import io
import linecache
import os
import pathlib
import re
import sys
import types
from dataclasses import dataclass
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(\{?[\w-]+\}?)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REQUIRES = re.compile(r"^requires: (\w+)$", re.MULTILINE)
OUTPUT = {"python": ("text", "py"), "{code-cell}": ("{output}", "text", "py")}


@dataclass
class Example:
    """A block that ran: its line, its printed output, and the output that the page shows, with its span."""

    line: int
    printed: str
    expected: str | None
    span: tuple[int, int] | None


def pages() -> list[pathlib.Path]:
    """Every page with code: the README and the documentation, without what the build generates."""
    found = sorted(p for p in (ROOT / "docs").rglob("*.md") if not {"_build", "generated"} & set(p.parts))
    return [ROOT / "README.md", *(p for p in found if any(b[1] in OUTPUT for b in BLOCK.finditer(p.read_text(encoding="utf-8"))))]


def missing(path: pathlib.Path) -> str | None:
    """A package that a page requires, in its header, and that is not installed."""
    found = REQUIRES.search(path.read_text(encoding="utf-8").partition("\n# ")[0])
    return found[1] if found and importlib.util.find_spec(found[1]) is None else None


def run(path: pathlib.Path) -> list[Example]:
    """Run the examples of a page in order."""
    os.environ["MPLBACKEND"] = "agg"
    text = path.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    module = types.ModuleType(f"docs_{path.stem.replace('-', '_')}")
    sys.modules[module.__name__] = module           # where dataclasses look for the names of annotations
    space: dict[str, Any] = module.__dict__
    out = []
    for k, block in enumerate(blocks):
        if block[1] not in OUTPUT:
            continue
        line = text.count("\n", 0, block.start()) + 1
        name = f"<{path.name}, line {line}>"
        code = re.sub(r"\A(:[\w-]+:.*\n)+", "", block[2])
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, name, "exec"), space)
        after = blocks[k + 1] if k + 1 < len(blocks) and blocks[k + 1][1] in OUTPUT[block[1]] else None
        shown = "\n".join(s.rstrip() for s in printed.getvalue().rstrip().split("\n")) + "\n"
        out.append(Example(line, shown, after and after[2], after and (after.start(2), after.end(2))))
    return out


def update(path: pathlib.Path) -> None:
    """Write the printed output into the blocks that follow the examples."""
    text = path.read_text(encoding="utf-8")
    for example in reversed(run(path)):
        if example.span is not None:
            text = text[:example.span[0]] + example.printed + text[example.span[1]:]
        elif example.printed.strip():
            print(f"{path.name}, line {example.line}: the page does not show {example.printed.strip()[:200]!r}", file=sys.stderr)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    given = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    os.chdir(ROOT)
    for page in given or pages():
        if missing(page):
            print(f"{page.name} needs {missing(page)}", file=sys.stderr)
        else:
            update(page)
