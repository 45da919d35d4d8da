"""Driver of the reverse pass: state, adjoints of values, and the walk over a block from its end to its beginning."""
from __future__ import annotations

import operator
import types
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ....errors import UnsupportedSyntax
from ....ir.ops import Block, Build, Call, For, Function, GetAttr, Invoke, Lit, Op, Operand, Try, Value, walk
from ....ir.types import UNKNOWN, Arr, DictT, ListT, Num, Obj, OptT, RecordT, TupleT, may_be_no_container
from ....runtime import add, object_shadow, zeros_alike, zeros_of
from ...algebra.folding_builder import AlgebraBuilder
from ...analysis.support import Buffers, Mask, Nowhere, Selection, either, nonzero, support
from .adjoint_facts import CONTAINERS, Mirrors
from .arrays import accumulate_at
from .containers import add_container, add_item, whole_of_optional
from .escaping_references import check_moved
from .hazards import check_loaded, check_structure, check_views, in_order
from .overwritten_items import check_replaced
from .python_scalars import given_number
from .result import Pair, ReverseResult
from .scopes import Scope, adjoint_type
from .snapshots import Snapshots
from .unbroadcast import covers, entry_type, fit, is_fresh, whole, widened

__all__ = ["Reverse", "reverse_body"]


def _may_be_tuple(v: Value, made: Op | None, is_result: bool) -> bool:
    """Whether a sequence may be one that ``tuple`` has made, here or in a callee, of which it is the result: lowered, both are lists."""
    if isinstance(made, Invoke) and made.func.body.yields:
        inner = made.func.body.yields[made.results.index(v)]
        return isinstance(inner, Value) and any(_may_be_tuple(inner, op, True) for op in walk(made.func.body) if inner in op.results)
    return isinstance(made, Call) and (made.fn is tuple or is_result and made.fn is list)


def _is_unknown(g: Any) -> bool:
    """Whether nothing is known of a cotangent but when running."""
    t = getattr(g, "type", None)
    return type(t) is Obj and t == UNKNOWN


