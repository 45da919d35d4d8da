"""Calls of functions with derivatives of their own, inside a function that is compiled.

The function's result is computed by the user's text, and a `Boundary` keeps derivatives from going into it: its rule calls
the user's derivative, which is lowered to a function of its own beside it.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import UnsupportedCall
from ..frontend.calls import hooks
from ..frontend.calls.dispatch import call_abstract, object_value, varied
from ..frontend.calls.outline import Outlined
from ..frontend.domain.abstract import STuple
from ..frontend.expressions.operations import call
from ..frontend.returns import from_tree, to_tree
from ..ir.ops import Function, Lit, Operand, Tree, Value
from ..ir.prims import Boundary
from ..ir.types import TupleT, is_differentiable
from ..transforms.arguments import name_of
from ..transforms.structure import select
from . import roots
from .function import Custom
from .jvp import custom_jvp
from .opaque.primitive import Primitive, primitive
from .rule import CustomRule, Helper
from .vjp import custom_vjp

__all__ = ["boundary", "helper_of", "install", "standing_for"]


def call_primitive(ctx: Any, f: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """See `transgrad.custom.opaque.lowering`."""
    from .opaque.lowering import call_primitive as call_it
    return call_it(ctx, f, args, kwargs, node)


def _make_primitive(ctx: Any, fn: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """See `transgrad.custom.opaque.lowering`."""
    from .opaque.lowering import refuse_definition
    return refuse_definition(ctx, fn, args, kwargs, node)


def install() -> None:
    """Register the handler of such calls with the front end."""
    from . import inserting
    hooks.register_type(custom_vjp, _call_vjp)
    hooks.register_type(custom_jvp, _call_jvp)
    hooks.register_type(Primitive, call_primitive)
    hooks.register(primitive, _make_primitive)
    roots.install()
    inserting.install()


def _arguments(ctx: Any, f: Custom, args: list[Any], kwargs: dict[str, Any]) -> list[Any]:
    """The arguments in their order, with defaults."""
    assert f.signature is not None
    bound = f.signature.bind(*args, **kwargs)
    given = dict(bound.arguments)
    bound.apply_defaults()
    return [value if name in given else object_value(ctx, value, name) for name, value in bound.arguments.items()]


def _literal(ctx: Any, fn: Any) -> Lit:
    name = getattr(fn, "__name__", "function")
    return Lit(fn, ctx.bind(name if name.isidentifier() else "function", fn))


def _outlined(ctx: Any, fn: Any, args: list[Any], standing: Callable[[], list[Any]], node: Any) -> Outlined:
    """The user's derivative as a function beside the one that is lowered; ``standing`` returns its last arguments, made of the values
    that stand for cotangents or tangents."""
    ctx.program.inlined.add(fn)
    return Outlined(ctx, _literal(ctx, fn), args, {}, [], node, more=standing)


def standing_for(flat: list[Operand], suffix: str) -> list[Value]:
    """A value of the same type for each of some operands: what stands for its cotangent or tangent."""
    return [Value(o.type, "_".join(filter(None, (getattr(o, "name", None) or "x", suffix))), is_differentiable(o.type)) for o in flat]


def helper_of(outlined: Outlined, fn: Function, standing: list[Value]) -> tuple[Helper, list[Operand]]:
    """The lowered derivative: which of its parameters are the values that stand for cotangents or tangents; and the others' values."""
    places: list[tuple[str, int]] = []
    taken: list[Operand] = []
    for o in outlined.operands:
        if o in standing:
            places.append(("standing", standing.index(o)))
        else:
            places.append(("taken", len(taken)))
            taken.append(o)
    return Helper(fn, tuple(places)), taken


def boundary(ctx: Any, name: str, tree: Tree, results: list[Operand], taken: list[Operand], leaves: list[Operand], rule: CustomRule,
             node: Any) -> Any:
    """Results behind a boundary that keeps derivatives from going into them: ``rule`` is their derivative by the leaves."""
    types = [o.type for o in results]
    made = Boundary(name, len(results), rule, len(results) + len(taken))
    t = types[0] if len(types) == 1 else TupleT(tuple(types))
    out = call(ctx, made, [*results, *taken, *leaves], type=t, node=node)
    return from_tree(ctx, tree, out.items if isinstance(out, STuple) else [out])


