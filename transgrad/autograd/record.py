"""How an operation gets onto the tape: the function runs on arrays, and a node with its rule is put behind the result."""
from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..rules import advice
from ..rules.registry import Rule, lookup, lookup_on_tape
from ..rules.static import NoDerivative
from ..rules.text import zero_entries
from . import dtypes
from .fit import Meta
from .functions.shape import to_copy
from .general_node import general_class, plan_of
from .halves import computed
from .inference import kept_apart
from .layouts import COLUMNS, columns, laid_out_as
from .names import TOGETHER, kept_beside, named
from .node_text import node_class
from .nodes import TO_NOWHERE, edge_of, first_reason, next_seq
from .observer import FUNCTION, told
from .state import STATE
from .tensor import Tensor, unwrap, wrap
from .views import view_of
from .volatile import spreads
from .wording import DIVISIONS, SUBTRACTIONS, refuse_booleans, refuse_zero, worded
from .zero_node import zero_node

__all__ = ["RECORDERS", "apply", "cast", "finish", "make_node", "promoted", "put_node", "record", "unbatched", "without_effect"]

Path = tuple[int, ...]
_PLAIN = frozenset((int, float, bool, str, type(None), np.ndarray))
#: operations whose names are not those of their nodes
_OPERATIONS: dict[Any, str] = {
    np.equal: "eq", np.not_equal: "ne", np.less: "lt", np.less_equal: "le", np.greater: "gt", np.greater_equal: "ge",
    np.left_shift: "bitwise_left_shift", np.right_shift: "bitwise_right_shift", to_copy: "_to_copy"}
#: for functions and the types of their arguments, how to run and record them in the ordinary case
RECORDERS: dict[tuple[Any, ...], Callable[..., Any]] = {}


def apply(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """``fn(*args, **kwargs)`` on Tensors, arrays and numbers, recorded where an argument requires grad.

    The result's dtype is NumPy's. A result that shares memory with an argument becomes a view of it.

    Raises
    ------
    TypeError
        If an argument requires grad and the table of rules has no derivative of ``fn``.
    """
    if STATE.plain:
        if kwargs:
            return record(fn, args, kwargs)
        recorder = RECORDERS.get((fn, *map(type, args)))
        return (recorder or _new_recorder(fn, args, "recorded"))(*args)
    if STATE.unrecorded and not kwargs:
        recorder = RECORDERS.get((fn, "unrecorded", *map(type, args)))
        return (recorder or _new_recorder(fn, args, "unrecorded"))(*args)
    if STATE.interpreter is not None:
        return STATE.interpreter(fn, args, kwargs)
    return _unusual(fn, args, kwargs, None)


def promoted(fn: Any, *args: Any, floating: bool = False) -> Any:
    """An element-wise ``fn`` with torch's promotion of dtypes; with ``floating`` integers become the default dtype."""
    if STATE.plain:
        recorder = RECORDERS.get((fn, "promoted", *map(type, args)))
        found = (recorder or _new_recorder(fn, args, "promoted"))(*args)
        if found is not None:
            return found
    elif STATE.unrecorded:
        recorder = RECORDERS.get((fn, "promoted unrecorded", *map(type, args)))
        found = (recorder or _new_recorder(fn, args, "promoted unrecorded"))(*args)
        if found is not None:
            return found
    if fn in SUBTRACTIONS and STATE.sweep is None and not STATE.duals:      # in a rule NumPy's ways hold
        refuse_booleans(*args[:2])
    dtype = dtypes.result_type(*(args[0] if type(args[0]) is list else args))
    if floating and dtypes.category(dtype) < dtypes.FLOATING:
        dtype = dtypes.get_default_dtype()
    args = tuple(dtypes.turned_round(x.item() if isinstance(x, np.generic) else x, dtype) for x in args)
    if STATE.plain:
        try:
            return record(fn, args, {}, dtype)
        except (ValueError, TypeError) as error:
            raise worded(fn, error, args) from None
    if STATE.interpreter is not None:
        args = tuple(_to(x, dtype) for x in args)
        return STATE.interpreter(fn, args, {})
    try:
        return _unusual(fn, args, {}, dtype)
    except (ValueError, TypeError) as error:
        raise worded(fn, error, args) from None


def _new_recorder(fn: Any, args: tuple[Any, ...], kind: str) -> Callable[..., Any]:
    from .recorders import recorder
    key = (fn, *map(type, args)) if kind == "recorded" else (fn, kind, *map(type, args))
    made = recorder(fn, args, "promoted" in kind, "unrecorded" not in kind)
    if lookup(fn) is not None:      # else a function of the user's, which is not to be kept
        RECORDERS[key] = made
    return made


def unbatched(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`apply` without an interpreter, or if the interpreter does not handle the call."""
    return _unusual(fn, args, kwargs, None)


def _unusual(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], dtype: np.dtype[Any] | None) -> Any:
    return observed(fn, args, lambda: _levels(fn, args, kwargs, dtype))


def observed(fn: Any, args: tuple[Any, ...], run: Callable[[], Any], suffix: str = "") -> Any:
    """``run()``, of which a profiler hears; the suffix is that of the operation's name."""
    return run() if STATE.profiler is None else listened(operation_name(fn) + suffix, args, run)


def listened(name: str, args: tuple[Any, ...], run: Callable[[], Any]) -> Any:
    """``run()``, of which a profiler hears under a name."""
    profiler = STATE.profiler
    return run() if profiler is None else told(profiler, name, FUNCTION, peek_seq() if STATE.grad else -1, args, run)


def _levels(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], dtype: np.dtype[Any] | None) -> Any:
    if not STATE.level or STATE.inference:      # inference mode is without tangents as well
        return record(fn, args, kwargs, dtype)
    from .forward_ad import dual_record
    return dual_record(fn, args, kwargs, dtype, STATE.level)


def record(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], dtype: np.dtype[Any] | None = None) -> Any:
    """Run ``fn`` on the arrays (cast to ``dtype``) and put a node behind the result."""
    raw = given = [unwrap(a) for a in args]
    if dtype is not None:
        raw = [[cast(a, dtype) for a in raw[0]], *raw[1:]] if type(raw[0]) is list else [cast(a, dtype) for a in raw]
    try:
        if fn in DIVISIONS:
            refuse_zero(raw)
        y = computed(fn, raw, {k: unwrap(v) for k, v in kwargs.items()} if kwargs else kwargs)
    except Exception as error:
        raise first_reason(error, args) from None
    return finish(fn, args, kwargs, y, given, dtype)


