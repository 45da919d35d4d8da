"""What an operation does beyond its results: which of its operands it writes to, and which of them its result shares
memory with."""
from __future__ import annotations

import copy
import operator
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import numpy as np

from ..runtime import (
    add,
    add_at,
    add_into,
    borrowed,
    check_broadcast,
    check_product,
    clear_attribute,
    conjugated,
    fit,
    fold_back,
    give_back,
    gradient_like,
    in_dtype_of,
    items_like,
    of_rank,
    of_square,
    of_tall,
    one_number,
    put_back,
    random_state,
    room_for,
    set_random_state,
    shadow_of_view,
    split_blocks,
    split_like,
    stretched,
    take_items,
    tangent_of_view,
    tape,
    unbroadcast,
    unchanged,
)
from ..services import lookup_rule
from .ops import (
    UNDEF,
    Block,
    Build,
    Call,
    CallValue,
    For,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Raise,
    SetAttr,
    Try,
    While,
    With,
    blocks_of,
    operands_of,
    walk,
)
from .prims import Boundary, inplace_at, present, unguarded, unpack
from .sharing import by_the_call, passed_on, replaces
from .types import Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT, Type

__all__ = [
    "SHAPE_CHECKS", "aliases", "holds_mutable", "is_mutable", "is_pure", "is_unknown", "may_keep", "not_only_computing", "only_computes",
    "outside", "reads", "writes", "writes_anything", "writes_inner",
]

_INPLACE = frozenset((operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.ipow,
                      operator.imod, operator.imatmul, operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift,
                      operator.iconcat))

#: Callables that change their first argument.
WRITES_FIRST = frozenset((
    operator.setitem, operator.delitem, inplace_at, list.append, list.extend, list.insert, list.pop, list.remove, list.clear,
    list.reverse, list.sort, dict.pop, dict.update, dict.setdefault, dict.clear, dict.popitem, set.add, set.discard, set.remove,
    set.pop, set.update, set.clear, set.difference_update, set.intersection_update, set.symmetric_difference_update,
    np.ndarray.fill, np.ndarray.sort, np.ndarray.partition, np.ndarray.put, np.ndarray.resize, np.ndarray.setfield,
    np.fill_diagonal, np.put, np.copyto, np.place, np.putmask, np.put_along_axis,
    clear_attribute, take_items, add_at, add_into, fold_back, give_back, put_back,
    *(f.at for f in vars(np).values() if isinstance(f, np.ufunc)),
)) | _INPLACE

#: those of them that change its items, too
WRITES_INNER: frozenset[Callable[..., Any]] = frozenset((add_into,))

#: not in NumPy 2.0
_UNSTACK: tuple[Callable[..., Any], ...] = (np.unstack,) if hasattr(np, "unstack") else ()
#: Callables whose result may be a view of their first argument, or that argument itself.
VIEWS: frozenset[Callable[..., Any]] = frozenset((
    np.ndarray.reshape, np.reshape, np.ravel, np.ndarray.ravel, np.transpose, np.ndarray.transpose, np.swapaxes, np.ndarray.swapaxes,
    np.moveaxis, np.rollaxis, np.squeeze, np.ndarray.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d, np.atleast_3d,
    np.broadcast_to, np.diagonal, np.ndarray.diagonal, np.diag, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.flip,
    np.fliplr, np.flipud, np.rot90, np.ndarray.view, np.real, np.imag, np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit,
    np.matrix_transpose, np.linalg.matrix_transpose, np.permute_dims, *_UNSTACK,
))
#: those of them whose result NumPy lets nothing write to
READ_ONLY: frozenset[Callable[..., Any]] = frozenset((np.broadcast_to, np.diagonal, np.ndarray.diagonal, np.diag))
#: those of them whose result is a list or tuple of views
PARTS: frozenset[Callable[..., Any]] = frozenset((
    np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, *_UNSTACK,
))
#: Callables whose result may share memory with their first argument.
FROM_FIRST = _INPLACE | VIEWS | {operator.getitem, list.pop, dict.get, dict.pop}
_VIEW_ATTRS = frozenset(("T", "mT", "real", "imag", "flat", "base"))


