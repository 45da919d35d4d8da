"""Copies of Python functions that run on the tape: NumPy's constructors make taped arrays, and numbers stay recorded.

A copy has the code of the function and sees its globals through a lens: NumPy's and math's functions take taped arrays,
functions of any module that are called are copies themselves.  The function and its module are left as they are.
"""
from __future__ import annotations

import builtins
import copy
import functools
import importlib
import sys
import types
import weakref
from collections.abc import Callable, ItemsView, Iterator, KeysView, ValuesView
from typing import Any

import numpy as np
import scipy.sparse

from ..autograd import dispatch
from ..custom.implicit import custom_fixed_point, custom_root
from ..frontend.statements.statement_outlining import is_statement, version
from ..ir.infer import PLAIN_ARRAYS
from ..rules import definition_of, lookup, view_of
from ..rules.registry import compiled_form
from ..rules.scipy.sparse.matrix import Matrix
from ..rules.stop import stop_gradient
from . import aliases
from .applied import APPLIED
from .array import ARRAY_OF, TapedArray, inner, outer, taped
from .array_classes import array_class, fill
from .classes import CLASSES, COPY_OF, QUESTIONS
from .drawing import drawing
from .held import NAMESPACES, content_of, is_container
from .insertions import hooked
from .makers import JOINED, MAKERS, Broadcast, Vectorized, holds, of_lists
from .observe import watched
from .outside import recorded
from .solvers import SOLVERS
from .texts import TEXTS
from .trees import TREES

__all__ = ["followed", "give_back", "is_inside", "is_lifted", "lifted"]

_copies: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
#: the functions that the copies of classes were made of
_copied: dict[type, dict[str, Any]] = {}


def lifted(value: Any) -> Any:
    """The replacement of a value that a function on the tape refers to by name."""
    if (drawn := drawing(value)) is not None:
        return drawn
    if isinstance(value, types.FunctionType):
        return _WRAPPED.get(value) or _of_scipy(value) or watched(value, _copy(value))
    if isinstance(value, types.ModuleType):
        return _Module(value)
    if isinstance(value, functools._lru_cache_wrapper) and isinstance(value.__wrapped__, types.FunctionType):
        return lifted(value.__wrapped__)        # cached results of other calls have other derivatives
    if isinstance(value, functools.partial):
        return functools.partial(lifted(value.func), *value.args, **value.keywords)
    if isinstance(value, types.MethodType):
        if type(value.__self__).__module__.startswith("scipy.") and (lookup(value) or definition_of(value)) is not None:
            return _callable(value)
        owner = value.__self__
        owner = lifted(owner) if aliases.of_users(type(owner)) else owner
        return types.MethodType(lifted(value.__func__), owner) if isinstance(value.__func__, types.FunctionType) else value
    if type(value) in PLAIN_ARRAYS and value.dtype.kind in "fc":
        return recorded(value)      # shares memory with the original: differentiated values may be written into it
    if issubclass(type(value), TapedArray):
        return value
    if issubclass(type(value), np.ndarray) and value.dtype.kind in "fc" and aliases.of_users(type(value)):
        return aliases.array_seen(value, lifted)
    if isinstance(value, type):
        return _BUILTINS.get(value) or _of_run(value) or _class(value)
    if value is sys.modules:
        return aliases.Table(sys.modules, lifted)
    if type(value).__module__ == "uarray":      # a function of scipy.fft, which looks for another library
        return _callable(value)
    if type(value).__module__.startswith("scipy."):
        return followed(value)
    if aliases.is_table(value):
        return aliases.Table(value, lifted)
    if is_container(value):
        return aliases.contents(aliases.seen(value, lifted) if aliases.of_users(type(value)) else value, lifted)
    if aliases.of_users(type(value)):
        return aliases.seen(value, lifted)
    if type(value) in NAMESPACES:
        aliases.contents(vars(value), lifted)
        return value
    if not callable(value):
        return JOINED.get(id(value), value)
    return _callable(value)