class Reverse(Snapshots):
    """State of one run of the pass over one function."""

    def __init__(self, fn: Function, wrt: Iterable[Value], results: Iterable[Operand], frozen: Iterable[Any] = (),
                 mirrors: Mirrors | None = None):
        super().__init__(fn, wrt, results, frozen, mirrors)
        self.block = Block()
        self.builder = AlgebraBuilder(self.block, part="adjoint", within=fn)
        self.scope = Scope(None, fn.body, self.block, "top")
        self.pairs: list[Pair] = [Pair(fn.body, self.block)]
        self.pair_of: dict[int, Pair] = {id(fn.body): self.pairs[0]}
        self.owned: set[Value] = set()
        #: items of tuples and mixed lists as the reverse part reads them → their adjoint: a value, or a position in a shadow
        self.item_read: dict[Value, Operand | tuple[Value, int]] = {}
        #: calls whose forward half returns residuals: call, half, residual values
        self.forward_halves: dict[int, tuple[Invoke, Function, list[Value]]] = {}
        #: the supports of cotangents, and of arrays that are written to
        self.masks: dict[Value, Mask | None] = {}
        self.buffers = Buffers()
        #: lists that a branch yields or leaves behind, which already have their shadows
        self.handed_on: set[Value] = set()

    def is_readable(self, v: Operand) -> bool:
        """Whether the reverse block being written can read an operand.

        Values of the block that it reverses, and of the blocks around that one, are saved for it; those of a branch that it has
        left are not.
        """
        if not isinstance(v, Value):
            return True
        home = self.layout.home.get(v)
        return self.builder.sees(v) if home is None else self.scope.reads(home)

    # adjoints

    def zero(self, v: Value) -> Operand:
        """A zero adjoint for ``v``."""
        t, builder = v.type, self.builder
        if isinstance(t, Num) or isinstance(t, Arr) and t.scalar:
            return self._zero_number(t)
        if isinstance(t, Arr):
            lengths = [d.known for d in t.dims]
            if t.dims and None not in lengths and t.dtype == "float64":
                return builder.call(np.zeros, lengths[0] if len(lengths) == 1 else tuple(lengths), type=t)  # type: ignore[no-any-return]
            return builder.call(np.zeros_like, self.primal(v, builder), type=adjoint_type(t))  # type: ignore[no-any-return]
        if isinstance(t, TupleT) and all(isinstance(e, Num) or isinstance(e, Arr) and e.scalar for e in t.elems):
            # needs nothing of the tuple, which is missing on a path that leaves it undefined; a list, as items are added to in place
            return builder.build("list", [self._zero_number(e) for e in t.elems])
        if isinstance(t, (ListT, DictT, TupleT, RecordT)):
            # a written array may occur several times in an external container
            known = isinstance(self.layout.maker.get(v), Build)
            make = zeros_alike if not known and self.classes.holds_written(v) else zeros_of
            apart = (Lit(False),) if make is zeros_alike and not self.classes.innermost_written(v) else ()
            zeros = builder.call(make, self.primal(v, builder), *apart, type=Obj(None) if isinstance(t, TupleT) else t)
            # items are added to in place, which a tuple does not allow
            fixed = isinstance(t, TupleT) or _may_be_tuple(v, self.layout.maker.get(v), v in self.fn.body.yields)
            return builder.call(list, zeros, type=t if isinstance(t, ListT) else ListT(None)) if fixed else zeros  # type: ignore[no-any-return]
        if may_be_no_container(t):
            return Lit(None)        # nothing was added to it, and its parts may differ between iterations
        if isinstance(t, Obj) and t.cls is tuple:
            return builder.call(zeros_of, self.primal(v, builder), type=t)  # type: ignore[no-any-return]
        if isinstance(t, Obj) and t.cls is not None:
            return builder.call(object_shadow, type=Obj(types.SimpleNamespace))  # type: ignore[no-any-return]
        return Lit(0.0)

    @staticmethod
    def _zero_number(t: Any) -> Operand:
        return Lit(0j) if (t.kind if isinstance(t, Num) else t.dtype).startswith("complex") else Lit(0.0)

    def primal(self, v: Value, builder: Any) -> Operand:
        """``v`` itself; a part of a tuple is read from the tuple."""
        if v in self.refs.whole:
            whole, k = self.refs.whole[v]
            base = self.primal(whole, builder)
            if isinstance(base, tuple):     # unpacked by the builder
                return base[k]
            if isinstance(whole.type, RecordT):
                key = whole.type.keys[k]
                if whole.type.cls is not dict:
                    return builder.attr(base, key, v.type)  # type: ignore[no-any-return]
                return builder.call(operator.getitem, base, Lit(key), type=v.type)  # type: ignore[no-any-return]
            return builder.call(operator.getitem, base, Lit(k), type=v.type)  # type: ignore[no-any-return]
        return v

    def add(self, v: Any, g: Any, broadcasts: bool = False, owned: bool = False) -> None:
        """Add ``g`` to the adjoint of ``v``; displays take a display of cotangents."""
        if g is None or not self.is_active(v):
            return
        if type(v) is not Value:
            if isinstance(g, Value):        # a sequence that stands for an array
                g = [self.builder.call(operator.getitem, g, k) if self._any_active(item) else None for k, item in enumerate(v)]
            for item, entry in zip(v, g):
                self.add(item, entry, broadcasts)
            return
        if v in self.item_read:
            self._add_item(v, g, broadcasts)
            return
        v = self.snapshots[v].source if v in self.snapshots else v
        r = self.refs(v)
        if not isinstance(r, Value):
            return
        if type(r.type) in CONTAINERS:
            if isinstance(g, Value) and isinstance(g.type, OptT):
                g, owned = whole_of_optional(self, r, g), True
            if self.in_parts(r):
                self._add_parts(r, g, broadcasts)
                return
        b, before, given = self.builder, len(self.builder.block.ops), g
        if not isinstance(g, (Value, Lit, dict)):       # a number, or the items of a tuple that has a shadow as a whole
            g = self.builder.build("tuple", list(g)) if isinstance(g, (list, tuple)) else Lit(g)
        g = fit(b, g, self.primal(r, b) if broadcasts or _is_unknown(g) else r, r.type, broadcasts)
        owned = owned or g is not given and is_fresh(b, g, before)
        if self.shadowed(r):
            self.add_to_shadow(r, g, owned)
            return
        total = self.scope.current(r, home := self.layout.home[r])
        name = f"{r.name}_bar" if r.name else None
        if total is None:
            total = g
            if name and isinstance(g, Value) and g.name is None and g in self.builder.maker:
                g.name = name
        else:
            if may_be_no_container(r.type) or r.type == Obj(tuple):
                total = self.builder.call(add, total, g, name=name, type=adjoint_type(r.type))
            else:
                total = self.builder.accumulate(total, g, name=name)
            owned = True
        if isinstance(total, Value):
            (self.owned.add if owned else self.owned.discard)(total)
        self.scope.set(r, home, total)

    def _add_item(self, v: Value, g: Any, broadcasts: bool) -> None:
        """Add ``g`` to the adjoint of an item of a tuple or mixed list that the reverse part has read."""
        target = self.item_read[v]
        if isinstance(target, tuple):       # the container is written to, so its shadow has its structure
            container, k = target
            add_item(self, self.shadow(container), Lit(k), fit(self.builder, g, v, v.type, broadcasts), v.type)
        else:
            self.add(target, g, broadcasts)

    def seed(self, v: Value, g: Any) -> None:
        """Add the cotangent of a result.  That of a list or dict has the structure which the result had when it was returned, and which
        the result may have lost since."""
        r = self.refs(v)
        if (isinstance(r, Value) and isinstance(r.type, (ListT, DictT)) and self.is_active(r) and self.home(r) is self.fn.body
                and r not in self.scope.shadows and not (self.mirrored(r) or self.is_derived(r) or self.classes.holds_written(r))):
            zeros = self.builder.call(zeros_of, g, type=r.type)
            self.scope.shadows[r] = self.builder.call(add, zeros, g, name=f"{r.name}_bar" if r.name else None, type=r.type)
        else:
            self.add(v, given_number(self.builder, g, v.type))

    def _any_active(self, v: Any) -> bool:
        return any(map(self._any_active, v)) if isinstance(v, (list, tuple)) else self.is_active(v)

    def _add_parts(self, r: Value, g: Any, broadcasts: bool = False) -> None:
        parts = self.refs.parts_of(r)
        if isinstance(g, dict):
            for k, part in enumerate(parts):
                self.add(part, g.get(k))
        elif isinstance(g, (list, tuple)):
            for part, entry in zip(parts, g):
                self.add(part, entry, broadcasts)
        else:
            # that of a record is a tuple by place (see `whole_tuple`), unless a rule has returned one of the same keys
            made = self.builder.maker.get(g)
            by_key = isinstance(r.type, RecordT) and isinstance(g.type, (RecordT, DictT)) and type(made) is Call and made.fn is not add
            keys = r.type.keys if by_key and isinstance(r.type, RecordT) else range(len(parts))
            by_name = by_key and isinstance(g.type, RecordT) and g.type.cls is not dict
            for key, part in zip(keys, parts):
                if isinstance(part, Value) and self.is_active(part):
                    t, b = entry_type(r.type, part.type), self.builder
                    self.add(part, b.attr(g, str(key), t) if by_name else b.call(operator.getitem, g, Lit(key), type=t))

    def take(self, v: Value) -> Any:
        """The adjoint of ``v`` at its definition (None: zero), which is then forgotten."""
        if self.mirrored(v):
            if v in self.mirrors.given and self.is_active(v):
                return self.mirrors.given[v]
            return self.mirrors.of[v] if v in self.mirrors.fresh and self.is_active(v) else None
        r = self.refs(v)
        if r is not v or not self.is_active(v):
            return None
        if self.in_parts(v):
            self.merge_shadow(v)
            parts = {k: g for k, p in enumerate(self.refs.parts_of(v)) if isinstance(p, Value) and (g := self.take(p)) is not None}
            return parts or None
        if self.shadowed(v):
            found = self.scope.find(self.home(v)).shadows.pop(v, None)
            if isinstance(found, Value) and not self.is_derived(v):
                self.owned.add(found)       # nothing else refers to a shadow once its value is defined
            return found
        return self.scope.local.pop(v, None)

    def merge_shadow(self, v: Value) -> None:
        """Add the adjoints of items selected at run time to the parts of their tuple or record."""
        assert isinstance(v.type, (TupleT, RecordT))
        shadow = self.scope.find(self.home(v)).shadows.pop(v, None)
        if shadow is not None:
            self._hand_out(v, shadow)

    def _hand_out(self, v: Value, shadow: Any) -> None:
        """Add the items of a shadow to the parts of its tuple or record; records in there are records in the shadow, too."""
        assert isinstance(v.type, (TupleT, RecordT))
        keys = v.type.keys if isinstance(v.type, RecordT) else range(len(v.type.elems))
        for key, part in zip(keys, self.refs.parts_of(v)):
            if not self.is_active(part):
                continue
            item, r = self.builder.call(operator.getitem, shadow, Lit(key), type=entry_type(v.type, part.type)), self.refs(part)
            if isinstance(r, Value) and isinstance(r.type, (TupleT, RecordT)) and self.in_parts(r):
                self._hand_out(r, item)
            else:
                self.add(part, item)

    # shadows

    def add_to_shadow(self, v: Value, g: Any, owned: bool) -> None:
        """Add to a shadow in place; the first whole contribution, where nothing else holds it, becomes the shadow."""
        if self.mirrored(v):
            if isinstance(v.type, CONTAINERS):
                add_container(self, v, self.shadow(v), g)
            else:
                self.builder.call(operator.iadd, self.shadow(v), g, name=f"{v.name}_bar" if v.name else None, type=adjoint_type(v.type))
            return
        scope = self.scope.find(self.home(v))
        if isinstance(v.type, CONTAINERS):
            if v not in scope.shadows and scope is self.scope and owned and not self.is_derived(v) and not self.by_reference(v):
                scope.shadows[v] = g
            else:
                add_container(self, v, self.shadow(v), g)
            return
        first = v not in scope.shadows and not self.is_derived(v) and scope is self.scope
        if first and isinstance(v.type, Arr) and v.type.dims and not covers(g.type, v.type):
            g = whole(self.builder, g, self.primal(v, self.builder))
            owned = is_fresh(self.builder, g)
        if first and (wide := widened(self.builder, g, v.type)) is not g:
            g, owned = wide, True
        if first and isinstance(g, Value) and covers(g.type, v.type):
            assert isinstance(v.type, Arr)
            if not owned or not v.type.dims:    # a number is not written to in place
                g = self.builder.call(np.ndarray.copy if v.type.dims else np.array, g, type=v.type)
            g = in_order(self, g, v)
            if g.name is None and v.name:
                g.name = f"{v.name}_bar"
            scope.shadows[v] = g
            self.buffers.start(self, g, support(self, g))
            return
        view = self.view_base(v) if v not in scope.shadows else None
        if view is not None and isinstance(view[1], Call) and view[1].fn is operator.getitem and isinstance(view[0].type, Arr):
            accumulate_at(self, self.shadow_at(view[0], scope), self.keep(view[1].args[1], view[1]), g)
            return
        shadow = self.shadow(v)
        mask = either(self.buffers.before(self, shadow), support(self, g))
        self.builder.call(operator.iadd, shadow, g, name=f"{v.name}_bar" if v.name else None, type=adjoint_type(v.type))
        self.buffers.after(self, shadow, mask)

    def in_own_block(self, v: Operand) -> bool:
        """Whether the shadow of an array was made in the block that is being reversed."""
        ref = self.refs(v)
        return isinstance(ref, Value) and not self.mirrored(ref) and self.scope.forward is self.home(ref)

    def has_shadow(self, v: Operand) -> bool:
        """Whether the shadow may be anything but zero by now; inside a loop, a later iteration may have filled it."""
        r = self.refs(v)
        if not isinstance(r, Value):
            return False
        if self.mirrored(v) or self.mirrored(r):
            return True
        if isinstance(r.type, CONTAINERS) and (self.classes.is_written(r) or self.classes.holds_written(r)):
            return True     # its shadow follows every change of its structure
        home = self.home(r)
        scope = self.scope.find(home)
        if r in scope.shadows or self._in_loop(self.scope.forward, home):
            return True
        if r in self.item_of:
            return self.has_shadow(self.item_of[r][1])
        view = self.view_base(r)
        return view is not None and self.has_shadow(view[0])

    def shadow(self, v: Operand) -> Any:
        """The shadow of a reference, made where its value is defined when first asked for."""
        r = self.refs(v)
        for name in (v, r):
            if self.mirrored(name):
                return self.mirrors.of[name]  # type: ignore[index]
        if not isinstance(r, Value):
            raise UnsupportedSyntax("an item of an object from outside the function is read at a place that depends on a differentiated "
                                    "input", self.builder.loc, "pass the object as an argument, or use NumPy functions instead")
        scope = self.scope.find(self.home(r))
        if r in scope.shadows:
            return scope.shadows[r]
        hint = f"{r.name}_bar" if r.name else None
        # the shadow of a container that changes has its final structure, so it is made before anything is undone
        parts = self.in_parts(r)       # the adjoint is added to the elements, and from there to their sources
        view = None if parts else self.view_base(r)
        item = not parts and view is None and self.is_derived(r)
        early = isinstance(r.type, CONTAINERS) and self.classes.is_written(r) and view is None and not item
        if early:
            check_structure(self, r)
        target = Block() if early else scope.block
        with self.builder.inside(target):
            part, loc = self.builder.part, self.builder.loc
            found: Any
            if view is not None:
                base, op = view
                found = self._view(self.shadow_at(base, scope), op, r)
            elif not parts and r in self.item_of:
                owner, base_ = self.item_of[r]
                found = self.builder.call(operator.getitem, self.shadow_at(base_, scope), self.item_index(owner, base_), type=r.type)
            elif not parts and r in self.refs.whole and (whole := self.refs.whole[r][0]) in self.item_of:
                owner, base_ = self.item_of[whole]
                row = self.builder.call(operator.getitem, self.shadow_at(base_, scope), self.item_index(owner, base_), type=whole.type)
                place = self.refs.whole[r][1]
                key = whole.type.keys[place] if isinstance(whole.type, RecordT) else place
                found = self.builder.call(operator.getitem, row, key, type=r.type)
            elif self.by_reference(r):
                found = self._reference_shadow(r, scope)
            else:
                maker = self.layout.maker.get(r)
                if self.builder.loc is None and maker is not None:
                    self.builder.loc = maker.loc
                found = self.zero(r)
                self.buffers.start(self, found, Nowhere())
            self.builder.part, self.builder.loc = part, loc
            if isinstance(found, Value) and found.name is None and view is None:
                found.name = hint
        if early:
            scope.block.ops[:0] = self.builder.moved(target, scope.block)
        scope.shadows[r] = found
        return found

    def shadow_at(self, v: Operand, scope: Scope) -> Any:
        """The shadow of ``v``, for use in ``scope``."""
        inner, self.scope = self.scope, scope
        try:
            return self.shadow(v)
        finally:
            self.scope = inner

    def _reference_shadow(self, v: Value, scope: Scope) -> Any:
        made = self.layout.maker[v]
        assert isinstance(made, Build)
        items = []
        for k, item in enumerate(made.items):
            if made.kind == "dict" and k % 2 == 0:
                items.append(item)
            elif isinstance(item, Value) and self.is_active(item) and self.shadowed(item):
                items.append(self.shadow_at(item, scope))
            else:
                items.append(self.zero(item) if isinstance(item, Value) else Lit(0.0))
        return self.builder.build(made.kind, items)

    def _view(self, base: Any, op: Op, r: Value) -> Any:
        if isinstance(op, GetAttr):
            return self.builder.attr(base, op.name, r.type)
        assert isinstance(op, Call)
        return self.builder.call(op.fn, base, *(self.keep(a, op) for a in op.args[1:]),
                                 **{k: self.keep(a, op) for k, a in op.kwargs.items()}, type=r.type)

    # primal values in the reverse part

    def path_of(self, op: Try) -> Value:
        """Which clause of a try statement ran: 0 for its body, k for its k-th handler; the forward part records it."""
        path = Value(Num("int"), "path")
        op.results.append(path)
        for k, block in enumerate((op.body, *(h.body for h in op.handlers))):
            block.yields.append(Lit(k))
        self.layout.home[path] = self.layout.inside[id(op)]
        self.layout.maker[path] = op
        return path

    def item_index(self, loop: For, base: Operand) -> Any:
        """The index of the current item of a sequence that a loop runs over, in the reverse of the loop; the key, of a dict."""
        place, source = 0, loop.sources[0]
        for source in loop.sources:
            if source.operands and source.operands[0] is base:
                break
            place += 2 if source.kind == "items" else 1
        if source.kind == "values":     # the loop runs over the keys as well then
            source.kind = "items"
            key = Value(base.type.key or Obj(None), "key") if isinstance(base.type, DictT) else Value(Obj(None), "key")
            loop.body.params.insert(place, key)
            self.layout.home[key] = loop.body
        if source.kind == "items":
            return loop.body.params[place]
        if not source.reverse:
            return self.position(loop)
        # a shadow is as long as its list was then; the list has grown or shrunk since, it may be
        last = self.builder.call(operator.sub, self.builder.call(len, self.shadow(base) if isinstance(base.type, ListT) else base), 1)
        return self.builder.call(operator.sub, last, self.position(loop))

    def position(self, loop: Op) -> Value:
        """The number of the current iteration of a loop, in its reverse."""
        pair = self.pair_of[id(loop.body)]  # type: ignore[union-attr]
        if pair.position is None:
            pair.position = Value(Num("int"), "i")
        return pair.position

    # the walk

    def reverse_block(self, block: Block) -> None:
        """Reverse the operations of a block, last first."""
        from .ops import reverse_op
        for op in reversed(block.ops):
            self.builder.loc = op.loc
            reverse_op(self, op)


