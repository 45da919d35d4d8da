"""In-place operations: the result goes into the memory of the first argument, and into its history."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..rules.registry import lookup
from . import dtypes
from .fit import is_dense, refuse_overlap
from .functions.masks import masked_fill, masked_fill_tensor
from .functions.shape import tril, triu
from .functions.slabs import index_fill, index_fill_tensor, index_put, index_put_accumulate
from .functions.writes import copied, filled, filled_tensor, zeroed
from .halves import computed
from .hooks import move_retained
from .nodes import TO_NOWHERE, Node, edge_of, next_seq
from .record import cast, make_node
from .rule_nodes import RuleNode
from .state import STATE
from .tensor import NO_VERSION, Tensor, unwrap, wrap
from .views import CopySlices
from .volatile import forget, spreads
from .wording import DIVISIONS, SUBTRACTIONS, misfit, refuse_booleans, refuse_zero, worded
from .zero_node import zero_node

__all__ = ["CASTS", "check_history", "check_writable", "inplace", "matched", "rebase", "unbatched_inplace", "written"]


def inplace(fn: Any, x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Write ``fn(x, *args, **kwargs)`` into ``x`` and return it.

    Raises
    ------
    RuntimeError
        If ``x`` is a leaf that requires grad or a view of one, a view that may not be written to, of another shape than the result, or
        of a dtype that cannot hold it.
    """
    if STATE.plain or STATE.unrecorded:
        return written(fn, x, args, kwargs) if kwargs or not _directly(fn, x, args) else x
    if STATE.interpreter is not None:
        from .batching.writes import write
        return write(fn, x, args, kwargs)
    return unbatched_inplace(fn, x, args, kwargs)


_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)
_ARITHMETIC = frozenset((np.add, np.subtract, np.multiply, np.divide))
_CONSTANTS = frozenset((filled, filled_tensor))
_DIRECT = _ARITHMETIC | _CONSTANTS | {copied}


def _directly(fn: Any, x: Tensor, args: tuple[Any, ...]) -> bool:
    """Compute ``fn(x, arg)`` in the memory of ``x`` and record it; False, with nothing done, where the general way is needed.

    The ordinary case: both are real and of one dtype, a second Tensor has the same shape and other memory, and no hook or listener asks
    for more.
    """
    if fn not in _DIRECT or len(args) != 1 or type(x) is not Tensor:
        return False
    array, b, counter = x._array, args[0], x._counter
    dtype = array.dtype
    if dtype is not _F32 and dtype is not _F64 or not array.flags.writeable:
        return False
    contiguous = array.flags.c_contiguous
    if not contiguous and (fn in _ARITHMETIC or any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape))):
        return False
    records = not STATE.unrecorded
    edge = other = None
    value = b
    if type(b) is Tensor:
        value = b._array
        if value.dtype is not dtype or value.shape != array.shape or fn in _CONSTANTS or value is array and not contiguous or (
                value is not array and (value.base is not None or array.base is not None) and np.may_share_memory(value, array)):
            return False
        if records and (b._edge is not None or b._view is not None):
            if value is array or b._counter is NO_VERSION:
                return False
            other = edge_of(b)
    elif fn in _CONSTANTS:
        if type(b) is np.ndarray and (b.dtype.kind not in "fiub" or b.ndim):
            return False
        if type(b) is not np.ndarray and type(b) is not float and type(b) is not int:
            return False
    elif fn is copied or type(b) is not float and type(b) is not int or fn is np.divide and b == 0:
        return False
    if counter is NO_VERSION and not STATE.inference or counter is None and STATE.inference:
        return False
    if records and (x._edge is not None or x._view is not None):
        edge = edge_of(x)
    if edge is TO_NOWHERE or other is TO_NOWHERE:
        return False
    node: Any = None
    if edge is not None or other is not None:
        check_history(x)
        old = wrap(array)
        old._edge = edge
        node = _node(fn, x, old, b, edge, other)
        if node is None:
            return False
    if fn in _ARITHMETIC:
        fn(array, value, array)
    else:
        array[...] = value
    counter = x._counter
    if counter is None:
        x._counter = [1]
    elif counter is not NO_VERSION:
        counter[0] += 1
    if node is not None:
        rebase(x, node, None if edge is None or edge not in node._edges else node._edges.index(edge))
        node.save_result(x)
    return True


