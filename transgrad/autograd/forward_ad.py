"""Forward-mode differentiation: dual tensors, in levels that nest."""
from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..rules.registry import Rule, lookup, lookup_on_tape
from . import dtypes
from .accumulate import empty_like
from .batching.values import BatchedTensor, over, under
from .fit import fitted
from .functions.shape import to_copy
from .halves import is_half
from .inplace import check_writable, matched, written
from .kept_tangents import settle
from .names import UNDEFINED, WIDE
from .nodes import edge_of
from .record import apply, promoted, record
from .state import STATE, share_level, stop_sharing_level
from .tensor import Tensor, wrap

__all__ = [
    "Below", "Level", "UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "has_tangent", "make_dual", "set_tangent",
    "shared_dual_level", "tangent_of", "unpack_dual",
]

_numbers = itertools.count()
_ABSENT: Any = object()


class Level:
    """An open dual level: its tangents die with it.

    If it is ``mixed``, a tangent differs in dtype from its primal: tangents then have their computed dtypes.
    """

    __slots__ = ("mixed", "number", "owners")

    def __init__(self) -> None:
        self.number = next(_numbers)
        self.mixed = False
        self.owners: list[weakref.ref[Tensor]] = []

    def close(self) -> None:
        """Take their tangents from the tensors that have one of this level."""
        for reference in self.owners:
            tensor = reference()
            if tensor is not None and tensor._more is not None:
                tensor._more.tangents.pop(self.number, None)


class _set_fwd_grad_enabled:
    """Within the context, operations carry no tangents (or do, with True)."""

    def __init__(self, mode: bool):
        self.before = STATE.level
        STATE.level = len(STATE.duals) if mode else 0
        STATE.refresh()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        STATE.level = self.before
        STATE.refresh()


class UnpackedDualTensor(NamedTuple):
    """The result of `unpack_dual`; the tangent may be None."""

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Open a level and return its number, from 0 for the outermost."""
    STATE.duals = (*STATE.duals, Level())
    STATE.level = len(STATE.duals)
    STATE.refresh()
    return STATE.level - 1


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the innermost level and drop its tangents; raise RuntimeError if it is not the innermost, or none is open."""
    if not STATE.duals or level is not None and level != len(STATE.duals) - 1:
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created. This is not supported."
                           if STATE.duals else "Dual level must be a positive number.")
    STATE.duals[-1].close()
    STATE.duals = STATE.duals[:-1]
    STATE.level = len(STATE.duals)
    STATE.refresh()


class dual_level:
    """Opens a level for the length of a ``with`` statement.

    Examples
    --------
    >>> import numpy as np
    >>> from transgrad.autograd.tensor import wrap
    >>> with dual_level():
    ...     x = make_dual(wrap(np.ones(2)), wrap(np.array([1.0, 2.0])))
    ...     unpack_dual(x * x).tangent.tolist()
    [2.0, 4.0]
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exc: object) -> None:
        exit_dual_level()

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        import functools

        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            with dual_level():
                return fn(*args, **kwargs)
        return call


class shared_dual_level:
    """Open a level in all threads for the length of a ``with`` statement."""

    def __enter__(self) -> None:
        enter_dual_level()
        self.level = STATE.duals[-1]
        share_level(self.level)

    def __exit__(self, *exc: object) -> None:
        stop_sharing_level(self.level)
        exit_dual_level()


def _level(level: int | None) -> Level | None:
    place = STATE.level - 1 if level is None else level
    return STATE.duals[place] if 0 <= place < len(STATE.duals) else None


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A tensor with the elements of ``tensor`` that carries ``tangent`` through further operations.

    Raises
    ------
    RuntimeError
        If no level is open, the tangent has another shape, or it is complex and the tensor is not.
    ValueError
        If either is not floating or complex.
    """
    found = _level(level)
    if found is None:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first.")
    for name, x in (("primal", tensor), ("tangent", tangent)):
        if not dtypes.is_differentiable(x._array.dtype):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {x.dtype}")
    if tensor._array.shape != tangent._array.shape:
        raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
                           f"supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
                           f"{list(tangent.shape)}.")
    if tangent.is_complex() and not tensor.is_complex():
        raise RuntimeError(f"Expected the tangent of a real tensor to be real, but got {dtypes.title(tangent._array.dtype)}: a tangent is "
                           "a direction in which the tensor changes, and it stays real")
    if tangent_of(tensor, found) is not None:
        raise RuntimeError("Making a dual Tensor based on a Tensor that already has a forward gradient at the same level is not supported: "
                           "unpack_dual(x).primal has none")
    found.mixed |= tensor._array.dtype != tangent._array.dtype
    from .functions.shape import view
    made = _same(tensor, view, tensor._array.shape)
    set_tangent(made, found, _laid_out(tangent, tensor._array))
    return made


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The tensor without its tangent, and the tangent (None: there is none, nor in inference mode)."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type(tensor).__name__}")
    from .functions.shape import fw_primal
    return unpacked(tensor, level, fw_primal)


