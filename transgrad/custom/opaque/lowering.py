"""Calls of primitives inside a function that is compiled.

The call becomes one operation over the leaves of its arguments.  If the derivative has to be differentiated itself (`ReadDerivative`),
the rule of the operation has the lowered derivative of the user.
"""
from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import TransgradError, UnsupportedCall
from ...frontend.calls.dispatch import object_value, varied
from ...frontend.containers.displays import new_dict, new_list
from ...frontend.containers.iterables import collect, static_items
from ...frontend.context import Lowering
from ...frontend.describe import describe
from ...frontend.domain.abstract import SDict, SFunc, SIter, SList, SObj, STuple
from ...frontend.domain.external_state import disturb_outside
from ...frontend.expressions.attributes import read_attribute
from ...frontend.expressions.operations import call as call_op
from ...frontend.expressions.subscripts import read_item
from ...frontend.returns import from_tree, to_tree
from ...ir.build import tell_apart
from ...ir.observed import current
from ...ir.opaque import OpaqueCall
from ...ir.ops import Call, Lit, Operand, Tree, Value
from ...ir.types import ANY, Arr, DictT, Dim, ListT, Num, Obj, OptT, RecordT, SetT, TupleT, Type, is_differentiable, is_mixed
from .calls import RESIDUALS, Arguments, ValueCall
from .emit import named
from .primitive import Primitive
from .reading import read_call
from .rules import PrimitiveRule
from .specs import Form
from .stored import declared_form_of

__all__ = ["call_primitive"]


class _Flat:
    """The arguments of a call, taken apart."""

    def __init__(self, ctx: Lowering, of: Primitive, node: Any):
        self.ctx, self.of, self.node = ctx, of, node
        self.operands: list[Operand] = []
        self.statics: list[Lit] = []

    def tree(self, x: Any, differentiated: bool) -> Tree:
        """The structure of an argument over operands."""
        ctx = self.ctx
        if isinstance(x, SIter):
            x = collect(ctx, x, self.node)
        x = _apart(ctx, x)
        if isinstance(x, (STuple, SList, SDict, SObj)):
            flat: list[Operand] = []
            shape = to_tree(ctx, x, flat)
            return self._joined(shape, flat, differentiated)
        return self.leaf(x, differentiated)

    def _joined(self, t: Tree, flat: Sequence[Any], differentiated: bool) -> Tree:
        if t.kind == "leaf":
            return self.tree(flat[t.index], differentiated)
        if t.kind == "lit":
            return self.leaf(object_value(self.ctx, t.value, "value"), differentiated)
        return Tree(t.kind, [self._joined(item, flat, differentiated) for item in t.items], keys=t.keys, cls=t.cls)

    def leaf(self, x: Any, differentiated: bool) -> Tree:
        """One operand, or an object that is known at compile time."""
        ctx, of = self.ctx, self.of
        if isinstance(x, SFunc):
            raise UnsupportedCall(f"{of.__name__} is called with {describe(x)}, a function that exists only while compiling",
                                  ctx.at(self.node), "define it outside of the differentiated function")
        if isinstance(x, Lit) and not isinstance(x.value, (bool, int, float, complex, np.ndarray, np.generic)):
            self.statics.append(x)
            return Tree("lit", index=len(self.statics) - 1)
        is_varied = varied(ctx, x)
        held = ctx.escape(x, self.node)
        if is_varied and not differentiated and is_differentiable(held.type):
            raise UnsupportedCall(f"an argument of {of.__name__} that is declared as not differentiated depends on a differentiated "
                                  "value", ctx.at(self.node), "leave it out of nondiff_argnums, or wrap it in tg.stop_gradient")
        if is_varied and is_differentiable(held.type) and not _is_numeric(held.type):
            raise UnsupportedCall(f"{of.__name__} is differentiated with respect to {describe(held)}: expected numbers, arrays, lists of "
                                  "them, and tuples, dicts and dataclasses of these", ctx.at(self.node),
                                  "take the numbers and arrays out of it before the call")
        if isinstance(held, Value) and is_mixed(held.type) and is_varied:
            held = _settled(ctx, held, self.node)
        self.operands.append(held)
        return Tree("leaf", index=len(self.operands) - 1)


