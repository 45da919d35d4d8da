"""Namespaces of array libraries: their functions are read as the functions of NumPy that have the same name and meaning."""
from __future__ import annotations

import functools
import importlib
import operator
import sys
import types
from typing import Any

import gast
import numpy as np

from ...ir.libraries import LIBRARIES, library_of, target
from ...ir.ops import Lit
from ...ir.prims import inplace_at
from ...ir.types import Arr
from ..context import Lowering
from ..refusals import refuse

__all__ = ["NOT_IN_NUMPY", "array_namespace", "call_of_library", "counterpart", "is_of_library", "refuse_attribute"]

_ROOTS = frozenset(("array_api_compat", "pandas", "xarray", *(m for library in LIBRARIES for m in library.modules))) - {"torch"}
#: Stands for a function of an array library that NumPy and SciPy have under no name.
NOT_IN_NUMPY = object()
_MODULES = ("", "linalg", "fft")
_SPECIAL = ("scipy.special", "scipy.linalg", "scipy.stats.norm")
_DEFINED = "transgrad.rules.namespace_functions"


def is_of_library(obj: Any) -> bool:
    """Whether a function, class or module belongs to an array library."""
    name = obj.__name__ if isinstance(obj, types.ModuleType) else getattr(obj, "__module__", None)
    return isinstance(name, str) and name.partition(".")[0] in _ROOTS


def _namespaces() -> list[tuple[Any, str]]:
    """The modules of array libraries that are loaded, each with the name of its counterpart in NumPy or SciPy."""
    roots = {"jax.numpy": "numpy", "dask.array": "numpy", "array_api_strict": "numpy", "cupy": "numpy", "sparse": "numpy",
             "array_api_compat.numpy": "numpy", "array_api_compat.torch": "numpy", "array_api_compat.dask.array": "numpy",
             "array_api_compat.cupy": "numpy", "jax.scipy.special": "scipy.special", "jax.scipy.linalg": "scipy.linalg",
             "cupyx.scipy.special": "scipy.special", "jax.nn": _DEFINED}
    found = []
    for own, counterpart_ in roots.items():
        for part in _MODULES if counterpart_ == "numpy" else ("",):
            module = sys.modules.get(f"{own}.{part}" if part else own)
            if module is None and part and own in sys.modules:
                module = getattr(sys.modules[own], part, None)
            if module is not None:
                found.append((module, f"{counterpart_}.{part}" if part else counterpart_))
    return found


_tables: dict[int, dict[int, tuple[Any, Any]]] = {}


def _table(module: Any, counterpart_: str) -> dict[int, tuple[Any, Any]]:
    """The counterparts of the functions, classes and submodules of a module, by identity."""
    known = _tables.get(id(module))
    if known is None:
        numpy = importlib.import_module(counterpart_)
        known = {}
        names = getattr(numpy, "__all__", None) or [n for n in vars(numpy) if not n.startswith("_")]
        for name in {*names, *_MORE}:
            theirs, ours = vars(module).get(name), getattr(numpy, name, None)
            if theirs is not None and ours is not None and theirs is not ours and not isinstance(theirs, (int, float, types.ModuleType)):
                known.setdefault(id(theirs), (theirs, ours))
        _tables[id(module)] = known
    return known


_MORE = ("astype", "concat", "permute_dims", "matrix_transpose", "vecdot", "bool", "float32", "float64")


def counterpart(obj: Any) -> Any:
    """The NumPy or SciPy function, dtype or module that corresponds to an object of an array library; None for other objects,
    and ``NOT_IN_NUMPY`` if there is none."""
    if isinstance(obj, types.ModuleType):
        return next((importlib.import_module(name) for module, name in _namespaces() if module is obj), None)
    if not is_of_library(obj):
        return None
    for module, name in _namespaces():
        found = _table(module, name).get(id(obj))
        if found is not None and found[0] is obj:
            return found[1]
    return NOT_IN_NUMPY


@functools.cache
def _namespace_functions() -> frozenset[str]:
    return frozenset(("array_namespace", "get_namespace"))