def unpacked(tensor: Tensor, level: int | None, fn: Any) -> UnpackedDualTensor:
    """`unpack_dual`, of which ``fn`` makes the tensor without the tangent: a view of all of it."""
    found = None if STATE.inference else _level(level)
    if found is None:
        return UnpackedDualTensor(tensor, None)
    tangent = tangent_of(tensor, found)
    made = _same(tensor, fn)
    _drop_tangent(made, found)
    return UnpackedDualTensor(made, tangent)


def _same(tensor: Tensor, fn: Any, *args: Any) -> Tensor:
    """A view of all of the tensor, with its tangents of outer levels."""
    made: Tensor = (record if STATE.interpreter is None else STATE.interpreter)(fn, (tensor, *args), {})
    for level in STATE.duals:
        tangent = tangent_of(tensor, level)
        if tangent is not None:
            set_tangent(made, level, tangent)
    return made


def tangent_of(x: Tensor, level: Level) -> Tensor | None:
    """The tangent of a tensor at a level; that of a view is a view of its base's, that of a batch is one."""
    if isinstance(x, BatchedTensor):
        inner = tangent_of(x.physical, level)
        return None if inner is None else over(inner, x.level)
    own = x._more.tangents.get(level.number, _ABSENT) if x._more is not None else _ABSENT
    if own is not _ABSENT or x._view is None:
        return None if own is _ABSENT else own
    base = tangent_of(x._view.base, level)
    if base is None:
        return None
    for step in x._view.steps:
        base = step.taped(base)
    set_tangent(x, level, base)
    return base


def has_tangent(x: Tensor) -> bool:
    """Return whether a tensor has a tangent at one of the levels in use."""
    return any(tangent_of(x, level) is not None for level in STATE.duals[:STATE.level])


def set_tangent(x: Tensor, level: Level, tangent: Tensor) -> None:
    """Set the tangent of a tensor."""
    if isinstance(x, BatchedTensor):
        set_tangent(x.physical, level, under(tangent, x.level))
        return
    if x._view is None and tangent._array.strides != x._array.strides and tangent._array.size > 1:
        tangent = _laid_out(tangent, x._array)
    tangents = x.more().tangents
    if level.number not in tangents:
        level.owners.append(weakref.ref(x))
    tangents[level.number] = tangent


def _laid_out(tangent: Tensor, like: np.ndarray[Any, Any]) -> Tensor:
    """A tangent that lies in memory as its tensor does, so that a view of one is a view of the other."""
    if isinstance(tangent, BatchedTensor):
        return tangent
    own = tangent._array
    if all(a * like.itemsize == b * own.itemsize or n == 1 for a, b, n in zip(own.strides, like.strides, like.shape)):
        return tangent
    return wrap(empty_like(tangent._array.dtype, like)).copy_(tangent)      # type: ignore[no-any-return]


def _drop_tangent(x: Tensor, level: Level) -> None:
    while isinstance(x, BatchedTensor):
        x = x.physical
    x.more().tangents[level.number] = None       # although its base may have one


class Below:
    """Operations inside run on the levels below one."""

    def __init__(self, depth: int):
        self.depth = depth

    def __enter__(self) -> None:
        self.before = STATE.level
        STATE.level = self.depth
        STATE.refresh()

    def __exit__(self, *exc: object) -> None:
        STATE.level = self.before
        STATE.refresh()


def _tangents(tree: Any, level: Level) -> Any:
    """The tangents in a tree of arguments; None for one without."""
    if isinstance(tree, Tensor):
        return tangent_of(tree, level)
    if isinstance(tree, (list, tuple)):
        parts = [_tangents(t, level) for t in tree]
        return None if all(p is None for p in parts) else parts
    return None