#: Helpers that may hand back these of their arguments.
MAY_RETURN: dict[Callable[..., Any], tuple[int, ...]] = {
    unbroadcast: (0,), fit: (0,), add: (0, 1), shadow_of_view: (0,), tangent_of_view: (0,), stretched: (0,), room_for: (0,), borrowed: (0,),
    conjugated: (0,), in_dtype_of: (0,),
    of_square: (0,), of_tall: (0,), of_rank: (0,), present: (0,), items_like: (0,), split_blocks: (0,), split_like: (0,),
    gradient_like: (0,),
}


#: Callables that return an item of a container.
LOADS: frozenset[Callable[..., Any]] = frozenset((operator.getitem, list.pop, dict.get, dict.pop, dict.setdefault, unpack))
#: Callables that put something into a container → the place of that argument.
STORES: dict[Callable[..., Any], int] = {list.append: 1, list.insert: 2, put_back: 2, operator.setitem: 2, dict.setdefault: 2, set.add: 1}
#: Callables that make a container of the items of another one.
COPIES: frozenset[Callable[..., Any]] = frozenset((list, tuple, sorted, reversed, dict, list.copy, dict.copy))
#: Callables that add the items of another container to a container.
EXTENDS: frozenset[Callable[..., Any]] = frozenset((list.extend, dict.update, operator.iadd))

_REFERENCES = frozenset((ListT, DictT, SetT, Obj, OptT, TupleT, RecordT))


def is_mutable(t: Type) -> bool:
    """Whether a value of this type is a reference that may be written through."""
    return not t.scalar if type(t) is Arr else type(t) in _REFERENCES


_IMMUTABLE = (int, float, complex, str, bytes, range, ModuleType)
#: containers that may occur in the code without a name: their items were created outside of the function
_HOLDERS = (tuple, list, dict)


def _may_be_written(x: Any) -> bool:
    """Whether an object, or an item of a tuple, can be written to."""
    if type(x) is tuple:
        return any(map(_may_be_written, x))
    return x is not None and not callable(x) and not isinstance(x, _IMMUTABLE)


def holds_mutable(value: Any) -> bool:
    """Whether an object from outside can change: a container, an array or an instance, or a tuple that holds one."""
    if isinstance(value, tuple):
        return any(map(holds_mutable, value))
    return value is not None and not isinstance(value, (*_IMMUTABLE, bool, np.generic)) and not callable(value)


def outside(x: Lit) -> Any:
    """The object from outside of the function that a literal stands for, if it can be written to (of a view, the array); or None."""
    held = x.value
    if x.text is None and type(held) not in _HOLDERS or x is UNDEF or not _may_be_written(held):
        return None
    while isinstance(held, np.ndarray) and isinstance(held.base, np.ndarray):
        held = held.base
    return held


def writes_inner(op: Op) -> bool:
    """Whether a call may change the items of a container argument: ``rows[i] += 1`` does, if the rows are arrays."""
    if type(op) is not Call:
        return False
    if op.fn is inplace_at and isinstance(t := op.args[0].type, (ListT, DictT)):
        item = t.elem if isinstance(t, ListT) else t.value
        return item is not None and is_mutable(item)
    return op.fn in WRITES_INNER


#: Methods of objects of which nothing else is known, and functions of Python's library that change their arguments.
_QUIET_METHODS = frozenset(("format", "write", "info", "debug", "warning", "error", "log", "exception", "critical"))
_QUIET_CLASSES = (str, bytes, np.random.Generator, np.random.RandomState, np.dtype)
_CHANGERS = frozenset(("shuffle", "heapify", "heappop", "heappush", "heappushpop", "heapreplace", "insort", "insort_left", "insort_right"))


