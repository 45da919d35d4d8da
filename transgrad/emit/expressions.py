"""Operations as Python expressions; values that are folded into their user are written in its place."""
from __future__ import annotations

import ast
import math
import operator
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..ir.infer_calls import generator_of
from ..ir.opaque import OpaqueCall
from ..ir.ops import UNDEF, Block, Build, Call, CallValue, GetAttr, If, Invoke, Lit, Op, Operand, Star, Tree, Value
from ..ir.prims import Boundary, Fields, apply, grid, present
from ..ir.types import Arr, Num
from ..runtime.plain_tree import instance, stores_fields
from .coalesce import Variables
from .globals import Globals
from .literals import literal
from .nodes import Plan
from .operators import BINARY, COMPARE, NEGATED, SWAPPED, UNARY

if TYPE_CHECKING:
    from .foreign import Dialect

__all__ = ["Expressions", "negation"]

_LOAD = ast.Load()
#: Functions of the operator module that are builtins under another name.
_BUILTIN_TWINS: dict[Any, Callable[..., Any]] = {operator.abs: abs, operator.truth: bool, operator.pos: operator.pos}
_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType)


def negation(e: ast.expr) -> ast.expr:
    """``not e``, written the way people do."""
    if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not):
        return e.operand
    if isinstance(e, ast.Compare) and len(e.ops) == 1 and type(e.ops[0]) in NEGATED:
        return ast.Compare(e.left, [NEGATED[type(e.ops[0])]()], e.comparators)
    return ast.UnaryOp(ast.Not(), e)


