"""Checks that IR is well formed: every value defined once and before use, every region agreeing with the operation that owns it."""
from __future__ import annotations

import os
import types
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from .ops import (
    UNDEF,
    Block,
    Build,
    Call,
    CallValue,
    For,
    Function,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
    Raise,
    SetAttr,
    Source,
    Tree,
    Try,
    Value,
    While,
    With,
    blocks_of,
    operands_of,
    walk,
)
from .types import UNKNOWN, Arr, Dim, ListT, Num, Obj, TupleT, Type, join, map_dims, unmixed

__all__ = ["VerificationError", "verify", "verify_if_asked", "verifying"]

_PARTS = frozenset(("primal", "adjoint", "tangent"))
#: Operands and loop variables of each kind of source.
_SOURCES = {"range": (3, 1), "prange": (3, 1),
            "count": (1, 1), "seq": (1, 1), "items": (1, 2), "keys": (1, 1), "values": (1, 1), "iter": (1, 1)}
_DISPLAYS = frozenset(("tuple", "list", "dict", "set", "slice", "namedtuple", "str"))


class VerificationError(AssertionError):
    """IR that breaks the rules of the IR.

    Attributes
    ----------
    violations : list of str
        One line each, with the operation and the user's line.
    """

    def __init__(self, name: str, violations: list[str]):
        self.violations = violations
        super().__init__(f"IR of {name} is not well formed:\n" + "\n".join("  " + v for v in violations))


def verifying() -> bool:
    """Whether derivatives are verified as they are generated: ``TRANSGRAD_VERIFY=1`` is set in the environment."""
    return os.environ.get("TRANSGRAD_VERIFY", "") not in ("", "0", "off")


def verify_if_asked(fn: Function) -> Function:
    """Verify a derivative if verification is on, and return it.

    ``TRANSGRAD_VERIFY=types`` checks the types of adjoints and tangents too.
    """
    if verifying():
        verify(fn, derivative=True, types=os.environ["TRANSGRAD_VERIFY"] == "types", callees=False)
    return fn


def verify(fn: Function, *, types: bool = True, callees: bool = True, derivative: bool = False) -> None:
    """Check a function.

    Parameters
    ----------
    fn : Function
        The function to check.
    types : bool
        Whether to check that operands fit the types of the values they flow to, and calls the functions they invoke.
    callees : bool
        Whether to check the functions that it invokes as well. While a derivative is being generated, those may be incomplete.
    derivative : bool
        Whether it is a derivative: the adjoint or tangent of a Python number may be a NumPy scalar of the same precision, and
        residuals are packed in tuples of any kind.

    Raises
    ------
    VerificationError
        With every violation that was found.
    """
    todo, seen = [fn], {id(fn)}
    while todo:
        func = todo.pop()
        violations = _Verifier(func, types, derivative).check()
        if violations:
            raise VerificationError(func.name, violations)
        for op in walk(func.body) if callees else ():
            if isinstance(op, Invoke) and id(op.func) not in seen:
                seen.add(id(op.func))
                todo.append(op.func)


