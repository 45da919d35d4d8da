"""Pickling of callables that are made from functions.

A derivative pickles as its class and the arguments of its constructor. Compiled variants, locks and caches stay behind; the receiving
process compiles again, or finds the code in the disk cache. Functions travel as the pickler sends them: pickle writes the module and the
qualified name, cloudpickle writes the code of functions that the receiving process cannot import.

Two cases need more than that.

- A decorator replaces the function by its derivative. The name of the function then belongs to the derivative, and a reference to the
  function consists of the name and the attributes that lead from there to the function (``model.loss`` and ``primal``). The derivative
  itself is a reference to its name.
- A function that is written by value needs its source in the receiving process, where the compiler reads it. The source travels with it.
"""
from __future__ import annotations

import functools
import importlib
import pickle
import sys
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from .by_value import Sources, collected, restored
from .locks import reentrant_lock

__all__ = ["Rebuilt", "is_global", "place_of", "portable", "usable"]

_LOCK = reentrant_lock()
_PENDING = "_transgrad_pending"
#: Attributes that lead from an object to the function that it was made from.
_LAYERS = ("primal", "fun", "__func__", "__wrapped__")
_DEPTH = 8


class Rebuilt:
    """A callable that pickles as its class and the arguments of its constructor.

    Subclasses define `_recipe`. The constructor of an unpickled object runs when an attribute is first read: a function that refers to its
    own derivative is not complete before both have been read.
    """

    #: Attributes that are not shared with equal objects, and their first values.
    _own: Mapping[str, Any] = {}

    def _recipe(self) -> tuple[Any, ...]:
        """Return the arguments of the constructor."""
        raise NotImplementedError

    def _extras(self) -> dict[str, Any]:
        """Return further attributes, which are set before the constructor runs and after it."""
        return {}

    def declared(self, describe: Callable[[Any], Any]) -> Any:
        """Return what generated code assumes about the object, in plain values; None if another process cannot compare that.

        ``describe`` returns the description of an object in plain values, or raises an exception.
        """
        return None

    def is_declared(self, known: Any, resolve: Callable[[Any], Any]) -> bool:
        """Return whether what `declared` returned in another process holds here; ``resolve`` finds described objects."""
        return False

    def _build(self, *recipe: Any) -> None:
        """Run the constructor of an unpickled object."""
        self.__init__(*recipe)      # type: ignore[misc]

    def __reduce_ex__(self, protocol: Any) -> Any:
        cloud = _cloudpickle()
        items, attributes = self._recipe(), self._extras()
        place = place_of(self)
        if place is not None and not _by_value(place[0], cloud):
            if place == _assigned(self):
                return _resolved, place
            if not place[2]:
                return place[1]         # the object is what its name stands for
        recipe = tuple(portable(item, cloud) for item in items)
        extras = {name: portable(item, cloud) for name, item in attributes.items()}
        sources = Sources() if cloud is None else collected(
            (*items, *attributes.values()), _parts, lambda f: not is_global(f) or _by_value(f.__module__, cloud))
        return _new, (type(self),), {"recipe": recipe, "extras": extras, "sources": sources,
                                     "module": getattr(self, "__module__", None), "doc": getattr(self, "__doc__", None)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        extras = {name: usable(item) for name, item in state["extras"].items()}
        self.__dict__.update(extras)
        self.__dict__["__module__"], self.__dict__["__doc__"] = state["module"], state["doc"]
        self.__dict__[_PENDING] = tuple(map(usable, state["recipe"])), extras, state["sources"]

    @classmethod
    def _shared(cls, recipe: tuple[Any, ...]) -> Any:
        """Return the object of this process that all equal unpickled ones share their variants with."""
        return _made(cast(Any, cls), *recipe)

    def _twin(self) -> Any:
        """Return the shared object, if its functions are found by name; others are held no longer than the unpickled object."""
        recipe = tuple(_canonical(item) for item in self.__dict__[_PENDING][0]) if _PENDING in self.__dict__ else self._recipe()
        if self.__dict__.get(_PENDING, (None, {}, None))[1] or not all(map(_is_shareable, recipe)):
            return None
        try:
            return type(self)._shared(recipe)
        except TypeError:       # not hashable
            return None

    if not TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any:
            """Run the constructor of an unpickled object."""
            with _LOCK:
                if _PENDING in self.__dict__:
                    recipe, extras, sources = self.__dict__[_PENDING]
                    restored((*recipe, *extras.values()), _parts, sources)
                    twin = self._twin()
                    pending = self.__dict__.pop(_PENDING)
                    try:
                        if twin is not None:
                            self.__dict__.update({**vars(twin), **self._own})
                        else:
                            self._build(*map(_canonical, pending[0]))
                        self.__dict__.update(pending[1])
                    except BaseException:
                        self.__dict__[_PENDING] = pending
                        raise
            return object.__getattribute__(self, name)


def _new(cls: type[Any]) -> Any:
    return object.__new__(cls)


@functools.lru_cache(maxsize=256)
def _made(cls: Callable[..., Any], *recipe: Any) -> Any:
    return cls(*recipe)


def _canonical(item: Any) -> Any:
    """Return the shared object in place of an unpickled one, so that objects made from it are shared as well."""
    if isinstance(item, Rebuilt) and _PENDING in item.__dict__:
        with _LOCK:
            twin = item._twin() if _PENDING in item.__dict__ else None
        return item if twin is None else twin
    return item


def _is_shareable(item: Any) -> bool:
    if isinstance(item, Rebuilt):
        return _PENDING not in item.__dict__
    if isinstance(item, types.FunctionType):
        return is_global(item)
    if isinstance(item, (tuple, frozenset)):
        return all(map(_is_shareable, item))
    # Kinds of transformations and their options are dataclasses of plain values.
    return isinstance(item, (int, float, str, bytes, type(None), types.BuiltinFunctionType)) or (
        hasattr(type(item), "__dataclass_fields__") and type(item).__module__.startswith(f"{__package__.partition('.')[0]}."))


# -- functions

class _Reference:
    """A function whose name belongs to an object that was made from it."""

    def __init__(self, found: Any, place: tuple[str, str, tuple[str, ...]]):
        self.found, self.place = found, place

    def __reduce__(self) -> Any:
        return _resolved, self.place


class _Method:
    """A bound method that ``getattr(instance, name)`` does not find: another method, or a derivative, has its name."""

    def __init__(self, method: types.MethodType, function: Any):
        self.found, self.function = method, function

    def __reduce__(self) -> Any:
        return _bound, (self.function, self.found.__self__)


def _bound(function: Any, instance: Any) -> types.MethodType:
    return types.MethodType(usable(function), instance)


def _resolved(module: str, name: str, layers: tuple[str, ...]) -> Any:
    found = _attribute(module, name)
    for layer in layers:
        found = getattr(found, layer, None)
    if found is None:
        raise pickle.UnpicklingError(f"{module}.{name} is not decorated as it was in the process that pickled it")
    return found


def portable(item: Any, cloud: Mapping[str, Any] | None = None) -> Any:
    """Return the object that a pickler writes in place of a function or a method; others are written as they are."""
    if isinstance(item, types.FunctionType):
        place = place_of(item)
        if place is not None and place[2] and not _by_value(place[0], cloud):
            return _Reference(item, place)
    elif isinstance(item, types.MethodType):
        try:
            same = getattr(item.__self__, item.__func__.__name__, None) == item
        except Exception:
            same = False
        if not same:
            return _Method(item, portable(item.__func__, cloud))
    return item


def usable(item: Any) -> Any:
    """Return the function in place of what `portable` returned, which copies, unlike unpickled objects, contain."""
    return item.found if isinstance(item, (_Reference, _Method)) else item


def is_global(f: Any) -> bool:
    """Whether a function is found by its name, or from the object that has its name."""
    return place_of(f) is not None


def _root(x: Any) -> Any:
    """Return the function that an object was made from."""
    for _ in range(_DEPTH):
        if isinstance(x, (types.FunctionType, types.MethodType)):
            return x
        x = next((vars(x)[name] for name in ("primal", "fun") if name in getattr(x, "__dict__", ())), None)
    return None


def place_of(x: Any) -> tuple[str, str, tuple[str, ...]] | None:
    """Return the module, the qualified name and the attributes by which another process finds an object."""
    root = _root(x)
    module, name = getattr(root, "__module__", None), getattr(root, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or "<" in name or module not in sys.modules:
        return _assigned(x)
    try:
        layers = _path(_attribute(module, name), x, _DEPTH)
    except (ImportError, AttributeError):
        return _assigned(x)
    return _assigned(x) if layers is None else (module, name, layers)


def _assigned(x: Any) -> tuple[str, str, tuple[str, ...]] | None:
    """Return the place of an object that was made from a nameless function and assigned to a name of the module that made it."""
    module = getattr(x, "__dict__", {}).get("made_in")
    if not isinstance(module, str) or module not in sys.modules:
        return None
    for name, held in vars(sys.modules[module]).items():
        if held is x:
            return module, name, ()
        if getattr(held, "__dict__", {}).get("primitive") is x:     # an opaque custom_vjp
            return module, name, ("primitive",)
    return None


def _attribute(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module) or importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _path(start: Any, goal: Any, depth: int) -> tuple[str, ...] | None:
    """Return the attributes that lead from one object to another."""
    if start is goal:
        return ()
    pending = isinstance(start, Rebuilt) and _PENDING in start.__dict__
    if depth and not pending and not isinstance(start, (type, types.ModuleType)):
        for layer in _LAYERS:
            inner = getattr(start, layer, None)
            rest = None if inner is None or inner is start else _path(inner, goal, depth - 1)
            if rest is not None:
                return layer, *rest
    return None


# -- functions by value

def _cloudpickle() -> Mapping[str, Any] | None:
    """Return the globals of cloudpickle, or of a copy of it in another package, if it is the pickler that asks."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") in (__name__, "pickle", "copy", "copyreg"):
        frame = frame.f_back
    name = str(frame.f_globals.get("__name__", "")) if frame is not None else ""
    return frame.f_globals if frame is not None and "cloudpickle" in name.split(".") else None


def _by_value(module: str, cloud: Mapping[str, Any] | None) -> bool:
    """Whether the pickler writes the functions of a module by value: cloudpickle, for scripts, notebooks and registered modules."""
    if cloud is None:
        return False
    registered = cloud["list_registry_pickle_by_value"]() if "list_registry_pickle_by_value" in cloud else ()
    return module == "__main__" or any(module == name or module.startswith(f"{name}.") for name in registered)


def _parts(x: Any) -> tuple[Any, ...] | None:
    """The objects that a callable of this package was made from, without running the constructor of an unpickled one."""
    if not isinstance(x, Rebuilt):
        return None
    if _PENDING in x.__dict__:
        recipe, extras, _ = x.__dict__[_PENDING]
        return *recipe, *extras.values()
    return *x._recipe(), *x._extras().values()
