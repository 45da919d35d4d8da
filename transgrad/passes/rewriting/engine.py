"""The rewriting engine.

A pattern has a left-hand side of matchers and a function that builds the right-hand side; it returns the operand that replaces the
result of the matched operation, or None to leave it. `rewrite` visits operations in program order. Operations of a right-hand side are
matched themselves, users see the replacement when they are visited, dead operations are removed, and sweeps are
repeated until one changes nothing. A pattern looks through a value at its operands only if none of them is written to in place. A
replacement that costs as much as the original is discarded, so that rewriting terminates.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.effects import only_computes
from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of, operands_of, walk
from ...runtime import divisor
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions
from ..manager import analysis
from .matchers import AnyCall, Apply
from .substitute import substitute_op

__all__ = ["Match", "Pattern", "pattern", "rewrite"]

#: costs of functions, where an element-wise sum costs 1
_COSTS: dict[Any, float] = {np.exp: 8, np.log: 8, np.logaddexp: 24, np.power: 30, operator.pow: 30, np.einsum: 40, np.where: 4,
                            np.cross: 20, np.linalg.cross: 20, np.transpose: 0.1, np.reshape: 0.1, operator.getitem: 0.1, divisor: 3}


class Match:
    """A match: the operation, the bound names as attributes, and a builder for the right-hand side."""

    def __init__(self, op: Call, found: dict[str, Any], b: Builder, state: _Rewriter):
        self.op, self.builder, self._found, self._state = op, b, found, state

    def __getattr__(self, name: str) -> Any:
        try:
            return self._found[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def result(self) -> Value:
        """The result of the matched operation."""
        return self.op.result

    def users(self, v: Value) -> list[Op | None]:
        """The operations that read a value; None stands for the end of a block."""
        return self._state.users.get(v, [])

    def maker(self, v: Operand) -> Op | None:
        """The operation that computes a value, if neither the value nor an operand is written to in place."""
        return self._state.stable.get(v) if isinstance(v, Value) else None

    def call(self, fn: Callable[..., Any], *args: Any) -> Value:
        """Emit a call whose result has the type of the result of the matched operation."""
        result = Value(self.result.type, None, self.result.varied)
        return self.builder.emit(Call(fn, list(args), results=[result])).result


@dataclass(frozen=True)
class Pattern:
    """A left-hand side, and the function that builds the right-hand side."""

    root: Apply | AnyCall
    build: Callable[[Match], Operand | None]


def pattern(root: Apply | AnyCall) -> Callable[[Callable[[Match], Any]], Pattern]:
    """Declare the decorated function as the right-hand side of a pattern."""
    return lambda build: Pattern(root, build)


def rewrite(fn: Function, *patterns: Pattern, among: Callable[[Call], bool] = lambda op: True) -> bool:
    """Apply patterns to a function, in place, until none matches.

    Parameters
    ----------
    fn : Function
        The function.
    *patterns : Pattern
        The first one that matches is applied.
    among : callable
        Whether an operation may be replaced.

    Returns
    -------
    bool
        Whether something was replaced.
    """
    by_function: dict[Any, list[Pattern]] = {}
    for p in patterns:
        for f in p.root.fns:
            by_function.setdefault(f, []).append(p)
    if not any(type(op) is Call and op.fn in by_function for op in walk(fn.body)):
        return False
    state = _Rewriter(fn, by_function, among)
    while state.sweep(fn.body):
        pass
    return state.changed


class _Stable(Mapping[Value, Op]):
    """Definitions of values that are still valid: neither the value nor an operand is written to in place."""

    def __init__(self, fn: Function, makers: dict[Value, Op]):
        self.fn, self.makers = fn, makers

    @cached_property
    def classes(self) -> AliasClasses:
        return analysis(AliasClasses, self.fn)

    def __getitem__(self, v: Value) -> Op:
        op = self.makers[v]
        if self.classes.any_written([v, *operands_of(op)]):
            raise KeyError(v)
        return op

    def __iter__(self) -> Iterator[Value]:
        return iter(self.makers)

    def __len__(self) -> int:
        return len(self.makers)


class _Rewriter:
    def __init__(self, fn: Function, patterns: dict[Any, list[Pattern]], among: Callable[[Call], bool]):
        self.patterns, self.among, self.changed = patterns, among, False
        self.makers = definitions(fn)
        self.stable = _Stable(fn, self.makers)
        self.users: dict[Operand, list[Op | None]] = {}
        self.mapping: dict[Value, Operand] = {}
        self.dead: set[Op] = set()
        for op in walk(fn.body):
            self.reads(op)
        for block in (fn.body, *(b for op in walk(fn.body) for b in blocks_of(op))):
            for y in block.yields:
                self.users.setdefault(y, []).append(None)

    def reads(self, op: Op) -> None:
        """Record the operands of an operation."""
        for o in operands_of(op):
            self.users.setdefault(o, []).append(op)

    def sweep(self, block: Block) -> bool:
        """Visit the operations of a block and of those inside it once; return whether something was replaced."""
        todo, done, changed = block.ops[::-1], [], False
        while todo:
            op = todo.pop()
            if op in self.dead:
                continue
            if self.mapping and not self.mapping.keys().isdisjoint(operands_of(op)):
                substitute_op(op, self.mapping)
            if type(op) is not Call:
                for inner in blocks_of(op):
                    changed |= self.sweep(inner)
            elif op.fn in self.patterns and (new := self.replacement(op)) is not None:
                todo += new[::-1]
                changed = True
                continue
            done.append(op)
        block.ops = [op for op in done if op not in self.dead]
        block.yields = [self.mapping.get(y, y) if isinstance(y, Value) else y for y in block.yields]
        return changed

    def replacement(self, op: Call) -> list[Op] | None:
        """The operations that replace one, which now nothing reads; None if no pattern applies."""
        for p in self.patterns[op.fn] if self.among(op) else ():
            found: dict[str, Any] = {}
            if not p.root.matches(op, self.stable, found):
                continue
            made = Block()
            with Builder(made, op.part, op.loc) as b:
                new = p.build(Match(op, found, b, self))
            if new is None or sum(map(_cost, made.ops)) >= self.saved(op):
                continue
            for o in made.ops:
                self.makers.update(dict.fromkeys(o.results, o))
                self.reads(o)
            self.replace(op, new)
            return made.ops
        return None

    def saved(self, op: Op) -> float:
        """The cost of an operation and of those that it reads, of which others that read them take their share."""
        total = _cost(op)
        for o in set(operands_of(op)):
            made = self.makers.get(o) if isinstance(o, Value) else None
            if type(made) is Call and only_computes(made):
                total += self.saved(made) / max(len(self.users.get(o, ())), 1)
        return total

    def replace(self, op: Call, new: Operand) -> None:
        """Have the users of an operation read another operand."""
        old = op.result
        if isinstance(new, Value) and new.name is None:
            new.name = old.name
        self.mapping[old] = new
        for v, o in self.mapping.items():
            if o is old:
                self.mapping[v] = new
        self.users.setdefault(new, []).extend(self.users.pop(old, []))
        self.changed = True
        self.drop(op)

    def drop(self, op: Op) -> None:
        """Remove an operation, and those that it alone reads."""
        self.dead.add(op)
        for o in set(operands_of(op)):
            left = self.users[o] = [user for user in self.users.get(o, ()) if user is not op]
            made = self.makers.get(o) if isinstance(o, Value) else None
            if not left and type(made) is Call and only_computes(made) and made not in self.dead:
                self.drop(made)


def _cost(op: Op) -> float:
    """The cost of an operation, where an element-wise sum costs 1."""
    if type(op) is not Call:
        return 0.1
    if op.fn in (operator.pow, np.power) and isinstance(n := op.args[1], Lit) and n.value == 2:
        return 1        # NumPy multiplies
    return _COSTS.get(op.fn, 1)
