"""Analysis: the support of derivatives.

The *support* of a derivative is the condition outside of which it is zero, for all values of its other factors. It is derived from the
expression that computes the derivative: selections introduce it, products and casts preserve it, sums join it, and operations that move
or reduce elements move or reduce it. None means unknown. Conditions that are written to are not used.
"""
from __future__ import annotations

import enum
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.effects import VIEWS, only_computes
from ...ir.ops import Build, Call, GetAttr, If, Invoke, Lit, Op, Value
from ...ir.prims import unpack
from ...ir.types import Arr, Num
from ...runtime import scatter
from ..algebra.folding_builder import AlgebraBuilder, type_is_real
from .alias import AliasClasses
from .def_use import definitions_in
from .support_conditions import ZERO

if TYPE_CHECKING:
    from ..ad.forward.driver import Forward
    from ..ad.reverse.driver import Reverse

__all__ = ["Both", "Buffers", "Either", "Mapped", "Mask", "Nonzero", "Nowhere", "Selection", "Where",
           "added_at", "cleared_at", "conditions", "either", "narrowed", "nonzero", "selection_of", "support"]


class Selection(enum.IntEnum):
    """How elements were selected: by a condition, by overwriting the others with constants, or by reading them at places."""

    CONDITION = 0
    OVERWRITTEN = 1
    PLACES = 2


@dataclass(frozen=True, eq=False)
class Where:
    """Where a condition is true, or (``holds`` is False) where it is not."""

    cond: Any
    holds: bool


@dataclass(frozen=True, eq=False)
class Nonzero(Where):
    """Where the elements of a derivative, from which others were selected, are not zero; the condition compares them with zero.

    ``of`` says how they were selected. Only operations whose derivative is infinite somewhere rely on it, and fewer of them where
    elements were read at places, which most programs do that have no such points: a comparison takes time, and makes code longer.
    """

    of: Selection = Selection.OVERWRITTEN


@dataclass(frozen=True, eq=False)
class Both:
    """Where both masks hold."""

    one: "Mask"
    other: "Mask"


@dataclass(frozen=True, eq=False)
class Either:
    """Where one of two masks holds."""

    one: "Mask"
    other: "Mask"


@dataclass(frozen=True, eq=False)
class Mapped:
    """A mask whose elements are moved or reduced by ``to``, as those of the derivative ``of`` were."""

    mask: "Mask"
    of: Any
    to: Callable[[AlgebraBuilder, Any], Any]


@dataclass(frozen=True, eq=False)
class Nowhere:
    """Of an array of zeros."""


Mask = Where | Both | Either | Mapped | Nowhere

ADDS = frozenset((operator.add, operator.sub, np.add, np.subtract))
PRODUCTS = frozenset((operator.mul, np.multiply))
QUOTIENTS = frozenset((operator.truediv, np.divide))
SIGNS = frozenset((operator.neg, np.negative, operator.pos, np.positive))
#: operations that keep each element in its place, and zeros zero
_KEEP = SIGNS | {
    np.ndarray.astype, np.float16, np.float32, np.float64, np.complex64, np.complex128, np.real, np.conj, np.ndarray.copy, np.copy,
    np.asarray, np.ascontiguousarray, np.broadcast_to, float, complex,
}
#: operations that move elements, and do nothing else
_MOVES = (VIEWS | {operator.getitem, np.expand_dims}) - {np.ndarray.view, np.real, np.imag, np.asarray, np.broadcast_to}
_ZEROS: frozenset[Any] = frozenset((np.zeros, np.zeros_like))
_NONZERO = frozenset((np.nonzero, np.ndarray.nonzero, np.flatnonzero, np.where))
_EXTREMA = frozenset((np.max, np.amax, np.min, np.amin, np.ndarray.max, np.ndarray.min, np.nanmax, np.nanmin))
#: conditions in one mask, and operations looked back
_MOST, _DEEP = 8, 24