def followed(value: Any) -> Any:
    """The replacement on the tape of an object created by SciPy, such as a curve through data; the object itself if there is none."""
    found = view_of(value)
    if found is None:
        return _Object(value) if definition_of(value) is not None and not hasattr(value, "__name__") else _callable(value)
    text, *args = found
    return lifted(text)(*args)


class _Object:
    """An object of SciPy's that is called, and whose methods have derivatives: a distribution."""

    def __init__(self, value: Any):
        self._value = value

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._value, name)
        return lifted(found) if isinstance(found, types.MethodType) else found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return lifted(definition_of(self._value))(*args, **kwargs)


def _of_scipy(value: types.FunctionType) -> Any:
    """A function of SciPy's, or of its definitions, by its rule or its definition; None for anything else, and where it has neither."""
    if not (value.__module__ or "").startswith(("scipy.", "transgrad.rules.")):
        return None
    if value.__module__.startswith(("scipy.optimize", "scipy.integrate")):
        if value in SOLVERS:
            return SOLVERS[value]
    if lookup(value) is not None:
        return functools.wraps(value)(functools.partial(_by_rule, value))
    text = definition_of(value)
    return None if text is None else lifted(text)


#: copies of classes whose methods refer to variables of a function, with what tells the run apart in which they were made
_types_of_runs: weakref.WeakKeyDictionary[type, tuple[object, type]] = weakref.WeakKeyDictionary()


def _of_run(cls: type) -> type | None:
    """The copy of a class that was made in the run under way, where each run has one of its own."""
    token, made = _types_of_runs.get(cls, (None, None))
    return made if token is aliases.run_token() else None


def _has_cells(cls: type) -> bool:
    """Whether methods of a class refer to variables of a function that are seen through the lens."""
    functions = (getattr(f, "__func__", f) for base in cls.__mro__[:-1] for v in vars(base).values()
                 for f in ((v.fget, v.fset, v.fdel) if isinstance(v, property) else (v,)))
    return any(_is_seen(name, cell) for f in functions if isinstance(f, types.FunctionType)
               for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()) if name != "__class__")


def _class(cls: type) -> type:
    """A subclass of a class of the user's, whose methods run on the tape."""
    if cls in _TYPES and cls not in _copied:
        return _TYPES[cls]  # type: ignore[no-any-return]
    module = cls.__module__ or ""
    foreign = module.split(".")[0] in sys.stdlib_module_names - {"__main__"} | {"numpy", "scipy", "transgrad", "builtins"}
    if hasattr(cls, "__mypyc_attrs__"):     # machine code, which takes no other classes
        return cls
    if issubclass(cls, np.ndarray) and not foreign:
        made = _TYPES[cls] = array_class(cls, lifted, aliases.array_subclass)
        if made is not cls:
            fill(made, cls, lifted)
        return made     # type: ignore[no-any-return]
    if foreign and (not module.startswith("transgrad.rules.") or issubclass(cls, tuple)):
        text = definition_of(cls) if module.startswith("scipy.") else None
        return cls if text is None else lifted(text)
    members = _members(cls)
    made = _TYPES.get(cls)
    if made is not None:
        _refresh(made, cls, members)
        return made  # type: ignore[no-any-return]
    space = {name: _member(value) for name, value in members.items()}
    if "__array__" in space:
        space[ARRAY_OF], space["__array__"] = space["__array__"], _plain_array(space["__array__"])
    try:
        space.update({"__module__": cls.__module__, COPY_OF: cls, "__getattribute__": aliases.reading(cls, lifted)})
        if not cls.__dictoffset__:
            space["__slots__"] = ()
        made = aliases.subclass(cls, space)
        if aliases.run_token() is not None and _has_cells(cls):
            _types_of_runs[cls] = aliases.run_token(), made
        else:
            _TYPES[cls] = made
            _copied[cls] = members
    except TypeError:       # it wants no subclasses
        made = _TYPES[cls] = cls
    return made


