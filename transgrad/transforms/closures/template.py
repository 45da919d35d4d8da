"""A variant without the function that it was compiled for: other functions with the same code run the same generated code.

The generated code and the guards name objects. Those that belong to the function (itself, its closure cells, and the functions in them)
are replaced by the corresponding objects of another function. The other objects stay. Objects of the user that a guard knows by identity
are held weakly, so that a template keeps no arrays and no instances alive.
"""
from __future__ import annotations

import inspect
import sys
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...emit.text import Module
from ...ir.attributes import Guard
from ...ir.types import Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT
from ..argument_likeness import likeness
from ..cache.variant import StoredVariant
from ..guards import Guards
from ..variants import Variant

if TYPE_CHECKING:
    from ...emit.numba import Native
    from ...ir.ops import Tree
    from ..derivative import Derivative
    from .layout import Layout

__all__ = ["NotShareable", "SharedVariant", "Template"]

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...))
#: objects that hold no data of the user
_LASTING = (*_PLAIN, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType,
            types.WrapperDescriptorType, types.CodeType, type, np.ufunc, np.dtype,
            Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT)


class NotShareable(Exception):
    """A variant depends on an object that cannot be found again from another function."""


class _Objects:
    """Objects by name: those that stay, and how to find the others from the layout of another function."""

    __slots__ = ("fixed", "moving")

    def __init__(self, fixed: dict[str, Any], moving: list[tuple[str, str, Any]]):
        self.fixed, self.moving = fixed, moving

    def found(self, objects: list[Any]) -> dict[str, Any]:
        """The objects for a function; raises `NotShareable` where one of them is gone."""
        names = self.fixed.copy()
        for name, how, data in self.moving:
            if how == "object":
                names[name] = objects[data]
            elif how == "weak":
                names[name] = held = data()
                if held is None:
                    raise NotShareable(name)
            elif isinstance(data, tuple):
                names[name] = objects[data[0]].__kwdefaults__[data[1]]
            else:
                names[name] = getattr(objects[data], how)
        return names


class _Sorter:
    """Decides for each object that a variant names how another function finds it."""

    def __init__(self, layout: Layout, variant: Variant):
        self.places = layout.seen
        functions = [(k, f) for k, f in enumerate(layout.objects) if type(f) is types.FunctionType]
        self.globals = {id(f.__globals__): k for k, f in functions}
        self.of_modules = {id(x) for _, f in functions for x in f.__globals__.values()}
        cells = [x.cell_contents for x in layout.objects if type(x) is types.CellType]
        self.users = {id(x) for x in (*cells, *(x for _, container, _, expected in variant.guards.facts for x in (container, expected)))}

    def sorted(self, names: Mapping[str, Any]) -> _Objects:
        """Sort the objects that source or a check names."""
        fixed: dict[str, Any] = {}
        moving: list[tuple[str, str, Any]] = []
        for name, x in names.items():
            place = self.places.get(id(x))
            if place is not None:
                moving.append((name, "object", place))
            elif id(x) in self.globals:
                moving.append((name, "__globals__", self.globals[id(x)]))
            elif self._lasts(x):
                fixed[name] = x
            else:
                try:
                    moving.append((name, "weak", weakref.ref(x)))
                except TypeError:
                    raise NotShareable(name) from None
        return _Objects(fixed, moving)

    def _lasts(self, x: Any) -> bool:
        """Whether a template may hold an object: no data of the user hangs on it, or the module holds it anyway."""
        if isinstance(x, _LASTING):
            return True
        if type(x) is tuple:
            return all(isinstance(item, _LASTING) for item in x)
        if type(x) is dict and isinstance(x.get("__name__"), str) and vars(sys.modules.get(x["__name__"], types)) is x:
            return True
        if id(x) in self.users:
            return isinstance(x, (dict, list, set)) and id(x) in self.of_modules
        return True     # a constant of the compiler

    def check(self, facts: list[Guard], scope: Mapping[str, Any]) -> _Objects:
        """Sort the objects of a check: the code and the defaults of a function go with the function."""
        rest = dict(scope)
        moving: list[tuple[str, str, Any]] = []
        for k, (kind, container, _, _) in enumerate(facts):
            place = self.places.get(id(container)) if kind == "code" else None
            if place is None:
                continue
            rest.pop(f"k{k}")
            moving.append((f"k{k}", "__code__", place))
            if container.__defaults__ is not None:
                rest.pop(f"e{k}")
                moving.append((f"e{k}", "__defaults__", place))
            for n, name in enumerate(container.__kwdefaults__ or {}):
                rest.pop(f"d{k}_{n}")
                moving.append((f"d{k}_{n}", "", (place, name)))
        found = self.sorted(rest)
        return _Objects(found.fixed, [*found.moving, *moving])


class _Half:
    """The generated code of a variant, without its backward half."""

    def __init__(self, variant: Variant, sorter: _Sorter):
        module = variant.module
        assert module.code is not None
        if any(getattr(x, "__name__", "") == "transgrad.runtime.tape" for x in module.names.values()):
            raise NotShareable("a call runs on the tape")
        self.text, self.entry, self.code, self.origins = module.text, module.entry, module.code, module.origins()
        self.types, self.parameters, self.on_floats = variant.types, variant.parameters, variant.on_floats
        self.objects = sorter.sorted(module.names)
        #: Whether NumPy's arithmetic takes over where Python's raises an exception.
        self.again = hasattr(variant.function, "__wrapped__")
        names = inspect.unwrap(variant.function).__globals__
        self.scope = {name: names[name] for name in ("__name__", "__file__", "__builtins__")}

    def loaded(self, objects: list[Any]) -> tuple[Module, Callable[..., Any]]:
        """The module and the function for the objects of another layout."""
        names = self.objects.found(objects)
        scope = {**self.scope, **names}
        exec(self.code, scope)
        return Module(self.text, names, self.entry, code=self.code, stored=self.origins), scope[self.entry]


