"""Writes a variant as a module that can be imported without transgrad."""
from __future__ import annotations

import builtins
import inspect
import math
import pathlib
import symtable
import sys
import textwrap
import types
from typing import Any

import numpy as np

from ..errors import TransgradError
from ..runtime import tape
from .fallback import taped_calls
from .variants import Variant

__all__ = ["export", "module_text"]


def export(variant: Variant, path: pathlib.Path, *, standalone: bool) -> pathlib.Path:
    """Writes the module and returns its path."""
    path.write_text(module_text(variant, standalone), encoding="utf-8")
    return path


def module_text(variant: Variant, standalone: bool) -> str:
    """The text of the module."""
    if standalone and any(held is tape for held in variant.module.names.values()):
        names = " and ".join(f"{call.name}()" for call in taped_calls(variant))
        raise TransgradError(f"{names} runs on the tape, so the text needs more than NumPy", None, "export with standalone=False")
    writer = _Writer(standalone)
    for name, obj in variant.module.names.items():
        writer.define(name, obj)
    types_line = ", ".join(f"{name}: {t}" for name, t in variant.types.items())
    head = f'"""{_summary(variant)}\n\nWritten by transgrad for {types_line or "no arguments"}.\n"""'
    parts = [head, "\n".join(sorted(writer.imports, key=_import_order)), "\n".join(writer.constants),
             *writer.definitions, variant.source.rstrip()]
    top = "\n\n".join(part for part in parts[:3] if part)
    return "\n\n\n".join([top, *(part for part in parts[3:] if part)]) + "\n"


def _import_order(line: str) -> tuple[bool, bool, str]:
    return not line.startswith("from __future__"), line.startswith("from"), line


def _summary(variant: Variant) -> str:
    return (inspect.getdoc(variant.function) or variant.module.entry).splitlines()[0]


class _Writer:
    """Collects what a module needs before its own functions: imports, constants, helpers, callees first."""

    def __init__(self, standalone: bool):
        self.standalone = standalone
        self.imports: list[str] = []
        self.constants: list[str] = []
        self.definitions: list[str] = []
        self._known: dict[str, Any] = {}

    def define(self, name: str, obj: Any) -> None:
        """Makes ``name`` mean ``obj`` in the module."""
        from ..frontend.apart import is_statement
        if name in self._known:
            if self._known[name] is not obj:
                raise TransgradError(f"two different things are called {name!r} in the exported module: {self._known[name]!r} and {obj!r}",
                                     None, "rename one of them, or export with standalone=False")
            return
        self._known[name] = obj
        if getattr(builtins, name, self) is obj:
            return
        if isinstance(obj, types.ModuleType):
            self._import_module(name, obj)
        elif is_statement(obj) or isinstance(obj, (type, types.FunctionType)) and self._own_text(obj):
            self._copy(name, obj)
        elif _from_module(obj) is not None:
            module, attribute = _from_module(obj)  # type: ignore[misc]
            self.imports.append(f"from {module} import {attribute}" + (f" as {name}" if attribute != name else ""))
        else:
            self.constants.append(f"{name} = {self._literal(name, obj)}")

    def _import_module(self, name: str, module: types.ModuleType) -> None:
        path = module.__name__
        self.imports.append(f"import {path}" if name == path else f"import {path} as {name}")

    def _own_text(self, obj: Any) -> bool:
        """Whether a helper is copied rather than imported: the user's own, and transgrad's."""
        root = (obj.__module__ or "").split(".")[0]
        if root in ("numpy", "scipy", "builtins") or root in sys.stdlib_module_names and root != "__main__":
            return False
        return self.standalone or root in ("__main__", "transgrad")

    def _copy(self, name: str, obj: Any) -> None:
        """Writes a function's or class's source, after what it refers to."""
        from ..frontend.apart import is_statement, statement_text
        if isinstance(obj, types.FunctionType) and obj.__code__.co_freevars:
            raise TransgradError(f"{name}() is a closure and cannot be written into a module", None,
                                 "move it to the top level of its module")
        try:
            source = statement_text(obj) if is_statement(obj) else textwrap.dedent(inspect.getsource(obj)).rstrip()
        except (OSError, TypeError) as error:
            raise TransgradError(f"the source of {name} cannot be found, so it cannot be written into a module", None,
                                 "export with standalone=False") from error
        scope = obj.__globals__ if isinstance(obj, types.FunctionType) else vars(sys.modules[obj.__module__])
        for read in _globals_of(source):
            if read != obj.__name__ and read in scope:
                self.define(read, scope[read])
        if obj.__name__ != name:
            source += f"\n\n\n{name} = {obj.__name__}"
        if "annotations" in scope and "from __future__ import annotations" not in self.imports:
            self.imports.append("from __future__ import annotations")
        self.definitions.append(source)

    def _literal(self, name: str, obj: Any) -> str:
        """A constant as an expression."""
        if isinstance(obj, np.ndarray) and obj.dtype.kind in "biufc":
            self.define("np", np)
            values = np.array2string(obj, separator=", ", threshold=sys.maxsize, floatmode="unique", max_line_width=120)
            if obj.size == 0:
                return f"np.zeros({obj.shape}, dtype=np.{obj.dtype.name})"
            for special in ("nan", "inf"):
                values = values.replace(special, f"np.{special}")
            return f"np.array({values}, dtype=np.{obj.dtype.name})"
        if isinstance(obj, np.generic) and obj.dtype.kind in "biufc":
            self.define("np", np)
            return f"np.{obj.dtype.name}({_number(obj.item())})"
        if isinstance(obj, (bool, int, float, complex, str, bytes, type(None))):
            if isinstance(obj, float) and not math.isfinite(obj):
                return f"float({str(obj)!r})"
            return repr(obj)
        if type(obj) in (tuple, list, set, frozenset):
            items = ", ".join(self._literal(name, item) for item in obj)
            if type(obj) is tuple:
                return f"({items}{',' * (len(obj) == 1)})"
            return f"[{items}]" if type(obj) is list else f"{type(obj).__name__}([{items}])"
        if type(obj) is dict:
            return "{" + ", ".join(f"{self._literal(name, k)}: {self._literal(name, v)}" for k, v in obj.items()) + "}"
        raise TransgradError(f"{name} is {type(obj).__name__}, which cannot be written into a module as text", None,
                             "pass it as an argument of the function")


def _globals_of(source: str) -> list[str]:
    """The names that a definition reads from its module."""
    found: dict[str, None] = {}

    def visit(table: symtable.SymbolTable) -> None:
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (symbol.is_global() or (table.get_type() == "module" and not symbol.is_assigned())):
                found[symbol.get_name()] = None
        for inner in table.get_children():
            visit(inner)

    visit(symtable.symtable(source, "<definition>", "exec"))
    return list(found)


def _number(value: Any) -> str:
    return f"float({str(value)!r})" if isinstance(value, float) and not math.isfinite(value) else repr(value)


def _from_module(obj: Any) -> tuple[str, str] | None:
    """Where an object can be imported from, or None."""
    module, name = getattr(obj, "__module__", None), getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    if isinstance(obj, np.ufunc):
        places = [place for place in ("numpy", "scipy.special") if getattr(sys.modules.get(place), obj.__name__, None) is obj]
        return (places[0], obj.__name__) if places else None
    if not module or not name or "." in name or getattr(sys.modules.get(module), name, None) is not obj:
        return None
    return module, name