def reverse_body(fn: Function, wrt: list[Value], seeds: Sequence[tuple[Operand, Any]], frozen: Iterable[Any] = (),
                 shadows: dict[Value, Value] | None = None, mirrors: Mirrors | None = None, deep: bool = False,
                 masked: Sequence[tuple[Value, Selection]] = ()) -> ReverseResult:
    """Reverse a function.

    Parameters
    ----------
    fn : Function
        Its body is not changed (snapshots are returned, not inserted).
    wrt : list of Value
        Parameters to differentiate with respect to.
    seeds : list of (result, cotangent)
    frozen : values, or representatives of external arrays, that may be overwritten after the forward part
    deep : whether their contents may be overwritten, too
    shadows : parameter → its shadow, if the caller supplies one to add to
    mirrors : the shadows that the forward part makes
    masked : the seeds from which the caller has selected elements, and their masks: zeros in them lead to zeros

    Returns
    -------
    ReverseResult
        ``adjoints`` has one entry per parameter of ``wrt``; None represents zero, a dict the elements of a tuple.
    """
    fn.attrs.derivative = True
    # values written through a parameter are results too
    r = Reverse(fn, wrt, [*(v for v, _ in seeds), *(shadows or {})], frozen, mirrors)
    r.stability.deep = deep
    if r.changes:       # where nothing is written to, it does not matter who else refers to it
        check_views(r, shadows or ())
        check_moved(r, shadows or ())
        check_replaced(r)
        if mirrors is None:
            check_loaded(r)
    r.shadow_given(shadows or ())
    with r.builder:
        r.scope.shadows.update(shadows or {})
        r.builder.loc = fn.attrs.return_loc or next((op.loc for op in reversed(fn.body.ops)), None)
        for g, of in masked:
            r.masks[g] = nonzero(r, g, of)
        for v, g in seeds:
            if isinstance(v, Value):
                r.seed(v, g)
        r.reverse_block(fn.body)
        adjoints = [r.take(p) if p not in (shadows or {}) else None for p in wrt]
    return ReverseResult(r.block, adjoints, r.pairs, r.layout, r.classes, r.stability, r.snapshots, r.forward_halves)