class Callee:
    """The body of a lowered function, where its caller asks for the support of a result; conditions are the caller's."""

    def __init__(self, caller: Any, call: Invoke):
        body = call.func.body
        self.caller, self.call, self.builder = caller, call, self
        self.root: AlgebraBuilder = caller.root if isinstance(caller, Callee) else caller.builder
        self.maker: dict[Any, Op] = definitions_in(body.ops)
        self.classes = AliasClasses(call.func)
        self.masks: dict[Any, Mask | None] = {p: support(caller, a) for p, a in zip(body.params, call.args) if type(a) is Value}

    def is_written(self, v: Any) -> bool:
        """Whether the function writes to a value."""
        return bool(self.classes.is_written(v))

    def expression(self, v: Any) -> Op | None:
        """The operation that computes what a value is, where nothing writes to an operand."""
        made = self.maker.get(v)
        return None if type(made) is not Call or self.classes.any_written(made.args) else made

    def place(self, v: Any, depth: int = 3) -> Any:
        """A value of the function, computed by the caller; None where that cannot be done."""
        if type(v) is Lit:
            return v
        if v in self.call.func.body.params:
            arg = self.call.args[self.call.func.body.params.index(v)]
            return self.caller.place(arg) if isinstance(self.caller, Callee) else None if self.caller.classes.is_written(arg) else arg
        made = self.maker.get(v)
        if depth == 0 or type(made) is not Call or made.kwargs or not only_computes(made):
            return None
        args = [self.place(a, depth - 1) for a in made.args]
        return None if None in args else self.root.append(made.fn, args, {})


class Buffers:
    """The supports of arrays that are written to: each holds until the next write that is not reported here."""

    def __init__(self) -> None:
        self._found: dict[Value, tuple[int, Any, Mask | None]] = {}

    def get(self, builder: AlgebraBuilder, v: Value) -> Mask | None:
        """The support of an array that was written to."""
        time, _, mask = self._found.get(v, (-1, None, None))
        return mask if time >= 0 and time == builder.last_write(v) else None

    def is_shared(self, builder: AlgebraBuilder, v: Value) -> bool:
        """Whether a value refers to an array that was made in another block: a loop may write to it in a later iteration."""
        found = self._found.get(builder.memory(v))
        return found is not None and found[1] is not builder.block

    def selection(self, builder: AlgebraBuilder, v: Value) -> Selection | None:
        """How elements of an array had been selected when its support was last reported; None where they had not been."""
        mask = self._found.get(builder.memory(v), (0, None, None))[2]
        return None if mask is None or isinstance(mask, Nowhere) else max(Selection.OVERWRITTEN, selection_of(mask))

    def start(self, d: "Reverse", v: Any, mask: Mask | None) -> None:
        """Sets the support of an array that was just made."""
        if type(v) is Value and mask is not None:
            self._found[v] = d.builder.last_write(v), d.builder.block, mask

    def before(self, d: "Reverse", v: Any) -> Mask | None:
        """The support of an array before a write, in the block where it was made."""
        if type(v) is not Value or v not in self._found or self._found[v][1] is not d.builder.block:
            return None
        return self.get(d.builder, v)

    def after(self, d: "Reverse", v: Any, mask: Mask | None) -> None:
        """Sets the support of an array after a write."""
        self.start(d, v, mask)


def added_at(d: "Reverse", before: Mask | None, base: Any, index: Any) -> Mask | None:
    """The support of an array, where something is added to the elements at an index."""
    place = None if before is None else _mask_of_index(d, base, index)
    return None if before is None or place is None else _either(before, place)


def cleared_at(d: "Reverse", base: Any, index: Any) -> Mask | None:
    """The support of an array whose elements at an index were set to zero."""
    place = _mask_of_index(d, base, index)
    if isinstance(place, Where):
        return Where(place.cond, not place.holds)
    return Mapped(place, base, lambda b, cond: b.call(np.logical_not, cond)) if isinstance(place, Mapped) else None