def dual_record(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], dtype: np.dtype[Any] | None, depth: int) -> Any:
    """`record` with tangents of the outermost ``depth`` levels."""
    if not depth:
        return record(fn, args, kwargs, dtype)
    outs = dual_record(fn, args, kwargs, dtype, depth - 1)
    level = STATE.duals[depth - 1]
    with Below(depth - 1):
        found = _tangents((args, tuple(kwargs.values())), level)
        if found is not None and _differentiable(outs):
            tangent = _pushed(fn, args, kwargs, outs, level)
            if tangent is None and isinstance(outs, Tensor) and (fn in UNDEFINED or lookup(fn).kind != "constant"):  # type: ignore[union-attr]
                tangent = wrap(np.zeros_like(outs._array))
            for out, t in zip(outs, tangent or ()) if isinstance(outs, tuple) else ((outs, tangent),):
                if t is not None and isinstance(out, Tensor) and dtypes.is_differentiable(out._array.dtype) and not _as_view(out, t, level):
                    set_tangent(out, level, _apart(_shaped(t, out, level.mixed), out, found))
    if STATE.packing and depth == STATE.level:
        for out in outs if isinstance(outs, tuple) else (outs,):
            if isinstance(out, Tensor):
                settle(out)
    return outs


def _as_view(out: Tensor, tangent: Tensor, level: Level) -> bool:
    """Set the tangent of a view, computed by its rule, to a view of the tangent of its base."""
    base = None if out._view is None or isinstance(out, BatchedTensor) else tangent_of(out._view.base, level)
    if base is None or np.may_share_memory(base._array, tangent._array) or not tangent._array.size:
        return False
    return tangent_of(out, level) is not None


def _apart(tangent: Tensor, out: Tensor, others: Any) -> Tensor:
    """A tangent that shares no memory with those of the operands, which writes to the result do not reach; that of a view is a view."""
    if out._view is None and any(np.may_share_memory(tangent._array, other._array) for other in _flat(others)):
        return tangent.clone()  # type: ignore[no-any-return]
    return tangent


def _flat(tree: Any) -> Iterator[Tensor]:
    if isinstance(tree, Tensor):
        yield tree
    elif isinstance(tree, (list, tuple)):
        for part in tree:
            yield from _flat(part)


def _differentiable(outs: Any) -> bool:
    return any(isinstance(o, Tensor) and dtypes.is_differentiable(o._array.dtype) for o in (outs if isinstance(outs, tuple) else (outs,)))


def _pushed(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], outs: Any, level: Level) -> Any:
    rule = lookup_on_tape(fn)
    if rule is None:
        raise NotImplementedError(f"Trying to use forward AD with {getattr(fn, '__name__', fn)} that does not support it: the table of "
                                  "rules has no derivative of it")
    if rule.kind == "constant":
        return None
    bound, options = rule.bind(args, kwargs)
    if _tangents(tuple(options.values()), level) is not None:
        raise NotImplementedError(f"Trying to use forward AD with {getattr(fn, '__name__', fn)} with respect to an option")
    tangents = [_tangents(a, level) for a in bound]
    if fn in WIDE and is_half(outs._array.dtype):
        level.mixed = True
        bound, tangents = _wide(bound), _wide(tangents)
    found = rule.pushforward(outs, bound, tangents, options)
    if isinstance(found, Tensor) and STATE.grad and not found.requires_grad and _follows_all(rule, bound):
        places = range(len(bound)) if not rule.jvp else [k for k, jvp in enumerate(rule.jvp) if jvp is not None]
        zeros = [_zeros(a, outs, fn) if t is None and k in places else None for k, (a, t) in enumerate(zip(bound, tangents))]
        return _followed(found, rule.pushforward(outs, bound, zeros, options))
    return found


def _wide(values: list[Any]) -> list[Any]:
    """The Tensors in single precision."""
    return [apply(to_copy, v, np.dtype(np.float32)) if isinstance(v, Tensor) else v for v in values]