def is_unknown(op: Op) -> bool:
    """Whether the effects of a call are unknown: it may write to its arguments, or to objects in a global or an attribute."""
    if type(op) is CallValue:
        return not (op.method in _QUIET_METHODS or op.method not in _CHANGERS and getattr(op.callee.type, "cls", None) in _QUIET_CLASSES)
    if type(op) is not Call or op.fn in WRITES_FIRST or is_known_pure(op.fn):
        return False
    fn: Any = op.fn
    if getattr(fn, "__name__", "") in _CHANGERS or isinstance(fn, operator.methodcaller):
        return True
    if isinstance(fn, type) and issubclass(fn, BaseException) or lookup_rule(fn) is not None:
        return False        # a function with a rule does nothing but compute
    root = (getattr(fn, "__module__", None) or "").split(".")[0]
    return root == "__main__" or root not in sys.stdlib_module_names and root not in ("numpy", "scipy", "transgrad")


#: functions of Python's library that return what nothing else refers to
_MAKERS = frozenset((copy.deepcopy,))


def may_keep(op: Op) -> bool:
    """Whether a call may keep an argument, and return it or an object that holds it: the call or this property of it is unknown."""
    if type(op) is CallValue:
        return is_unknown(op)
    if type(op) is not Call or op.fn in WRITES_FIRST or op.fn in _MAKERS or is_known_pure(op.fn):
        return False
    if (getattr(op.fn, "__module__", None) or "").split(".")[0] in ("numpy", "scipy", "transgrad"):
        return False
    return lookup_rule(op.fn) is None


def writes(op: Op) -> list[Operand]:
    """The operands whose referents the operation changes."""
    if type(op) is Call:
        if op.fn in _COMPUTING and not op.kwargs:       # most calls
            return []
        out: list[Operand] = [op.args[0]] if op.fn in WRITES_FIRST and op.args and type(op.args[0].type) is not Num else []
        if op.kwargs and "out" in op.kwargs and op.kwargs["out"].type is not None and getattr(op.kwargs["out"], "value", 0) is not None:
            out.append(op.kwargs["out"])
        return [*out, op.args[0]] if op.fn is np.nan_to_num and replaces(op) else out
    if isinstance(op, SetAttr):
        return [op.obj]
    return []


def writes_anything(block: Block) -> bool:
    """Whether an operation in a block, or in a function called from it, may write to memory."""
    seen, todo = {id(block)}, [block]
    for body in todo:
        for op in walk(body):
            if writes(op):
                return True
            if type(op) is Invoke and id(op.func.body) not in seen:
                seen.add(id(op.func.body))
                todo.append(op.func.body)
    return False


def aliases(op: Op) -> list[Operand]:
    """The operands that the result may share memory with."""
    if type(op) is Call:
        fn = op.fn
        if fn in _COMPUTING and not op.kwargs:      # most calls
            return []
        if fn in FROM_FIRST:
            return [] if fn is np.diag and _is_vector(op.args[0]) else [op.args[0]]
        if op.kwargs and "out" in op.kwargs:
            return [op.kwargs["out"]]
        if type(fn) is Boundary:
            return list(op.args[:fn.count])
        if fn in MAY_RETURN:
            return [op.args[k] for k in MAY_RETURN[fn] if k < len(op.args)]
        return passed_on(op)
    if isinstance(op, GetAttr) and (op.name in _VIEW_ATTRS or not isinstance(op.obj.type, Arr)):
        return [op.obj]
    if isinstance(op, Build) and op.kind != "str":
        return operands_of(op)
    return []


def _is_vector(x: Operand) -> bool:
    """Whether something has one dimension: ``np.diag`` makes a matrix of it, and of a matrix a view."""
    return isinstance(x.type, Arr) and len(x.type.dims) == 1


#: callables that write to their arguments, or may return them, and those of them that return a part of them
_SHARING = WRITES_FIRST | FROM_FIRST | MAY_RETURN.keys()
_PARTS = VIEWS | {operator.getitem}
#: library functions that were found to do nothing of the kind
_COMPUTING: set[Callable[..., Any]] = set()
_NUMBERS = frozenset((Num, Arr))