def _plain_array(convert: Callable[..., Any]) -> Callable[..., Any]:
    """``__array__`` as NumPy calls it, which takes nothing but plain arrays."""
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = convert(self, *args, **kwargs)
        return np.asarray(found) if isinstance(found, TapedArray) else found
    return method


def _members(cls: type) -> dict[str, Any]:
    """The functions in a class and its bases that a copy of it has copies of."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__[:-1]):
        for name, value in vars(base).items():
            if isinstance(value, (types.FunctionType, staticmethod, classmethod, property)):
                found[name] = value
            else:
                found.pop(name, None)       # it hides a method of a base class
    return found


def _member(value: Any) -> Any:
    """The copy of a function in a class."""
    if isinstance(value, (staticmethod, classmethod)):
        return type(value)(lifted(value.__func__))
    if isinstance(value, property):
        return property(*(None if f is None else lifted(f) for f in (value.fget, value.fset, value.fdel)))
    return lifted(value)


def _refresh(made: type, cls: type, members: dict[str, Any]) -> None:
    """Give the copy of a class the functions that have been assigned to the class since, or to a base of it."""
    known = _copied.get(cls)
    if known is None or known == members:
        return
    for name in known.keys() - members.keys():
        type.__delattr__(made, name)
    for name, value in members.items():
        if known.get(name) is not value:
            type.__setattr__(made, name, _member(value))
    _copied[cls] = members


def _callable(value: Any) -> Any:
    try:
        if value in _BUILTINS:
            return _BUILTINS[value]
        if value in _WRAPPED:
            return _WRAPPED[value]
    except TypeError:       # unhashable
        return value
    module = getattr(value, "__module__", None) or ""
    if type(value) is np.vectorize:
        text = definition_of(value)
        if text is not None:
            return lifted(text)
        return Vectorized(lifted(value.pyfunc), value.otypes, excluded=value.excluded, signature=value.signature)
    if isinstance(value, np.ufunc) or module.split(".")[0] == "numpy":
        return of_lists(value)      # NumPy's functions dispatch on their array arguments, but not on arrays inside lists
    if lookup(value) is None:
        text = definition_of(value) if module.startswith("scipy.") else None
        if text is None and module.startswith("scipy.sparse."):
            return functools.partial(_of_constants, value)
        return value if text is None else lifted(text)
    return functools.wraps(value)(functools.partial(_by_rule, value)) if hasattr(value, "__name__") else functools.partial(_by_rule, value)


def _by_rule(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A function that knows nothing of arrays on the tape, by its rule."""
    if not any(map(holds, (*args, *kwargs.values()))):
        return _of_constants(fn, *args, **kwargs)
    rule, text = lookup(fn), definition_of(fn)
    if text is not None and rule is not None and not rule.accepts(args, kwargs):
        return lifted(text)(*args, **kwargs)
    options = {k: inner(v) for k, v in kwargs.items() if not k.startswith("overwrite_")}
    found = dispatch.apply(compiled_form(fn), *map(inner, args), **options)
    return taped(found, number=float) if getattr(fn, "__module__", "") in ("math", "cmath", "builtins") else outer(fn, found)