def _follows_all(rule: Rule, operands: list[Any]) -> bool:
    """Return whether the tangent is a sum over several operands, whose parts have the history of the other ones."""
    several = rule.kind in ("elementwise", "multilinear") or len(rule.jvp) > 1
    return several and len(operands) > 1 and any(isinstance(a, Tensor) and a.requires_grad for a in operands)


def _zeros(operand: Any, out: Tensor, fn: Any) -> Tensor | None:
    """The zero tangent of an operand without one; None if it cannot have a tangent."""
    if isinstance(operand, Tensor):
        return wrap(np.zeros_like(operand._array)) if dtypes.is_differentiable(operand._array.dtype) else None
    number = isinstance(fn, np.ufunc) and isinstance(operand, (int, float, complex))       # of another function, it is an option
    return wrap(np.zeros((), out._array.dtype)) if number else None


def _followed(tangent: Tensor, other: Any) -> Tensor:
    """A tangent with the history of its zero part (even for zero times infinity), as in torch's formula."""
    if not isinstance(other, Tensor) or not other.requires_grad:
        return tangent
    nothing = wrap(np.zeros_like(other._array))
    nothing._edge = other._edge
    return apply(np.add, tangent, nothing)      # type: ignore[no-any-return]


def _shaped(t: Any, out: Tensor, mixed: bool) -> Tensor:
    """A tangent of the shape of the result, and of its dtype unless ``mixed``."""
    own = mixed and dtypes.is_differentiable(getattr(t, "dtype", np.dtype(bool)))
    t = fitted(t, out._array.shape, t.dtype if own else out._array.dtype)
    return t if isinstance(t, Tensor) else wrap(t)


def dual_written(fn: Any, x: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """`inplace` where levels are open: a buffer that is written to gains tangents, and its base and views with it."""
    from .functions.shape import clone
    from .functions.writes import copied
    if all(_tangents((x, args, tuple(kwargs.values())), level) is None for level in STATE.duals[:STATE.level]):
        return written(fn, x, args, kwargs)
    tracked = STATE.grad and any(edge_of(t) is not None for t in (x, *args, *kwargs.values()) if isinstance(t, Tensor))
    check_writable(x, tracked)
    depth = STATE.level
    old = dual_record(clone, (x,), {}, None, depth)
    if fn is copied:
        out = args[0]
    else:
        out = promoted(fn, old, *args) if matched(fn, x, args) else dual_record(fn, (old, *args), kwargs, None, depth)
    out = dual_record(copied, (old.detach(), out), {}, None, depth)     # the overwritten values do not contribute
    written(copied, x, (out,), {})
    for k in reversed(range(depth)):
        level = STATE.duals[k]
        with Below(k):
            _write_tangent(x, level, tangent_of(out, level))
    return x


def _zeros_for(base: Tensor, tangent: Tensor) -> Tensor:
    """The tangent of a base before a view of it gets its first one: zeros, for each example where that one is a batch."""
    if isinstance(tangent, BatchedTensor):
        inner = _zeros_for(base, tangent.physical)
        return over(inner.expand(tangent.level.size, *inner.shape).clone(), tangent.level)
    return wrap(np.zeros_like(base._array))


def _write_tangent(x: Tensor, level: Level, tangent: Tensor | None) -> None:
    have = tangent_of(x, level)
    if have is None and tangent is not None:
        if x._view is None or level.number in x.more().tangents:
            set_tangent(x, level, tangent)
            return
        base = x._view.base
        set_tangent(base, level, _zeros_for(base, tangent))
        have = tangent_of(x, level)
    if have is None:
        return
    if isinstance(tangent, BatchedTensor) and not isinstance(have, BatchedTensor):
        if x._view is not None:
            raise NotImplementedError("vmap: a view is written to whose base has one tangent for all examples, and the tangent that is "
                                      "written differs among them: make a clone() of the base before the first write")
        set_tangent(x, level, tangent)
        return
    whole = tangent_of(x._view.base, level) if x._view is not None else None
    if whole is not None and not x._view.shares(have, whole):       # of a dual that was made on its base, the base has none
        raise NotImplementedError("a view is written to whose tangent lies in memory in another order than that of its base, so that the "
                                  "write would not reach the tangent of the base: make the tangents contiguous(), or write to a clone()")
    if tangent is None:
        have.zero_()
    elif have.is_leaf and have.requires_grad:
        set_tangent(x, level, tangent)
    else:
        have.copy_(tangent)
