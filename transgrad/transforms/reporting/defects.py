"""Reports of internal errors: the information needed to reproduce one, without the user's data.

An internal error of the compiler is refused as an `InternalError`, so that the function runs on the tape.  Its report is put
into the cache directory, where ``transgrad report`` finds it; nothing leaves the machine.
"""
from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.metadata
import inspect
import pathlib
import platform
import re
import sys
import tempfile
import textwrap
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from ... import tree
from ...emit import cache
from ...errors import InternalError
from ..arguments import name_of

__all__ = ["directory", "find", "located", "report_of"]

_LONG = 24


def directory() -> pathlib.Path:
    """Where reports are kept."""
    return pathlib.Path(cache.base() or pathlib.Path(tempfile.gettempdir()) / "transgrad") / "defects"


def located(error: InternalError, title: str, primal: Callable[..., Any], values: Mapping[str, Any]) -> InternalError:
    """The error with the command that shows its report, which is written now."""
    text = report_of(error, title, primal, values)
    name = hashlib.sha256(text.encode()).hexdigest()[:10]
    with contextlib.suppress(OSError):      # a full or read-only disk
        directory().mkdir(parents=True, exist_ok=True)
        (directory() / f"{name}.md").write_text(text)
    error.command = f"transgrad report {name}"
    return error


def find(name: str | None) -> pathlib.Path | None:
    """The report of a name (its first characters will do); the newest where no name is given."""
    found = sorted(directory().glob(f"{name or ''}*.md"), key=lambda path: path.stat().st_mtime)
    return found[-1] if found else None


def report_of(error: InternalError, title: str, primal: Callable[..., Any], values: Mapping[str, Any]) -> str:
    """The report: versions, types of arguments, our frames of the traceback, and the source without comments and texts."""
    cause = error.__cause__ or error
    lines = [f"# Internal error in {title}", "", f"{type(cause).__name__}: {_masked(str(cause))}", "", "## Versions", ""]
    lines += [f"- Python {platform.python_version()} on {sys.platform}"]
    lines += [f"- {package} {_version(package)}" for package in ("transgrad", "numpy", "scipy", "numba")]
    lines += ["", "## Types of the arguments", ""]
    for name, value in values.items():
        lines += [f"- `{path}`: {tree.describe(leaf)}" for path, leaf in tree.leaves_with_paths(value, name)]
    lines += ["", "## Where in transgrad", "", "```text"]
    folder = str(pathlib.Path(__file__).parents[2])
    for frame in traceback.extract_tb(cause.__traceback__):
        if frame.filename.startswith(folder):
            lines.append(f"{frame.filename[len(folder) + 1:]}:{frame.lineno} in {frame.name}: {frame.line}")
    lines += ["```", "", "## Source", "", "Comments, docstrings and long strings are omitted.", ""]
    lines += ["```python", _source(primal), "```", ""]
    if error.loc is not None:
        lines += [f"The statement: `{_masked(error.loc.text.strip())}`", ""]
    return "\n".join(lines)


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "is not installed"


def _masked(text: str) -> str:
    """A message without the longer texts in it."""
    return re.sub(rf"(['\"])(?:(?!\1).){{{_LONG},}}\1", "'…'", text)


class _Masking(ast.NodeTransformer):
    """Removes docstrings, and puts ``…`` in place of longer texts."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, (str, bytes)) and len(node.value) >= _LONG:
            return ast.Constant("…" if isinstance(node.value, str) else b"...")
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        self.generic_visit(node)
        return node


def _source(primal: Any) -> str:
    try:
        text = textwrap.dedent(inspect.getsource(getattr(primal, "__wrapped__", primal)))
        return ast.unparse(_Masking().visit(ast.parse(text)))
    except (OSError, TypeError, SyntaxError):
        return f"# the source of {name_of(primal)} cannot be read by itself"
