"""Random statements about structures: lists and dicts of arrays, tuples in lists, objects, closures, and the ways to choose among them."""
from __future__ import annotations

import random
from collections.abc import Callable

from .expressions import Expressions, Var
from .program import Stmt

__all__ = ["Structures"]


class Structures:
    """Makers of statements, for the generator to draw from; `block`, `fresh` and `augment` are the generator's."""

    rng: random.Random
    ex: Expressions
    loops: int
    fresh: Callable[[str], str]
    augment: Callable[[str, str], str]
    block: Callable[..., list[Stmt]]

    def vectors(self) -> list[Var]:
        """Arrays of one length that is shared by at least two of them, where there are such."""
        found = [v for v in self.ex.of("a") if len(v.shape) == 1]
        shape = self.rng.choice(found).shape if found else ()
        return [v for v in found if v.shape == shape]

    def rows(self, depth: int) -> list[Stmt]:
        """A list of arrays: copies, new arrays, or the arrays themselves."""
        same = self.vectors()
        if self.loops or not same:
            return []
        name, shape, n = self.fresh("rows"), same[0].shape, self.rng.randrange(2, 4)
        items = ", ".join(self.rng.choice((self.rng.choice(same).name, self.ex.array(shape, 1))) for _ in range(n))
        text = self.rng.choice((f"[{same[0].name}.copy() for _ in range({n})]", f"[{items}]", f"[{items}]"))
        self.ex.scope += [Var(name, "rows", shape, below=n), *(Var(f"{name}[{k}]", "a", shape) for k in range(n))]
        return [Stmt(f"{name} = {text}")]

    def change_rows(self, depth: int) -> list[Stmt]:
        """Changes what stands where in a list of arrays, or one of them through a loop or an index."""
        v = self.ex.pick("rows")
        if v is None:
            return []
        name, place = v.name, f"{v.name}[{self.ex.index(v.below)}]"
        if self.rng.random() < 0.35 and self.loops < 2 and depth < 3:
            row = self.fresh("r")
            self.loops += 1
            body = self.block(depth + 1, 2, Var(row, "a", v.shape))
            self.loops -= 1
            return [Stmt(f"for {row} in {name}:", body)]
        return [Stmt(self.rng.choice((
            f"{name}[0], {name}[1] = {name}[1], {name}[0]", f"{name}.reverse()", f"{name}.append({self.ex.array(v.shape, 1)})",
            f"{place} = {self.ex.array(v.shape, 1)}", self.augment(f"{place}[{self.ex.index(v.shape[0])}]", self.ex.scalar(1)),
            f"{place} *= np.cos({self.ex.scalar(1)})")))]

    def chosen(self, depth: int) -> list[Stmt]:
        """One of two arrays, by a condition."""
        same = self.vectors()
        if len(same) < 2:
            return []
        name = self.fresh("c")
        p, q = self.rng.sample(same, 2)
        made = Stmt(f"{name} = {p.name} if {self.ex.condition()} else {q.name}")
        self.ex.scope.append(Var(name, "a", p.shape))
        return [made]

    def table(self, depth: int) -> list[Stmt]:
        """A dict of arrays, or of a dict and a list."""
        same = self.vectors()
        if self.loops or not same:
            return []
        name, shape = self.fresh("d"), same[0].shape
        if self.rng.random() < 0.4:
            made = Stmt(f'{name} = {{"in": {{"k": {self.ex.scalar(1)}}}, "xs": [{self.ex.scalar(1)}, {self.ex.scalar(0)}]}}')
            self.ex.scope += [Var(f'{name}["in"]["k"]', "f"), Var(f'{name}["xs"]', "list")]
            return [made]
        first = self.rng.choice((self.rng.choice(same).name, self.ex.array(shape, 1)))
        made = Stmt(f'{name} = {{"u": {first}, "v": {self.ex.array(shape, 1)}}}')
        self.ex.scope += [Var(name, "table", shape), Var(f'{name}["u"]', "a", shape), Var(f'{name}["v"]', "a", shape)]
        return [made]

    def change_table(self, depth: int) -> list[Stmt]:
        """A loop over the arrays of a dict, or another array under one of its keys."""
        v = self.ex.pick("table")
        if v is None:
            return []
        if self.rng.random() < 0.5 or self.loops > 1 or depth > 2:
            return [Stmt(f'{v.name}["{self.rng.choice("uv")}"] = {self.ex.array(v.shape, 1)}')]
        item = self.fresh("w")
        header = self.rng.choice((f"for {item} in {v.name}.values():", f"for {self.fresh('key')}, {item} in {v.name}.items():"))
        self.loops += 1
        body = self.block(depth + 1, 2, Var(item, "a", v.shape))
        self.loops -= 1
        return [Stmt(header, body)]

    def boxed(self, depth: int) -> list[Stmt]:
        """An object with an array and a number, or a call of its method that changes both."""
        box = self.ex.pick("box")
        if box is not None and self.rng.random() < 0.6:
            return [Stmt(f"{box.name}.shift(np.sin({self.ex.scalar(1)}))")]
        same = self.vectors()
        if self.loops or not same:
            return []
        name, shape = self.fresh("o"), same[0].shape
        array = self.rng.choice((same[0].name, self.ex.array(shape, 1)))
        made = Stmt(f"{name} = Box({array}, {self.ex.scalar(1)})")
        self.ex.scope += [Var(name, "box"), Var(f"{name}.w", "a", shape), Var(f"{name}.c", "f")]
        return [made]

    def pairs(self, depth: int) -> list[Stmt]:
        """A list of pairs of numbers, another pair in it, or a loop over it."""
        v = self.ex.pick("pairs")
        if v is None:
            if self.loops:
                return []
            name = self.fresh("ps")
            made = Stmt(f"{name} = [({self.ex.scalar(1)}, {self.ex.scalar(0)}), ({self.ex.scalar(0)}, {self.ex.scalar(1)})]")
            self.ex.scope.append(Var(name, "pairs"))
            return [made]
        if self.rng.random() < 0.5 or self.loops > 1 or depth > 2:
            item = f"({self.ex.scalar(1)}, {self.ex.scalar(0)})"
            return [Stmt(self.rng.choice((f"{v.name}.append({item})", f"{v.name}[0] = {item}", f"{v.name}.insert(0, {item})")))]
        p, q = self.fresh("p"), self.fresh("q")
        self.loops += 1
        body = self.block(depth + 1, 2, Var(p, "f"), Var(q, "f"))
        self.loops -= 1
        return [Stmt(f"for {p}, {q} in list({v.name}):", body)]

    def tally(self, depth: int) -> list[Stmt]:
        """A closure that keeps count in a variable of the function around it."""
        if self.loops:
            return []
        total, name, v = self.fresh("t"), self.fresh("g"), self.fresh("v")
        self.ex.scope.append(Var(total, "f"))
        before = list(self.ex.scope)
        self.ex.scope.append(Var(v, "f"))
        e = self.ex.scalar(1)
        self.ex.scope = before
        self.ex.closures.append(name)
        return [Stmt(f"{total} = {self.ex.const()}"),
                Stmt(f"def {name}({v}):", [Stmt(f"nonlocal {total}"), Stmt(f"{total} = np.tanh({total} + {e})"), Stmt(f"return {total}")])]

    def matched(self, depth: int) -> list[Stmt]:
        """A choice by an integer."""
        ints = self.ex.of("int")
        if not ints or depth > 2:
            return []
        cases = [Stmt("case 0:", self.block(depth + 1, 2)), Stmt("case 1 | 2:", self.block(depth + 1, 2))]
        return [Stmt(f"match {self.rng.choice(ints).name}:", cases)]

    def tried(self, depth: int) -> list[Stmt]:
        """A number read at an index that may be out of bounds, or another one."""
        v = self.ex.pick("a")
        if v is None or len(v.shape) > 1:
            return []
        name, ints = self.fresh("t"), self.ex.of("int")
        shift = self.rng.randrange(v.shape[0] + 1)
        index = f"{self.rng.choice(ints).name} + {shift}" if ints else str(shift)
        body = [Stmt(f"{name} = np.sin({v.name}[{index}])")]
        out = Stmt("try:", body, [Stmt("except IndexError:", [Stmt(f"{name} = {self.ex.scalar(1)}")])])
        self.ex.scope.append(Var(name, "f"))
        return [out]

    def terms(self, v: Var) -> list[str]:
        """What a structure contributes to the result."""
        return {"rows": [f"sum(np.sum(r * r) for r in {v.name})"], "pairs": [f"sum(p * q for p, q in {v.name})"],
                "box": [f"{v.name}.total()"], "table": [f"sum(np.sum(np.sin(w)) for w in {v.name}.values())"]}.get(v.kind, [])