class Expressions:
    """Makes expressions for one function.

    ``invoke`` makes the call of a lowered function.  Names of variables are filled in later: ``mentions`` keeps the node
    of each variable, which stands wherever the variable does.
    """

    def __init__(self, plan: Plan, variables: Variables, names: Globals, invoke: Callable[[Invoke, list[ast.expr]], ast.expr],
                 dialect: Dialect | None = None):
        self.plan, self.variables, self.names, self._invoke = plan, variables, names, invoke
        #: How calls are written for arrays of another library than NumPy.
        self.dialect = dialect
        self.native = bool(plan.fn.attrs.native)
        self.mentions: dict[int, ast.Name] = {}
        #: the same nodes by the values that their variables hold
        self._named: dict[Value, ast.Name] = {}
        #: Variables of the generated code that hold no value of the IR, by negative numbers.
        self.hints: dict[int, str] = {}

    def name(self, v: Value) -> ast.Name:
        """A variable."""
        found = self._named.get(v)
        if found is None:
            found = self._named[v] = self._mention(self.variables.class_of(v))
        return found

    def _mention(self, k: int) -> ast.Name:
        node = self.mentions.get(k)
        if node is None:
            node = self.mentions[k] = ast.Name("", _LOAD)
        return node

    def temporary(self, hint: str) -> Callable[[], ast.Name]:
        """A variable that holds no value of the IR."""
        k = -1 - len(self.hints)
        self.hints[k] = hint
        return lambda: self._mention(k)

    def fill(self, names: dict[int, str]) -> None:
        """Write the names of variables into all expressions."""
        for k, node in self.mentions.items():
            node.id = names[k]

    def operand(self, o: Operand) -> ast.expr:
        """What stands for an operand: a variable, a literal, or the expression that computes it."""
        if isinstance(o, Value):
            op = self.plan.folded.get(o)
            return self.name(o) if op is None else self.op(op)
        if o is UNDEF:
            raise ValueError(f"{self.plan.fn.name}: a value that is defined on no path is read")
        if self.dialect is not None and (found := self.dialect.literal(o, self.names, self)) is not None:
            return found
        return literal(o, self.names)

    def arguments(self, items: list[Any]) -> list[ast.expr]:
        """Arguments or items of a display, with stars."""
        return [ast.Starred(self.operand(a.value), _LOAD) if isinstance(a, Star) else self.operand(a) for a in items]

    def op(self, op: Op) -> ast.expr:
        """The expression for an operation with one result."""
        if type(op) is Call:
            return self.call(op)
        match op:
            case Invoke():
                return self._invoke(op, self.arguments(op.args))
            case CallValue():
                callee = self.operand(op.callee)
                if op.method is not None:
                    callee = ast.Attribute(callee, op.method, _LOAD)
                return ast.Call(callee, self.arguments(op.args), self.keywords(op.kwargs))
            case Build():
                return self.display(op)
            case GetAttr():
                if self.dialect is not None and (found := self.dialect.attribute(self, op)) is not None:
                    return found
                return ast.Attribute(self.operand(op.obj), op.name, _LOAD)
            case If():
                return self.conditional(op)
        raise TypeError(f"{type(op).__name__} is no expression")

    def keywords(self, kwargs: dict[str, Operand]) -> list[ast.keyword]:
        """Keyword arguments."""
        return [ast.keyword(k, self.operand(v)) for k, v in kwargs.items()]

    def call(self, op: Call) -> ast.expr:
        """A call, as the operator, subscript or method that it is."""
        fn, args = op.fn, op.args
        if self.dialect is not None and (found := self.dialect.call(self, op)) is not None:
            return found
        if len(args) == 2 and not op.kwargs and (binary := BINARY.get(fn)) is not None:
            right = self.exponent if fn is operator.pow else self.operand
            return ast.BinOp(self.operand(args[0]), binary(), right(args[1]))
        if type(fn) is Boundary:
            own = [self.operand(a) for a in args[:fn.count]]
            return own[0] if fn.count == 1 else ast.Tuple(own, _LOAD)
        if isinstance(fn, OpaqueCall):
            flat = [self.operand(a) for a in args]
            given = [self._structured(t, fn, flat) for t in fn.inputs]
            named = [ast.keyword(k, self._structured(t, fn, flat)) for k, t in fn.keywords.items()]
            return ast.Call(self.names.expr(fn.shown, op.spelling), given, named)
        if type(fn) is Fields:
            fields = ast.Dict([ast.Constant(k) for k in op.kwargs], [self.operand(v) for v in op.kwargs.values()])
            return ast.Call(self.names.expr(instance), [self.names.expr(fn.cls), fields], [])
        if fn is present:
            return self.operand(args[0])
        if fn is apply:
            return ast.Call(self.operand(args[0]), self.arguments(args[1:]), [])
        if not op.kwargs:
            if fn in COMPARE and len(args) == 2:
                left, right = (args[1], args[0]) if fn in SWAPPED else args
                return ast.Compare(self.operand(left), [COMPARE[fn]()], [self.operand(right)])
            if fn is operator.not_:
                return negation(self.operand(args[0]))
            if fn in UNARY and len(args) == 1:
                return ast.UnaryOp(UNARY[fn](), self.operand(args[0]))
            if fn is operator.getitem or fn is grid:
                return self.item(args[0], args[1]) if _gives_number(op) else self.subscript(args[0], args[1])
        if (isinstance(fn, _METHODS) or generator_of(fn) is not None) and args and not isinstance(args[0], Star):
            callee: ast.expr = ast.Attribute(self.operand(args[0]), fn.__name__, _LOAD)
            return ast.Call(callee, self.arguments(args[1:]), self.keywords(op.kwargs))
        callee = self.names.expr(_BUILTIN_TWINS.get(fn, fn) if isinstance(fn, types.BuiltinFunctionType) else fn, op.spelling)
        return ast.Call(callee, self.arguments(args), self.keywords(op.kwargs))

    def _structured(self, t: Tree, fn: OpaqueCall, flat: list[ast.expr]) -> ast.expr:
        """An argument of a call that is not read, in its structure."""
        if t.kind == "leaf":
            return flat[t.index]
        if t.kind == "lit":
            return literal(fn.statics[t.index] if t.index >= 0 else Lit(t.value), self.names)
        items = [self._structured(item, fn, flat) for item in t.items]
        if t.kind == "list":
            return ast.List(items, _LOAD)
        if t.kind == "dict":
            return ast.Dict([literal(Lit(k), self.names) for k in t.keys], items)
        if t.kind == "tuple":
            return ast.Tuple(items, _LOAD) if t.cls is None else ast.Call(self.names.expr(t.cls), items, [])
        assert t.cls is not None
        if stores_fields(t.cls):
            return ast.Call(self.names.expr(t.cls), [], [ast.keyword(k, x) for k, x in zip(t.keys, items)])
        fields = ast.Dict([ast.Constant(k) for k in t.keys], items)
        return ast.Call(self.names.expr(instance), [self.names.expr(t.cls), fields], [])

    def exponent(self, o: Operand) -> ast.expr:
        """The right side of ``**``, where a negative number needs no parentheses."""
        if isinstance(o, Lit) and o.text is None and type(o.value) in (int, float) and -math.inf < o.value < 0:
            return ast.Constant(o.value)
        return self.operand(o)

    # -- subscripts

    def subscript(self, target: Operand, index: Operand) -> ast.Subscript:
        """``target[index]``."""
        if self.dialect is not None and isinstance(target.type, Arr):
            return ast.Subscript(self.operand(target), self.dialect.index(self, target, index), _LOAD)
        return ast.Subscript(self.operand(target), self.index(index), _LOAD)

    def item(self, target: Operand, index: Operand) -> ast.expr:
        """``target.item(index)``: an element as a Python number."""
        if self.native:
            return self.subscript(target, index)
        place = self.index(index)
        places = place.elts if isinstance(place, ast.Tuple) else [place]
        return ast.Call(ast.Attribute(self.operand(target), "item", _LOAD), places, [])

    def elements(self, op: Call) -> ast.expr:
        """The operand of an unpacking: an array's elements, as Python numbers if required."""
        if not _gives_number(op):
            return self.operand(op.args[0])
        if self.native:     # which unpacks no arrays
            return ast.Tuple([self.subscript(op.args[0], Lit(k)) for k in range(len(op.results))], _LOAD)
        return ast.Call(ast.Attribute(self.operand(op.args[0]), "tolist", _LOAD), [], [])

    def index(self, o: Operand) -> ast.expr:
        """An index, with slices in their own syntax."""
        if isinstance(o, Value):
            op = self.plan.folded.get(o)
            if isinstance(op, Build) and op.kind == "slice":
                return self._slice(op.items)
            if isinstance(op, Build) and op.kind == "tuple" and op.items:
                return ast.Tuple([self.index(i) if not isinstance(i, Star) else ast.Starred(self.operand(i.value), _LOAD)
                                  for i in op.items], _LOAD)
        elif o.text is None:
            if isinstance(o.value, slice):
                return self._slice([Lit(o.value.start), Lit(o.value.stop), Lit(o.value.step)])
            if type(o.value) is tuple and o.value:
                return ast.Tuple([self.index(i if isinstance(i, Lit) else Lit(i)) for i in o.value], _LOAD)
        return self.operand(o)

    def _slice(self, parts: list[Operand]) -> ast.Slice:
        return ast.Slice(*(None if isinstance(p, Lit) and p.value is None else self.operand(p) for p in parts))

    # -- displays

    def display(self, op: Build) -> ast.expr:
        """A tuple, list, dict, set, slice, named tuple or f-string."""
        match op.kind:
            case "dict":
                made = self._dict(op.items)
                return made if op.cls is None else ast.Call(self.names.expr(op.cls), [made], [])
            case "str":
                return self._string(op.items)
            case "slice":
                return ast.Call(self.names.expr(slice), self.arguments(op.items), [])
            case "namedtuple":
                return ast.Call(self.names.expr(op.cls), self.arguments(op.items), [])
            case "set":
                items = self.arguments(op.items)
                return ast.Set(items) if items else ast.Call(self.names.expr(set), [], [])
            case "list":
                return ast.List(self.arguments(op.items), _LOAD)
        return ast.Tuple(self.arguments(op.items), _LOAD)

    def _dict(self, items: list[Any]) -> ast.expr:
        keys: list[ast.expr | None] = []
        values: list[ast.expr] = []
        rest = iter(items)
        for key in rest:
            keys.append(None if isinstance(key, Star) else self.operand(key))
            values.append(self.operand(key.value if isinstance(key, Star) else next(rest)))
        return ast.Dict(keys, values)

    def _string(self, items: list[Operand]) -> ast.expr:
        parts: list[ast.expr] = []
        for item in items:
            if isinstance(item, Lit) and isinstance(item.value, str):
                parts.append(ast.Constant(item.value))
                continue
            op = self.plan.folded.get(item) if isinstance(item, Value) else None
            if isinstance(op, Call) and op.fn is format and len(op.args) == 2 and isinstance(op.args[1], Lit):
                spec = ast.JoinedStr([ast.Constant(op.args[1].value)]) if op.args[1].value else None
                parts.append(ast.FormattedValue(self.operand(op.args[0]), -1, spec))
            else:
                parts.append(ast.FormattedValue(self.operand(item), -1, None))
        try:
            ast.unparse(out := ast.JoinedStr(parts))
        except ValueError:      # a quote or backslash that this Python cannot put into an f-string
            return self._joined(parts)
        return out

    def _joined(self, parts: list[ast.expr]) -> ast.expr:
        """The same string by ``str.format``."""
        template, values = "", []
        for p in parts:
            if isinstance(p, ast.FormattedValue):
                spec = p.format_spec.values[0].value if isinstance(p.format_spec, ast.JoinedStr) else ""  # type: ignore[attr-defined]
                template += "{:" + spec + "}" if spec else "{}"
                values.append(p.value)
            else:
                template += p.value.replace("{", "{{").replace("}", "}}")  # type: ignore[attr-defined]
        return ast.Call(ast.Attribute(ast.Constant(template), "format", _LOAD), values, [])

    # -- conditions

    def conditional(self, op: If) -> ast.expr:
        """``a if c else b``, or ``and``, ``or``, ``not`` if it has this form."""
        then, orelse = op.then.yields[0], op.orelse.yields[0]
        truth = _is_bool(op.cond) and _is_bool(then) and _is_bool(orelse)       # beside a number, True is one, and np.True_ is none
        if orelse is op.cond or (truth and _is_lit(op.orelse, False)):
            if truth and _is_lit(op.then, True):
                return self.operand(op.cond)
            return _bool_op(ast.And(), self.operand(op.cond), self.operand(then))
        if truth and _is_lit(op.then, False) and _is_lit(op.orelse, True):
            return negation(self.operand(op.cond))
        if then is op.cond or (truth and _is_lit(op.then, True)):
            return _bool_op(ast.Or(), self.operand(op.cond), self.operand(orelse))
        return ast.IfExp(self.operand(op.cond), self.operand(then), self.operand(orelse))


def _gives_number(op: Call) -> bool:
    """Whether elements of an array are read as Python numbers."""
    return isinstance(op.args[0].type, Arr) and bool(op.results) and all(isinstance(r.type, Num) for r in op.results)


def _bool_op(kind: ast.boolop, *values: ast.expr) -> ast.BoolOp:
    flat: list[ast.expr] = []
    for v in values:
        flat += v.values if isinstance(v, ast.BoolOp) and type(v.op) is type(kind) else [v]
    return ast.BoolOp(kind, flat)


def _is_bool(o: Operand) -> bool:
    t = o.type
    return (isinstance(t, Num) and t.kind == "bool") or (isinstance(t, Arr) and t.scalar and t.dtype == "bool")


def _is_lit(block: Block, value: bool) -> bool:
    y = block.yields[0]
    return isinstance(y, Lit) and y.value is value