class Template:
    """A variant that functions of one layout share.

    Parameters
    ----------
    variant : Variant
        The variant of the first function.
    layout : Layout
        The layout of that function.
    values : mapping
        The arguments that it was compiled for, by name.
    free : list of int
        The places of the cells that the generated code reads when it runs.

    Raises
    ------
    NotShareable
        If the variant depends on objects that cannot be found again.
    """

    def __init__(self, variant: Variant, layout: Layout, values: Mapping[str, Any], free: list[int]):
        sorter = _Sorter(layout, variant)
        self.facts = [self._described(fact, sorter) for fact in variant.guards.facts]
        self.parameters = variant.parameters
        self.roots = {name: f"args[{k}]" for k, (name, _) in enumerate(variant.parameters)}
        self.checks = dict(variant.guards.codes)
        guards = Guards(variant.guards.facts, variant.guards.names, self.checks)
        written = guards.written(self.roots, {})
        self.check: types.CodeType | None = None
        if written is not None:
            text, scope = written
            if "names[" in text:
                raise NotShareable("a guard on an object of the function's module")
            self.check = self.checks[text]
            self.scope = sorter.check(variant.guards.facts, {**scope, "names": None})
        self.forward = _Half(variant, sorter)
        self.backward = None if variant.backward is None else _Half(variant.backward, sorter)
        self.returns = variant.primal.returns if self.backward is not None and variant.primal is not None else None
        if self.returns is not None and not _is_plain(self.returns):
            raise NotShareable("the structure of the result contains objects")
        #: Whether calls by position alone are calls of the generated function.
        self.by_position = all(kind in ("ordinary", "positional") for _, kind in variant.parameters)
        self.like = likeness(values)
        self.free = [(layout.names[k], k) for k in free]

    @staticmethod
    def _described(fact: Guard, sorter: _Sorter) -> _Objects:
        kind, container, key, expected = fact
        return sorter.sorted({"kind": kind, "container": container, "key": key, "expected": expected})

    def instance(self, derivative: Derivative, layout: Layout, values: Sequence[Any]) -> SharedVariant | None:
        """The variant for another function, if it holds for these arguments, one for each parameter."""
        objects = layout.objects
        try:
            holds = None
            if self.check is not None:
                scope = self.scope.found(objects)
                exec(self.check, scope)
                holds = scope["holds"]
                if not holds(values, {}):
                    return None
            return SharedVariant(self, derivative, objects, holds)
        except NotShareable:
            return None

    def guards(self, objects: list[Any]) -> list[Guard]:
        """The guards for the objects of another layout."""
        return [Guard(**fact.found(objects)) for fact in self.facts]


def _is_plain(tree: Tree) -> bool:
    """Whether a structure holds no objects but plain ones and classes."""
    return isinstance(tree.value, _PLAIN) and all(map(_is_plain, tree.items)) and all(isinstance(key, _PLAIN) for key in tree.keys)


class _Bound(Guards):
    """Guards of a shared variant: the check for calls by position is there already."""

    def __init__(self, variant: SharedVariant):
        super().__init__(variant._template.guards(variant._objects), variant.module.names, variant._template.checks)
        if variant._holds is not None:
            self._bound[tuple(variant._template.roots.items())] = variant._holds


class SharedVariant(StoredVariant):
    """A variant whose generated code was compiled for another function with the same code.

    Its IR is compiled when it is first asked for.
    """

    __slots__ = ("_guards", "_objects", "_parent", "_template")

    def __init__(self, template: Template, derivative: Derivative, objects: list[Any], holds: Any, forward: SharedVariant | None = None):
        self._template, self._derivative, self._objects, self._holds = template, derivative, objects, holds
        self._parent = forward
        self._guards: Guards | None = None
        self._compiled: Variant | None = None
        self.native: Native | None = None
        self.linear, self.like = None, template.like
        half = template.forward if forward is None else template.backward
        assert half is not None
        self.types, self.parameters, self.on_floats = half.types, half.parameters, half.on_floats
        self.module, function = half.loaded(objects)
        self.function = _or_with_numpy(function, self) if half.again else function
        self.backward = None
        if forward is None and template.backward is not None:
            self.backward = SharedVariant(template, derivative, objects, None, self)

    @property
    def guards(self) -> Guards:  # type: ignore[override]
        if self._guards is None:
            self._guards = _Bound(self) if self._parent is None else Guards((), {})
        return self._guards

    def _as_compiled(self) -> Variant:
        if self._parent is not None:
            backward = self._parent._as_compiled().backward
            assert backward is not None
            return backward
        if self._compiled is None:
            from ...frontend.free_variables import reading_at_run_time  # the variant itself needs no front end
            with reading_at_run_time((name, self._objects[k]) for name, k in self._template.free):
                self._compiled = super()._as_compiled()
        return self._compiled

    @property
    def returns(self) -> Tree:
        return self._template.returns or super().returns


def _or_with_numpy(function: Callable[..., Any], variant: SharedVariant) -> Callable[..., Any]:
    """The function, which runs with NumPy's arithmetic once Python's has raised an exception."""
    from ..compiling import or_with_numpy
    return or_with_numpy(function, lambda: variant.ir, variant.module.entry)