#: the classes of nodes, by the function, the type of its second operand and the tensors that require grad
_NODES: dict[Any, type[RuleNode] | None] = {}


def _node(fn: Any, x: Tensor, old: Tensor, b: Any, edge: Any, other: Any) -> Any:
    """The node of a write whose operands are as `_directly` takes them, with what it saves; None where its class is not known."""
    key = (fn, type(b), edge is not None, other is not None)
    if key not in _NODES:
        node = make_node(fn, (old, b), {}, x)
        _NODES[key] = type(node) if isinstance(node, RuleNode) else None
        if node is None:
            return None
    else:
        cls = _NODES[key]
        if cls is None:
            return None
        node = cls.__new__(cls)
        node._edges, node._more, node._seq = tuple([(edge, other)[k] for k in cls._wanted]), None, next_seq()
        node.save((old, b), tuple([((old, b)[k]._array.shape, old._array.dtype) for k in cls._wanted]))
    if not isinstance(node, RuleNode):
        return None
    for saved in node.saved():
        if saved._tensor is old:
            old._array = saved._array = x._array.copy(order="K")
    return node


def unbatched_inplace(fn: Any, x: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """`inplace` without an interpreter, or if the interpreter does not handle the call."""
    from .record import observed
    if not STATE.level or STATE.inference:
        return observed(fn, (x, *args), lambda: written(fn, x, args, kwargs), "_")       # type: ignore[no-any-return]
    from .forward_ad import dual_written
    return observed(fn, (x, *args), lambda: dual_written(fn, x, args, kwargs), "_")      # type: ignore[no-any-return]


def written(fn: Any, x: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """`inplace` on reverse mode alone."""
    inputs = [t for t in (x, *args, *kwargs.values()) if isinstance(t, Tensor)]
    recorded = STATE.grad and not STATE.inference and (fn is not copied or dtypes.is_differentiable(x._array.dtype))
    tracked = recorded and any(edge_of(t) is not None for t in inputs)
    if fn in SUBTRACTIONS:
        refuse_booleans(x, args[0])
    check_writable(x, tracked, fn in _ANYWHERE or fn is copied and args[0] is x)
    if STATE.volatile and spreads(inputs, [x]):
        tracked = False
        forget(x)
    result = _computed(fn, x, args, kwargs)
    node: Any = None
    old = x
    if tracked and dtypes.is_differentiable(x._array.dtype):
        edge = edge_of(x)
        old = wrap(x._array)
        old._edge = edge
        if STATE.packing:
            old._array = x._array.copy()
        node = make_node(fn, (old, *args), kwargs, x) or zero_node(fn, (old, *args))
        if any(s._tensor is old for s in node.saved()):
            old._array = x._array.copy(order="K")
            for s in node.saved():
                if s._tensor is old:
                    s._array = old._array
    _write(x, result)
    if node is not None:
        own = next((k for k, e in enumerate(node._edges) if edge is not None and e == edge), None)
        rebase(x, node, own)
        node.save_result(x)
    return x


def _computed(fn: Any, x: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Check the written value for shape and dtype."""
    raw = [unwrap(a) for a in (x, *args)]
    target = x._array
    by_element = matched(fn, x, args)
    if by_element or fn is copied:
        for a in raw[1:]:
            if isinstance(a, np.ndarray) and np.may_share_memory(a, target):
                _check_overlap(a, target)
    if by_element:
        dtype = dtypes.result_type(x, *args)
        _castable(dtype, target.dtype)
        numbers = isinstance(fn, np.ufunc)      # of another function, they may be options
        raw = [cast(dtypes.turned_round(a.item() if isinstance(a, np.generic) else a, dtype), dtype)
               if numbers or isinstance(a, np.ndarray) else a for a in raw]
    if fn in DIVISIONS:
        refuse_zero(raw)
    try:
        result = computed(fn, raw, {k: unwrap(v) for k, v in kwargs.items()})
    except ValueError as error:
        raise misfit(error, (x, *args)) from None
    except TypeError as error:
        raise worded(fn, error, (x, *args)) from None
    if np.shape(result) != target.shape:
        raise RuntimeError(f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(np.shape(result))}")
    if fn not in CASTS:
        found = np.asarray(result).dtype
        floats = found.kind == "f" or fn is np.reciprocal       # of which NumPy makes integers
        _castable(dtypes.get_default_dtype() if floats and target.dtype.kind in "iub" else found, target.dtype)
    return result


def _check_overlap(source: Any, target: Any) -> None:
    """RuntimeError where a write changes elements of an operand that are still to be read."""
    whole = source.strides == target.strides and source.shape == target.shape and source.ctypes.data == target.ctypes.data
    if not whole and source.size and target.size and is_dense(source) and is_dense(target):
        raise RuntimeError("unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
                           "location. Please clone() the tensor before performing the operation.")


def matched(fn: Any, x: Tensor, args: tuple[Any, ...]) -> bool:
    """Return whether the operands are promoted to one dtype, as an element-wise operation's are."""
    if isinstance(fn, np.ufunc):
        return True
    rule = lookup(fn)
    return rule is not None and rule.kind == "elementwise" and all(
        isinstance(a, (Tensor, np.ndarray, int, float, complex, np.generic)) for a in args)


#: functions whose result has the dtype of the destination
CASTS: set[Any] = set()
#: functions that torch lets write where elements share memory
_ANYWHERE = frozenset((tril, triu, zeroed, filled, index_put, index_put_accumulate, masked_fill, masked_fill_tensor,
                        index_fill, index_fill_tensor))


def _castable(dtype: np.dtype[Any], target: np.dtype[Any]) -> None:
    if dtypes.category(dtype) > dtypes.category(target):
        raise RuntimeError(f"result type {dtypes.title(dtype)} can't be cast to the desired output type {dtypes.title(target)}")


def check_writable(x: Tensor, tracked: bool, anywhere: bool = False) -> None:
    """Raise where a write to ``x`` would be lost to its history, or would be silently wrong.

    ``anywhere`` says that elements may share memory.
    """
    if x.is_inference() and not STATE.inference:
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a normal "
                           "tensor before doing inplace update.")
    if tracked:
        check_history(x)
    if not anywhere:
        refuse_overlap(x._array)


def check_history(x: Tensor) -> None:
    """Raise for a leaf that requires grad, a view of one, and a view that may not be written to."""
    view = x._view
    if view is not None:
        if view.creation != "default":
            raise view.refusal(x, "is being")
        view.keep_up(x)
        if edge_of(x) is not None and view.base.is_leaf:
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if x.requires_grad and x.is_leaf:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def _write(x: Tensor, result: Any) -> None:
    array = x._array
    if not array.flags.writeable and isinstance(array.base, np.ndarray) and array.base.flags.writeable:
        array.flags.writeable = True        # NumPy makes some views read-only that are not
    if any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape)):
        changed = ~((array == result) | (array != array) & (result != result))      # the unchanged part must not overwrite the new values
        array[changed] = result[changed]
    else:
        array[...] = result
    if not x.is_inference():
        x.counter()[0] += 1


def rebase(x: Tensor, node: Node, own: int | None, output_nr: int = 0) -> None:
    """Make an output of ``node`` the history of ``x`` from now on; ``own`` is the place of its edge to the history of ``x`` so far."""
    view = x._view
    if view is None:
        move_retained(x, node, output_nr)
        x._edge = (node, output_nr)
        return
    base = view.base
    copy = CopySlices(base, view.steps, node, own)
    node._edges = ()
    move_retained(base, copy)
    base._edge = (copy, 0)
    view.version = view.counter[0]
    view.lead(x, (copy, 0))