def nonzero(d: "Forward | Reverse", g: Any, of: Selection) -> Mask:
    """The support of a derivative from which elements were selected, read off its elements."""
    if _is_number(g):
        return Nonzero(d.builder.call(operator.eq, g, ZERO), False, of)
    return Nonzero(d.builder.call(operator.ne, g, ZERO), True, of)


def _is_number(x: Any) -> bool:
    return isinstance(x.type, Num) or isinstance(x.type, Arr) and x.type.scalar


def selection_of(mask: Mask) -> Selection:
    """How the elements of a mask were selected: by the weakest of its parts."""
    if isinstance(mask, (Both, Either)):
        return max(selection_of(mask.one), selection_of(mask.other))
    return selection_of(mask.mask) if isinstance(mask, Mapped) else mask.of if isinstance(mask, Nonzero) else Selection.CONDITION


def narrowed(before: Mask | None, by: Mask | None) -> Mask | None:
    """Where both masks hold, as far as they are known."""
    return by if before is None else before if by is None else _both(before, by)


def either(one: Mask | None, other: Mask | None) -> Mask | None:
    """Where one of two masks holds; None where one of them is not known."""
    return None if one is None or other is None else _either(one, other)


def support(d: "Forward | Reverse | Callee", g: Any, depth: int = _DEEP) -> Mask | None:
    """Where a derivative may be anything but zero, by how it was computed."""
    if type(g) is not Value or depth == 0:
        return None
    buffers: Buffers | None = getattr(d, "buffers", None)
    if buffers is not None and not _is_number(g):       # a number is no view of what it was read from
        if buffers.is_shared(d.builder, g):  # type: ignore[arg-type]
            return None
        if (held := buffers.get(d.builder, g)) is not None:  # type: ignore[arg-type]
            return held
    if not _is_number(g) and d.builder.is_written(g):
        return None
    if g in d.masks:
        return d.masks[g]
    found: Mask | None
    d.masks[g] = None       # what is being looked at already
    made = d.builder.maker.get(g)
    element = type(made) is Call and made.fn is operator.getitem and _is_number(g)      # whose own value tells, whatever is written since
    if type(made) is Call and not element and d.builder.expression(g) is None:      # an operand was written to since
        return None
    d.masks[g] = found = _limited(_found(d, g, made, depth - 1))
    return found


def _found(d: "Forward | Reverse | Callee", g: Value, made: Op | None, depth: int) -> Mask | None:
    if type(made) is If:
        k = made.results.index(g)
        if k < len(made.then.yields):
            return _of_choice(d, made.cond, made.then.yields[k], made.orelse.yields[k], made.then, made.orelse, depth=depth)
        return None
    if type(made) is GetAttr:
        inner = support(d, made.obj, depth) if made.name in ("real", "imag", "T", "mT") else None
        if inner is None or made.name in ("real", "imag"):
            return inner
        return _mapped(d, inner, made.obj, lambda b, cond: b.attr(cond, made.name))
    if type(made) is Invoke:
        return _of_result(d, made, g, depth)
    if type(made) is not Call:
        return None
    fn, args = made.fn, made.args
    if fn in _ZEROS:
        return Nowhere()
    if fn is np.where and len(args) == 3:
        return _of_choice(d, *args, depth=depth)
    if fn in PRODUCTS:
        masks = [_of_flags(d, x) or support(d, x, depth) for x in args]
        return narrowed(*masks)
    if fn in QUOTIENTS or fn in _KEEP:
        return support(d, args[0], depth) if args else None
    if fn in ADDS:
        if is_zero(args[1]):
            return support(d, args[0], depth)
        return either(support(d, args[0], depth), support(d, args[1], depth))
    if fn is np.sum:
        return _summed(d, support(d, args[0], depth), made)
    if fn in (np.triu, np.tril) and not isinstance(d, Callee):
        return nonzero(d, g, Selection.OVERWRITTEN)
    if fn is scatter:
        return _mask_of_index(d, args[0], args[1])
    if fn in _MOVES and args:
        if fn is operator.getitem and _is_number(g) and (buffers := getattr(d, "buffers", None)) is not None and type(args[0]) is Value:
            of = buffers.selection(d.builder, args[0])      # others may have written to the array since
            return None if of is None else nonzero(d, g, of)  # type: ignore[arg-type]
        inner = support(d, args[0], depth)
        return None if inner is None else _mapped(d, inner, args[0], lambda b, cond: b.append(fn, [cond, *args[1:]], made.kwargs), made)
    return None


