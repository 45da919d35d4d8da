"""Find the syntax tree of a function object.

Uses only the code object: its file name, first line and the column positions of its instructions. The source comes
from `linecache`, so notebooks, doctests and registered sources are found like files.
"""
from __future__ import annotations

import ast
import contextlib
import contextvars
import linecache
import sys
import types
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...errors import NoSourceError
from ...ir.ops import Loc
from ...ir.parsing import parse
from ...pickling import NAMELESS
from .insertions import mark_insertions, mentions_insertions
from .private_names import write_private_names
from .source_matching import compiles_to
from .syntax import as_gast

__all__ = ["FunctionSource", "functions_read", "may_change", "register", "source_of"]

_CACHE: "weakref.WeakKeyDictionary[types.CodeType, FunctionSource]" = weakref.WeakKeyDictionary()
_TREES: dict[str, tuple[int, ast.Module]] = {}
_READ: contextvars.ContextVar[tuple[dict[int, types.FunctionType], ...]] = contextvars.ContextVar("functions read", default=())
_FURTHER = 400      # lines a last statement may go on after its last instruction


@dataclass(eq=False)
class FunctionSource:
    """The tree of one function, and the data for locations in it."""

    node: Any
    file: str
    offset: int = 0
    lines: list[str] = field(default_factory=list)
    #: Facts about nodes of this tree that are computed once (assigned names, whether it yields).
    notes: dict[Any, Any] = field(default_factory=dict)

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def loc(self, node: Any, statement: bool = False) -> Loc:
        """The location of a node; its source line is the header of the statement on one line."""
        line = getattr(node, "lineno", 1) + self.offset
        col = getattr(node, "col_offset", 0) + 1
        end = getattr(node, "end_col_offset", None)
        if getattr(node, "end_lineno", None) != getattr(node, "lineno", None):
            end = None
        text = self._text(node) if statement else self.line(line).strip()
        return Loc(self.file, line, col, text, None if end is None else end + 1)

    def _text(self, node: Any) -> str:
        first = node.lineno + self.offset
        last = (node.end_lineno or node.lineno) + self.offset
        if first == last:
            return _uncommented(self.line(first))
        body = getattr(node, "body", None) or getattr(node, "cases", None)
        if isinstance(body, list) and body:
            start = getattr(body[0], "lineno", None) or getattr(getattr(body[0], "pattern", None), "lineno", None)
            last = max(first, (start or node.lineno) + self.offset - 1)
            if body and getattr(body[0], "decorator_list", None):
                last = max(first, body[0].decorator_list[0].lineno + self.offset - 1)
        parts = [_uncommented(self.line(k)) for k in range(first, last + 1)]
        if isinstance(body, list):      # comments and blank lines before the first statement are not of the header
            while len(parts) > 1 and not parts[-1]:
                parts.pop()
        return " ".join(p for p in parts if p)


def _uncommented(line: str) -> str:
    line = line.strip()
    if "#" not in line:
        return line
    quote = ""
    for k, c in enumerate(line):
        if quote:
            quote = "" if c == quote and line[k - 1] != "\\" else quote
        elif c in "'\"":
            quote = c
        elif c == "#":
            return line[:k].rstrip()
    return line


def source_of(func: Any) -> FunctionSource:
    """The source of a Python function; raises `NoSourceError` if there is none."""
    code = func.__code__
    found = _CACHE.get(code)
    if found is None:
        found = _CACHE[code] = _find(func, code)
    for functions in _READ.get():
        functions[id(func)] = func
    return found


def register(func: types.FunctionType, source: FunctionSource) -> None:
    """Register the source of a function that was derived from another one."""
    _CACHE[func.__code__] = source


@contextlib.contextmanager
def functions_read() -> Iterator[dict[int, types.FunctionType]]:
    """Collect the functions whose source is asked for, by their id."""
    functions: dict[int, types.FunctionType] = {}
    token = _READ.set((*_READ.get(), functions))
    try:
        yield functions
    finally:
        _READ.reset(token)


#: Libraries whose functions and methods are assumed not to change.
_FIXED = frozenset(sys.stdlib_module_names) - {"__main__"} | {"numpy", "scipy", "transgrad"}


def may_change(x: Any) -> bool:
    """Whether a function or class is one of the user's: its code, its defaults or its methods may be replaced."""
    return x is not None and (getattr(x, "__module__", None) or "").partition(".")[0] not in _FIXED


