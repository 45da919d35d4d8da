"""Writes a module's text to a file that stands on its own: imports, the source of the user's helpers, the constants."""
from __future__ import annotations

import ast
import builtins
import inspect
import math
import os
import pathlib
import sys
import textwrap
import types
from typing import Any

import numpy as np

from ..errors import TransgradError
from .module import Module

__all__ = ["ExportError", "export"]

#: What a standalone file may import.
_ALLOWED = ("numpy", "math", "cmath", "operator", "itertools", "functools", "builtins", "collections", "dataclasses", "typing")


class ExportError(TransgradError):
    """A derivative that cannot be written to a file of its own."""


def export(module: Module, path: str | os.PathLike[str], standalone: bool = True) -> str:
    """Writes a module that defines ``module.entry``.

    Parameters
    ----------
    module : Module
        What `emit` wrote.
    path : path-like
        The file to write.
    standalone : bool, optional
        True for a file that needs NumPy alone: the source of the helpers that it calls is copied into it.  False for one
        that imports them.

    Returns
    -------
    str
        The text of the file.

    Raises
    ------
    ExportError
        Where the file would need something that has neither a name to import nor a text to copy.
    """
    text = _Exporter(module, standalone).text()
    pathlib.Path(path).write_text(text, encoding="utf-8")
    return text


class _Exporter:
    def __init__(self, module: Module, standalone: bool):
        self.module, self.standalone = module, standalone
        self.imports: dict[str, None] = {}
        self.parts: list[str] = []
        #: What each name in the file means, so that two helpers cannot mean different things by one name.
        self.bound: dict[str, Any] = {}
        self.open: list[str] = []

    def text(self) -> str:
        """The whole file."""
        for name, obj in self.module.names.items():
            self.need(name, obj)
        imports = sorted(self.imports, key=lambda line: (line.startswith("from"), line))
        blocks = ["\n".join(imports)] if imports else []
        return "\n\n\n".join([*blocks, *self.parts, self.module.text.rstrip("\n")]) + "\n"

    def need(self, name: str, obj: Any) -> None:
        """Makes ``name`` mean ``obj`` in the file."""
        if name in self.bound:
            if self.bound[name] is not obj:
                self.refuse(name, obj, "two helpers mean different things by this name", "rename one of them")
            return
        self.bound[name] = obj
        if isinstance(obj, types.ModuleType):
            self.need_module(name, obj)
        elif (line := self.imported(name, obj)) is not None:
            self.imports[line] = None
        elif isinstance(obj, (types.FunctionType, type)):
            self.copy(name, obj)
        else:
            self.constant(name, obj)

    def refuse(self, name: str, obj: Any, why: str, remedy: str) -> None:
        """Raises the error for something that cannot be exported."""
        chain = f" (needed by {', '.join(reversed(self.open))})" if self.open else ""
        raise ExportError(f"cannot export {self.module.entry}: {name!r}, {_describe(obj)}{chain}: {why}", remedy=remedy)

    def need_module(self, name: str, obj: types.ModuleType) -> None:
        """An import of a module."""
        root = obj.__name__.split(".")[0]
        if self.standalone and root not in _ALLOWED:
            self.refuse(name, obj, "the file would not stand on its own", "use standalone=False to import it")
        if sys.modules.get(obj.__name__) is not obj:
            self.refuse(name, obj, "it cannot be imported by its name", "give the helper a module of its own")
        plain = name == obj.__name__
        self.imports[f"import {obj.__name__}" if plain else f"import {obj.__name__} as {name}"] = None
        if plain:
            # scipy.special is only there once it is imported, too
            for path in _attribute_paths(self.module.text, name):
                if f"{name}.{path}" in sys.modules:
                    self.imports[f"import {name}.{path}"] = None

    def imported(self, name: str, obj: Any) -> str | None:
        """The import line for an object, if it may be imported."""
        if isinstance(obj, np.ufunc) and getattr(np, obj.__name__, None) is obj:
            where: str | None = "numpy"
        else:
            where = getattr(obj, "__module__", None) if callable(obj) else None
        own = getattr(obj, "__name__", None)
        if not isinstance(where, str) or not isinstance(own, str):
            return None
        where = "math" if where == "math" else "builtins" if where == "builtins" else where
        if getattr(builtins, own, None) is obj:
            where = "builtins"
        elif where == "_operator":
            where = "operator"
        elif where.split(".")[0] == "numpy" and getattr(np, own, None) is obj:
            where = "numpy"
        if self.standalone and where.split(".")[0] not in _ALLOWED:
            return None
        if where == "__main__" or getattr(sys.modules.get(where), own, None) is not obj:
            return None
        return f"from {where} import {own}" + ("" if own == name else f" as {name}")

    def copy(self, name: str, obj: Any) -> None:
        """The source of a function or class, after that of what it needs."""
        if isinstance(obj, types.FunctionType) and obj.__code__.co_freevars:
            self.refuse(name, obj, f"it closes over {', '.join(obj.__code__.co_freevars)}", "pass these as arguments")
        try:
            source = textwrap.dedent(inspect.getsource(obj))
            node = ast.parse(source).body[0]
        except (OSError, TypeError, SyntaxError, IndexError):
            self.refuse(name, obj, "its source cannot be found", "define it in a file, or use standalone=False")
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            self.refuse(name, obj, "it is a lambda inside other code", "define it with def")
            return
        scope = vars(sys.modules[obj.__module__]) if isinstance(obj, type) else obj.__globals__
        decorators = {n.id for d in node.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)}
        if decorators and "transgrad" in {str(getattr(scope.get(d), "__name__", "")).split(".")[0] for d in decorators}:
            node.decorator_list = []
            source = ast.unparse(node)
        self.open.append(name)
        for used in _global_names(node):
            if used in scope and scope[used] is not obj:
                self.need(used, scope[used])
            elif used not in scope and not hasattr(builtins, used):
                self.refuse(used, None, "it is not defined", "define it before exporting")
        self.open.pop()
        self.parts.append(source.rstrip("\n") if node.name == name else f"{source.rstrip()}\n\n\n{name} = {node.name}")
        if node.name != name:
            if node.name in self.bound and self.bound[node.name] is not obj:
                self.refuse(node.name, obj, "two helpers have this name", "rename one of them")
            self.bound[node.name] = obj

    def constant(self, name: str, obj: Any) -> None:
        """A constant, by its value."""
        text = _spelled(obj)
        if text is None:
            if not self.standalone:
                where = self.home(name, obj)
                if where is not None:
                    self.imports[f"from {where} import {name}"] = None
                    return
            self.refuse(name, obj, "its value has no text", "pass it as an argument")
            return
        if "np." in text:
            self.need("np", np)
        self.parts.append(f"{name} = {text}")

    def home(self, name: str, obj: Any) -> str | None:
        """A module that has the object under this name."""
        return next((m for m in sorted(sys.modules) if m != "__main__" and vars(sys.modules[m]).get(name) is obj), None)