def array_namespace(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """``x.__array_namespace__()``: NumPy, while the function is compiled."""
    return Lit(np)


def call_of_library(ctx: Lowering, func: Lit, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A call of a function of an array library, by its counterpart; NotImplemented for any other function."""
    obj = func.value
    if not is_of_library(obj) or isinstance(obj, type) and issubclass(obj, BaseException):
        return NotImplemented
    if getattr(obj, "__name__", "") in _namespace_functions():
        return array_namespace(ctx, args, kwargs, node)
    found = counterpart(obj)
    from ..calls.dispatch import call_abstract, varied
    from ..calls.unknown_calls import opaque
    if found is NOT_IN_NUMPY:
        if not varied(ctx, *args, *kwargs.values()):
            return opaque(ctx, func, args, kwargs, node)
        refuse("library_function", ctx.at(node), f"{func.text or getattr(obj, '__name__', obj)}()")
    if kwargs:
        kwargs = {k: v for k, v in kwargs.items() if k not in ("device", "precision", "split_every")}
    return call_abstract(ctx, Lit(found), args, kwargs, node)


_UPDATES = {"set": operator.setitem, "add": np.add.at, "subtract": np.subtract.at, "multiply": operator.imul, "divide": operator.itruediv}


def at_update(ctx: Lowering, node: Any) -> Any:
    """``x.at[i].set(v)`` of a JAX array, as an assignment to a copy; NotImplemented for other calls."""
    method = node.func
    library = target()
    if library is None or library.mutable or not (isinstance(method, gast.Attribute) and isinstance(method.value, gast.Subscript)
                                                  and isinstance(method.value.value, gast.Attribute) and method.value.value.attr == "at"):
        return NotImplemented
    from ..calls.binding import call_arguments
    from ..expressions.dispatch import expr
    from ..expressions.operations import call
    from ..expressions.subscripts import read_item
    x, index = expr(ctx, method.value.value.value), expr(ctx, method.value.slice)
    if method.attr == "get":
        return read_item(ctx, x, index, node)
    fn = _UPDATES.get(method.attr)
    args, _ = call_arguments(ctx, node)
    if fn is None or len(args) != 1 or not isinstance(getattr(x, "type", None), Arr):
        refuse("library_function", ctx.at(node), f"the method at[…].{method.attr}() of a {library.name} array")
    new = call(ctx, np.ndarray.copy, [x], node=node)
    if fn in (operator.imul, operator.itruediv):
        call(ctx, inplace_at, [new, index, args[0], Lit(fn)], node=node)
    else:
        call(ctx, fn, [new, index, args[0]], node=node)
    return new


def property_of_library(ctx: Lowering, obj: Any, name: str, node: Any) -> Any:
    """A property of an object of an array library, such as ``series.values``: for a constant, its current value."""
    if isinstance(obj, Lit):
        found = getattr(obj.value, name)
        plain = found is None or isinstance(found, (bool, int, float, str))
        return Lit(found) if plain else Lit(found, f"{obj.text}.{name}" if obj.text else ctx.bind(name, found))
    from ..expressions.operations import get_attr
    return get_attr(ctx, obj, name, node=node)


def of_standard(obj: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments of a function of NumPy without those of the array API standard: the device, because generated source makes
    arrays where the arguments are, and ``correction``, which NumPy calls ``ddof``."""
    if not ("device" in kwargs or "correction" in kwargs) or getattr(obj, "__module__", None) != "numpy":
        return kwargs
    renamed = {"correction": "ddof"} if obj in (np.var, np.std) and "ddof" not in kwargs else {}
    return {renamed.get(k, k): v for k, v in kwargs.items() if k != "device"}


def refuse_attribute(ctx: Lowering, obj: Any, name: str, node: Any) -> None:
    """Refuse an attribute that arrays of the library of the arguments may have, and NumPy's have not."""
    library = target() or (library_of(obj.value) if isinstance(obj, Lit) else None)
    if library is not None:
        refuse("library_function", ctx.at(node), f"the attribute {name} of a {library.name} array")
