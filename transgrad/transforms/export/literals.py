"""Write objects as Python expressions: numbers, arrays, containers, instances, and objects that can be pickled."""
from __future__ import annotations

import enum
import functools
import inspect
import logging
import math
import pickle
import pickletools
import sys
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import tree
from ...errors import TransgradError
from ...rules.stop import stop_gradient
from ...runtime import plain_tree
from .places import is_installed

if TYPE_CHECKING:
    from .writer import Writer

__all__ = ["expression", "made_class", "stand_in"]

#: Functions of ours that need a library, and those that do the same for the structures an exported module meets.
_STAND_INS: dict[Any, Any] = {
    tree.flatten: plain_tree.flatten, tree.unflatten: plain_tree.unflatten, tree.map_leaves: plain_tree.map_leaves,
    stop_gradient: plain_tree.unchanged,
}
_PLAIN = (bool, int, str, bytes, type(None), type(Ellipsis), range, slice)
_DISPLAYS: dict[type, str] = {list: "[{}]", set: "set([{}])", frozenset: "frozenset([{}])"}


def stand_in(obj: Any) -> Any:
    """The object that is written in place of another one."""
    try:
        return _STAND_INS.get(obj, obj)
    except TypeError:
        return obj


def expression(w: Writer, obj: Any, name: str) -> str:
    """An expression for an object; ``name`` is its name in messages.

    Raises
    ------
    TransgradError
        If there is none.
    """
    if isinstance(obj, (types.ModuleType, types.FunctionType, type)):
        hint = getattr(obj, "__name__", name).rpartition(".")[2]
        return _builtin(obj) or w.reference(obj, hint if hint.isidentifier() else name)
    number = _number(w, obj)
    if number is not None:
        return number
    if type(obj) in (tuple, dict, *_DISPLAYS):
        return _container(w, obj, name)
    found = _bound(w, obj, name) or _importable(w, obj, name) or _instance(w, obj, name)
    if found is None:
        raise TransgradError(f"{name} is {type(obj).__name__}, which cannot be written as a Python expression", None,
                             "export with standalone=False, or pass it as an argument of the function")
    return found


def _builtin(obj: Any) -> str | None:
    own = getattr(obj, "__name__", "")
    import builtins
    return own if getattr(builtins, own, None) is obj else None


def _number(w: Writer, obj: Any) -> str | None:
    """A number, a string or an array of them."""
    if type(obj) in _PLAIN:
        return repr(obj)
    if type(obj) is float:
        return _float(obj)
    if type(obj) is complex:
        return repr(obj) if math.isfinite(obj.real) and math.isfinite(obj.imag) else f"complex({_float(obj.real)}, {_float(obj.imag)})"
    if isinstance(obj, np.generic) and obj.dtype.kind in "biufc":
        value = obj.item()
        return f"{_np(w)}.{obj.dtype.name}({repr(value) if type(value) in _PLAIN else _number(w, value)})"
    if type(obj) is np.ndarray and obj.dtype.kind in "biufcU":
        return _array(w, obj)
    if isinstance(obj, np.dtype):
        return f"{_np(w)}.dtype({obj.str!r})"
    return None


def _float(x: float) -> str:
    return repr(x) if math.isfinite(x) else f"float({str(x)!r})"


def _np(w: Writer) -> str:
    return w.reference(np, "np")


def _array(w: Writer, obj: Any) -> str:
    root = _np(w)
    dtype = repr(obj.dtype.str) if obj.dtype.kind == "U" else f"{root}.{obj.dtype.name}"
    if obj.size == 0:
        return f"{root}.zeros({obj.shape}, dtype={dtype})"
    values = np.array2string(obj, separator=", ", threshold=sys.maxsize, floatmode="unique", max_line_width=120)
    if obj.dtype.kind in "fc":
        for special in ("nan", "inf"):
            values = values.replace(special, f"{root}.{special}")
    order = ', order="F"' if obj.ndim > 1 and obj.flags.fnc else ""
    return f"{root}.array({values}, dtype={dtype}{order})"


