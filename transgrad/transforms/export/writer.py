"""Collect the preamble of an exported module: imports, constants, and helpers in the order of their dependencies."""
from __future__ import annotations

import builtins
import functools
import importlib
import keyword
import sys
import textwrap
import types
from collections.abc import Collection, Mapping
from typing import Any

from ...emit.naming import unique
from ...errors import TransgradError
from ...frontend.statements.statement_outlining import is_statement
from ...ir.libraries import Library
from ...ir.opaque import OpaqueCall
from ...pickling import place_of
from ...runtime import tape
from . import literals
from .places import attributes_read, in_module, is_installed, root_of
from .sources import Source, class_source, function_source, imports_within, names_read

__all__ = ["Writer"]

_Cached = type(functools.lru_cache(lambda: None))


class Writer:
    """The parts of a module.

    Parameters
    ----------
    standalone : bool
        Whether functions and classes of the user are copied; otherwise they are imported.
    reserved : collection of str
        Names that nothing may get.
    promised : mapping
        Names that mean something already, though it has not been written yet.
    library : Library, optional
        The library of the arguments, if it is not NumPy.
    """

    def __init__(self, standalone: bool, reserved: Collection[str] = (), promised: Mapping[str, Any] | None = None,
                 library: Library | None = None):
        self.standalone, self.library = standalone, library
        self.imports: list[str] = []
        #: Constants and definitions in their order.
        self.parts: list[str] = []
        self._reserved = set(reserved)
        self._promised = dict(promised or {})
        self._meaning: dict[str, Any] = {}
        self._names: dict[int, str] = {}
        self._alive: list[Any] = []
        #: The attributes that are read of modules of ours, by the name of the module.
        self.attributes: dict[str, list[str]] = {}
        #: The containers and instances that are being written, by identity.
        self.within: set[int] = set()

    # -- names

    def unique(self, name: str) -> str:
        """A name that nothing has."""
        name = "".join(c if c.isalnum() else "_" for c in name) or "value"
        taken = {*self._reserved, *self._promised, *self._meaning, *vars(builtins)}
        name = unique(name if name.isidentifier() else f"_{name}", taken)
        self._reserved.add(name)
        return name

    def _is_free(self, name: str) -> bool:
        return name not in self._meaning and name not in self._reserved and name not in self._promised and not keyword.iskeyword(name)

    def define(self, name: str, obj: Any) -> None:
        """Make ``name`` mean ``obj`` in the module."""
        if name in self._meaning:
            if self._meaning[name] is not obj:
                raise TransgradError(f"two different things are called {name!r} in the exported module: {self._meaning[name]!r} and "
                                     f"{obj!r}", None, "rename one of them, or export with standalone=False")
            return
        if getattr(builtins, name, self) is obj:
            return
        known = self._names.get(id(obj))
        self._take(name, obj)
        if known is not None and known != name:
            self.parts.append(f"{name} = {known}")
        else:
            self._write(name, obj)

    def reference(self, obj: Any, hint: str) -> str:
        """The name of an object, which is added to the module if necessary."""
        known = self._names.get(id(obj))
        if known is not None:
            return known
        promised = next((name for name, held in self._promised.items() if held is obj), None)
        if promised is not None:
            self.define(promised, obj)
            return promised
        name = hint if self._is_free(hint) else self.unique(hint)
        self._take(name, obj)
        self._write(name, obj)
        return name

    def _take(self, name: str, obj: Any) -> None:
        self._meaning[name] = obj
        self._names.setdefault(id(obj), name)
        self._alive.append(obj)

    def add_import(self, line: str) -> None:
        """Add an import, once."""
        if line not in self.imports:
            self.imports.append(line)

    def imports_in_order(self) -> list[str]:
        """The imports: those of the future first, modules before names."""
        return sorted(self.imports, key=lambda line: (not line.startswith("from __future__"), line.startswith("from"), line))

    # -- objects

    def _write(self, name: str, obj: Any) -> None:
        stand_in = literals.stand_in(obj)
        if stand_in is not obj:
            self.parts.append(f"{name} = {self.reference(stand_in, stand_in.__name__)}") if name != stand_in.__name__ else \
                self._write(name, stand_in)
        elif obj is tape:       # a call that runs on the tape needs transgrad itself
            self.add_import(f"import transgrad.runtime.tape as {name}")
        elif isinstance(obj, types.ModuleType) and obj.__name__.split(".")[0] == "transgrad":
            parts = [f"{attribute}={self.reference(getattr(obj, attribute), attribute)}" for attribute in self.attributes.get(name, ())]
            self.parts.append(f"{name} = {self.reference(types.SimpleNamespace, 'SimpleNamespace')}({', '.join(parts)})")
        elif isinstance(obj, types.ModuleType):
            path = obj.__name__
            self.add_import(f"import {path}" if name == path else f"import {path} as {name}")
        elif isinstance(obj, OpaqueCall):
            self._call_of_primitive(name, obj)
        elif is_statement(obj) or isinstance(obj, (type, types.FunctionType)) and self._is_copied(obj):
            self._copy(name, obj)
        elif isinstance(obj, _Cached) and isinstance(obj.__wrapped__, types.FunctionType) and self._is_copied(obj.__wrapped__):
            settings = ", ".join(f"{k}={v!r}" for k, v in obj.cache_parameters().items())
            self._copy(name, obj.__wrapped__, obj, f"@{self.reference(functools, 'functools')}.lru_cache({settings})")
        elif (place := self.place(obj)) is not None:
            module, attribute = place
            self.add_import(f"from {module} import {attribute}" + (f" as {name}" if attribute != name else ""))
        else:
            self.parts.append(f"{name} = {self.expression(obj, name)}")

    def _call_of_primitive(self, name: str, call: OpaqueCall) -> None:
        """Write a call of a primitive, which is imported."""
        make, of, statics, description = call.recipe()
        place = place_of(of)
        if place is None or place[0] == "__main__":
            raise TransgradError(f"{getattr(of, '__name__', name)} is a tg.primitive that an exported module cannot import: no module "
                                 "other than the script that is run has a name for it", None,
                                 "assign it to a name at the top level of a module")
        module, path, layers = place
        root, *rest = path.split(".")
        alias = self._names.get(id(of))
        if alias is None:
            imported = self.unique(f"{root}_primitive")
            self.add_import(f"from {module} import {root} as {imported}")
            alias = ".".join((imported, *rest, *layers))
            self._take(alias, of)
        self.add_import(f"from {make.__module__} import {make.__name__} as call_of")
        fixed = ", ".join(self.expression(x, name) for x in statics)
        self.parts.append(f"{name} = call_of({alias}, [{fixed}], {description!r})")

    def expression(self, obj: Any, hint: str = "value") -> str:
        """An expression for an object."""
        return literals.expression(self, obj, hint)

    def _is_copied(self, obj: Any) -> bool:
        """Return whether a helper is copied rather than imported: the user's own, and transgrad's."""
        root = root_of(obj)
        if root == "transgrad":
            return True
        if is_installed(root) and root:
            return False
        return self.standalone or self.place(obj) is None or root == "__main__"

    def place(self, obj: Any) -> tuple[str, str] | None:
        """The module and the name by which an object is imported; None if its definition is written instead."""
        place = in_module(obj)
        if place is None or place[0].split(".")[0] in ("transgrad", "__main__") or self.standalone and not is_installed(place[0]):
            return None
        return place

    # -- definitions

    def _copy(self, name: str, obj: Any, made: Any = None, decorator: str = "") -> None:
        """Write the source of a function or class after its dependencies; ``made`` is the decorated object."""
        if isinstance(obj, type):
            call = literals.made_class(self, obj)
            if call is not None:
                self.parts.append(f"{name} = {call}")
                return
            source, scope = class_source(obj), vars(sys.modules[obj.__module__])
            given: dict[str, str] = {}
        else:
            owner = _owner(obj)
            if owner is not None:
                self.parts.append(f"{name} = {self.reference(owner, owner.__name__)}.{obj.__name__}")
                return
            source, scope = function_source(obj, self.expression), obj.__globals__
            cells = zip(obj.__code__.co_freevars, obj.__closure__ or ())
            given = {free: self.expression(cell.cell_contents, free) for free, cell in cells if cell.cell_contents is not obj}
        scope = {**scope, **self._imported_within(source, obj)}
        if decorator:
            source.text, obj = f"{decorator}\n{source.text}", made
        self._add_attributes(source.text, scope)
        for read in names_read(source.text):
            if read == source.name and scope.get(read, obj) is obj or read in given or read not in scope:
                continue
            held = scope[read]
            if getattr(builtins, read, self) is held:
                continue
            if self._meaning.get(read, self) is held or self._promised.get(read, self) is held or self._is_free(read):
                self.define(read, held)
            else:
                given[read] = self.reference(held, read)
        self.add_import("from __future__ import annotations")
        self.parts.append(self._definition(name, source, obj, given))

    def _add_attributes(self, text: str, scope: dict[str, Any]) -> None:
        """Write the attributes that a copied function reads of modules of ours; a module may be written before it is copied."""
        for read, attributes in attributes_read([text], scope).items():
            module = scope[read]
            if module is tape or module.__name__.split(".")[0] != "transgrad":
                continue
            name = self._names.get(id(module))
            known = self.attributes.setdefault(name or read, [])
            for attribute in attributes:
                if attribute not in known and hasattr(module, attribute):
                    known.append(attribute)
                    if name is not None:
                        self.parts.append(f"{name}.{attribute} = {self.reference(getattr(module, attribute), attribute)}")

    def _definition(self, name: str, source: Source, obj: Any, given: dict[str, str]) -> str:
        own = source.name
        if not given and own == name:
            return source.text
        if not given and (self._is_free(own) or self._meaning.get(own) is obj):
            self._meaning.setdefault(own, obj)
            return f"{source.text}\n\n\n{name} = {own}"
        factory = self.unique(f"_make_{name.lstrip('_')}")
        body = textwrap.indent(source.text, "    ")
        return f"def {factory}({', '.join(given)}):\n{body}\n    return {own}\n\n\n{name} = {factory}({', '.join(given.values())})"

    def _imported_within(self, source: Source, obj: Any) -> dict[str, Any]:
        """Remove the imports from modules on which the exported module must not depend; return the imported objects."""
        found: dict[str, Any] = {}
        package = getattr(sys.modules.get(obj.__module__), "__package__", None)

        def is_ours(module: str, level: int) -> bool:
            root = module.split(".")[0]
            return level > 0 or root == "transgrad" or self.standalone and not is_installed(root)

        for module, names in imports_within(source, is_ours):
            held = importlib.import_module(module, package)
            found.update((alias, getattr(held, name)) for name, alias in names)
        return found


def _owner(f: types.FunctionType) -> type | None:
    """The class of a method whose source cannot stand alone: it calls ``super()`` or reads private names."""
    path = f.__qualname__.split(".")
    if len(path) != 2 or path[0] == "<locals>":
        return None
    cls = getattr(sys.modules.get(f.__module__), path[0], None)
    needs = "__class__" in f.__code__.co_freevars or any(n.startswith(f"_{path[0].lstrip('_')}__") for n in f.__code__.co_names)
    return cls if needs and isinstance(cls, type) else None
