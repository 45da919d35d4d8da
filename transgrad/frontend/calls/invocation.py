"""Lowers a helper once for the types of its arguments, and appends an `Invoke` of it; recursion is followed to a fixpoint."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...ir.attributes import Attributes
from ...ir.effects import writes
from ...ir.ops import UNDEF, Block, Function, Invoke, Lit, Operand, Param, Tree, Value, walk
from ...ir.types import Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT, Type, is_differentiable
from ...services import check_untracked
from ..context import InlineInstead, Lowering
from ..describe import describe
from ..domain.abstract import UNBOUND, SClass, SFunc, STuple
from ..domain.escape import forget_contents
from ..domain.heap import table
from ..domain.heap_checks import check_results
from ..domain.join import BOTTOM, join_types
from ..expressions.dispatch import expr, read_key
from ..expressions.operations import call
from ..frames import Frame, cells_of
from ..objects.function_records import begin_cells
from ..refusals import refuse
from ..returns import check_no_stand_in, from_tree, to_tree
from ..specialize.argument_types import is_static
from ..specialize.symbolic_lengths import Lengths, static_key
from ..statements.appended_records import check_recordings
from ..statements.dead_results import prune
from ..statements.dispatch import raised, sequence
from ..statements.scalar_augassign import replace_updates

__all__ = ["Callee", "Variant", "finish", "invoke_callee", "invoke_function"]

_ROUNDS = 12


class Callee:
    """A function to lower: its call in generated code, the block of its body, and its frame."""

    def __init__(
        self, func: Any, name: str, source: Any, node: Any, frame: Callable[[], Frame], origin: Any = None, outer: Lowering | None = None
    ):
        self.func, self.name, self.source, self.node, self.frame, self.origin = func, name, source, node, frame, origin
        #: The lowering of the function around, for a nested one.
        self.outer = outer


class Variant:
    """A helper lowered for some argument types, or being lowered."""

    def __init__(self, function: Function, key: Any, func: Any):
        self.function = function
        self.key = key
        self.func = func
        #: The assumed result of its calls: a tree, and the types of its leaves; None before anything is known.
        self.tree: Tree | None = None
        self.types: list[tuple[Type, bool]] = []
        self.running = True
        self.used = False
        #: Parameters that are varied, or hold more, after the call.
        self.written: list[bool] = []
        self.grown: list[Type] = []
        #: Parameters that something of which nothing is known had in hand.
        self.given_away: list[bool] = []
        #: Parameters that are written to, or to something inside of them.
        self.stored: list[bool] = []
        #: Variables of the function around that a nested function reads: state keys, in the order of its last parameters.
        self.captures: dict[Any, str] = {}


def invoke_function(ctx: Lowering, func: Any, source: Any, bound: dict[str, Any], node: Any, spelling: str | None) -> Any:
    """A call of a module-level function with arguments that can be values at run time."""
    from .functions import _owner

    def frame() -> Frame:
        made = Frame(source, source.node, func.__globals__, None, cells_of(func), func, func.__name__)
        made.owner = _owner(func)
        return made
    callee = Callee(func, func.__name__, source, source.node, frame, func)
    return invoke_callee(ctx, callee, bound, node)


def invoke_callee(ctx: Lowering, callee: Callee, bound: dict[str, Any], node: Any) -> Any:
    """Lower a function for these arguments, if that has not been done, and append the call."""
    program = ctx.program
    running = any(v.running and v.func is callee.func for v in program.memo.values())
    lengths = Lengths(running or _mentions_itself(callee))
    operands: dict[str, Operand] = {}
    static: dict[str, Any] = {}
    key: list[Any] = [callee.func]
    order = parameter_names(callee.node.args)
    for name in order:
        value = bound[name]
        if isinstance(value, STuple) and all(isinstance(i, Lit) and i.text is None for i in value.items):
            value = ctx.operand(value, node)
        if isinstance(value, Lit) and _known(value, running):
            static[name] = value
            key.append(static_key(value.value))
            continue
        if callee.outer is not None and isinstance(value, (SFunc, SClass)):
            static[name] = value
            key.append(value)
            continue
        o = ctx.escape(value, node)
        operands[name] = o
        seen = ctx.examples.get(o) if isinstance(o, Value) else None
        about = None if seen is None or isinstance(o.type, (Num, Arr)) else (id(seen[0]), len(program.stale), program.revision)
        key.append((lengths.call(_plain(o.type)), o.varied, about))
    memo_key = tuple(key)
    variant = program.memo.get(memo_key)
    if variant is None:
        known = dict(program.memo)
        depth = len(ctx.inlining)
        try:
            variant = _lower_variant(ctx, callee, static, operands, order, lengths, memo_key)
        except BaseException:
            program.memo.clear()
            program.memo.update(known)
            del ctx.inlining[depth:]
            raise
    variant.used = variant.used or variant.running
    captured = [table(ctx, home[1]) if home[0] == "#heap" else ctx.escape(read_key(ctx, home, name, node), node)
                for home, name in variant.captures.items()]
    return _emit(ctx, variant, [*operands.values(), *captured], lengths)


def _mentions_itself(callee: Callee) -> bool:
    """Whether a function reads its own name, as one that calls itself does."""
    code = getattr(callee.func, "__code__", None)
    return code is not None and callee.name in (*code.co_names, *code.co_freevars)


def _plain(t: Type) -> Type:
    """A type without its symbolic length if that is anonymous; displays without their length."""
    return ListT(t.elem) if isinstance(t, ListT) else t


def _known(value: Lit, running: bool) -> bool:
    """Whether a literal argument is known in the callee; numbers are not where the callee calls itself with ever new ones."""
    if isinstance(value.value, int) and not isinstance(value.value, bool):
        return not running
    if isinstance(value.value, (float, complex)):
        return value.value in (math.inf, -math.inf)     # the order of a norm, a bound that is none
    if isinstance(value.value, (dict, list)) and value.text is not None:     # a table of the user's module: more than numbers
        items = value.value.values() if isinstance(value.value, dict) else value.value
        return isinstance(value.value, dict) or any(map(is_static, items))
    return is_static(value.value) or isinstance(value.value, tuple) or isinstance(value.type, Obj)


def parameter_names(spec: Any) -> list[str]:
    """The names of all parameters, in the order of the signature."""
    return [a.id for a in (*spec.posonlyargs, *spec.args, *([spec.vararg] if spec.vararg else []), *spec.kwonlyargs,
                           *([spec.kwarg] if spec.kwarg else []))]


def parameter_kinds(spec: Any) -> dict[str, str]:
    """The kind of each parameter, as in `Param`."""
    out = {a.id: "positional" for a in spec.posonlyargs}
    out.update({a.id: "ordinary" for a in spec.args})
    if spec.vararg:
        out[spec.vararg.id] = "varargs"
    out.update({a.id: "keyword" for a in spec.kwonlyargs})
    if spec.kwarg:
        out[spec.kwarg.id] = "varkwargs"
    return out


def _lower_variant(ctx: Lowering, callee: Callee, static: dict[str, Any], operands: dict[str, Operand], order: list[str],
                   lengths: Lengths, memo_key: Any) -> Variant:
    program, source = ctx.program, callee.source
    function = Function(callee.name, Block(), origin=callee.origin)
    variant = program.memo[memo_key] = Variant(function, memo_key, callee.func)
    kinds = parameter_kinds(callee.node.args)
    for _ in range(_ROUNDS):
        before = dict(program.memo)
        body = Block()
        function.body, function.names, function.signature = body, {}, []
        function.attrs = Attributes()
        function.doc = getattr(callee.origin, "__doc__", None)
        function.loc = source.loc(callee.node, statement=True)
        frame = callee.frame()
        inner = Lowering(program, function, frame)
        inner.inlining, inner.variant = ctx.inlining, variant
        for name in order:
            held = _parameter(ctx, inner, name, static.get(name), operands.get(name), lengths)
            if isinstance(held, Value):
                body.params.append(held)
            if isinstance(held, (Value, Lit)):
                function.signature.append(Param(name, held, kinds[name]))
            inner.state[frame, name] = held
        known = len(variant.captures)
        inner.tables_of = Tables(ctx, inner, variant, lengths)
        if callee.outer is not None:
            Captures(ctx, inner, variant, callee, lengths)
        else:
            inner.tables_of.again()
        variant.used = False
        lower_body(inner)
        tree, types = function.returns, [(_type(y), y.varied) for y in function.body.yields]
        variant.written = [p.varied for p in body.params]
        variant.grown = [p.type for p in body.params]
        through = _stored(inner)
        variant.stored = [p in through for p in body.params]
        variant.given_away = [p in inner.sharing.given_away for p in body.params]
        stable = variant.tree is not None and _same_tree(variant.tree, tree) and variant.types == types and known == len(variant.captures)
        if not variant.used or stable:
            break
        if variant.tree is not None and _same_tree(variant.tree, tree):
            types = [(join_types(a, c), b or d) for (a, b), (c, d) in zip(variant.types, types)]
        variant.tree, variant.types = tree, types
        program.memo.clear()
        program.memo.update(before)
    else:
        refuse("undecided", ctx.loc, f"the types of what {callee.name}() returns do not settle")
    variant.tree, variant.types = tree, types
    variant.running = False
    return variant


def _parameter(ctx: Lowering, inner: Lowering, name: str, static: Any, operand: Operand | None, lengths: Lengths) -> Any:
    """The value of a parameter in the callee."""
    if operand is None:
        if not isinstance(static, Lit) or static.text is None:
            return static
        root, dot, rest = static.text.partition(".")
        if root.isidentifier() and root in ctx.function.names:
            return Lit(static.value, inner.bind(root, ctx.function.names[root]) + dot + rest)
        return Lit(static.value, static.text if root.isidentifier() else None)
    held = Value(lengths.call(_plain(operand.type)), name, operand.varied)
    if isinstance(operand, Value) and operand in ctx.examples:
        inner.examples[held] = ctx.examples[operand]
    return held


class Tables:
    """Gives a function that is lowered by itself the attributes of instances on the heap, as further parameters."""

    def __init__(self, outer: Lowering, inner: Lowering, variant: Variant, lengths: Lengths):
        self.outer, self.inner, self.variant, self.lengths = outer, inner, variant, lengths

    def again(self) -> None:
        """Make the parameters that an earlier round has found."""
        for home in list(self.variant.captures):
            self(home[1])

    def __call__(self, key: Any) -> Value:
        held = table(self.outer, key)
        param = Value(self.lengths.call(_plain(held.type)), held.name, held.varied)
        self.inner.function.body.params.append(param)
        self.inner.function.signature.append(Param(held.name or "table", param))
        self.inner.tables[key] = param
        self.inner.function.origin = None       # it is not called with these
        self.variant.captures["#heap", key] = held.name or "table"
        return param


class Captures:
    """Gives a nested function that is lowered by itself the variables of the functions around it, as further parameters."""

    def __init__(self, outer: Lowering, inner: Lowering, variant: Variant, callee: Callee, lengths: Lengths):
        self.outer, self.inner, self.variant, self.lengths = outer, inner, variant, lengths
        inner.capture = self
        for home, name in list(variant.captures.items()):
            if home[0] == "#heap":
                inner.tables_of(home[1])
            else:
                self._add(home, name, read_key(outer, home, name, None))

    def __call__(self, home: Any, name: str) -> Any:
        """The value of a variable of a function around; UNBOUND where it has none."""
        held = self.outer.state.get(home, UNBOUND)
        if held is UNBOUND and self.outer.capture is not None:
            held = self.outer.capture(home, name)
        if held is UNBOUND or isinstance(held, (Lit, SFunc, SClass)):
            if isinstance(held, Lit) and held.text is not None and held.text.split(".")[0] in self.outer.function.names:
                root, dot, rest = held.text.partition(".")
                return Lit(held.value, self.inner.bind(root, self.outer.function.names[root]) + dot + rest)
            return held
        return self._add(home, name, held)

    def _add(self, home: Any, name: str, held: Any) -> Any:
        o = self.outer.escape(held)
        if isinstance(o, Lit):
            return o
        param = Value(self.lengths.call(_plain(o.type)), name, o.varied)
        if o in self.outer.examples:
            self.inner.examples[param] = self.outer.examples[o]
        self.inner.function.body.params.append(param)
        self.inner.function.signature.append(Param(name, param))
        self.inner.state[home] = param
        self.variant.captures[home] = name
        return param


def _type(o: Operand) -> Type:
    t = o.type
    return ListT(t.elem) if isinstance(t, ListT) else t


def lower_body(ctx: Lowering) -> None:
    """Lower the body of ``ctx``'s frame, its parameters being bound, and finish the function."""
    import gast

    from .functions import no_value, returned
    frame = ctx.frame
    begin_cells(ctx, frame, frame.node)
    ctx.exits = [(frame, "#ret")]
    if isinstance(frame.node, gast.Lambda):
        ctx.loc = frame.source.loc(frame.node.body)
        result = expr(ctx, frame.node.body)
    else:
        ctx.inlining.append(frame.node)
        try:
            sequence(ctx, frame.node.body)
        finally:
            ctx.inlining.pop()
        result = returned(ctx, frame)
        last = frame.node.body[-1]
        if isinstance(last, gast.Return):
            ctx.function.attrs.return_loc = frame.source.loc(last)
    if ctx.variant is not None and no_value(ctx, result):
        raise InlineInstead(ctx.variant.func)
    finish(ctx, result)