def _find(func: types.FunctionType, code: types.CodeType) -> FunctionSource:
    file = code.co_filename
    if file.startswith("<frozen "):     # a module of the standard library that the interpreter holds compiled
        file = func.__globals__.get("__file__") or file
    lines = linecache.getlines(file, func.__globals__)
    if not lines:
        lines = _from_history(code)
    if not lines and file == NAMELESS:
        raise NoSourceError(
            f"the source of {func.__qualname__}() cannot be found: it was pickled by value, without the name of its file", None,
            "pickle the derivative instead of the function, or define the function in a module that this process can import")
    if not lines:
        raise NoSourceError(
            f"the source of {func.__qualname__}() cannot be found (it was compiled from {file!r})", None,
            "define the function in a file or a notebook cell; for source made at run time, register it before it is compiled: "
            "linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)")
    if code.co_name == "<lambda>":
        node = _lambda(func, file, lines)
        offset = 0
    else:
        node, offset = _def(code, lines)
    if node is None or not compiles_to(node, func, offset):
        raise NoSourceError(
            f"the contents of {file!r} are not the source that {func.__qualname__}() was compiled from", None,
            "reload the module if the file was edited; give source created at run time its own file name and register it with linecache")
    tree = as_gast(node)
    write_private_names(tree, code)
    source = FunctionSource(tree, file, offset, lines)
    if mentions_insertions(code):
        mark_insertions(source)
    return source


def _def(code: types.CodeType, lines: list[str]) -> tuple[Any, int]:
    """A ``def``: the lines from its first to its last instruction, and as many more as it takes to parse."""
    first = code.co_firstlineno
    last = max(first, _last_line(code))
    if first > len(lines):
        return None, 0
    head = "if 1:\n" if lines[first - 1][:1] in " \t" else ""
    margin = _margin(lines[first - 1])
    while last < len(lines) and (not lines[last].strip() or _margin(lines[last]) > margin):     # code that never runs has no instructions
        last += 1
    for end in range(last, min(last + _FURTHER, len(lines)) + 1):
        try:
            tree = parse(head + "".join(lines[first - 1:end]))
        except SyntaxError:
            continue
        if not tree.body:
            continue
        node: Any = tree.body[0].body[0] if head and isinstance(tree.body[0], ast.If) else tree.body[0]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _mangled(node.name, code) == code.co_name:
            return node, first - 1 - bool(head)
        break
    for node in ast.walk(_tree(code.co_filename, lines)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if start == first:
                return node, 0
    return None, 0


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _mangled(name: str, code: types.CodeType) -> str:
    return name if not (name.startswith("__") and not name.endswith("__")) else code.co_name if code.co_name.endswith(name) else name


def _last_line(code: types.CodeType) -> int:
    last = max((line for _, _, line in code.co_lines() if line), default=code.co_firstlineno)
    return max([last, *(_last_line(c) for c in code.co_consts if isinstance(c, types.CodeType))])


def _tree(file: str, lines: list[str]) -> ast.Module:
    text = "".join(lines)
    key = hash(text)
    found = _TREES.get(file)
    if found is None or found[0] != key:
        if len(_TREES) > 32:
            _TREES.clear()
        found = _TREES[file] = key, parse(text)
    return found[1]


def _lambda(func: types.FunctionType, file: str, lines: list[str]) -> Any:
    """A lambda: the smallest one whose body holds every position of the code."""
    code = func.__code__
    first = code.co_firstlineno
    try:
        tree = _tree(file, lines)
    except SyntaxError:
        return None
    candidates = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda) and n.lineno <= first <= (n.end_lineno or n.lineno)]
    exact = [n for n in candidates if n.lineno == first]
    candidates = exact or candidates
    if len(candidates) > 1:
        places = [(a, c, b, d) for a, b, c, d in code.co_positions() if a and c is not None and (b, d) != (a, 0) and (c, d) != (0, 0)]
        if places:
            start = min((a, c) for a, c, _, _ in places)
            end = max((b, d) for _, _, b, d in places)
            inside = [n for n in candidates
                      if (n.body.lineno, n.body.col_offset) <= start and end <= (n.body.end_lineno, n.body.end_col_offset)]
            inside.sort(key=lambda n: ((n.end_lineno or 0) - n.lineno, (n.end_col_offset or 0) - n.col_offset))
            return inside[0] if inside else None
        same = [n for n in candidates if compiles_to(n, func)]
        if len({ast.dump(n) for n in same}) == 1:
            return same[0]
        return None
    return candidates[0] if candidates else None


def _from_history(code: types.CodeType) -> list[str]:
    """The source typed at an interactive prompt, if the prompt has a history: the last ``def`` that compiles to ``code``."""
    if not code.co_filename.startswith("<stdin>") and not code.co_filename.startswith("<python-input"):
        return []
    try:
        import readline
    except ImportError:
        return []
    typed = [readline.get_history_item(k) or "" for k in range(1, readline.get_current_history_length() + 1)]
    for start in range(len(typed) - 1, -1, -1):
        if f"def {code.co_name}" not in typed[start] and "lambda" not in typed[start]:
            continue
        for end in range(start + 1, len(typed) + 1):
            text = "\n".join(typed[start:end]) + "\n"
            try:
                module = compile(text, code.co_filename, "exec")
            except SyntaxError:
                continue
            for inner in module.co_consts:
                if isinstance(inner, types.CodeType) and inner.co_code == code.co_code and inner.co_consts == code.co_consts \
                        and inner.co_names == code.co_names:
                    return ["\n"] * (code.co_firstlineno - inner.co_firstlineno) + text.splitlines(True)
            if end - start > 200:
                break
    return []