def _container(w: Writer, obj: Any, name: str) -> str:
    if id(obj) in w.within:
        raise TransgradError(f"{name} contains itself and cannot be written as a Python expression", None, "export with standalone=False")
    w.within.add(id(obj))
    try:
        if type(obj) is dict:
            return "{" + ", ".join(f"{expression(w, k, name)}: {expression(w, v, name)}" for k, v in obj.items()) + "}"
        parts = [expression(w, item, name) for item in obj]
        items = ", ".join(sorted(parts) if isinstance(obj, (set, frozenset)) else parts)
        return f"({items}{',' * (len(obj) == 1)})" if type(obj) is tuple else _DISPLAYS[type(obj)].format(items)
    finally:
        w.within.discard(id(obj))


def _bound(w: Writer, obj: Any, name: str) -> str | None:
    """Methods of objects, partial applications, members of enumerations, named tuples, loggers."""
    if isinstance(obj, functools.partial):
        parts = [expression(w, obj.func, name), *(expression(w, a, name) for a in obj.args)]
        parts += [f"{k}={expression(w, v, name)}" for k, v in obj.keywords.items()]
        return f"{w.reference(functools, 'functools')}.partial({', '.join(parts)})"
    if isinstance(obj, enum.Enum):
        return f"{w.reference(type(obj), type(obj).__name__)}.{obj.name}"
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return f"{w.reference(type(obj), type(obj).__name__)}({', '.join(expression(w, item, name) for item in obj)})"
    if isinstance(obj, logging.Logger):
        return f"{w.reference(logging, 'logging')}.getLogger({obj.name!r})"
    owner = getattr(obj, "__self__", None)
    own = getattr(obj, "__name__", "")
    if isinstance(obj, (types.MethodType, types.BuiltinMethodType)) and owner is not None and not isinstance(owner, types.ModuleType):
        return f"{expression(w, owner, f'{name}_owner')}.{own}"
    return None


def _importable(w: Writer, obj: Any, name: str) -> str | None:
    if _builtin(obj) is not None:
        return _builtin(obj)
    place = w.place(obj)
    if place is None:
        return None
    return w.reference(obj, name if name not in ("value", "") else place[1])


def _instance(w: Writer, obj: Any, name: str) -> str | None:
    """An instance of one of the user's classes by its attributes; of a library's, by a pickle."""
    cls = type(obj)
    if not is_installed(cls.__module__) and _is_plain(cls) and not isinstance(obj, (dict, list, tuple, set)):
        if id(obj) in w.within:
            raise TransgradError(f"{name} refers to itself, so it cannot be written as a Python expression", None,
                                 "export with standalone=False")
        w.within.add(id(obj))
        try:
            slots = [s for c in cls.__mro__ for s in getattr(c, "__slots__", ()) if s not in ("__dict__", "__weakref__")]
            state = {**{s: getattr(obj, s) for s in slots if hasattr(obj, s)}, **getattr(obj, "__dict__", {})}
            helper = w.reference(plain_tree.instance, "_instance")
            return f"{helper}({w.reference(cls, cls.__name__)}, {expression(w, state, name)})"
        finally:
            w.within.discard(id(obj))
    try:
        data = pickle.dumps(obj)
    except Exception:
        return None
    if not all(map(is_installed, _modules_in(data))):
        return None
    return f"{w.reference(pickle, 'pickle')}.loads({data!r})"


def _is_plain(cls: Any) -> bool:
    """Return whether an instance is what its attributes are."""
    return bool(cls.__reduce_ex__ is object.__reduce_ex__)


def _modules_in(data: bytes) -> list[str]:
    """The modules that a pickle imports."""
    words = [arg for _, arg, _ in pickletools.genops(data) if isinstance(arg, str)]
    return [word for word in words if word in sys.modules]


def made_class(w: Writer, cls: type) -> str | None:
    """The call that makes a class without a source: a named tuple."""
    if not (issubclass(cls, tuple) and hasattr(cls, "_fields") and cls.__bases__ == (tuple,)):
        return None
    try:
        if inspect.getsource(cls).lstrip().startswith("class"):
            return None
    except (OSError, TypeError):
        pass
    import collections
    defaults = tuple(cls._field_defaults.values()) if hasattr(cls, "_field_defaults") else ()
    more = f", defaults={expression(w, defaults, cls.__name__)}" if defaults else ""
    return f"{w.reference(collections, 'collections')}.namedtuple({cls.__name__!r}, {list(cls._fields)!r}{more})"