def _call_vjp(ctx: Any, f: custom_vjp, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    if f.primitive is not None:
        f.rules()
        return call_primitive(ctx, f.primitive, args, kwargs, node)
    given = _arguments(ctx, f, args, kwargs)
    rest, primals = f.parts(given)
    if not varied(ctx, *primals):
        return call_abstract(ctx, _literal(ctx, f.fun), given, {}, node)
    fwd, bwd = f.rules()
    pair = call_abstract(ctx, _literal(ctx, fwd), given, {}, node)
    if not isinstance(pair, STuple) or len(pair.items) != 2:
        raise TypeError(f"the forward function of {name_of(f.fun)} has to return a pair: the result and the residuals")
    results: list[Operand] = []
    tree = to_tree(ctx, pair.items[0], results)
    bars = standing_for(results, "bar")
    outlined = _outlined(ctx, bwd, [*rest, pair.items[1]], lambda: [from_tree(ctx, tree, bars)], node)
    outlined.function.name = f"{name_of(f.fun)}_cotangents"
    helper, taken = helper_of(outlined, outlined.function, bars)
    leaves, entries = _entries(ctx, f, primals, outlined.function.returns)
    rule = CustomRule(name_of(f.fun), len(results), len(taken), back=helper, entries=entries)
    return boundary(ctx, name_of(f.fun), tree, results, taken, leaves, rule, node)


def _entries(ctx: Any, f: Custom, primals: list[Any], returned: Tree) -> tuple[list[Operand], list[int | None]]:
    """The leaves of the differentiated arguments, and which result of the backward function is the cotangent of each."""
    if returned.kind not in ("tuple", "list") or len(returned.items) != len(primals):
        raise TypeError(f"the backward function of {name_of(f.fun)} has to return a tuple of {len(primals)}: a cotangent for each "
                        "differentiated argument")
    leaves: list[Operand] = []
    entries: list[int | None] = []
    for primal, part in zip(primals, returned.items):
        own: list[Operand] = []
        shape = to_tree(ctx, primal, own)
        leaves += own
        entries += _matched(f, shape, part)
    return leaves, entries


def _matched(f: Custom, shape: Tree, part: Tree) -> list[int | None]:
    if shape.kind == "leaf":
        if part.kind not in ("leaf", "lit"):
            raise UnsupportedCall(f"{name_of(f.fun)} has a custom derivative for an argument that is a {part.kind} from outside", None,
                                  f"unpack its items before the call of {name_of(f.fun)}: numbers, arrays and tuples of them")
        return [part.index if part.kind == "leaf" else None]
    if shape.kind == "lit":
        return []
    if part.kind == "lit":
        return [None for item in shape.items for _leaf in _matched(f, item, part)]
    if len(part.items) != len(shape.items):
        raise TypeError(f"the backward function of {name_of(f.fun)} returns {len(part.items)} cotangents for {len(shape.items)} items")
    return [k for a, b in zip(shape.items, part.items) for k in _matched(f, a, b)]


def _call_jvp(ctx: Any, f: custom_jvp, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    if f.primitive is not None:
        f.rule()
        return call_primitive(ctx, f.primitive, args, kwargs, node)
    given = _arguments(ctx, f, args, kwargs)
    rest, primals = f.parts(given)
    out = call_abstract(ctx, _literal(ctx, f.fun), given, {}, node)
    if not varied(ctx, *primals):
        return out
    results: list[Operand] = []
    tree = to_tree(ctx, out, results)
    leaves: list[Operand] = []
    trees = [to_tree(ctx, p, leaves) for p in primals]
    # a derivative that calls its own function is lowered once: the call inside of it has the same rule
    running = vars(ctx.program).setdefault("custom", {})
    key = f, tuple(o.type for o in leaves)
    if key in running:
        return boundary(ctx, name_of(f.fun), tree, results, [], leaves, running[key], node)
    rule = running[key] = CustomRule(name_of(f.fun), len(results))
    try:
        points, dots = standing_for(leaves, ""), standing_for(leaves, "dot")
        outlined = _outlined(ctx, f.rule(), rest, lambda: [ctx.tuple([from_tree(ctx, t, own) for t in trees]) for own in (points, dots)],
                             node)
    finally:
        del running[key]
    made = outlined.function
    made.name = f"{name_of(f.fun)}_tangent"
    if made.returns.kind != "tuple" or len(made.returns.items) != 2:
        raise TypeError(f"the derivative of {name_of(f.fun)} has to return a pair: the result and its tangent")
    select(made, made.returns.items[1])
    rule.forth, taken = helper_of(outlined, made, [*points, *dots])
    rule.taken = len(taken)
    return boundary(ctx, name_of(f.fun), tree, results, taken, leaves, rule, node)