def _describe(obj: Any) -> str:
    where = getattr(obj, "__module__", None)
    kind = type(obj).__name__
    return f"a {kind}" + (f" of {where}" if isinstance(where, str) and callable(obj) else "")


def _attribute_paths(text: str, root: str) -> list[str]:
    """Dotted paths under a name that a text mentions (``special.erf`` of ``scipy.special.erf``), and their beginnings."""
    out: dict[str, None] = {}
    for node in ast.walk(ast.parse(text)):
        path: list[str] = []
        while isinstance(node, ast.Attribute):
            path.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id == root:
            path.reverse()
            for k in range(1, len(path) + 1):
                out[".".join(path[:k])] = None
    return sorted(out)


def _global_names(node: ast.AST) -> list[str]:
    """Names that a definition reads and does not bind itself, in order; annotations count, for they are evaluated."""
    bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del))}
    bound |= {a.arg for a in ast.walk(node) if isinstance(a, ast.arg)}
    bound |= {n.name for n in ast.walk(node) if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n is not node}
    bound |= {a.asname or a.name.split(".")[0] for n in ast.walk(node) if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names}
    own = {n for g in ast.walk(node) if isinstance(g, ast.Global) for n in g.names}
    reads = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return [n for n in dict.fromkeys(reads) if n not in bound or n in own]


def _spelled(obj: Any) -> str | None:
    """Python text for the value of a constant."""
    if isinstance(obj, np.ndarray):
        if obj.size > 10_000 or obj.dtype.kind not in "fciub" or type(obj) is not np.ndarray:
            return None
        with np.printoptions(threshold=sys.maxsize, floatmode="unique", linewidth=110):
            text = _spelled(obj.tolist())
        shape = f".reshape({obj.shape})" if not obj.size else ""
        return None if text is None else f"np.array({text}, dtype=np.{obj.dtype.name}){shape}"
    if isinstance(obj, np.generic) and obj.dtype.kind in "fciub":
        inner = _spelled(obj.item())
        return None if inner is None else f"np.{obj.dtype.name}({inner})"
    if isinstance(obj, np.dtype):
        return f"np.dtype({obj.name!r})"
    if type(obj) is float and not math.isfinite(obj):
        return "np.nan" if math.isnan(obj) else "np.inf" if obj > 0 else "-np.inf"
    if obj is None or obj is Ellipsis or type(obj) in (bool, int, float, str, bytes):
        return repr(obj)
    if type(obj) is complex:
        return repr(obj) if np.isfinite(obj) else None
    if type(obj) in (list, tuple, set, frozenset):
        items = [_spelled(i) for i in obj]
        if any(i is None for i in items):
            return None
        inside = ", ".join(map(str, items))
        if isinstance(obj, (set, frozenset)):
            return f"{type(obj).__name__}([{', '.join(sorted(map(str, items)))}])"
        return f"[{inside}]" if type(obj) is list else f"({inside}{',' if len(items) == 1 else ''})"
    if type(obj) is dict:
        pairs = [(_spelled(k), _spelled(v)) for k, v in obj.items()]
        return None if any(k is None or v is None for k, v in pairs) else "{" + ", ".join(f"{k}: {v}" for k, v in pairs) + "}"
    return None
