"""Transfer functions of operations that are sparser than a dense dependence."""
from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime import add, fit, unbroadcast
from ..abstract_interpretation.value import lifted_in, strip
from .graph import Ids
from .tracked import Tracked, fresh, ids_of, refuse, same_memory

__all__ = ["HANDLERS", "QUIET", "SHAPED", "SHAPES", "elementwise", "written"]

#: Computes a call; NotImplemented where it does not take these options.
Handler = Callable[[Any, Any, tuple[Any, ...], dict[str, Any]], Any]
HANDLERS: dict[Any, Handler] = {}

#: Constants whose result is the same for all arrays of a shape.
SHAPES = frozenset((np.zeros_like, np.ones_like, np.empty_like, np.shape, np.ndim, np.size, len, isinstance, type, np.iscomplexobj,
                    np.isrealobj, np.result_type, operator.is_, operator.is_not, hasattr, callable, id))
#: Constants whose result differs with the values and has a shape that does not.
QUIET = frozenset((operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.and_, operator.or_, operator.xor,
                   operator.invert, operator.not_, operator.truth, bool, int, round, math.floor, math.ceil, math.trunc, math.isnan,
                   math.isinf, math.isfinite, np.all, np.any, np.argmax, np.argmin, np.round, np.around, np.isclose, np.count_nonzero))
#: Functions whose result has a shape that depends on the values of a float array.
SHAPED = frozenset((np.unique, np.unique_values, np.unique_all, np.unique_counts, np.unique_inverse, np.trim_zeros))


def _handles(*fns: Any) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        HANDLERS.update((fn, handler) for fn in fns)
        return handler
    return register


def _varies(*args: Any) -> bool:
    return any(t.state.varies for t in lifted_in(args))


def _methods(*names: str) -> list[Any]:
    """The functions of these names, and the methods."""
    return [getattr(place, name) for name in names for place in (np, np.ndarray) if hasattr(place, name)]


@_handles(*_methods(
    "reshape", "ravel", "flatten", "transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis", "rollaxis", "squeeze",
    "expand_dims", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to", "flip", "fliplr", "flipud", "rot90", "roll", "tile", "repeat",
    "take", "take_along_axis", "diag", "diagflat", "diagonal", "tril", "triu", "copy", "array", "asarray",
    "asanyarray", "ascontiguousarray", "concatenate", "stack", "vstack", "hstack", "column_stack", "dstack", "append", "insert", "delete",
    "split", "array_split", "hsplit", "vsplit", "astype", "full", "full_like"), operator.getitem)