def _of_constants(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A function of SciPy's that takes sparse matrices and has no derivative; refuses those that are differentiated."""
    def constant(x: Any) -> Any:
        if COPY_OF not in vars(type(x)) or not isinstance(x, Matrix):
            return x
        kind = scipy.sparse.csr_matrix if x.old else scipy.sparse.csr_array
        return kind((np.asarray(x.values), (np.asarray(x.row), np.asarray(x.col))), shape=x.shape)
    return fn(*map(constant, args), **{k: constant(v) for k, v in kwargs.items()})


class _Module:
    """A module whose functions run on the tape."""

    __slots__ = ("_module",)
    _module: types.ModuleType

    def __init__(self, module: types.ModuleType):
        object.__setattr__(self, "_module", module)

    @property
    def __dict__(self) -> Any:      # type: ignore[override]
        return _globals_of(vars(self._module))

    def __getattr__(self, name: str) -> Any:
        assigned = _globals.get(id(vars(self._module)))
        if assigned is not None and dict.__contains__(assigned, name):
            return dict.__getitem__(assigned, name)
        return lifted(getattr(self._module, name))

    def __setattr__(self, name: str, value: Any) -> None:
        dict.__setitem__(_globals_of(vars(self._module)), name, value)

    def __delattr__(self, name: str) -> None:
        assigned = dict.pop(_globals_of(vars(self._module)), name, self)
        if assigned is self or hasattr(self._module, name):
            delattr(self._module, name)

    def __repr__(self) -> str:
        return repr(self._module)


class _Globals(dict[str, Any]):
    """The globals of a function, seen through the lens; assignments are made in the module too."""

    #: names that Python itself reads without calling `__getitem__`: imports are relative to them
    _OWN = ("__builtins__", "__name__", "__package__", "__spec__", "__path__")

    def __init__(self, module: dict[str, Any]):
        super().__init__({n: module[n] for n in self._OWN if n in module})
        dict.__setitem__(self, "__builtins__", _builtins(module.get("__builtins__", builtins)))
        self.module = module

    def __getitem__(self, name: str) -> Any:
        if dict.__contains__(self, name):       # it was assigned
            return dict.__getitem__(self, name)
        if name in self.module:
            return lifted(self.module[name])
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or name in self.module

    def __iter__(self) -> Iterator[str]:
        return iter({**self.module, **dict(dict.items(self))})

    def __len__(self) -> int:
        return len({*self.module, *dict.keys(self)})

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a name, as `__getitem__` does."""
        try:
            return self[name]
        except KeyError:
            return default

    def keys(self) -> Any:
        """Return the names of the module and those that were assigned."""
        return KeysView(self)

    def values(self) -> Any:
        """Return the values as `__getitem__` does."""
        return ValuesView(self)

    def items(self) -> Any:
        """Return names and values as `__getitem__` does."""
        return ItemsView(self)

    def give_back(self, plain: Callable[[Any], Any] | None) -> None:
        """Make the assignments of the function in the module."""
        for name in [n for n in dict.keys(self) if n not in self._OWN]:
            value = dict.__getitem__(self, name)
            value = plain(value) if plain is not None else value
            if plain is None or not isinstance(value, TapedArray):
                self.module[name] = value
                dict.__delitem__(self, name)


_globals: dict[int, _Globals] = {}


def _globals_of(names: dict[str, Any]) -> _Globals:
    """The globals of a module, seen through the lens."""
    return _globals.setdefault(id(names), _Globals(names))


def is_inside(f: Any) -> bool:
    """Whether a function was defined inside one that runs on the tape, so that it may refer to recorded values."""
    return is_lifted(getattr(f, "__globals__", None)) and not hasattr(f, "__transgrad_primal__")


def is_lifted(names: Any) -> bool:
    """Whether the globals are those of a function that runs on the tape."""
    return isinstance(names, _Globals)


def give_back(plain: Callable[[Any], Any] | None = None) -> None:
    """Copy the globals assigned by functions to their modules.

    ``plain`` gives the value of a taped number; one that it returns unchanged belongs to an enclosing run, which copies it.
    """
    for space in list(_globals.values()):
        space.give_back(plain)


def _builtins(found: Any) -> dict[str, Any]:
    names = dict(vars(found) if isinstance(found, types.ModuleType) else found)
    for value, other in _BUILTINS.items():
        name = getattr(value, "__name__", "")
        if names.get(name) is value:
            names[name] = other
    names["__import__"] = _import
    return names


#: Modules of Python whose functions ask for types, names and texts, and compute nothing.
_AS_THEY_ARE = frozenset(sys.stdlib_module_names) - {"__main__", "colorsys", "contextlib", "functools", "statistics"}


def _copy(fn: types.FunctionType) -> Any:
    """A function with the same code, that runs on the tape."""
    module = fn.__module__ or ""
    home = module.split(".")[0]
    if isinstance(fn.__globals__, _Globals) or home in _AS_THEY_ARE or home in ("numpy", "transgrad") and not module.startswith(
            "transgrad.rules."):
        return fn
    text = hooked(version(fn))
    own = text.__closure__ or ()
    run = aliases.run_token() if own else None
    found, of_run = _copies.get(text, (None, None))
    if found is None or found.__code__ is not text.__code__ or found.__defaults__ is not fn.__defaults__ or (
            own and of_run is not run):      # replaced during the run, or another run has seen the contents of its cells
        space = _globals_of(fn.__globals__)
        pairs = [aliases.private_cell(cell) if _is_seen(name, cell) else (cell, False)     # others are shared, so writes are too
                 for name, cell in zip(text.__code__.co_freevars, own)]
        found = types.FunctionType(text.__code__, space, fn.__name__, fn.__defaults__, tuple(cell for cell, _ in pairs))
        _copies[text] = found, run
        for cell, (private, new) in zip(own, pairs):    # now: a function may be in a cell of its own
            if new:
                aliases.fill(cell, private, _seen)
            elif private is cell:
                _seen_in_place(cell)
        found.__kwdefaults__ = fn.__kwdefaults__
        found.__dict__.update(fn.__dict__)
        found.__dict__["__transgrad_primal__"] = fn
    return found


_SEEN_IN_CELLS = (types.FunctionType, types.ModuleType, types.MethodType, types.BuiltinFunctionType, functools.partial, np.ndarray, type,
                  tuple)


def _is_seen(name: str, cell: types.CellType) -> bool:
    """Whether the lens applies to the contents of a cell: functions, classes, modules, arrays, objects of SciPy."""
    try:
        if name == "__class__":     # which super() reads: an instance of the copy of a subclass is none of the copy of this class
            return issubclass(cell.cell_contents, np.ndarray)
        return isinstance(cell.cell_contents, _SEEN_IN_CELLS) or type(cell.cell_contents).__module__.startswith(("scipy.", "uarray"))
    except ValueError:      # not filled yet
        return False


def _seen_in_place(cell: types.CellType) -> None:
    """Sees an object or a container that a cell holds, which stays itself."""
    value = content_of(cell)
    if not isinstance(value, type) and (is_container(value) or type(value) in NAMESPACES or aliases.of_users(type(value))):
        lifted(value)


def _seen(value: Any) -> Any:
    return watched(value, _copy(value), always=True) if is_statement(value) else lifted(value)


def _import(*args: Any, **kwargs: Any) -> Any:
    return lifted(builtins.__import__(*args, **kwargs))


def _import_module(name: str, package: str | None = None) -> Any:
    return lifted(importlib.import_module(name, package))


def _stopped(x: Any) -> Any:
    return TapedArray(x.tensor.detach(), x.number) if isinstance(x, TapedArray) else stop_gradient(x)


_WRAPPED: dict[Any, Any] = {
    stop_gradient: _stopped, importlib.import_module: _import_module,
    **{fn: fn for fn in (custom_root, custom_fixed_point, copy.copy, copy.deepcopy)}, **MAKERS, **APPLIED,
}
_TYPES: dict[type, Any] = {**CLASSES, **TREES, np.vectorize: Vectorized, np.broadcast: Broadcast}
_BUILTINS: dict[Any, Any] = {float: CLASSES[float], complex: CLASSES[complex], type: CLASSES[type], **QUESTIONS, **TEXTS}