def _is_numeric(t: Type) -> bool:
    return isinstance(t, (Num, Arr)) or isinstance(t, ListT) and (t.elem is None or isinstance(t.elem, (Num, Arr)))


def _settled(ctx: Lowering, x: Value, node: Any) -> Operand:
    """A number whose class is not known, as one of the class that its type says."""
    t = x.type
    if isinstance(t, Num):
        convert: Any = complex if t.kind == "complex" else float
    else:
        assert isinstance(t, Arr)
        convert = np.dtype(t.dtype).type if t.scalar else np.asarray
    return ctx.operand(call_op(ctx, convert, [x], node=node))


def _apart(ctx: Lowering, x: Any) -> Any:
    """A tuple, dict or dataclass at run time as a display of its items."""
    if not isinstance(x, Value):
        return x
    t = x.type
    if isinstance(t, TupleT):
        items = static_items(ctx, x) or []
        if t.cls is list:
            return new_list(ctx, items, None)
        return ctx.tuple(items, t.cls)
    if isinstance(t, RecordT) and t.cls is dict:
        return new_dict(ctx, [(Lit(k), read_item(ctx, x, Lit(k), None)) for k in t.keys], None)
    if isinstance(t, RecordT):
        made = SObj(t.cls)
        for k in t.keys:
            ctx.state[made, k] = read_attribute(ctx, x, str(k), None)
        return made
    return x