def _of_result(d: Any, made: Invoke, g: Value, depth: int) -> Mask | None:
    """The support of what a lowered function returns, by that of the derivatives it is given."""
    yields = made.func.body.yields
    k = made.results.index(g)
    return support(Callee(d, made), yields[k], depth) if k < len(yields) else None


def _of_choice(d: "Forward | Reverse | Callee", cond: Any, a: Any, b: Any, *blocks: Any, depth: int) -> Mask | None:
    """The support of what is ``a`` where a condition holds, and else ``b``."""
    if type(cond) is Lit and not isinstance(cond.value, np.ndarray) or d.classes.is_written(cond):
        return None
    parts: list[Mask | None] = []
    for k, chosen in enumerate((a, b)):
        inside = bool(blocks) and any(chosen in op.results for op in blocks[k].ops)
        parts.append(Nowhere() if is_zero(chosen) else None if inside else support(d, chosen, depth))
    if parts == [None, None] or isinstance(d, Callee) and (cond := d.place(cond)) is None:
        return None
    return _either(*(Where(cond, holds) if part is None else _both(Where(cond, holds), part) for holds, part in zip((True, False), parts)))


def _of_flags(d: "Forward | Reverse | Callee", x: Any) -> Mask | None:
    """The support of truth values themselves."""
    if isinstance(d, Callee):
        return None
    if type(x) is Value and isinstance(x.type, Arr) and x.type.dtype == "bool" and not d.classes.is_written(x):
        return Where(x, True)
    return None


def _summed(d: Any, mask: Mask | None, made: Call) -> Mask | None:
    if mask is None or not made.kwargs.keys() <= {"axis", "keepdims"} or len(made.args) > 2 or _holds_somewhere(d, mask):
        return None
    return _mapped(d, mask, made.args[0], lambda b, cond: b.append(np.any, [cond, *made.args[1:]], made.kwargs), made)


def _holds_somewhere(d: Any, mask: Mask) -> bool:
    """Whether a mask selects the entries that are equal to the largest or smallest one: there always is one."""
    made = _maker(d, mask.cond) if isinstance(mask, Where) and mask.holds else None
    if not isinstance(made, Call) or made.fn not in (operator.eq, np.equal):
        return False
    for x in made.args:
        found = _maker(d, x)
        while isinstance(found, Call) and found.fn in _MOVES and found.args:
            found = _maker(d, found.args[0])
        if isinstance(found, Call) and found.fn in _EXTREMA and not found.kwargs.keys() - {"axis", "keepdims"}:
            return True
    return False


def _mapped(d: Any, mask: Mask, of: Any, to: Callable[[AlgebraBuilder, Any], Any], made: Call | None = None) -> Mask | None:
    """A mask that moves with the derivative; one of no dimensions is the same everywhere."""
    if isinstance(mask, Nowhere) or all(dims_of(leaf) == () for leaf in conditions(mask)):
        return mask
    if isinstance(d, Callee) and (any(dims_of(leaf) != dims_of(of) for leaf in conditions(mask)) or made is not None and any(
            type(x) is Value for x in (*made.args[1:], *made.kwargs.values()))):
        return None         # of values that the caller does not have
    return Mapped(mask, of, to)


