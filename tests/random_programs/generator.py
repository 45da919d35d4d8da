"""Random programs: statements over numbers, arrays with views and aliases, lists, dicts, loops, branches, helpers."""
from __future__ import annotations

import random

import numpy as np

from .expressions import Expressions, Var
from .helpers import HELPERS
from .program import Program, Stmt
from .structures import Structures

__all__ = ["generate"]

_PARAMS: dict[str, tuple[Var, ...]] = {
    "x": (Var("x", "a", (5,)),), "y": (Var("y", "a", (4,)),), "s": (Var("s", "f"),), "t": (Var("t", "f"),), "m": (Var("m", "a", (3, 4)),),
    "ws": (Var("ws", "list"),), "p": (Var("p", "dict", keys=("k", "c")),),
}


def generate(seed: int) -> Program:
    """The program of a seed."""
    rng = random.Random(seed)
    names = ["x", "s", *rng.sample(["y", "t", "m", "ws", "p"], rng.randrange(1, 4))]
    draw = np.random.default_rng(seed)
    values = {"x": draw.normal(size=5), "y": draw.normal(size=4), "s": float(draw.normal()), "t": float(draw.normal()),
              "m": draw.normal(size=(3, 4)), "ws": [float(v) for v in draw.normal(size=3)],
              "p": {"k": float(draw.normal()), "c": float(draw.normal())}}
    maker = _Statements(rng, [v for n in names for v in _PARAMS[n]])
    body = [s for _ in range(rng.randrange(3, 9)) for s in maker.statement(0)]
    helpers = {n: source for n, (_, _, source) in HELPERS.items()}
    return Program(helpers, ", ".join(names), tuple(values[n] for n in names), body, maker.result(), seed)