def only_computes(op: Op) -> bool:
    """Whether an operation is a call that does nothing but compute numbers, or arrays that nothing else refers to.

    Most operations are, and no analysis of memory has to look at them.
    """
    if type(op) is not Call or op.kwargs:
        return False
    fn, results = op.fn, op.results
    if fn not in _COMPUTING:
        if fn in _SHARING:
            return fn in _PARTS and not (is_mutable(results[0].type) if len(results) == 1 else any(is_mutable(r.type) for r in results))
        if type(fn) is Boundary or (getattr(fn, "__module__", None) or "").startswith("transgrad.") or not is_known_pure(fn):
            return False
        if not by_the_call(fn):
            _COMPUTING.add(fn)
        elif passed_on(op) or writes(op):
            return False
    return len(results) == 1 and type(results[0].type) in _NUMBERS


def not_only_computing(ops: Iterable[Op]) -> list[Op]:
    """Those of some operations that do more than compute, or may: the others need not be looked at."""
    return [op for op in ops if not (
        type(op) is Call and op.fn in _COMPUTING and not op.kwargs and len(op.results) == 1 and type(op.results[0].type) in _NUMBERS
        or only_computes(op))]


def is_pure(op: Op) -> bool:
    """Whether the operation may be removed where its results are not used (it may raise, as a removed one may not)."""
    if type(op) is Call:
        return not writes(op) and is_known_pure(op.fn)
    if isinstance(op, (CallValue, SetAttr, Raise, With, Try)):
        return False
    if isinstance(op, Invoke):
        return op.func.attrs.pure
    if isinstance(op, (If, For, While)):
        return all(is_pure(inner) for block in blocks_of(op) for inner in walk(block))
    return True


#: functions that do nothing but raise
SHAPE_CHECKS = (check_broadcast, check_product)


def is_known_pure(fn: Callable[..., Any]) -> bool:
    """Whether a callable is known to do nothing but compute its result."""
    try:
        if fn in _FOUND_PURE:
            return True
        if found := _is_known_pure(fn):
            _FOUND_PURE.add(fn)
        return found
    except TypeError:       # unhashable
        return _is_known_pure(fn)


#: functions found to be pure so far: library functions, which live as long as the process
_FOUND_PURE: set[Callable[..., Any]] = set()


def _is_known_pure(fn: Callable[..., Any]) -> bool:
    module = getattr(fn, "__module__", None) or ""
    owner = getattr(fn, "__objclass__", None)
    if owner is not None:
        return owner in (np.ndarray, list, dict, tuple, str, set, float, int, complex, np.generic, np.float64)
    if isinstance(fn, (np.ufunc, Boundary)):
        return True
    if isinstance(fn, operator.methodcaller):       # any method
        return False
    root = module.split(".")[0]
    # the last two call a user's function
    if fn in (*SHAPE_CHECKS, random_state, set_random_state, unchanged, one_number, unguarded, tape.vjp, tape.call):
        return False
    if root == "scipy" and getattr(fn, "__name__", "") == "rvs":
        return False
    if root == "numpy":
        return "random" not in module and getattr(fn, "__name__", "") not in ("save", "savetxt", "savez", "seterr", "load")
    return root in ("_operator", "operator", "math", "cmath", "scipy", "_functools", "transgrad") or fn in _PURE_BUILTINS


_PURE_BUILTINS = frozenset((abs, all, any, bool, complex, divmod, float, int, isinstance, len, list, max, min, pow, range, round,
                            sorted, str, sum, tuple, dict, set, frozenset, zip, enumerate, reversed, slice, type, repr, hasattr, getattr,
                            id, hash, callable, issubclass))


_LOOKS_AT_NOTHING = _VIEW_ATTRS | {"shape", "ndim", "dtype", "size"}


def reads(op: Op) -> list[Operand]:
    """The operands whose referents' contents the operation looks at (all of them, unless it only makes a view)."""
    if op.fn in VIEWS if type(op) is Call else isinstance(op, GetAttr) and op.name in _LOOKS_AT_NOTHING:
        return []
    return operands_of(op)


