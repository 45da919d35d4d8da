"""Random expressions over the variables in scope: numbers, arrays of a length, matrices of a shape."""
from __future__ import annotations

import random
from dataclasses import dataclass, field

from .helpers import HELPERS

__all__ = ["Expressions", "Var"]

_BOUNDED = ("np.sin", "np.cos", "np.tanh", "np.arctan")


@dataclass
class Var:
    """A variable: 'f' number, 'a' array (shape), 'list' of numbers, 'dict' (keys of numbers), 'int' (below), or a structure: 'rows' (a list of
    below arrays), 'table' (a dict of arrays), 'box' (an object), 'pairs' (a list of tuples)."""

    name: str
    kind: str
    shape: tuple[int, ...] = ()
    keys: tuple[str, ...] = ()
    below: int = 0
    fixed: bool = False


@dataclass
class Expressions:
    """Makes expressions; ``scope`` is what they may read."""

    rng: random.Random
    scope: list[Var] = field(default_factory=list)
    closures: list[str] = field(default_factory=list)

    def of(self, kind: str, shape: tuple[int, ...] | None = None) -> list[Var]:
        """Variables of a kind (and shape)."""
        return [v for v in self.scope if v.kind == kind and (shape is None or v.shape == shape)]

    def pick(self, kind: str, shape: tuple[int, ...] | None = None) -> Var | None:
        """One of them."""
        found = self.of(kind, shape)
        return self.rng.choice(found) if found else None

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def const(self, lo: float = -1.5, hi: float = 1.5) -> str:
        return repr(round(round(self.rng.uniform(lo, hi), 3) + 0.0007, 4))

    def index(self, n: int) -> str:
        """An index below ``n``: a number, a loop variable, or one computed from data."""
        ints = [v for v in self.of("int") if v.below and v.below <= n]
        if ints and self.chance(0.6):
            return self.rng.choice(ints).name
        if self.chance(0.05):
            return f"int(abs(⟦{self.scalar(0)}⟧) * 7.1) % {n}"
        return str(self.rng.randrange(-n if self.chance(0.2) else 0, n))

    def condition(self) -> str:
        """A comparison of values."""
        r = self.rng.random()
        left = self.scalar(1)
        op = self.rng.choice((">", "<", ">=", "<="))
        ints = self.of("int")
        if r < 0.2 and ints:
            return f"{self.rng.choice(ints).name} % {self.rng.choice((2, 3))} == {self.rng.choice((0, 1))}"
        if r < 0.35:
            return f"⟦{left}⟧ {op} ⟦{self.scalar(1)}⟧ + {self.const(-0.1, 0.1)}"
        if r < 0.5:
            join = self.rng.choice(("and", "or"))
            return f"⟦{left}⟧ {op} {self.const()} {join} not ⟦{self.scalar(0)}⟧ > {self.const()}"
        if r < 0.58:
            return f"{self.const(-2, -0.2)} < ⟦{left}⟧ < {self.const(-0.1, 2)}"
        return f"⟦{left}⟧ {op} {self.const()}"

    def helper(self, params: str, result: str, *args: str) -> str | None:
        """A call of a helper with these kinds."""
        names = [n for n, (p, r, _) in HELPERS.items() if p == params and r == result]
        if not names:
            return None
        name = self.rng.choice(names)
        return f"{name}({', '.join(args)})"

    # Numbers

    def scalar(self, depth: int) -> str:
        """A number."""
        if depth <= 0:
            return self.atom()
        e = self.scalar
        match self.rng.randrange(16):
            case 0 | 1:
                return f"{self.rng.choice(_BOUNDED)}({e(depth - 1)})"
            case 2:
                return f"({e(depth - 1)} + {e(depth - 1)})"
            case 3:
                return f"({e(depth - 1)} - {e(depth - 1)})"
            case 4 | 5:
                return f"{e(depth - 1)} * {self.rng.choice(_BOUNDED)}({e(depth - 1)})"
            case 6:
                return f"{e(depth - 1)} / (2.0 + np.tanh({e(depth - 1)}))"
            case 7:
                return f"np.tanh({e(depth - 1)}) ** {self.rng.choice((2, 3))}"
            case 8:
                return f"abs({e(depth - 1)} + {self.const()})"
            case 9:
                return f"{self.rng.choice(('max', 'min'))}({e(depth - 1)}, {self.const()})"
            case 10:
                return f"({e(depth - 1)} if {self.condition()} else {e(depth - 1)})"
            case 11:
                return self.helper("f", "f", e(depth - 1)) or self.atom()
            case 12:
                return self.helper("ff", "f", e(depth - 1), e(depth - 1)) or self.atom()
            case 13:
                return f"-{self.atom()}"
            case 14:
                return f"np.exp(-np.square({e(depth - 1)}))" if not self.closures else f"{self.rng.choice(self.closures)}({e(depth - 1)})"
            case _:
                return self.reduction(depth)

    def atom(self) -> str:
        """A variable, an element or a constant."""
        for _ in range(4):
            match self.rng.randrange(8):
                case 0 | 1 | 2:
                    if v := self.pick("f"):
                        return v.name
                case 3 | 4:
                    if v := self.pick("a"):
                        return f"{v.name}[{', '.join(self.index(n) for n in v.shape)}]"
                case 5:
                    if v := self.pick("list"):
                        return self.rng.choice((f"{v.name}[-1]", f"{v.name}[0]", f"{v.name}[1 % len({v.name})]"))
                case 6:
                    if v := self.pick("dict"):
                        return f'{v.name}["{self.rng.choice(v.keys)}"]'
                case 7:
                    return self.const()
        return self.const()

    def reduction(self, depth: int) -> str:
        """A number computed from a whole container."""
        lst = self.pick("list")
        if lst and self.chance(0.3):
            return self.rng.choice((f"sum({lst.name}) / len({lst.name})", f"np.tanh(sum(v * v for v in {lst.name}))",
                                    f"0.1 * len({lst.name})"))
        shapes = [v.shape for v in self.of("a")]
        if not shapes:
            return self.atom()
        shape = self.rng.choice(shapes)
        a = self.array(shape, depth - 1)
        match self.rng.randrange(7):
            case 0:
                return f"np.mean({a})"
            case 1:
                return f"np.tanh(np.sum({a}))"
            case 2:
                return f"({a}).mean()"
            case 3 if len(shape) == 1:
                return f"np.sin(({a}) @ ({self.array(shape, depth - 1)}))"
            case 4 if len(shape) == 1:
                return self.helper("a", "f", a) or self.atom()
            case 5 if len(shape) == 1:
                return self.helper("af", "f", a, self.scalar(depth - 1)) or self.atom()
            case 6:
                return f"np.max({a} + 0.013 * np.arange({shape[0]}{'.0' if len(shape) == 1 else ')[:, None] * np.arange(4'}))"
        return f"np.sum(np.sin({a})) * 0.3"

    # Arrays

    def array(self, shape: tuple[int, ...], depth: int) -> str:
        """An array of this shape."""
        if depth <= 0:
            return self.array_atom(shape)
        a = lambda: self.array(shape, depth - 1)
        match self.rng.randrange(12):
            case 0 | 1:
                return f"{self.rng.choice(_BOUNDED)}({a()})"
            case 2:
                return f"({a()} + {a()})"
            case 3:
                return f"({a()} - {self.scalar(depth - 1)})"
            case 4:
                return f"{a()} * {self.rng.choice(_BOUNDED)}({a()})"
            case 5:
                return f"{self.rng.choice(_BOUNDED)}({self.scalar(depth - 1)}) * {a()}"
            case 6:
                return f"np.where(⟦{a()}⟧ > {self.const()}, {a()}, {a()})"
            case 7:
                return f"np.maximum({a()}, {self.const()})"
            case 8:
                return f"{a()} / (2.0 + np.tanh({a()}))"
            case 9 if len(shape) == 1:
                return self.vector(shape[0], depth)
            case 10 if len(shape) == 1:
                return self.helper("a", "a", a()) or a()
            case _:
                return self.matrix(shape, depth) if len(shape) == 2 else f"np.cumsum({a()}) / {shape[0]}.0"

    def array_atom(self, shape: tuple[int, ...]) -> str:
        """A variable of this shape, or a part of one."""
        same = self.of("a", shape)
        if same and self.chance(0.7):
            return self.rng.choice(same).name
        if len(shape) == 1:
            n = shape[0]
            longer = [v for v in self.of("a") if len(v.shape) == 1 and v.shape[0] > n]
            if longer and self.chance(0.7):
                v = self.rng.choice(longer)
                k = self.rng.randrange(v.shape[0] - n + 1)
                return f"{v.name}[{k or ''}:{k + n}]"
            rows = [v for v in self.of("a") if len(v.shape) == 2 and v.shape[1] == n]
            if rows and self.chance(0.5):
                v = self.rng.choice(rows)
                return f"{v.name}[{self.index(v.shape[0])}]"
            cols = [v for v in self.of("a") if len(v.shape) == 2 and v.shape[0] == n]
            if cols and self.chance(0.5):
                v = self.rng.choice(cols)
                return f"{v.name}[:, {self.index(v.shape[1])}]"
        if same:
            return self.rng.choice(same).name
        size = ", ".join(map(str, shape))
        return self.rng.choice((f"np.full(({size},), {self.atom()})", f"({self.atom()} * np.ones(({size},)))", f"np.zeros(({size},))"))

    def vector(self, n: int, depth: int) -> str:
        """An array with one dimension made of numbers or of other arrays."""
        a = self.array_atom((n,))
        match self.rng.randrange(8):
            case 0 if n <= 4:
                return f"np.array([{', '.join(self.scalar(depth - 1) for _ in range(n))}])"
            case 1:
                k = self.rng.randrange(1, n) if n > 1 else 0
                return f"np.concatenate([{a}[{k}:], {self.array_atom((n,))}[:{k}]])"
            case 2:
                return f"{a}[::-1]"
            case 3:
                return f"np.roll({a}, {self.rng.randrange(1, 3)})"
            case 4:
                return f"np.array([{self.rng.choice(_BOUNDED)}(v) * v for v in {a}])"
            case 5:
                return f"{a}[[{', '.join(str(self.rng.randrange(n)) for _ in range(n))}]]"
            case 6:
                mats = [v for v in self.of("a") if len(v.shape) == 2 and v.shape[0] == n]
                if mats:
                    m = self.rng.choice(mats)
                    return f"np.tanh({m.name} @ {self.array_atom((m.shape[1],))})"
        return f"np.linspace(0.1, 0.9, {n}) * {a}"

    def matrix(self, shape: tuple[int, ...], depth: int) -> str:
        """A matrix made of vectors."""
        rows, cols = shape
        return self.rng.choice((
            f"np.outer({self.array_atom((rows,))}, {self.array_atom((cols,))})",
            f"{self.array_atom(shape)} * {self.array_atom((cols,))}",
            f"{self.array_atom(shape)} - {self.array_atom((rows,))}[:, None]",
            f"np.stack([{', '.join(self.array_atom((cols,)) for _ in range(rows))}])",
        ))