def finish(ctx: Lowering, result: Any) -> None:
    """Write the results of the function, and drop dead operations."""
    function = ctx.function
    function.body.yields = []
    flat: list[Operand] = []
    function.attrs.raises = result is UNDEF
    function.returns = to_tree(ctx, Lit(None) if result is UNDEF else result, flat)
    function.body.yields = flat
    if ctx.variant is None:
        check_no_stand_in(ctx, function.returns)
        check_recordings(ctx)
    if ctx.variant is None and ctx.program.heap.tables:
        check_results(ctx)
        function.body.ops[:0] = ctx.program.heap.prologue
    if not any(isinstance(op, Invoke) for op in walk(function.body)):      # a callee may be incomplete, in a recursion
        check_untracked(function)
    if function.attrs.unknown_updates:
        replace_updates(function)
    prune(function)


def _same_tree(a: Tree, b: Tree) -> bool:
    return a.kind == b.kind and a.index == b.index and a.keys == b.keys and a.cls is b.cls and len(a.items) == len(b.items) \
        and (a.kind != "lit" or a.value is b.value or a.value == b.value) and all(map(_same_tree, a.items, b.items))


def _emit(ctx: Lowering, variant: Variant, args: list[Operand], lengths: Lengths) -> Any:
    """The call itself."""
    if variant.running and variant.tree is None:
        results = [Value(BOTTOM, None, False)]
        tree = Tree("leaf", index=0)
    else:
        assert variant.tree is not None
        tree = variant.tree
        results = [Value(lengths.result(t), None, v and is_differentiable(t)) for t, v in variant.types]
    ctx.emit(Invoke(variant.function, args, results=results))
    ctx.function.attrs.calls.append((variant, lengths))
    for k, a in enumerate(args):
        if k < len(variant.written):
            if variant.written[k]:
                outside = isinstance(a, Lit) or (ctx.sharing.is_foreign(a) or ctx.sharing.is_holding(a)) and _writes_to(variant, k)
                if outside and not ctx.program.logging:
                    from ..domain.implicit_arguments import want
                    want(ctx, a)
                    refuse("global_write", ctx.loc, f"{describe(a)}, which is not an argument,")
                if not a.varied:
                    ctx.sharing.vary(a)
            if isinstance(a.type, (ListT, DictT, SetT, TupleT, RecordT, OptT)):
                ctx.sharing.widen(a, lengths.result(variant.grown[k]))
                ctx.sharing.changed(a)
            if variant.given_away[k]:
                forget_contents(ctx, a)
        for r in results:
            ctx.sharing.link(r, a)
    if not variant.running and variant.function.attrs.raises:
        _stopped(ctx, variant)
        return UNDEF
    return from_tree(ctx, tree, results)


def _writes_to(variant: Variant, k: int) -> bool:
    """Whether a function writes to an argument or to something inside of it; that it depends on inputs may have other causes."""
    return k >= len(variant.stored) or variant.stored[k]


def _stored(inner: Lowering) -> set[Value]:
    """The values through which a function writes, with those that may share memory with them."""
    found: set[Value] = set()
    for op in walk(inner.function.body):
        targets = [w for w in writes(op) if isinstance(w, Value)]
        if isinstance(op, Invoke):
            variant = next((v for v, _ in inner.function.attrs.calls if v.function is op.func), None)
            stored = variant.stored if variant is not None and len(variant.stored) == len(op.args) else [True] * len(op.args)
            targets = [a for a, is_stored in zip(op.args, stored) if is_stored and isinstance(a, Value)]
        for w in targets:
            found.update(inner.sharing.all(w))
    return found


def _stopped(ctx: Lowering, variant: Variant) -> None:
    """Code after a call that always raises was not compiled: if the call returns after all, generated code raises an error."""
    ctx.bind("AssertionError", AssertionError)
    message = f"{variant.function.name}() was compiled as a function that always raises, and has returned"
    raised(ctx, call(ctx, AssertionError, [Lit(message)], spelling="AssertionError"))