class _Statements(Structures):
    def __init__(self, rng: random.Random, params: list[Var]):
        self.rng = rng
        self.ex = Expressions(rng, list(params))
        self.count = 0
        self.loops = 0
        self.early = 0

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def result(self) -> list[Stmt]:
        """What is returned, which depends on as much as possible."""
        parts = []
        for v in self.ex.scope:
            if v.kind == "a":
                parts.append(f"np.sum({v.name} * np.cos({v.name}))" if self.rng.random() < 0.7 else f"{v.name}.mean()")
            elif v.kind == "f":
                parts.append(f"np.sin({v.name})")
            elif v.kind == "list":
                parts.append(f"sum({v.name})")
            elif v.kind == "dict":
                parts.extend(f'{v.name}["{k}"]' for k in v.keys)
            else:
                parts.extend(self.terms(v))
        self.rng.shuffle(parts)
        return [Stmt(part) for part in parts[:7]]

    def block(self, depth: int, size: int, *inner: Var) -> list[Stmt]:
        """Statements whose new variables are not seen outside."""
        before, closures = list(self.ex.scope), list(self.ex.closures)
        self.ex.scope += inner
        out = [s for _ in range(self.rng.randrange(1, size + 1)) for s in self.statement(depth)]
        self.ex.scope, self.ex.closures = before, closures
        return out

    def statement(self, depth: int) -> list[Stmt]:
        """One statement, or a few that belong together."""
        makers = [self.new_number, self.new_array, self.alias, self.element_write, self.slice_write, self.whole_write, self.update_number,
                  self.containers, self.unpacking, self.call, self.masked, self.rows, self.change_rows, self.chosen, self.table,
                  self.change_table, self.boxed, self.pairs, self.tally, self.matched, self.tried]
        weights = [3, 3, 3, 4, 4, 2, 3, 3, 1, 2, 1, 1, 2, 1, 0.7, 1, 1, 1, 0.4, 0.5, 0.5]
        if depth < 3:
            makers += [self.branch, self.for_loop, self.while_loop, self.closure]
            weights += [4, 4, 1, 1]
        if self.early < 2:
            makers.append(self.leave)
            weights.append(1)
        for _ in range(10):
            made = self.rng.choices(makers, weights)[0](depth)
            if made:
                return made
        return [Stmt(f"s = np.sin(s) + {self.ex.const()}")]

    # Straight line

    def new_number(self, depth: int) -> list[Stmt]:
        e = self.ex.scalar(2)
        name = self.fresh("t")
        self.ex.scope.append(Var(name, "f"))
        return [Stmt(f"{name} = {e}")]

    def new_array(self, depth: int) -> list[Stmt]:
        shape = self.rng.choice([v.shape for v in self.ex.of("a")])
        e = self.ex.array(shape, 2)
        name = self.fresh("a")
        self.ex.scope.append(Var(name, "a", shape))
        return [Stmt(f"{name} = {e}")]

    def alias(self, depth: int) -> list[Stmt]:
        v = self.ex.pick("a")
        assert v is not None
        name = self.fresh("b")
        options: list[tuple[str, tuple[int, ...]]] = [(v.name, v.shape), (f"{v.name}.copy()", v.shape), (f"{v.name}[::-1]", v.shape)]
        if len(v.shape) == 1:
            n = v.shape[0]
            if n > 2:
                options += [(f"{v.name}[1:]", (n - 1,)), (f"{v.name}[:-1]", (n - 1,)), (f"{v.name}[::2]", ((n + 1) // 2,)),
                            (f"{v.name}[1:{n - 1}]", (n - 2,))]
        else:
            r, c = v.shape
            options += [(f"{v.name}[{self.ex.index(r)}]", (c,)), (f"{v.name}[:, {self.ex.index(c)}]", (r,)), (f"{v.name}.T[0]", (r,)),
                        (f"{v.name}.reshape(-1)", (r * c,)), (f"{v.name}.ravel()[1:6]", (5,))]
        text, shape = self.rng.choice(options)
        self.ex.scope.append(Var(name, "a", shape))
        return [Stmt(f"{name} = {text}")]

    def element_write(self, depth: int) -> list[Stmt]:
        v = self.ex.pick("a")
        assert v is not None
        place = f"{v.name}[{', '.join(self.ex.index(n) for n in v.shape)}]"
        return [Stmt(self.augment(place, self.ex.scalar(2)))]

    def augment(self, place: str, e: str) -> str:
        """A write whose growth is bounded however often it runs."""
        match self.rng.randrange(6):
            case 0 | 1:
                return f"{place} += np.sin({e})" if self.loops else f"{place} += {e}"
            case 2:
                return f"{place} -= 0.3 * np.tanh({e})"
            case 3:
                return f"{place} *= np.cos({e})"
            case 4:
                return f"{place} /= 2.5 + np.sin({e})"
        return f"{place} = np.tanh({e})" if self.loops else f"{place} = {e}"

    def slice_write(self, depth: int) -> list[Stmt]:
        v = self.ex.pick("a")
        assert v is not None
        n = v.shape[0]
        lo = self.rng.randrange(0, max(n - 1, 1))
        hi = self.rng.randrange(lo + 1, n + 1)
        shape = (hi - lo, *v.shape[1:])
        place = f"{v.name}[{lo or ''}:{hi if hi < n else ''}]"
        if len(v.shape) == 2 and self.rng.random() < 0.4:
            place, shape = f"{v.name}[:, {self.ex.index(v.shape[1])}]", (n,)
        elif len(v.shape) == 2 and self.rng.random() < 0.5:
            place, shape = f"{v.name}[1:, ::2]", (n - 1, 2)
        elif n > 3 and self.rng.random() < 0.2 and len(v.shape) == 1:
            place, shape = f"{v.name}[::2]", ((n + 1) // 2,)
        e = self.ex.scalar(1) if self.rng.random() < 0.3 else self.ex.array(shape, 1)
        return [Stmt(self.augment(place, e))]

    def whole_write(self, depth: int) -> list[Stmt]:
        v = self.ex.pick("a")
        assert v is not None
        if self.rng.random() < 0.4:
            return [Stmt(f"{v.name} {self.rng.choice(('+=', '-=', '*='))} np.sin({self.ex.scalar(1)})")]
        return [Stmt(self.augment(v.name, self.ex.array(v.shape, 1)))]

    def masked(self, depth: int) -> list[Stmt]:
        v = self.ex.pick("a")
        assert v is not None
        if self.rng.random() < 0.5 or len(v.shape) > 1 or v.shape[0] < 2:
            return [Stmt(self.augment(f"{v.name}[⟦{v.name}⟧ > {self.ex.const()}]", self.ex.scalar(1)))]
        k = self.rng.sample(range(v.shape[0]), 2)
        return [Stmt(self.augment(f"{v.name}[{k}]", self.ex.array((2,), 1)))]

    def update_number(self, depth: int) -> list[Stmt]:
        v = self.ex.pick("f")
        return [Stmt(self.augment(v.name, self.ex.scalar(2)))] if v else []

    def unpacking(self, depth: int) -> list[Stmt]:
        vs = self.ex.of("f")
        arrays = self.ex.of("a", (5,)) + self.ex.of("a", (4,))
        if len(vs) >= 2 and self.rng.random() < 0.5:
            p, q = self.rng.sample(vs, 2)
            return [Stmt(f"{p.name}, {q.name} = {q.name}, np.sin({p.name})")]
        same = [v for v in arrays if v.shape == arrays[0].shape] if arrays else []
        if len(same) >= 2 and self.rng.random() < 0.5:
            p, q = self.rng.sample(same, 2)
            return [Stmt(f"{p.name}, {q.name} = {q.name}, {p.name}")]
        a, b = self.fresh("t"), self.fresh("t")
        out = [Stmt(f"{a}, {b} = {self.ex.scalar(1)}, {self.ex.scalar(1)}")]
        self.ex.scope += [Var(a, "f"), Var(b, "f")]
        return out

    def call(self, depth: int) -> list[Stmt]:
        v = self.ex.pick("a")
        assert v is not None
        if len(v.shape) != 1 or v.shape[0] < 2:
            return []
        c = self.ex.scalar(1)
        match self.rng.randrange(3):
            case 0:
                return [Stmt(self.ex.helper("af", "-", v.name, f"np.sin({c})") or "")]
            case 1:
                name = self.fresh("b")
                text = f"{name} = {self.ex.helper('af', 'a', v.name, f'np.sin({c})')}"
                self.ex.scope.append(Var(name, "a", v.shape))
                return [Stmt(text)]
        lo, hi = self.fresh("t"), self.fresh("t")
        text = f"{lo}, {hi} = {self.ex.helper('a', 'ff', v.name)}"
        self.ex.scope += [Var(lo, "f"), Var(hi, "f")]
        return [Stmt(text)]

    def containers(self, depth: int) -> list[Stmt]:
        lst, dct = self.ex.pick("list"), self.ex.pick("dict")
        r = self.rng.randrange(8)
        if lst and r < 4:
            n = lst.name
            return [Stmt(self.rng.choice((
                f"{n}.append({self.ex.scalar(1)})", f"{n}[-1] = {self.ex.scalar(1)}", f"{n}[0] += np.sin({self.ex.scalar(1)})",
                f"{n} = [np.sin(v) for v in {n}]", f"{n}.insert(0, {self.ex.scalar(1)})", f"{n} = {n} + [{self.ex.scalar(0)}]")))]
        if lst and r == 4:
            name = self.fresh("t")
            self.ex.scope.append(Var(name, "f"))
            return [Stmt(f"{name} = {lst.name}.pop() if len({lst.name}) > 3 else {lst.name}[0]")]
        if dct and r < 7:
            k = self.rng.choice(dct.keys)
            return [Stmt(self.augment(f'{dct.name}["{k}"]', self.ex.scalar(1)))]
        if self.loops:
            return []
        if r % 2:
            name = self.fresh("d")
            text = f'{name} = {{"u": {self.ex.scalar(1)}, "v": {self.ex.scalar(1)}}}'
            self.ex.scope.append(Var(name, "dict", keys=("u", "v")))
        else:
            name = self.fresh("xs")
            text = f"{name} = [{self.ex.scalar(1)}, {self.ex.scalar(1)}, {self.ex.scalar(0)}]"
            self.ex.scope.append(Var(name, "list"))
        return [Stmt(text)]

    # Control flow

    def branch(self, depth: int) -> list[Stmt]:
        top = Stmt(f"if {self.ex.condition()}:", self.block(depth + 1, 2))
        if self.rng.random() < 0.25:
            top.more.append(Stmt(f"elif {self.ex.condition()}:", self.block(depth + 1, 2)))
        if self.rng.random() < 0.6:
            top.more.append(Stmt("else:", self.block(depth + 1, 2)))
        return [top]

    def for_loop(self, depth: int) -> list[Stmt]:
        if self.loops > 1:
            return []
        i, v = self.fresh("i"), self.fresh("v")
        n = self.rng.randrange(2, 5)
        arrays = [a for a in self.ex.of("a") if len(a.shape) == 1]
        lists = self.ex.of("list")
        inner = [Var(i, "int", below=n)]
        header = f"for {i} in range({n}):"
        r = self.rng.random()
        if arrays and r < 0.15:
            a = self.rng.choice(arrays)
            header, inner = f"for {v} in {a.name}:", [Var(v, "f")]
        elif arrays and r < 0.3:
            a = self.rng.choice(arrays)
            header, inner = f"for {i}, {v} in enumerate({a.name}):", [Var(i, "int", below=a.shape[0]), Var(v, "f")]
        elif arrays and r < 0.42:
            a, b = self.rng.choice(arrays), self.rng.choice(arrays)
            w = self.fresh("v")
            header, inner = f"for {v}, {w} in zip({a.name}, {b.name}):", [Var(v, "f"), Var(w, "f")]
        elif lists and r < 0.5:
            header, inner = f"for {v} in list({self.rng.choice(lists).name}):", [Var(v, "f")]
        elif r < 0.6:
            header = self.rng.choice((f"for {i} in reversed(range({n})):", f"for {i} in range({n - 1}, -1, -1):"))
        elif arrays and r < 0.8:
            a = self.rng.choice(arrays)
            header, inner = f"for {i} in range(1, len({a.name})):", [Var(i, "int", below=a.shape[0])]
        self.loops += 1
        body = self.block(depth + 1, 3, *inner)
        self.loops -= 1
        self.jump(body)
        loop = Stmt(header, body)
        if self.rng.random() < 0.06:
            loop.more.append(Stmt("else:", self.block(depth + 1, 1)))
        return [loop]

    def while_loop(self, depth: int) -> list[Stmt]:
        if self.loops > 1:
            return []
        k = self.fresh("k")
        n = self.rng.randrange(2, 5)
        condition = f"{k} < {n}" if self.rng.random() < 0.5 else f"{k} < {n} and ({self.ex.condition()})"
        self.loops += 1
        body = [Stmt(f"{k} += 1"), *self.block(depth + 1, 3, Var(k, "int"))]
        self.loops -= 1
        self.jump(body)
        self.ex.scope.append(Var(k, "int"))
        return [Stmt(f"{k} = 0"), Stmt(f"while {condition}:", body)]

    def jump(self, body: list[Stmt]) -> None:
        """A conditional break or continue somewhere in the body of a loop."""
        if self.rng.random() < 0.3:
            # before the first statement of the body, whose variables are not visible here
            word = self.rng.choice(("break", "continue"))
            where = 1 if body[0].text.startswith("k") else 0
            body.insert(self.rng.choice((where, len(body))), Stmt(f"if {self.ex.condition()}:", [Stmt(word)]))

    def leave(self, depth: int) -> list[Stmt]:
        self.early += 1
        return [Stmt(f"if {self.ex.condition()} and {self.ex.condition()}:", [Stmt(f"return {self.ex.scalar(2)}")])]

    def closure(self, depth: int) -> list[Stmt]:
        if self.loops:
            return []
        name, v = self.fresh("g"), self.fresh("v")
        before = list(self.ex.scope)
        self.ex.scope.append(Var(v, "f"))
        e = self.ex.scalar(2)
        self.ex.scope = before
        self.ex.closures.append(name)
        if self.rng.random() < 0.3:
            return [Stmt(f"{name} = lambda {v}: np.sin({e})")]
        return [Stmt(f"def {name}({v}):", [Stmt(f"return np.tanh({e})")])]