def call_primitive(ctx: Lowering, of: Primitive, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """The value of a call."""
    name = _name(ctx, of, node)
    given, keywords = _bound(ctx, of, args, kwargs)
    places = [k for k in range(len(given)) if k not in of.nondiff_argnums]
    flat = _Flat(ctx, of, node)
    inputs = [flat.tree(x, k in places) for k, x in enumerate(given)]
    named_inputs = {name: flat.tree(x, False) for name, x in keywords.items()}
    types = [_static(o.type) for o in flat.operands]
    arguments = Arguments(inputs, named_inputs, flat.statics, types, places)
    form = _form(ctx, of, arguments, flat.operands, node)
    is_varied = any(flat.operands[k].varied for k in arguments.leaves)
    call = _shared_call(ctx, name, of, arguments, form, of.fwd is not None and is_varied)
    results = [Value(_resolved(t, flat.operands), None, is_varied and is_differentiable(t)) for t in form.types]
    fn, operands = _with_read_derivatives(ctx, call, given, keywords, flat.operands, results, node) if is_varied else (call, flat.operands)
    extra = [Value(RESIDUALS)] if call.residuals else []
    ctx.emit(Call(fn, list(operands), results=[*results, *extra]))
    disturb_outside(ctx)
    return from_tree(ctx, form.tree, results)


def _with_read_derivatives(ctx: Lowering, call: ValueCall, given: list[Any], keywords: dict[str, Any], operands: list[Operand],
                           results: list[Value], node: Any) -> tuple[OpaqueCall, list[Operand]]:
    """The call and its operands; with the code of the derivatives that have to be differentiated."""
    of, observed = call.of, current()
    modes = [mode for mode in ("vjp", "jvp") if observed is not None and (of, mode) in observed.derivatives]
    if not modes:
        return call, operands
    try:
        return read_call(ctx, call, given, keywords, operands, results, modes, node)
    except TransgradError as error:
        raise UnsupportedCall(f"the {modes[0]} of {call.name} has to be differentiated, and cannot be compiled: {error.reason}",
                              error.loc or ctx.at(node), f"make the {modes[0]} of {call.name} a tg.primitive with a derivative of its "
                              "own; for first derivatives in both modes define vjp= and jvp=, and declare linear=True if it is") from error


def _bound(ctx: Lowering, of: Primitive, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments by position, and those that can be passed by keyword only, with defaults."""
    if of.signature is None:
        return args, kwargs
    bound = of.signature.bind(*args, **kwargs)
    own = set(bound.arguments)
    bound.apply_defaults()
    defaults = {name: object_value(ctx, value, name) for name, value in bound.arguments.items()
                if name not in own and of.signature.parameters[name].kind not in (2, 4)}
    bound.arguments.update(defaults)
    return list(bound.args), dict(bound.kwargs)


def _name(ctx: Lowering, of: Primitive, node: Any) -> str:
    """The name of the function in the generated code: as in the call, if it is called by a name that stands for it."""
    func = getattr(node, "func", None)
    own = getattr(func, "id", None) or getattr(func, "attr", None)
    names = ctx.function.names
    if not isinstance(own, str) or getattr(func, "attr", None) is None and names.get(own) is not of or (
            getattr(func, "attr", None) is not None and not any(_leads_to(root, own, of) for root in names.values())):
        own = next((name for name, held in names.items() if held is of), None)
    if own is None:
        return named(of, "primitive")
    if of.__name__ == "<lambda>":       # for errors at run time
        of.__name__ = own
    return own


def _leads_to(root: Any, name: str, of: Primitive) -> bool:
    """Whether an attribute is a primitive, or that bound to an instance."""
    try:
        found = inspect.getattr_static(root, name)
    except AttributeError:
        return False
    return found is of or getattr(found, "primitive", None) is of


def _static(t: Type) -> Type:
    """A type without lengths."""
    if isinstance(t, Arr):
        return Arr(t.dtype, (ANY,) * len(t.dims), t.scalar)
    if isinstance(t, Num):
        return Num(t.kind)
    if isinstance(t, ListT):
        return ListT(_static(t.elem) if t.elem is not None else None)
    return t if isinstance(t, (Obj, SetT, DictT)) else Obj(None) if isinstance(t, OptT) else t


def _form(ctx: Lowering, of: Primitive, args: Arguments, operands: Sequence[Operand], node: Any) -> Form:
    """The declared form of the result."""
    form = declared_form_of(of, args, [o.type for o in operands])
    if form is None:
        raise UnsupportedCall(f"the result type of {of.__name__} is not known", ctx.at(node),
                              "declare it with result=, for example result=float or result=lambda x: x, or pass example=")
    return form


def _shared_call(ctx: Lowering, name: str, of: Primitive, args: Arguments, form: Form, residuals: bool) -> ValueCall:
    """The callee; the same for calls with the same static types, so that it has one name in the generated code."""
    known: dict[Any, ValueCall] = vars(ctx.program).setdefault("opaque", {})
    key = (of, name, residuals, repr((args.inputs, args.keywords, args.types, form.key)), tuple(id(x.value) for x in args.statics))
    found = known.get(key)
    if found is None:
        found = known[key] = ValueCall(name, of, args, form, residuals)
        found.rule = PrimitiveRule(found)
    return found


def _resolved(t: Type, operands: Sequence[Operand]) -> Type:
    """A type of the form, with the lengths of the arguments."""
    if not isinstance(t, Arr):
        return t

    def resolved(dim: Dim) -> Dim:
        if not (isinstance(dim.sym, tuple) and dim.sym[0] == "<leaf>"):
            return dim
        own = operands[dim.sym[1]].type.dims[dim.sym[2]]        # type: ignore[union-attr]
        return own if not dim.off else Dim(None, own.sym, own.off + dim.off) if own.sym is not None else ANY
    return tell_apart(dataclasses.replace(t, dims=tuple(map(resolved, t.dims))))


def refuse_definition(ctx: Lowering, _: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A call of `primitive` inside the function: its arguments may not exist at compile time."""
    raise UnsupportedCall("a primitive is made inside the differentiated function", ctx.at(node), "make it outside of the function")