class _Verifier:
    def __init__(self, fn: Function, check_types: bool, derivative: bool):
        self.fn, self.check_types = fn, check_types
        self.derivative = derivative or fn.attrs.derivative or check_types and any(op.part != "primal" for op in walk(fn.body))
        self.violations: list[str] = []
        self.defined: set[Value] = set()
        self.once: set[int] = set()
        self.unreachable = False

    def check(self) -> list[str]:
        self.block(self.fn.body, set(), None)
        for y in self.fn.body.yields:
            if y is UNDEF:
                self.report(None, "the function returns undef")
        self.tree(self.fn.returns)
        for param in self.fn.signature:
            if isinstance(param.value, Value) and param.value not in self.fn.params:
                self.report(None, f"parameter {param.name!r} of the signature is not one of the function's")
        return self.violations

    def report(self, op: Op | None, text: str) -> None:
        where = "" if op is None else f"{type(op).__name__}" + (f" at {op.loc}" if op.loc else "") + ": "
        self.violations.append(where + text)

    def tree(self, tree: Tree) -> None:
        if tree.kind == "leaf":
            if not 0 <= tree.index < len(self.fn.body.yields):
                self.report(None, f"the returned structure reads result {tree.index} of {len(self.fn.body.yields)}")
        elif tree.kind in ("dict", "object"):
            if len(tree.keys) != len(tree.items):
                self.report(None, f"the returned {tree.kind} has {len(tree.keys)} keys for {len(tree.items)} items")
        elif tree.kind not in ("lit", "tuple", "list"):
            self.report(None, f"unknown kind {tree.kind!r} in the returned structure")
        for item in tree.items:
            self.tree(item)

    # Scopes: a block sees what is defined before it in the blocks around it; nothing defined inside is seen after it.

    def block(self, block: Block, scope: set[Value], owner: Op | None) -> None:
        if id(block) in self.once:
            self.report(owner, "a block occurs in two places")
        self.once.add(id(block))
        scope = set(scope)
        reachable = not self.unreachable
        for p in block.params:
            self.define(p, scope, owner)
        for op in block.ops:
            if id(op) in self.once:
                self.report(op, "the operation occurs in two places")
            self.once.add(id(op))
            self.op(op, scope)
            if isinstance(op, Raise):       # the rest of the block is unreachable
                self.unreachable = True
            for r in op.results:
                self.define(r, scope, op)
        for y in block.yields:
            self.use(y, scope, owner, undef=True)
        self.unreachable = not reachable

    def define(self, v: Any, scope: set[Value], op: Op | None) -> None:
        if not isinstance(v, Value):
            self.report(op, f"{v!r} is defined, but is not a Value")
        elif v in self.defined:
            self.report(op, f"{v!r} is defined twice")
        else:
            self.defined.add(v)
            scope.add(v)

    def use(self, o: Any, scope: set[Value], op: Op | None, undef: bool = False) -> None:
        if o is UNDEF:
            if not undef and not self.unreachable:
                self.report(op, "undef is read")
        elif isinstance(o, Value):
            if o not in scope:
                self.report(op, f"{o!r} is read " + ("where it is not visible" if o in self.defined else "before it is defined"))
        elif not isinstance(o, Lit):
            self.report(op, f"{o!r} is neither a Value nor a Lit")

    # Operations

    def op(self, op: Op, scope: set[Value]) -> None:
        if op.part not in _PARTS:
            self.report(op, f"unknown part {op.part!r}")
        carried = op.inits if isinstance(op, (For, While)) else ()
        for o in operands_of(op):
            self.use(o, scope, op, undef=any(o is c for c in carried))
        match op:
            case Call():
                if not callable(op.fn):
                    self.report(op, f"{op.fn!r} is not callable")
            case Invoke():
                self.invoke(op)
            case Build():
                self.display(op)
            case GetAttr():
                self.count(op, "results", op.results, 1)
            case SetAttr() | Raise():
                self.count(op, "results", op.results, 0)
            case CallValue():
                if len(op.results) > 1:
                    self.report(op, "a call of a value has one result at most")
            case If():
                self.yields(op, "then", op.then.yields, op.results)
                self.yields(op, "else", op.orelse.yields, op.results)
                self.count(op, "parameters of the branches", [*op.then.params, *op.orelse.params], 0)
            case For():
                variables = sum(self.source(op, s) for s in op.sources)
                if not op.sources:
                    self.report(op, "a loop over nothing")
                self.loop(op, op.body, variables)
            case While():
                self.loop(op, op.body, 0)
                self.count(op, "parameters of the condition", op.cond.params, len(op.inits))
                self.count(op, "yields of the condition", op.cond.yields, 1)
                self.types(op, "initial value", op.inits, op.cond.params)
                if any(y is UNDEF for y in op.cond.yields):
                    self.report(op, "the condition is undef")
            case Try():
                self.attempt(op)
            case With():
                self.yields(op, "body", op.body.yields, op.results)
                self.at_most_one(op, op.body)
        for inner in blocks_of(op):
            self.block(inner, scope, op)

    def count(self, op: Op, what: str, items: Iterable[Any], want: int) -> None:
        got = len(list(items))
        if got != want:
            self.report(op, f"{got} {what}, expected {want}")

    def at_most_one(self, op: Op, block: Block) -> None:
        if len(block.params) > 1:
            self.report(op, f"{len(block.params)} parameters where one at most is bound")

    def types(self, op: Op, what: str, operands: list[Any], targets: list[Value]) -> None:
        if not self.check_types:
            return
        for o, target in zip(operands, targets):
            if isinstance(o, (Value, Lit)) and not self.flows(o, target):
                self.report(op, f"{what} {o!r} of type {o.type} does not fit {target!r}")

    def flows(self, o: Value | Lit, target: Value) -> bool:
        """Whether an operand may flow to a value."""
        return o is UNDEF or isinstance(o, Lit) and o.filler or self.fits(o.type, target.type)

    def fits(self, t: Type, target: Type) -> bool:
        """Whether a value of type ``t`` may flow to one of type ``target``."""
        return _fits(t, target) or self.derivative and _fits(_widened(t), _widened(target))

    def yields(self, op: Op, what: str, yields: list[Any], results: list[Value]) -> None:
        if len(yields) != len(results):
            self.report(op, f"{what} yields {len(yields)} values for {len(results)} results")
        self.types(op, f"{what} yields", yields, results)

    def source(self, op: Op, source: Source) -> int:
        operands, variables = _SOURCES.get(source.kind, (-1, 1))
        if operands < 0:
            self.report(op, f"unknown source {source.kind!r}")
        elif len(source.operands) != operands:
            self.report(op, f"source {source.kind!r} has {len(source.operands)} operands, expected {operands}")
        if source.reverse and source.kind in ("count", "iter"):
            self.report(op, f"source {source.kind!r} cannot be walked backwards")
        return variables

    def loop(self, op: For | While, body: Block, variables: int) -> None:
        n = len(op.inits)
        self.count(op, "parameters of the body", body.params, variables + n)
        self.count(op, "results", op.results, n)
        params = body.params[variables:]
        yields = body.yields
        if op.stops:
            if not yields or yields[0] is UNDEF:
                self.report(op, "the stop flag is missing")
            yields = yields[1:]
        self.yields(op, "body", yields, op.results)
        self.types(op, "body yields", yields, params)
        self.types(op, "initial value", op.inits, params)
        self.types(op, "initial value", op.inits, op.results)

    def attempt(self, op: Try) -> None:
        self.yields(op, "body", op.body.yields, op.results)
        self.count(op, "parameters of the try clause", op.body.params, 0)
        for h in op.handlers:
            self.yields(op, "handler", h.body.yields, op.results)
            self.at_most_one(op, h.body)
        if op.final is not None:
            self.count(op, "yields of finally", op.final.yields, 0)

    def invoke(self, op: Invoke) -> None:
        if not self.check_types or _is_incomplete(op.func):
            return
        if len(op.args) != len(op.func.params):
            self.report(op, f"{op.func.name} takes {len(op.func.params)} arguments, got {len(op.args)}")
        self.count(op, "results", op.results, len(op.func.body.yields))
        for a, p in zip(op.args, op.func.params):       # a function has names of its own for lengths
            if not (isinstance(a, Lit) and a.filler) and not self.fits(map_dims(a.type, _nameless), map_dims(p.type, _nameless)):
                self.report(op, f"argument {a!r} of type {a.type} does not fit {p!r}")

    def display(self, op: Build) -> None:
        self.count(op, "results", op.results, 1)
        if op.kind not in _DISPLAYS:
            self.report(op, f"unknown display {op.kind!r}")
        plain = [i for i in op.items if isinstance(i, (Value, Lit))]
        if op.kind == "slice" and (len(plain) != 3 or len(op.items) != 3):
            self.report(op, "a slice has three items")
        if op.kind == "dict" and len(plain) % 2:
            self.report(op, "a dict has a value for each key")
        if op.kind == "namedtuple" and op.cls is None:
            self.report(op, "a named tuple without its class")


def _is_incomplete(fn: Function) -> bool:
    """Whether a function is still to be generated: it calls itself through the one that is verified."""
    return not fn.params and not fn.body.ops and not fn.body.yields


def _nameless(dim: Dim) -> Dim:
    return Dim(dim.one)


def _widened(t: Type) -> Type:
    """A type with Python's numbers as NumPy's scalars, tuples of unknown items and objects as namespaces."""
    match t:
        case Arr(dims=dims) if dims:        # which dimensions are 1 is settled by guards
            return replace(t, dims=tuple(Dim(None) for _ in dims))
        case Num("float"):
            return Arr("float64", (), scalar=True)
        case Num("complex"):
            return Arr("complex128", (), scalar=True)
        case TupleT():
            return Obj(tuple)
        case Obj(cls) if cls not in (None, tuple):      # the adjoint of an object is a namespace
            return Obj(types.SimpleNamespace)
        case ListT(elem):
            return ListT(elem if elem is None else _widened(elem))
    return t


def _fits(t: Type, target: Type) -> bool:
    """Whether a value of type ``t`` may flow to one of type ``target``."""
    return target == UNKNOWN or unmixed(join(t, target)) == unmixed(target)
