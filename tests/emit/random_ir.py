"""Random structured IR: loops that swap what they carry, nested branches, early exits, values that want the same name."""
from __future__ import annotations

import operator
import random

import numpy as np

from transgrad.ir.ops import Block, Build, Call, For, Function, Handler, If, Lit, Source, Tree, Try, Value, While
from transgrad.ir.prims import inplace_at
from transgrad.ir.types import BIG, Arr, ListT, Num

INT, BOOL, LIST, VECTOR = Num("int"), Num("bool"), ListT(Num("int")), Arr("int64", (BIG,))
NAMES = ("a", "b", "x", None, None)
OPERATORS = (operator.add, operator.sub, operator.mul)


class RandomIR:
    """Makes a function of two integers; ``scope`` holds the integers that may be read."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.budget = 40

    def function(self) -> Function:
        params = [Value(INT, "a"), Value(INT, "b")]
        body = Block(list(params))
        lists = [self.op(body, Build("list", [], results=[Value(LIST, "xs")]))]
        scope = self.ops(body, list(params), lists, 3)
        body.yields = [self.pick(scope) for _ in range(3)] + [lists[0]]
        return Function("f", body, Tree("tuple", [Tree("leaf", index=k) for k in range(4)]))

    def op(self, block, op):
        block.ops.append(op)
        return op.results[0] if op.results else None

    def name(self):
        return self.rng.choice(NAMES)

    def pick(self, scope):
        # recent values more often, so that expressions fold
        if self.rng.random() < 0.15:
            return Lit(self.rng.randrange(-2, 4))
        return scope[max(self.rng.randrange(len(scope)), self.rng.randrange(len(scope)))]

    def arith(self, block, scope):
        r = Value(INT, self.name())
        fn = self.rng.choice(OPERATORS)
        inner = Call(fn, [self.pick(scope), self.pick(scope)], results=[Value(INT)])
        self.op(block, inner)
        # keep numbers small
        self.op(block, Call(operator.mod, [inner.result, Lit(97)], results=[r]))
        return r

    def cond(self, block, scope):
        r = Value(BOOL, None)
        fn = self.rng.choice((operator.lt, operator.ge, operator.eq))
        self.op(block, Call(fn, [self.pick(scope), self.pick(scope)], results=[r]))
        return r

    def ops(self, block, scope, lists, depth):
        scope = list(scope)
        for _ in range(self.rng.randrange(1, 6)):
            self.budget -= 1
            if self.budget < 0:
                break
            match self.rng.randrange(10):
                case 0 | 1 if depth:
                    scope += self.branch(block, scope, lists, depth)
                case 2 if depth:
                    scope += self.for_loop(block, scope, lists, depth)
                case 3 if depth:
                    scope += self.while_loop(block, scope, lists, depth)
                case 4:
                    self.op(block, Call(list.append, [lists[0], self.pick(scope)]))
                case 5:
                    r = Value(INT, self.name())
                    self.op(block, Call(len, [lists[0]], results=[r]))
                    scope.append(r)
                case 6:
                    # an opaque call: its place among the others must not change
                    r = Value(INT, self.name())
                    self.op(block, Call(count, [lists[0], self.pick(scope)], results=[r]))
                    scope.append(r)
                case _:
                    scope.append(self.arith(block, scope))
        return scope

    def yields(self, scope, n):
        return [self.pick(scope) for _ in range(n)]

    def branch(self, block, scope, lists, depth):
        n = self.rng.randrange(1, 4)
        cond = self.cond(block, scope)
        then, orelse = Block(), Block()
        then_scope, else_scope = self.ops(then, scope, lists, depth - 1), self.ops(orelse, scope, lists, depth - 1)
        if self.rng.random() < 0.4:
            orelse, else_scope = Block(), scope
        then.yields, orelse.yields = self.yields(then_scope, n), self.yields(else_scope, n)
        results = [Value(INT, self.name()) for _ in range(n)]
        self.op(block, If(cond, then, orelse, results=results))
        return results

    def stop(self, body, scope, lists, depth):
        """A stop flag at the end of a body: constant, computed, or from a branch at the end."""
        r = self.rng.random()
        if r < 0.2:
            return Lit(False), []
        cond = self.cond(body, scope)
        if r < 0.4:
            return cond, []
        flag, extra = Value(BOOL), Value(INT, self.name())
        then, orelse = Block(), Block()
        then_scope, else_scope = self.ops(then, scope, lists, depth - 1), self.ops(orelse, scope, lists, depth - 1)
        then.yields = [Lit(self.rng.random() < 0.7), self.pick(then_scope)]
        orelse.yields = [Lit(self.rng.random() < 0.3), self.pick(else_scope)]
        self.op(body, If(cond, then, orelse, results=[flag, extra]))
        return flag, [extra]

    def carried(self, scope):
        names = [self.name() for _ in range(self.rng.randrange(1, 4))]
        return [Value(INT, n) for n in names], self.yields(scope, len(names)), [Value(INT, n) for n in names]

    def swapped(self, scope, params, extra):
        """Values of the next iteration, often the parameters in another order."""
        if self.rng.random() < 0.4:
            return self.rng.sample(params, len(params))
        return [self.pick([*scope, *params, *extra]) for _ in params]

    def for_loop(self, block, scope, lists, depth):
        params, inits, results = self.carried(scope)
        item = Value(INT, self.rng.choice(("i", "x", None)))
        body = Block([item, *params])
        inside = self.ops(body, [*scope, *params, item], lists, depth - 1)
        stops = self.rng.random() < 0.5
        flag, extra = self.stop(body, inside, lists, depth) if stops else (None, [])
        body.yields = ([flag] if stops else []) + self.swapped(inside, params, extra)
        source = Source("range", [Lit(0), Lit(self.rng.randrange(0, 4)), Lit(1)], self.rng.random() < 0.3)
        self.op(block, For([source], inits, body, stops, results=results))
        return results

    def while_loop(self, block, scope, lists, depth):
        params, inits, results = self.carried(scope)
        counter = Value(INT, "n")
        cond, body = Block([Value(INT, p.name) for p in [*params, counter]]), Block([*params, counter])
        limit = Value(BOOL)
        if self.rng.random() < 0.3:
            named = Value(INT, "t")
            self.op(cond, Call(operator.add, [cond.params[-1], Lit(1)], results=[named]))
            self.op(cond, Call(operator.le, [named, Lit(3)], results=[limit]))
        else:
            self.op(cond, Call(operator.lt, [cond.params[-1], Lit(3)], results=[limit]))
        cond.yields = [limit]
        inside = self.ops(body, [*scope, *params, counter], lists, depth - 1)
        stops = self.rng.random() < 0.5
        flag, extra = self.stop(body, inside, lists, depth) if stops else (None, [])
        more = Value(INT, "n")
        self.op(body, Call(operator.add, [counter, Lit(1)], results=[more]))
        body.yields = ([flag] if stops else []) + self.swapped(inside, params, extra) + [more]
        results = [*results, Value(INT, "n")]
        self.op(block, While([*inits, Lit(0)], cond, body, stops, results=results))
        return results


def count(xs: list, x: int) -> int:
    """Writes down that it was called."""
    xs.append(("called", x))
    return len(xs)


class RandomArrays:
    """Straight-line code, loops and branches over arrays that are viewed, written in place and handed on."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.budget = 30

    def function(self) -> Function:
        params = [Value(VECTOR, "u"), Value(VECTOR, "v")]
        body = Block(list(params))
        self.box = self.op(body, Build("list", [], results=[Value(ListT(VECTOR), "saved")]))
        arrays = self.ops(body, list(params), 2)
        body.yields = [*(self.rng.choice(arrays) for _ in range(2)), self.box]
        return Function("f", body, Tree("tuple", [Tree("leaf", index=k) for k in range(3)]))

    def op(self, block, op):
        block.ops.append(op)
        return op.results[0] if op.results else None

    def value(self, block, arrays):
        """An expression of arrays, mostly without names."""
        a, b = self.rng.choice(arrays[-3:]), self.rng.choice(arrays)
        name = self.rng.choice(("u", "v", "w", None, None, None))
        match self.rng.randrange(6):
            case 0:
                return self.op(block, Call(operator.getitem, [a, Lit(slice(None, None, -1))], results=[Value(VECTOR, name)]))
            case 1:
                return self.op(block, Call(operator.neg, [a], results=[Value(VECTOR, name)]))
            case 2 | 3:
                return self.op(block, Call(self.rng.choice(OPERATORS), [a, b], results=[Value(VECTOR, name)]))
            case 4:
                return self.op(block, Call(np.ndarray.copy, [a], results=[Value(VECTOR, name)]))
        element = self.op(block, Call(operator.getitem, [a, Lit(self.rng.randrange(4))], results=[Value(Arr("int64", (), True))]))
        return self.op(block, Call(operator.sub, [b, element], results=[Value(VECTOR, name)]))

    def write(self, block, arrays):
        a, v = self.rng.choice(arrays), self.rng.choice(arrays)
        match self.rng.randrange(5):
            case 0:
                self.op(block, Call(operator.setitem, [a, Lit(slice(0, 2)), Lit(3)]))
            case 1:
                element = self.op(block, Call(operator.getitem, [v, Lit(1)], results=[Value(Arr("int64", (), True))]))
                self.op(block, Call(inplace_at, [a, Lit(self.rng.randrange(4)), element, Lit(operator.iadd)]))
            case 2 | 3:
                r = self.op(block, Call(operator.iadd, [a, v], results=[Value(VECTOR, self.rng.choice((a.name, "w", None)))]))
                arrays.append(r)
            case 4:
                copy = self.op(block, Call(np.ndarray.copy, [a], results=[Value(VECTOR)]))
                self.op(block, Call(list.append, [self.box, copy]))

    def ops(self, block, arrays, depth):
        arrays = list(arrays)
        for _ in range(self.rng.randrange(2, 7)):
            self.budget -= 1
            if self.budget < 0:
                break
            match self.rng.randrange(8):
                case 0 if depth:
                    arrays.append(self.branch(block, arrays, depth))
                case 1 if depth:
                    arrays += self.loop(block, arrays, depth)
                case 2 if depth:
                    arrays.append(self.guard(block, arrays, depth))
                case 3 | 4:
                    self.write(block, arrays)
                case _:
                    arrays.append(self.value(block, arrays))
        return arrays

    def branch(self, block, arrays, depth):
        element = self.op(block, Call(operator.getitem, [self.rng.choice(arrays), Lit(0)], results=[Value(Arr("int64", (), True))]))
        cond = self.op(block, Call(operator.gt, [element, Lit(1)], results=[Value(BOOL)]))
        then, orelse = Block(), Block()
        then.yields = [self.rng.choice(self.ops(then, arrays, depth - 1))]
        orelse.yields = [self.rng.choice(self.ops(orelse, arrays, depth - 1))]
        return self.op(block, If(cond, then, orelse, results=[Value(VECTOR, self.rng.choice(("u", "w", None)))]))

    def loop(self, block, arrays, depth):
        names = [self.rng.choice(("u", "v", None)) for _ in range(2)]
        params = [Value(VECTOR, n) for n in names]
        body = Block([Value(INT, "i"), *params])
        inside = self.ops(body, [*arrays, *params], depth - 1)
        body.yields = [self.rng.choice(inside), self.rng.choice([*inside[-2:], params[0]])]
        results = [Value(VECTOR, n) for n in names]
        source = Source("range", [Lit(0), Lit(self.rng.randrange(3)), Lit(1)])
        self.op(block, For([source], [self.rng.choice(arrays) for _ in names], body, results=results))
        return results

    def guard(self, block, arrays, depth):
        """A try statement whose body fails now and then, in the middle."""
        body, handler = Block(), Block()
        inside = self.ops(body, arrays, depth - 1)
        element = self.op(body, Call(operator.getitem, [self.rng.choice(inside), Lit(2)], results=[Value(Arr("int64", (), True))]))
        self.op(body, Call(fail, [element]))
        inside = self.ops(body, inside, depth - 1)
        body.yields = [self.rng.choice(inside)]
        handler.yields = [self.rng.choice(self.ops(handler, arrays, depth - 1))]
        name = self.rng.choice(("u", "w", None))
        return self.op(block, Try(body, [Handler(Lit(ValueError), handler)], results=[Value(VECTOR, name)]))


def fail(x) -> None:
    """Raises for odd numbers."""
    if x % 2:
        raise ValueError(x)
