"""Where paths meet: what a name holds after a branch, or carries round a loop.

Two abstract values have a *template*: which of their parts are the same on both paths, and which must become values that
the operation yields.  Tuples, displays and instances meet part by part.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...ir.ops import UNDEF, Block, Lit, Operand, Value
from ...ir.types import BOTTOM, UNKNOWN, Arr, DictT, ListT, Num, TupleT, Type, is_differentiable, join
from ..context import Lowering, join_all
from .abstract import UNBOUND, InCompiler, SBound, SChoice, SClass, SConflict, SDict, SFunc, SList, SObj, SPartial, STuple
from .argument_records import split_record
from .contents import Contents
from .heap import heap_site

__all__ = [
    "BOTTOM", "Leaf", "Parts", "Same", "join_types", "leaves", "mark_exits", "merge_states", "only_left", "rebuild", "state_get",
    "template",
]


class Same:
    """The same on both paths."""

    __slots__ = ("x",)

    def __init__(self, x: Any):
        self.x = x


class Leaf:
    """A value that must be yielded; ``name`` is a hint."""

    __slots__ = ("name", "type", "varied")

    def __init__(self, type: Type, varied: bool, name: str | None = None):
        self.type, self.varied, self.name = type, varied, name


class Parts:
    """A tuple, display or instance that meets part by part; ``keys`` are a dict's keys or an instance's attributes."""

    __slots__ = ("cls", "items", "keys", "kind")

    def __init__(self, kind: str, items: list[Any], cls: Any = None, keys: tuple[Any, ...] = ()):
        self.kind, self.items, self.cls, self.keys = kind, items, cls, keys


def join_types(a: Type | None, b: Type | None) -> Type:
    """`join`, where what never returns does not count."""
    if isinstance(a, Num) and isinstance(b, Num) and a.kind != b.kind and "bool" in (a.kind, b.kind):
        return UNKNOWN if {a.kind, b.kind} == {"bool", "complex"} else join(a, b)
    return join(a, b)


def is_operand(x: Any) -> bool:
    """Whether ``x`` can be yielded as it is (functions and classes are kept apart, so that calls of them are compiled)."""
    if isinstance(x, Value):
        return True
    return isinstance(x, Lit) and (not (callable(x.value) or isinstance(x.value, InCompiler)) or x is UNDEF)


def state_get(state: dict[Any, Any], key: Any) -> Any:
    """An entry of a state; exit flags that were never set are False, and what belongs to a path left behind is UNDEF."""
    dead = state.get("#dead")
    if dead is not None:
        if dead[0] == "raise":
            return UNDEF
        if dead[0] == "return" and key[0] is dead[1] and key[1] not in ("#ret", "#val"):
            return UNDEF
    found = state.get(key, UNBOUND)
    if found is UNBOUND and isinstance(key[1], str) and key[1][:1] == "#":
        return UNDEF if key[1] == "#val" or key[1].startswith("#error") else Lit(False)
    return found


def template(ctx: Lowering, a: Any, b: Any, sa: dict[Any, Any], sb: dict[Any, Any], name: str | None = None) -> Any:
    """How ``a`` of state ``sa`` and ``b`` of state ``sb`` meet."""
    if a is b:
        return Same(a)
    if a is UNDEF or a is UNBOUND:
        return _one_sided(ctx, b, sb, name, a is UNBOUND)
    if b is UNDEF or b is UNBOUND:
        return _one_sided(ctx, a, sa, name, b is UNBOUND)
    if isinstance(a, SConflict):
        return Same(a)
    if isinstance(b, SConflict):
        return Same(b)
    if isinstance(a, Lit) and isinstance(b, Lit) and _equal(a, b):
        return Same(a)
    if isinstance(a, STuple) and isinstance(b, STuple) and len(a.items) == len(b.items) and a.cls is b.cls:
        return Parts(
            "tuple", [template(ctx, x, y, sa, sb, name and f"{name}_{k}") for k, (x, y) in enumerate(zip(a.items, b.items))], a.cls
        )
    if isinstance(a, Contents) and isinstance(b, Contents):
        return _contents(ctx, a, b, sa, sb, name)
    if isinstance(a, SObj) and isinstance(b, SObj) and a.cls is b.cls:
        return _objects(ctx, a, b, sa, sb, name)
    if isinstance(a, SObj) or isinstance(b, SObj):
        split_record(ctx, a)
        split_record(ctx, b)
    if _runtime(a) and _runtime(b):
        pin(ctx, a, sa)
        pin(ctx, b, sb)
        return Leaf(join_types(_type(ctx, a, sa), _type(ctx, b, sb)), _varied(ctx, a, sa) or _varied(ctx, b, sb), name)
    sites = (*(x.site for x in (a, b) if isinstance(x, (SList, SDict))), *_on_heap(a, b))
    what = f"'{name}'" if name else "a value"
    if _callable(a) and _callable(b):
        return Parts("choice", [Leaf(Num("bool"), False) for _ in (*_tests(a), *_tests(b))], (a, b))
    return Same(SConflict(f"{what} is one thing on one path and another thing on another path", sites=sites))


def _tests(x: Any) -> list[Value]:
    """The conditions of a choice among functions that are values of the branch that made it."""
    if not isinstance(x, SChoice):
        return []
    return [*([x.cond] if isinstance(x.cond, Value) else []), *_tests(x.then), *_tests(x.orelse)]


def _with_tests(x: Any, tests: Iterator[Value]) -> Any:
    """A choice by the values that its conditions have after the branch."""
    if not isinstance(x, SChoice):
        return x
    return SChoice(next(tests) if isinstance(x.cond, Value) else x.cond, _with_tests(x.then, tests), _with_tests(x.orelse, tests))


def _one_sided(ctx: Lowering, x: Any, s: dict[Any, Any], name: str | None, unbound: bool) -> Any:
    if isinstance(x, Value) or unbound and isinstance(x, Lit) and isinstance(x.value, (int, float, complex)) and x is not UNDEF:
        return Leaf(x.type, x.varied, name)
    if isinstance(x, STuple):
        return Parts("tuple", [_one_sided(ctx, i, s, name and f"{name}_{k}", unbound) for k, i in enumerate(x.items)], x.cls)
    if isinstance(x, Contents):
        dict_like = bool(x.items) and isinstance(x.items[0], tuple)
        items = [i[1] if dict_like else i for i in x.items]
        return Parts("dict" if dict_like else "list", [_one_sided(ctx, i, s, None, unbound) for i in items],
                     keys=tuple(i[0] for i in x.items) if dict_like else ())
    return Same(x)


def _contents(ctx: Lowering, a: Contents, b: Contents, sa: Any, sb: Any, name: str | None) -> Any:
    if len(a.items) != len(b.items):
        return Same(SConflict("a list or dict has different items on different paths"))
    if a.items and isinstance(a.items[0], tuple):
        if [k.value for k, _ in a.items] != [k.value for k, _ in b.items]:
            return Same(SConflict("a dict has different keys on different paths"))
        return Parts("dict", [template(ctx, x, y, sa, sb) for (_, x), (_, y) in zip(a.items, b.items)], keys=tuple(k for k, _ in a.items))
    return Parts("list", [template(ctx, x, y, sa, sb) for x, y in zip(a.items, b.items)])


def attributes(state: dict[Any, Any], obj: SObj) -> list[str]:
    """The attributes an instance has in a state."""
    return [k[1] for k in state if k[0] is obj and isinstance(k, tuple)]


def _objects(ctx: Lowering, a: SObj, b: SObj, sa: Any, sb: Any, name: str | None) -> Any:
    keys = attributes(sa, a)
    if set(keys) != set(attributes(sb, b)):
        return Same(SConflict(f"'{name}' has different attributes on different paths", sites=_on_heap(a, b)))
    if (a, b) in ctx.meeting:       # an instance that it holds itself
        return Same(SConflict(f"'{name}' is one instance on one path and another one on another path", sites=_on_heap(a, b)))
    ctx.meeting.add((a, b))
    try:
        items = [template(ctx, sa[a, k], sb[b, k], sa, sb, f"{name}_{k}" if name else k) for k in keys]
    finally:
        ctx.meeting.discard((a, b))
    return Parts("object", items, (a.cls, a, b), tuple(keys))


def _equal(a: Lit, b: Lit) -> bool:
    if a.value is b.value:
        return True
    try:
        return type(a.value) is type(b.value) and isinstance(a.value, (int, float, complex, str, bytes, tuple, type(None))) \
            and repr(a.value) == repr(b.value)
    except Exception:
        return False


def pin(ctx: Lowering, x: Any, state: dict[Any, Any]) -> None:
    """Makes a display a value at run time from here on, because it meets one; what was planned for its items no longer holds."""
    if isinstance(x, STuple):
        for item in x.items:
            pin(ctx, item, state)
    elif isinstance(x, (SList, SDict)) and isinstance(state.get((x, "items")), Contents):
        outer, ctx.state = ctx.state, state
        try:
            with ctx.inside(ctx.ends.get(id(state), ctx.block)):
                ctx.escape(x)
        finally:
            ctx.state = outer
        ctx.pinned += 1


def _callable(x: Any) -> bool:
    return isinstance(x, (SFunc, SBound, SPartial, SClass, SChoice)) or isinstance(x, Lit) and (callable(x.value) or x.value is None)


def _runtime(x: Any) -> bool:
    if isinstance(x, STuple):
        return all(map(_runtime, x.items))
    return is_operand(x) or isinstance(x, (SList, SDict))


def _type(ctx: Lowering, x: Any, state: dict[Any, Any]) -> Type:
    if isinstance(x, (Value, Lit)):
        return x.type
    if isinstance(x, STuple):
        return TupleT(tuple(_type(ctx, i, state) for i in x.items), x.cls)
    held = state.get((x, "items"))
    if isinstance(held, (Value, Lit)):
        return held.type
    if isinstance(held, Contents):
        if isinstance(x, SList) and all(map(_runtime, held.items)):
            return ListT(join_all(_type(ctx, i, state) for i in held.items))
        if isinstance(x, SDict) and all(_runtime(v) for _, v in held.items):
            return DictT(join_all(k.type for k, _ in held.items), join_all(_type(ctx, v, state) for _, v in held.items))
    return UNKNOWN


def _varied(ctx: Lowering, x: Any, state: dict[Any, Any]) -> bool:
    if isinstance(x, Value):
        return x.varied
    if isinstance(x, STuple):
        return any(_varied(ctx, i, state) for i in x.items)
    held = state.get((x, "items")) if isinstance(x, (SList, SDict)) else None
    if isinstance(held, Contents):
        return any(_varied(ctx, i[1] if isinstance(i, tuple) else i, state) for i in held.items)
    return isinstance(held, Value) and held.varied


def leaves(ctx: Lowering, t: Any, x: Any, state: dict[Any, Any], which: int = 0) -> Iterator[Operand]:
    """The operands that make up ``x`` where it meets by template ``t`` (written to the current block)."""
    if isinstance(t, Leaf):
        if x is UNBOUND or x is UNDEF:
            yield UNDEF
            return
        outer, ctx.state = ctx.state, state
        try:
            yield ctx.escape(x)
        finally:
            ctx.state = outer
    elif isinstance(t, Parts) and t.kind == "choice":
        for side in t.cls:
            yield from _tests(side) if side is x else [UNDEF] * len(_tests(side))
    elif isinstance(t, Parts):
        if x is UNBOUND or x is UNDEF:
            items: list[Any] = [x] * len(t.items)
        elif t.kind == "object":
            items = [state[x, k] for k in t.keys]
        else:
            items = [i[1] if t.kind == "dict" else i for i in x.items]
        for part, item in zip(t.items, items):
            yield from leaves(ctx, part, item, state, which)


def leaf_templates(t: Any) -> Iterator[Leaf]:
    """The leaves of a template, in the order of `leaves`."""
    if isinstance(t, Leaf):
        yield t
    elif isinstance(t, Parts):
        for part in t.items:
            yield from leaf_templates(part)


def rebuild(ctx: Lowering, t: Any, values: Iterator[Value], cond: Any = None) -> Any:
    """The abstract value after the meeting, from the values of the leaves."""
    if isinstance(t, Same):
        return t.x
    if isinstance(t, Leaf):
        return next(values)
    items = [rebuild(ctx, part, values, cond) for part in t.items]
    if t.kind == "tuple":
        return ctx.tuple(items, t.cls)
    if t.kind == "list":
        return ctx.make_contents(items)
    if t.kind == "dict":
        return ctx.make_contents(zip(t.keys, items))
    if t.kind == "object":
        cls, a, b = t.cls
        made = SObj(cls)
        made.joined = a.joined = b.joined = True
        for key, item in zip(t.keys, items):
            ctx.state[made, key] = item
        return made
    a, b = t.cls
    if cond is None:
        return SConflict("a function differs from one iteration of the loop to the next")
    tests = iter(items)
    return SChoice(cond, _with_tests(a, tests), _with_tests(b, tests))


def leaf_value(leaf: Leaf) -> Value:
    """A fresh value for a leaf."""
    t = leaf.type
    if isinstance(t, ListT) and t.length is not None:
        t = ListT(t.elem)
    return Value(t, leaf.name, leaf.varied and is_differentiable(t))


def hint(key: Any) -> str | None:
    """The name to give to what a state key holds."""
    name = key[1]
    if not isinstance(name, str):
        return None
    if name[:1] == "#":
        return {"#ret": "returned", "#val": "result", "#brk": "stopped", "#cont": "skipped"}.get(name)
    return None if name == "items" or not name.isidentifier() else name


def merge_states(ctx: Lowering, entry: dict[Any, Any], sides: list[tuple[dict[Any, Any], Block, Any]], results: list[Value],
                 cond: Any = None) -> Any:
    """Joins the states at the ends of the blocks of one operation, and the abstract results of the blocks.

    Yields are appended to the blocks and values to ``results``; ``ctx.state`` becomes the joined state.
    """
    states = [s for s, _, _ in sides]
    ctx.ends = {id(s): block for s, block, _ in sides}
    pinned = -1
    while pinned != ctx.pinned:     # again, where a display had to become a value, which changes the state of its path
        pinned = ctx.pinned
        keys = dict.fromkeys(key for state in states for key in state if key != "#dead" and state[key] is not entry.get(key))
        plans: list[tuple[Any, Any]] = []
        for key in keys:
            held = [state_get(state, key) for state in states]
            alive = [h for h in held if h is not UNDEF]
            if alive and all(h is entry.get(key) for h in alive):
                ctx.left_behind.add(key)
                continue        # every path that goes on left it alone
            if any(h is UNBOUND for h in held):
                ctx.partial.add(key)
            plans.append((key, sited(key, _many(ctx, held, states, hint(key)))))
        extra = _many(ctx, [UNDEF if s.get("#dead") else x for s, _, x in sides], states, None)
    ctx.ends = {}
    merged = dict(entry)
    merged.pop("#dead", None)
    for state, block, x in sides:
        with ctx.inside(block):
            for key, plan in plans:
                block.yields.extend(leaves(ctx, plan, state_get(state, key), state))
            block.yields.extend(leaves(ctx, extra, UNDEF if state.get("#dead") else x, state))
    ctx.state = merged
    count = len(results)
    for plan in [*(p for _, p in plans), extra]:
        results.extend(leaf_value(leaf) for leaf in leaf_templates(plan))
    for k, value in enumerate(results[count:]):
        for _, block, _ in sides:
            ctx.sharing.unite(value, block.yields[k - (len(results) - count)])
    fresh = iter(results[count:])
    dead = [s.get("#dead") for s, _, _ in sides]
    going = [d for d in dead if d is None or d[0] != "raise"]
    for key, plan in plans:
        merged[key] = rebuild(ctx, plan, fresh, cond)
    out = rebuild(ctx, extra, fresh, cond)
    left = tuple(flag for key in ctx.exits if isinstance(flag := state_get(merged, key), Value)) if any(going) and None in going else ()
    for key, plan in plans:
        if isinstance(plan, Parts):
            if all(only_left(ctx, key, s) for s in states):
                mark_exits(ctx, merged[key], plan, late=True)
            elif left:
                mark_exits(ctx, merged[key], plan, left)
    if not going:
        merged["#dead"] = ("raise",)
    elif None not in going:
        merged["#dead"] = going[0] if all(d == going[0] for d in going) else ("mixed",)
    return out


def only_left(ctx: Lowering, key: Any, state: dict[Any, Any]) -> bool:
    """Whether a path has a display in a state only where an exit took it, or has none."""
    x = state_get(state, key)
    held = ctx.tuples.get(x) if isinstance(x, STuple) else x
    return x is UNDEF or x is UNBOUND or "#dead" in state or isinstance(held, Contents) and held.late


def mark_exits(ctx: Lowering, x: Any, plan: Any, left: tuple[Value, ...] = (), late: bool = False) -> None:
    """Notes, of displays that met nothing on other paths, when they are there; items that are the same on all paths were made before."""
    held = ctx.tuples.get(x) if isinstance(x, STuple) else x
    if isinstance(plan, Parts) and isinstance(held, Contents):
        held.left, held.late = left, late
        for item, part in zip(held.items, plan.items):
            mark_exits(ctx, item[1] if isinstance(item, tuple) else item, part, left, late)


def sited(key: Any, plan: Any) -> Any:
    """A conflict between the items of a display can be healed by making the display a value at run time."""
    if isinstance(plan, Same) and isinstance(plan.x, SConflict) and isinstance(key[0], (SList, SDict)) and not plan.x.sites:
        return Same(SConflict(plan.x.detail, plan.x.key, (key[0].site,)))
    return plan


def _many(ctx: Lowering, held: list[Any], states: list[dict[Any, Any]], name: str | None) -> Any:
    """The template of several paths."""
    t = (
        template(ctx, held[0], held[1], states[0], states[1], name)
        if len(held) > 1
        else template(ctx, held[0], held[0], states[0], states[0], name)
    )
    for k in range(2, len(held)):
        t = _extend(ctx, t, held[k], states[k], name, states[:k])
    return t


def _home(x: Any, states: list[dict[Any, Any]]) -> dict[Any, Any] | None:
    """The state of the first of several paths that knows what is in something."""
    if isinstance(x, STuple):
        return next((home for i in x.items if (home := _home(i, states)) is not None), None)
    if isinstance(x, SObj):
        return next((s for s in states if attributes(s, x)), None)
    return next((s for s in states if (x, "items") in s), None) if isinstance(x, (SList, SDict)) else None


def _extend(ctx: Lowering, t: Any, x: Any, s: dict[Any, Any], name: str | None, before: list[dict[Any, Any]]) -> Any:
    """A template that also fits one more path."""
    if isinstance(t, Same):
        found = template(ctx, t.x, x, _home(t.x, before) or s, s, name)
        if isinstance(found, Leaf):
            for other in before:
                pin(ctx, t.x, other)
        return found
    if isinstance(t, Leaf):
        if x is UNDEF or x is UNBOUND:
            return t
        if _runtime(x):
            pin(ctx, x, s)
            return Leaf(join_types(t.type, _type(ctx, x, s)), t.varied or _varied(ctx, x, s), name)
    elif x is UNDEF or x is UNBOUND:
        return t
    elif isinstance(t, Parts) and t.kind == "tuple" and isinstance(x, STuple) and len(x.items) == len(t.items):
        return Parts("tuple", [_extend(ctx, p, i, s, name, before) for p, i in zip(t.items, x.items)], t.cls)
    elif isinstance(t, Parts) and t.kind in ("list", "dict") and isinstance(x, Contents) and len(x.items) == len(t.items):
        if t.kind == "list":
            return Parts("list", [_extend(ctx, p, i, s, None, before) for p, i in zip(t.items, x.items)])
        if [k.value for k in t.keys] == [k.value for k, _ in x.items]:
            return Parts("dict", [_extend(ctx, p, i, s, None, before) for p, (_, i) in zip(t.items, x.items)], keys=t.keys)
    elif isinstance(t, Parts) and t.kind == "object" and isinstance(x, SObj) and x.cls is t.cls[0] and set(attributes(s, x)) == set(t.keys):
        x.joined = True
        return Parts("object", [_extend(ctx, p, s[x, k], s, name, before) for p, k in zip(t.items, t.keys)], t.cls, t.keys)
    return Same(SConflict(f"'{name or 'a value'}' differs between the paths that meet here", sites=_on_heap(x, *_instances(t))))


def _instances(t: Any) -> list[Any]:
    """The instances that a template stands for."""
    if isinstance(t, Same):
        return [t.x]
    return list(t.cls[1:]) if isinstance(t, Parts) and t.kind == "object" else []


def _on_heap(*xs: Any) -> tuple[Any, ...]:
    """The sites that put the classes of instances on the heap, where they are values."""
    return tuple(site for x in xs if isinstance(x, SObj) and (site := heap_site(x.cls)) is not None)


def scalar_like(t: Type) -> bool:
    return isinstance(t, Num) or isinstance(t, Arr) and t.scalar
