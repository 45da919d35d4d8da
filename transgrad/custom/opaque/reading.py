"""Primitives whose derivative is differentiated: its code is lowered, and the rule of the call invokes it."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...errors import UnsupportedCall
from ...frontend.calls.outline import Outlined
from ...frontend.containers.displays import new_dict
from ...frontend.returns import from_tree
from ...ir.build import Builder, current
from ...ir.opaque import OpaqueCall
from ...ir.ops import Function, Lit, Operand, Param, Tree, Value
from ...ir.types import is_differentiable
from ...transforms.arguments import Slot
from ...transforms.transformations import Target
from ..lowering import helper_of, standing_for
from ..rule import Helper, invoke, turned, zero
from .calls import ValueCall, cotangent_tree
from .rules import PrimitiveRule

__all__ = ["read_call"]


def _vjp_of(vjp: Any, args: Any, keywords: Any, g: Any, y: Any) -> Any:
    """A call of the reverse derivative, with the values that stand for its cotangents and results last."""
    return vjp(g, y, *args, **keywords)


def _jvp_of(jvp: Any, args: Any, keywords: Any, dots: Any, y: Any) -> Any:
    """The same for the forward derivative."""
    return jvp(dots, y, *args, **keywords)


class ReadCall(OpaqueCall):
    """A call of a primitive whose derivative is known as a function of the IR; its last operands are for that alone."""

    def __init__(self, call: ValueCall, rule: ReadRule):
        super().__init__(call.__name__, call.inputs, call.keywords, call.statics)
        self.shown, self.rule = call, rule

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.shown(*args, **kwargs)

    def recipe(self) -> tuple[Any, Any, list[Any], str]:
        """See `OpaqueCall.recipe`."""
        return self.shown.recipe()


class ReadRule(PrimitiveRule):
    """The rule of a call of a primitive, by the lowered derivatives of the user, or by their calls."""

    def __init__(self, call: ValueCall):
        super().__init__(call)
        self.back: Helper | None = None
        self.forth: Helper | None = None
        #: for each leaf, which result of the reverse derivative is its cotangent; for each result, which one of the forward derivative
        self.cotangent_of: list[int | None] = []
        self.tangent_of: list[int | None] = []
        self.again = False
        self._transposes: dict[str, Function] = {}

    def pullback(self, g: Any, y: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None,
                 wanted: Sequence[bool] | None = None) -> list[Any]:
        """See `Rule.pullback`."""
        call = self.call
        if self.back is None and call.of.vjp is not None:
            return super().pullback(g, y, args, kwargs, wanted)
        b = current()
        bars, ys = (list(g), list(y)) if self.several else ([g], [y])
        full = [zero(b, ys[k]) if bars[k] is None else bars[k] for k in call.active_results]
        if self.back is not None:
            found = invoke(b, self.back.function, self.back.arguments([*full, *ys], args))
            entries = [None if k is None else found[k] for k in self.cotangent_of]
        else:
            assert self.forth is not None
            zeros = [zero(b, args[k]) for k in call.args.leaves]
            entries = self._transpose_of(b, "jvp", self.forth, zeros, ys, args, zip(self.tangent_of, full))
        by_leaf = dict(zip(call.args.leaves, entries))
        return [by_leaf.get(k) for k in range(len(args))]

    def pushforward(self, y: Any, args: Sequence[Any], tangents_: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Any:
        """See `Rule.pushforward`."""
        call = self.call
        if self.forth is None and call.of.jvp is not None:
            return super().pushforward(y, args, tangents_, kwargs)
        b = current()
        ys = list(y) if self.several else [y]
        dots = [zero(b, args[k]) if tangents_[k] is None else tangents_[k] for k in call.args.leaves]
        if self.forth is not None:
            made = invoke(b, self.forth.function, self.forth.arguments([*dots, *ys], args))
            found = [None if n is None else made[n] for n in self.tangent_of]
        else:
            assert self.back is not None
            zeros = [zero(b, ys[k]) for k in call.active_results]
            found = self._transpose_of(b, "vjp", self.back, zeros, ys, args, zip(self.cotangent_of, dots))
        by_result = dict(zip(call.active_results, found))
        dots_of = [by_result.get(k) for k in range(self.results)]
        return tuple(dots_of) if self.several else dots_of[0]

    def _transpose_of(self, b: Builder, mode: str, helper: Helper, zeros: Sequence[Any], ys: Sequence[Any], args: Sequence[Any],
                      given: Iterable[tuple[int | None, Any]]) -> list[Any]:
        """The transpose of a lowered derivative, which is linear in its first standing values; these may be anything, as ``zeros``.

        ``given`` has the number of a result of the derivative, and its pullback.
        """
        places = [k for kind, k in helper.places if kind == "standing" and k < len(zeros)]
        by_result = {n: x for n, x in given if n is not None}
        entries: list[Any] = [None] * len(zeros)
        order = [n for n, y in enumerate(helper.function.body.yields) if isinstance(y, Value) and is_differentiable(y.type)]
        if not places or not order:
            return entries
        bars = b.build("tuple", [turned(b, by_result[n]) for n in order])
        found = invoke(b, self._transposed_by(mode, helper, places), [*helper.arguments([*zeros, *ys], args), bars])
        for k, entry in zip(places, found):
            entries[k] = turned(b, entry)
        return entries

    def _transposed_by(self, mode: str, helper: Helper, places: Sequence[int]) -> Function:
        from ...transforms.nested.pullback import pulled
        made = self._transposes.get(mode)
        if made is None:
            fn = helper.function
            names = [p.name for p, (kind, k) in zip(fn.signature, helper.places) if kind == "standing" and k in places]
            made = self._transposes[mode] = pulled(fn, Target(tuple(map(Slot, names)), False))
            made.name = f"{self.call.__name__}_transposed"
            made.signature = [Param(p.name, p.value) for p in made.signature]
        return made


def read_call(ctx: Any, call: ValueCall, given: list[Any], keywords: dict[str, Any], operands: list[Operand], results: Sequence[Value],
              modes: Sequence[str], node: Any) -> tuple[OpaqueCall, list[Operand]]:
    """The call with a rule that has the lowered derivatives of some modes, and its operands."""
    # a derivative may lead back to its function: that call has the same rule
    running: dict[Any, ReadRule] = vars(ctx.program).setdefault("read", {})
    key = call.of, repr((call.inputs, call.keywords, call.types, call.form.key))
    if key in running:
        running[key].again = True
        return ReadCall(call, running[key]), list(operands)
    rule = running[key] = ReadRule(call)
    try:
        all_operands = _read_into(ctx, rule, given, keywords, operands, results, modes, node)
    finally:
        del running[key]
    if rule.again and len(all_operands) > len(operands):
        raise UnsupportedCall(f"a derivative of {call.of.__name__} calls the function itself and reads variables of the differentiated "
                              "function", ctx.at(node), "define the derivative outside of the differentiated function")
    return ReadCall(call, rule), all_operands


def _read_into(ctx: Any, rule: ReadRule, given: list[Any], keywords: dict[str, Any], operands: list[Operand], results: Sequence[Value],
               modes: Sequence[str], node: Any) -> list[Operand]:
    """Lower the derivatives; the operands of the call, with those that only the derivatives take."""
    call, all_operands = rule.call, list(operands)
    form = call.form
    ys = standing_for(list(results), "")
    if "vjp" in modes:
        bars = standing_for([results[k] for k in call.active_results], "bar")
        g = cotangent_tree(form.tree, form.types, {})
        made, rule.back = _lowered(ctx, call, _vjp_of, call.of.vjp, given, keywords, lambda: from_tree(ctx, g, bars), [*bars, *ys], ys,
                                   node, all_operands)
        rule.cotangent_of = _cotangent_numbers(call, made.returns)
    if "jvp" in modes:
        dots = standing_for([operands[k] for k in call.args.leaves], "dot")
        places: dict[int, int] = {k: n for n, k in enumerate(call.args.leaves)}
        trees = [cotangent_tree(call.args.inputs[k], call.args.types, places) for k in call.args.differentiated]
        made, rule.forth = _lowered(ctx, call, _jvp_of, call.of.jvp, given, keywords,
                                    lambda: ctx.tuple([from_tree(ctx, _without_statics(t), dots) for t in trees]), [*dots, *ys], ys, node,
                                    all_operands)
        rule.tangent_of = _tangent_numbers(call, made.returns)
    return all_operands


def _without_statics(t: Tree) -> Tree:
    """A structure with None for values that are known at compile time."""
    if t.kind == "lit":
        return Tree("lit", value=None)
    return Tree(t.kind, list(map(_without_statics, t.items)), t.index, t.keys, t.value, t.cls)


def _lowered(ctx: Any, call: ValueCall, template: Any, function: Any, given: list[Any], keywords: dict[str, Any],
             first: Callable[[], Any], standing: list[Value], ys: list[Value], node: Any,
             operands: list[Operand]) -> tuple[Function, Helper]:
    """A derivative of the user as a function of the IR; the values that it reads besides are appended to ``operands``."""
    name = getattr(function, "__name__", "derivative")
    literal = Lit(function, ctx.bind(name if str(name).isidentifier() else "derivative", function))
    ctx.program.inlined.add(template)
    ctx.program.inlined.add(function)
    named = new_dict(ctx, [(Lit(k), v) for k, v in keywords.items()], None)
    outlined = Outlined(ctx, Lit(template, ctx.bind("derivative_of", template)), [literal, ctx.tuple(list(given)), named], {}, [], node,
                        more=lambda: [first(), from_tree(ctx, call.form.tree, ys)])
    made = outlined.function
    made.name = f"{call.__name__}_derivative"
    helper, taken = helper_of(outlined, made, standing)
    for o in taken:
        if not any(o is known for known in operands):
            operands.append(o)
    at = [next(k for k, known in enumerate(operands) if known is o) for o in taken]
    return made, Helper(made, tuple((kind, at[k]) if kind == "taken" else (kind, k) for kind, k in helper.places))


def _cotangent_numbers(call: ValueCall, returned: Tree) -> list[int | None]:
    """For each leaf, which result of the lowered vjp is its cotangent."""
    places = call.args.differentiated
    if len(places) == 1 and not (returned.kind == "tuple" and returned.cls is None):
        parts = [returned]
    else:
        parts = returned.items if returned.kind in ("tuple", "list") else []
    if len(parts) != len(places):
        raise TypeError(f"the derivative of {call.of.__name__} has to return a tuple of {len(places)}: a cotangent for each differentiated "
                        "argument, or None for zero")
    by_leaf: dict[int, int | None] = {}
    for place, part in zip(places, parts):
        _match(call, call.args.inputs[place], part, by_leaf)
    return [by_leaf.get(k) for k in call.args.leaves]


def _match(call: ValueCall, shape: Tree, part: Tree, found: dict[int, int | None]) -> None:
    """Pair the leaves of an argument or result with those of a derivative's result; None is zero for the whole subtree."""
    if shape.kind == "lit" or part.kind == "lit" and part.value is None:
        return
    if shape.kind == "leaf":
        if part.kind not in ("leaf", "lit"):
            raise TypeError(f"the derivative of {call.of.__name__} returns a {part.kind} for a number or an array")
        if part.kind == "leaf":
            found[shape.index] = part.index
        return
    if len(part.items) != len(shape.items) or shape.kind == "dict" and set(part.keys) != set(shape.keys):
        raise TypeError(f"the derivative of {call.of.__name__} returns {len(part.items)} items for {len(shape.items)}")
    by_key = dict(zip(part.keys, part.items))
    for k, item in enumerate(shape.items):
        _match(call, item, by_key[shape.keys[k]] if shape.kind == "dict" else part.items[k], found)


def _tangent_numbers(call: ValueCall, returned: Tree) -> list[int | None]:
    """For each result with a tangent, which result of the lowered jvp is that."""
    found: dict[int, int | None] = {}
    _match(call, call.form.tree, returned, found)
    return [found.get(k) for k in call.active_results]