def finish(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], y: Any, raw: list[Any], dtype: np.dtype[Any] | None = None) -> Any:
    """Put a node behind what ``fn`` returned for ``raw``, the arrays of the arguments."""
    if dtype is not None and dtype.kind == "V" and y.dtype.kind == "f":      # NumPy lacks some of bfloat16's functions
        y = y.astype(dtype)
    if type(y) is np.ndarray and y.base is None and y.ndim > 1:
        y = laid_out_as(fn, y, raw[0] if raw and type(raw[0]) is list else raw)
    elif type(y) is not np.ndarray and fn in COLUMNS:
        most = max(2, *(part.ndim for part in y))
        parts = [columns(part, most) for part in y]
        y = type(y)(*parts) if hasattr(y, "_fields") else tuple(parts)
    outs, several = _wrapped(y)
    inputs = _tensors(args, ())
    if kwargs:
        inputs += [((), t) for v in kwargs.values() for _, t in _tensors((v,), ())]
    if outs is None:
        if STATE.grad and _holds_numbers(y) and any(_tracked(t) for _, t in inputs):
            raise NoDerivative(f"{advice.name_of(fn)} returns a {type(y).__name__} whose numbers the tape cannot record")
        return y
    for k, out in enumerate(outs):
        if out._array.base is not None or _among(out, inputs):
            view_of(out, fn, args, kwargs, k if several else None)
    volatile = STATE.volatile and spreads([t for _, t in inputs], outs)
    if STATE.grad and not STATE.inference and not volatile:
        targets = [k for k, o in enumerate(outs) if dtypes.is_differentiable(o._array.dtype)]
        if targets and any(map(_tracked, [t for _, t in inputs])) and not kept_apart(fn, [t for _, t in inputs], len(args)):
            put_node(fn, args, kwargs, outs, several, targets, None if kwargs else inputs)
    if not several:
        return outs[0]
    return type(y)(*outs) if hasattr(y, "_fields") else tuple(outs)


def _among(out: Tensor, inputs: list[tuple[Path, Tensor]]) -> bool:
    """Return whether a result is one of the arguments as it was."""
    return any(out._array is t._array for _, t in inputs)


def _tracked(x: Tensor) -> bool:
    """Return whether gradients go to a tensor; an accumulator is not made for the question."""
    return x._edge is not None or x._view is not None and edge_of(x) is not None


def _to(x: Any, dtype: np.dtype[Any]) -> Any:
    if type(x) is list:
        return [_to(i, dtype) for i in x]
    return x.to(dtype) if isinstance(x, Tensor) and x._array.dtype != dtype else x


def cast(x: Any, dtype: np.dtype[Any]) -> Any:
    """An array in a dtype; a number as it is, but for bfloat16, beside which NumPy would make it a float64."""
    if isinstance(x, np.ndarray):
        return x if x.dtype == dtype else x.astype(dtype)
    return np.asarray(x, dtype) if dtype.kind == "V" and x is not None else x


def _wrapped(y: Any) -> tuple[list[Any] | None, bool]:
    """The results as Tensors, and whether there are several; None if they are not arrays."""
    if isinstance(y, (np.ndarray, np.generic, float, complex)):     # the math module's functions return numbers
        return [wrap(y)], False
    if isinstance(y, (tuple, list)) and y and all(isinstance(part, (np.ndarray, np.generic, bool, int, float, complex)) for part in y):
        return [wrap(part) for part in y], True
    return None, False