def _moves(graph: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Entries go somewhere else, as they are: so do their nodes.  Where nothing goes there is a zero, which depends on nothing."""
    joined = _JOINED.get(fn, 0)      # the place of further entries
    plain = [strip(a, decide=k not in (0, joined) and fn not in _FILLS) for k, a in enumerate(args)]
    value = fn(*plain, **strip(kwargs, decide=True))
    options = {k: strip(v) for k, v in kwargs.items() if k not in ("dtype", "casting", "copy")}
    if fn is np.ndarray.astype:
        ids: Any = np.array(ids_of(args[0]))
    elif fn in _FILLS:
        ids = np.full(np.shape(value), ids_of(args[1] if len(args) > 1 else kwargs["fill_value"]))
    elif fn in (np.array, np.asarray, np.asanyarray, np.ascontiguousarray):
        ids = np.asarray(np.broadcast_to(ids_of(args[0]), np.shape(strip(args[0]))), np.intp)
    else:
        rest = [ids_of(a) if k == joined else strip(a) for k, a in enumerate(args) if k]
        parts = [np.broadcast_to(ids_of(a), np.shape(strip(a))) for a in args[0]] if fn in _LISTS else ids_of(args[0])
        ids = fn(parts, *rest, **options)
    return _moved(graph, value, ids, args)


_LISTS = frozenset((np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack, np.dstack))
_JOINED = {np.append: 1, np.insert: 2}
_FILLS = frozenset((np.full, np.full_like))


def _moved(graph: Any, value: Any, ids: Any, args: tuple[Any, ...]) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_moved(graph, v, i, args) for v, i in zip(value, ids))
    if not isinstance(value, np.ndarray):
        return fresh(graph, value, int(ids), _varies(args))
    for source in lifted_in(args[0]):
        if source.value is value:
            return source
        if np.may_share_memory(value, source.value):
            same_memory(value, ids, source)
            return Tracked(graph, value, ids, source.state)
    return fresh(graph, value, ids, _varies(args))


@_handles(*_methods("sum", "mean", "prod", "max", "min", "amax", "amin", "var", "std", "nansum", "nanmean", "nanmax", "nanmin", "nanprod",
                    "ptp", "median"), np.linalg.norm)
def _reduces(graph: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Each entry of the result depends on those it is made from."""
    place = 2 if fn is np.linalg.norm else 1
    if len(args) > place + 1 or not kwargs.keys() <= {"axis", "keepdims", "ddof", "ord", "where", "initial", "dtype"}:
        return NotImplemented
    if any(np.any(t.ids) for t in lifted_in((args[1:], kwargs))):
        return NotImplemented
    value, ids = fn(*strip(args), **strip(kwargs)), ids_of(args[0])
    if isinstance(ids, int):
        return fresh(graph, value, ids, _varies(args, kwargs))
    axis = strip(kwargs.get("axis", args[place] if len(args) > place else None))
    return fresh(graph, value, graph.along(ids, axis, bool(strip(kwargs.get("keepdims", False)))), _varies(args, kwargs))


@_handles(*_methods("cumsum", "cumprod"))
def _accumulates(graph: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    axis = strip(kwargs.get("axis", args[1] if len(args) > 1 else None))
    return fresh(graph, fn(*strip(args), **strip(kwargs)), graph.running(np.atleast_1d(ids_of(args[0])), axis), _varies(args))


@_handles(np.diff)
def _differs(graph: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) > 1 or not kwargs.keys() <= {"axis"}:
        return NotImplemented
    ids = np.moveaxis(ids_of(args[0]), strip(kwargs.get("axis", -1)), 0)
    ids = np.moveaxis(graph.union(ids[1:], ids[:-1]), 0, strip(kwargs.get("axis", -1)))
    return fresh(graph, fn(*strip(args), **strip(kwargs)), ids, _varies(args))


@_handles(np.matmul, np.dot, operator.matmul, np.ndarray.dot)
def _multiplies(graph: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An entry depends on a row and a column; if one of them has no dependencies, only on the entries multiplied by its nonzeros."""
    a, b = args
    left, right = (np.broadcast_to(ids_of(x), np.shape(strip(x))) for x in args)
    if kwargs or not 0 < left.ndim < 3 or not 0 < right.ndim < 3:
        return NotImplemented
    value = fn(strip(a), strip(b))
    if left.ndim == 2 and not left.any() and not np.all(strip(a)):
        return fresh(graph, value, _by_matrix(graph, strip(a, decide=True), right), _varies(args))
    if right.ndim == 2 and not right.any() and not np.all(strip(b)):
        return fresh(graph, value, _by_matrix(graph, strip(b, decide=True).T, left.T).T, _varies(args))
    rows, columns = graph.along(left, -1), graph.along(right, 0 if right.ndim == 1 else -2)
    if left.ndim == right.ndim == 2:
        rows = rows[:, None]
    return fresh(graph, value, graph.union(rows, columns), _varies(args))


def _by_matrix(graph: Any, matrix: Any, ids: Any) -> Any:
    """The nodes of ``matrix @ x``: of each row of ``x`` that is not multiplied by zero."""
    columns = ids.reshape(len(ids), -1).T
    found = [[graph.node(column[row].tolist()) for column in columns] for row in matrix != 0]
    return np.array(found, np.intp).reshape(len(matrix), *ids.shape[1:])


@_handles(unbroadcast, fit)
def _fits(graph: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A cotangent in the shape of its value: as it is, or summed over the axes that were broadcast."""
    g, value = args[0], fn(*strip(args))
    if type(g) is not Tracked:
        return NotImplemented
    if value is g.value:
        return g
    shape, wide = np.shape(value), np.shape(g.value)
    if len(shape) > len(wide) or np.may_share_memory(value, g.value):
        return NotImplemented
    extra = len(wide) - len(shape)
    axes = tuple(k for k, n in enumerate(wide) if k < extra or shape[k - extra] != n)
    if any(k >= extra and shape[k - extra] != 1 for k in axes):
        return NotImplemented
    ids = np.reshape(graph.along(g.ids, axes), shape) if axes else g.ids
    return fresh(graph, value, ids if np.ndim(ids) else int(ids), _varies(args))


@_handles(add)
def _adds(graph: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The sum of two cotangents, of which None is none."""
    a, b = args
    if a is None or b is None:
        return b if a is None else a
    if isinstance(a, (list, tuple, dict)):
        return NotImplemented
    value = fn(*strip(args))
    return fresh(graph, value, elementwise(graph, value, args), _varies(args))


@_handles(operator.setitem)
def _sets(graph: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    base, index, item = args
    base, index = written(base), strip(index, decide=True)
    base.value[index] = strip(item)
    base.ids[index] = ids_of(item)
    base.state.varies |= _varies(item)


@_handles(np.copyto)
def _copies(graph: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if kwargs or len(args) > 2:
        return NotImplemented
    return _sets(graph, fn, (args[0], ..., args[1]), {})


@_handles(*(f.at for f in (np.add, np.subtract, np.multiply, np.maximum, np.minimum)))
def _scatters(graph: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An entry that is met several times depends on all that was added to it."""
    base, index, item = written(args[0]), strip(args[1], decide=True), args[2]
    fn(base.value, index, strip(item))
    places = np.arange(base.ids.size).reshape(base.ids.shape)[index]
    flat = base.ids.reshape(-1).copy()
    for place, node in zip(places.ravel().tolist(), np.broadcast_to(ids_of(item), places.shape).ravel().tolist()):
        flat[place] = graph.union(int(flat[place]), node)
    base.ids[...] = flat.reshape(base.ids.shape)
    base.state.varies |= _varies(item)


def written(base: Any) -> Tracked:
    """The written array, if the analysis tracks it."""
    if type(base) is not Tracked or isinstance(base.ids, int) or base.state.outside:
        raise refuse("a write into an array that the function holds from elsewhere")
    return base


def elementwise(graph: Any, value: Any, args: Any) -> Ids:
    """The unions of the nodes of arguments that broadcast to ``value``."""
    ids: Ids = 0
    for arg in args:
        more = ids_of(arg)
        ids = graph.union(ids, more) if not (isinstance(more, int) and more == 0) else ids
    return ids