def _mask_of_index(d: "Forward | Reverse | Callee", base: Any, index: Any) -> Mask | None:
    """The elements that an array of truth values selects, itself or by their places."""
    dims = dims_of(base)
    made = _maker(d, index)
    if dims is None or isinstance(d, Callee):
        return None
    if isinstance(made, Call) and len(dims) == 1 and (made.fn is unpack or made.fn is operator.getitem and getattr(
            made.args[1], "value", None) == 0):
        made = _maker(d, made.args[0])
        made = made if isinstance(made, Call) and made.fn is not np.flatnonzero else None
    elif isinstance(made, Build) and made.kind == "tuple" and len(made.items) == 1:
        index = made.items[0]
        made = _maker(d, index)
    elif isinstance(made, Call) and made.fn is not np.flatnonzero and len(made.results) != len(dims):
        made = made if len(made.results) == 1 and not isinstance(made.results[0].type, Arr) else None
    if isinstance(made, Call) and made.fn in _NONZERO and len(made.args) == 1 and not made.kwargs:
        index = made.args[0]
        if type(index) is Value and isinstance(index.type, Arr) and index.type.dtype != "bool" and len(index.type.dims) == len(dims):
            return None if d.classes.is_written(index) else Mapped(Where(index, True), index, lambda b, x: b.call(np.not_equal, x, Lit(0)))
    if type(index) is not Value or not isinstance(index.type, Arr) or index.type.dtype != "bool" or d.classes.is_written(index):
        return None
    have = index.type.dims
    if len(have) == len(dims):
        return Where(index, True)
    if len(have) > len(dims) or not have:
        return None
    extra = (slice(None),) * len(have) + (None,) * (len(dims) - len(have))
    return Mapped(Where(index, True), index, lambda b, cond: b.call(operator.getitem, cond, Lit(extra)))


def _maker(d: "Forward | Reverse | Callee", v: Any) -> Op | None:
    if type(v) is not Value or isinstance(d, Callee):
        return None
    return d.layout.maker.get(v) or d.builder.maker.get(v)


def _both(one: Mask, other: Mask) -> Mask:
    if isinstance(one, Nowhere) or isinstance(other, Nowhere):
        return one if isinstance(one, Nowhere) else other
    found = one
    have = _terms(one)
    for term in _terms(other):
        if not any(_is_same(term, t) for t in have):
            found = Both(found, term)
    return found


def _either(one: Mask, other: Mask) -> Mask:
    if isinstance(one, Nowhere) or isinstance(other, Nowhere):
        return other if isinstance(one, Nowhere) else one
    for wide, narrow in ((one, other), (other, one)):
        if all(any(_is_same(t, u) for u in _terms(narrow)) for t in _terms(wide)):
            return wide
    return Either(one, other)


def _terms(mask: Mask) -> list[Mask]:
    """The masks all of which hold where one does."""
    return [*_terms(mask.one), *_terms(mask.other)] if isinstance(mask, Both) else [mask]


def _is_same(one: Mask, other: Mask) -> bool:
    if isinstance(one, Where) and isinstance(other, Where):
        return one.cond is other.cond and one.holds is other.holds
    if isinstance(one, (Both, Either)) and type(one) is type(other):
        return _is_same(one.one, other.one) and _is_same(one.other, other.other)
    return one is other


def _limited(mask: Mask | None) -> Mask | None:
    """A mask of few conditions: a wider one, or none, for one of many."""
    if mask is None or len(conditions(mask)) <= _MOST:
        return mask
    if isinstance(mask, Both):
        return _limited(min(mask.one, mask.other, key=lambda m: len(conditions(m))))
    return None


def conditions(mask: Mask) -> list[Any]:
    """The conditions in a mask."""
    if isinstance(mask, Where):
        return [mask.cond]
    if isinstance(mask, (Both, Either)):
        return [*conditions(mask.one), *conditions(mask.other)]
    return conditions(mask.mask) if isinstance(mask, Mapped) else []


def is_zero(x: Any) -> bool:
    return type(x) is Lit and type_is_real(x.value) and x.value == 0


def dims_of(x: Any) -> tuple[Any, ...] | None:
    t = getattr(x, "type", None)
    return t.dims if isinstance(t, Arr) else () if isinstance(t, Num) else None