def _holds_numbers(y: Any) -> bool:
    """Return whether there are floating numbers in nested containers."""
    if isinstance(y, (tuple, list)):
        return any(map(_holds_numbers, y))
    if isinstance(y, dict):
        return any(map(_holds_numbers, y.values()))
    return isinstance(y, (float, complex, np.inexact)) or isinstance(y, np.ndarray) and y.dtype.kind in "fc"


def _tensors(tree: Any, path: Path) -> list[tuple[Path, Tensor]]:
    found: list[tuple[Path, Tensor]] = []
    for k, x in enumerate(tree):
        kind = type(x)
        if kind is Tensor:
            found.append(((*path, k), x))
        elif kind in _PLAIN:
            continue
        elif isinstance(x, Tensor):
            found.append(((*path, k), x))
        elif isinstance(x, (list, tuple)):
            found += _tensors(x, (*path, k))
    return found


def put_node(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], outs: list[Tensor], several: bool, targets: Sequence[int] = (0,),
             inputs: list[tuple[Path, Tensor]] | None = None) -> None:
    """Put a node behind the results at ``targets``; ``inputs`` are the Tensors among the arguments."""
    node = make_node(fn, args, kwargs, outs if several else outs[0], inputs)
    if node is None:
        return
    node.save_result(tuple(outs) if several else outs[0])
    for k in targets:
        outs[k]._edge = (node, k)


def make_node(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], outs: Any, inputs: list[tuple[Path, Tensor]] | None = None) -> Any:
    """Create the node of a call with all saved values except the result; None if there is no derivative."""
    rule: Rule | None = lookup_on_tape(fn)
    if rule is None:
        raise TypeError(f"{advice.reason(fn)}, and an argument requires grad: write it as an autograd.Function, register its rule with "
                        "transgrad.rule, or pass x.detach()")
    if rule.kind == "constant":
        return zero_node(fn, args) if isinstance(fn, np.ufunc) or named(fn) else None
    bound, options = rule.bind(args, kwargs)
    inputs = _tensors(bound, ()) if inputs is None else inputs
    wanted: list[tuple[Path, Tensor, Any]] = [(path, t, edge) for path, t in inputs if (edge := edge_of(t)) is not None]
    if options and any(edge_of(t) is not None for v in options.values() for _, t in _tensors((v,), ())):
        raise TypeError(f"no derivative of {getattr(fn, '__name__', fn)} with respect to an option that requires grad")
    unmoved = without_effect(rule.vjp)
    if unmoved:
        if all(path[0] in unmoved for path, _, _ in wanted) and not kept_beside(fn, ()):
            return zero_node(fn, args) if isinstance(fn, np.ufunc) or named(fn) else None
        if not isinstance(fn, np.ufunc) and not named(fn):      # torch sends zeros there
            wanted = [found for found in wanted if found[0][0] not in unmoved]
    if not wanted:
        return None
    reached = [found for found in wanted if found[2] is not TO_NOWHERE]
    if reached and fn in TOGETHER:
        reached = [(path, t, edge_of(t)) for path, t in inputs if dtypes.is_differentiable(t._array.dtype)]
    several = isinstance(outs, (tuple, list))
    general = options or several or rule.lists
    cls = None if general else node_class(fn, rule, bound, tuple(path[0] for path, _, _ in reached))
    if cls is None:
        given = reached or wanted
        plan = plan_of(fn, rule, bound, options, [path for path, _, _ in given], outs)
        return general_class(fn)(plan, bound, options, tuple(edge for _, _, edge in given))
    node = cls.__new__(cls)
    node._edges, node._more, node._seq = tuple(edge for _, _, edge in reached), None, next_seq()
    if STATE.anomaly is not None:
        STATE.anomaly.created(node)
    metas: tuple[Meta, ...] = tuple((t._array.shape, t._array.dtype) for _, t, _ in reached)
    node.save(bound, metas)
    return node


@functools.lru_cache(2048)
def without_effect(vjp: Any) -> frozenset[int]:
    """The places of the arguments that the result does not change with, though they may require grad."""
    return frozenset(zero_entries(vjp))


def peek_seq() -> int:
    """The number the next node will have."""
    return int(repr(next_seq.__self__)[6:-1])       # type: ignore[attr-defined]


@functools.lru_cache(4096)
def operation_name(fn: Any) -> str:
    """``aten::mul`` for the function whose node is MulBackward0."""
    if fn in _OPERATIONS:
        return f"aten::{_OPERATIONS[fn]}"
    from .names import name_of
    words = re.sub(r"Backwards?\d*$", "", name_of(fn).rpartition("::")[2])
    return "aten::" + "".join("_" + c.lower() if c.isupper() and k else c.lower() for k, c in enumerate(words))
