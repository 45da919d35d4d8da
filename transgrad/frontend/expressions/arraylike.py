"""Array-likes: lists and tuples of numbers passed to NumPy functions are converted to arrays in generated code."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.ops import Lit, Star, Value
from ...ir.types import Arr, ListT, Num, TupleT
from ...rules import definition_of, lookup, takes_lists
from ..context import Lowering
from ..domain.abstract import SList, STuple
from ..domain.contents import Contents
from ..objects.members import has_special, special
from .operations import call, strip
from .subscripts import read_item

__all__ = ["as_array", "beside_arrays", "with_arrays"]

#: these take a sequence of arrays first
_JOINS = frozenset(f for f in (np.concatenate, getattr(np, "concat", None), np.stack, np.vstack, getattr(np, "row_stack", None), np.hstack,
                               np.column_stack, np.dstack, np.linalg.multi_dot) if f is not None)
#: of these, all that matters of an array of known numbers is how many there are
_LENGTHS = frozenset(f for f in (np.concatenate, getattr(np, "concat", None), np.hstack) if f is not None)
#: besides ufuncs, functions of NumPy's whose arguments without a name are all arrays
_ARRAYS = frozenset((np.where, np.append, np.interp, np.dot, np.vdot, np.inner, np.outer, np.convolve, np.correlate, np.cross, np.kron,
                     np.polyval, np.corrcoef, np.cov))
#: parts of SciPy where a list without a name is an array
_SCIENCE = ("scipy.integrate", "scipy.interpolate", "scipy.linalg", "scipy.signal", "scipy.spatial", "scipy.special", "scipy.stats")


def with_arrays(ctx: Lowering, fn: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a function of NumPy's or SciPy's that has a derivative, with arrays for lists and tuples of numbers: of those in
    which something is differentiated, and, where all arguments without a name are arrays, of the others, too."""
    from ..calls.dispatch import varied
    of_scipy = str(getattr(fn, "__module__", None)).startswith(_SCIENCE)
    if not (of_scipy or _of_numpy(fn)) or not varied(ctx, *args, *kwargs.values()):
        return args, kwargs
    if lookup(fn) is None and definition_of(fn) is None or any(isinstance(a, Star) for a in args):
        return args, kwargs
    if fn in _JOINS:
        return [_of_arrays(ctx, args[0], node, fn not in _LENGTHS), *args[1:]] if args else args, kwargs
    if takes_lists(fn):
        return args, kwargs
    every = of_scipy or isinstance(fn, np.ufunc) or fn in _ARRAYS

    def one(x: Any, every: bool) -> Any:
        if of_scipy and (isinstance(x, STuple) or isinstance(x, (Lit, Value)) and not isinstance(strip(x.type), ListT)):
            return x        # which may be parts of something: (c, lower), (t, c, k)
        return as_array(ctx, x, node, every)
    return [one(a, every) for a in args], {k: one(a, False) for k, a in kwargs.items()}


def as_own_array(ctx: Lowering, fn: Any, x: Any, node: Any) -> Any:
    """The result of ``__array__`` of an instance created inside the function; ``x`` if it has none."""
    if not (_of_numpy(fn) or fn in (np.array, np.asarray)) or not has_special(ctx, x, "__array__"):
        return x
    found = special(ctx, x, "__array__", [], node)
    return x if found is None else found


def _of_numpy(fn: Any) -> bool:
    owner = getattr(fn, "__objclass__", None)
    module = getattr(fn, "__module__", None) or ("numpy" if isinstance(fn, np.ufunc) or owner is np.ndarray else "")
    return module.split(".")[0] == "numpy" and not isinstance(fn, type)


def _of_arrays(ctx: Lowering, x: Any, node: Any, every: bool) -> Any:
    """A sequence of arrays without lists and tuples in it; if not ``every`` one, with those of known numbers."""
    items = x.items if isinstance(x, STuple) else getattr(ctx.contents(x), "items", None) if isinstance(x, SList) else None
    if isinstance(x, Value) and isinstance(x.type, TupleT) and any(map(_is_numeric_type, x.type.elems)):
        items = [read_item(ctx, x, Lit(k), node) for k in range(len(x.type.elems))]
    if items is None or all(isinstance(i, Value) and isinstance(i.type, (Num, Arr)) for i in items):
        return x
    return ctx.tuple([as_array(ctx, i, node, every or not _known_numbers(ctx, i)) for i in items])


def _known_numbers(ctx: Lowering, x: Any) -> bool:
    items = x.items if isinstance(x, STuple) else getattr(ctx.contents(x), "items", ()) if isinstance(x, SList) else ()
    return bool(items) and all(isinstance(i, Lit) for i in items)


def as_array(ctx: Lowering, x: Any, node: Any, every: bool = True) -> Any:
    """``x``, or the array of a list or tuple of numbers and arrays: where some are differentiated, or of every one."""
    if not _is_numeric(ctx, x):
        return x
    from ..calls.dispatch import varied
    return _array(ctx, x, node) if every or varied(ctx, x) else x


def beside_arrays(ctx: Lowering, fn: Any, a: Any, b: Any, node: Any) -> tuple[Any, Any]:
    """The operands of an operator, with an array for a list or tuple of numbers beside an array."""
    if _meets(fn, b):
        a = as_array(ctx, a, node)
    if _meets(fn, a):
        b = as_array(ctx, b, node)
    return a, b


def _meets(fn: Any, x: Any) -> bool:
    """Whether an operator makes an array of a list beside ``x``; times a whole number, the list is repeated."""
    t = strip(x.type) if isinstance(x, Value) else None
    return isinstance(t, Arr) and (bool(t.dims) or fn is not operator.mul or t.dtype[0] in "fc")


def _is_numeric(ctx: Lowering, x: Any) -> bool:
    """Whether something is a list or tuple of numbers and arrays, or of such."""
    if isinstance(x, STuple) and x.cls is None:
        return all(_is_entry(ctx, i) for i in x.items)
    if isinstance(x, SList):
        held = ctx.contents(x)
        return all(_is_entry(ctx, i) for i in held.items) if isinstance(held, Contents) else _is_numeric(ctx, held)
    if isinstance(x, Lit):
        return isinstance(x.value, (list, tuple)) and all(isinstance(v, (int, float, complex)) for v in x.value)
    if not isinstance(x, Value):
        return False
    return _is_numeric_type(strip(x.type))


def _is_numeric_type(t: Any) -> bool:
    """Whether a type is that of a list or tuple of numbers and arrays, or of such."""
    if isinstance(t, ListT):
        return _is_number(t.elem) or _is_numeric_type(t.elem)
    return isinstance(t, TupleT) and all(_is_number(e) or _is_numeric_type(e) for e in t.elems)


def _is_entry(ctx: Lowering, x: Any) -> bool:
    return isinstance(x, (Value, Lit)) and _is_number(strip(x.type)) or _is_numeric(ctx, x)


def _is_number(t: Any) -> bool:
    return isinstance(t, (Num, Arr))


def _array(ctx: Lowering, x: Any, node: Any) -> Any:
    return call(ctx, np.array, [x], spelling=f"{ctx.bind('np', np)}.array", node=node)
