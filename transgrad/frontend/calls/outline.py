"""Outlining: put a call into a function of its own, with the variables that it captures as further parameters, so that passes can
transform it."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ir.clone import clone_block
from ...ir.ops import Block, Function, Invoke, Lit, Operand, Param, Value, blocks_of, functions_of, operands_of, walk
from ...ir.optional import name_present
from ...ir.parameters import Slot, signature_of
from ...ir.types import Type, is_differentiable
from ...services import check_meanwhile, check_untracked, prepare_callee
from ..domain.abstract import SBound, SFunc, SPartial
from ..entry import settle
from ..returns import from_tree
from .dispatch import call_abstract
from .invocation import finish

__all__ = ["Outlined", "callee_name", "invoke", "positional_names"]


def callee_name(callee: Any) -> str:
    found = getattr(callee, "name", None) or getattr(getattr(callee, "value", None), "__name__", None) or "function"
    return found if str(found).isidentifier() else "function"


def positional_names(callee: Any) -> list[str]:
    """The names of the positional parameters of something callable, as far as they are known."""
    if isinstance(callee, SFunc):
        return [a.id for a in (*callee.node.args.posonlyargs, *callee.node.args.args)]
    if isinstance(callee, SBound):
        return positional_names(callee.func if isinstance(callee.func, (SFunc, Lit)) else Lit(callee.func))[1:]
    if isinstance(callee, SPartial):
        return positional_names(callee.func)[len(callee.args):]
    if isinstance(callee, Lit) and hasattr(callee.value, "callee"):      # a derivative that exists while compiling
        return positional_names(callee.value.callee)
    if isinstance(callee, Lit):
        return [p.name for p in signature_of(callee.value).parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return []


class Outlined:
    """A call written into a function of its own: the function, and the operands of a call of it."""

    def __init__(self, ctx: Any, callee: Any, args: Sequence[Any], kwargs: dict[str, Any], chosen: Sequence[int | str], node: Any,
                 retype: Callable[[int | str, Type], Type] | None = None, more: Callable[[], Sequence[Any]] | None = None):
        """``chosen`` are the arguments that become its first parameters; ``retype`` gives them other types than they have.

        ``more`` returns further arguments that are made inside the function: displays of values that exist only there.
        """
        self.ctx = ctx
        names = positional_names(callee)
        new_args, new_kwargs = list(args), dict(kwargs)
        self.function = Function(callee_name(callee), Block(), names=ctx.function.names, loc=ctx.loc)
        self.operands: list[Operand] = []
        self.slots: list[Slot] = []
        params: list[Value] = []
        for key in chosen:
            held = ctx.escape(args[key] if isinstance(key, int) else kwargs[key], node)
            if retype is None and not is_differentiable(held.type):
                raise TypeError(f"an argument of {callee_name(callee)} is to be differentiated, but is {held.type}")
            name = key if isinstance(key, str) else names[key] if key < len(names) else f"x{key}"
            param = Value(held.type if retype is None else retype(key, held.type), name, True)
            if retype is None and isinstance(held, Value) and held in ctx.examples:
                ctx.examples[param] = ctx.examples[held]
            if isinstance(key, int):
                new_args[key] = param
            else:
                new_kwargs[key] = param
            params.append(param)
            self.operands.append(held)
            self.slots.append(Slot(name))
        outer = ctx.block, ctx.function
        ctx.block, ctx.function = self.function.body, self.function
        try:
            made_inside = more() if more is not None else ()
            finish(ctx, call_abstract(ctx, callee, [*new_args, *made_inside], new_kwargs, node))
            settle(self.function)
        finally:
            ctx.block, ctx.function = outer
        self._close(params)
        for inner in functions_of(self.function):
            prepare_callee(inner)
            name_present(inner)
        check_meanwhile(ctx.program, functions_of(self.function))
        check_untracked(self.function)

    def _close(self, params: list[Value]) -> None:
        """Make parameters of the values that come from around the function."""
        body = self.function.body
        inside = set(params)
        outside: dict[Value, None] = {}
        for op in walk(body):
            inside.update(op.results)
        for op in walk(body):
            for block in blocks_of(op):
                inside.update(block.params)
        reads = [*(o for op in walk(body) for o in operands_of(op)), *body.yields]
        reads += [y for op in walk(body) for block in blocks_of(op) for y in block.yields]
        for o in reads:
            if isinstance(o, Value) and o not in inside:
                outside[o] = None
        taken = {p.name for p in params}
        captured = []
        for v in outside:
            name = v.name or "c"
            number = 1
            while name in taken:
                number += 1
                name = f"{v.name or 'c'}{number}"
            taken.add(name)
            captured.append(Value(v.type, name, v.varied))
        closed = clone_block(Block([], body.ops, body.yields), mapping := dict(zip(outside, captured)))
        assert mapping is not None
        closed.params = [*params, *captured]
        self.function.body = closed
        self.function.signature = [Param(p.name or "x", p) for p in closed.params]
        self.operands += outside

    def call(self, fn: Function, extra: Sequence[Operand] = ()) -> Any:
        """Call the transformed function."""
        return from_tree(self.ctx, fn.returns, self.invoke(fn, [*self.operands, *extra]))

    def call_again(self) -> Any:
        """Call the function so that the reverse sweep recomputes it; if it consists of one call, call that callee directly."""
        fn = self.function
        ops = fn.body.ops
        if len(ops) == 1 and isinstance(ops[0], Invoke) and fn.body.yields == ops[0].results:
            held: dict[Any, Operand] = dict(zip(fn.body.params, self.operands))
            return from_tree(self.ctx, fn.returns, invoke(self.ctx, ops[0].func, [held.get(a, a) for a in ops[0].args], again=True))
        return from_tree(self.ctx, fn.returns, invoke(self.ctx, fn, self.operands, again=True))

    def invoke(self, fn: Function, args: Sequence[Operand]) -> list[Value]:
        """The flat results of such a call."""
        return invoke(self.ctx, fn, args)


def invoke(ctx: Any, fn: Function, args: Sequence[Operand], again: bool = False) -> list[Value]:
    """Append a call of a function made while compiling."""
    fn.attrs.emit = True
    varied = any(a.varied for a in args)
    results = [Value(y.type, None, varied and is_differentiable(y.type)) for y in fn.body.yields]
    ctx.emit(Invoke(fn, list(args), again, results=results))
    for r in results:
        for a in args:
            ctx.sharing.link(r, a)
    return results
