"""Random programs of control flow with more of the language: loops over things of different kinds, helpers, generators, contexts, containers."""
from __future__ import annotations

import random

from .generate import Writer

__all__ = ["WideWriter"]

_CONTEXTS = ("contextlib.nullcontext()", "contextlib.suppress(ValueError)", "np.errstate(all='ignore')")


class WideWriter(Writer):
    """Writes programs in which a loop may be written out, a call may return early, and a name may be of several kinds."""

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self.made = 0
        #: the strings that a loop around gives a name to, and the numbers
        self.strings: list[str] = []
        self.numbers: list[str] = []

    def kinds(self, depth: int, budget: int) -> list[str]:
        more = ["swap", "array", "list", "comprehension", "maybe"]
        if budget > 0:
            more += ["things", "things", "forever", "context", "finally", "helper", "generator", "caught", "walrus"]
        return super().kinds(depth, budget) + more

    def expression(self) -> str:
        if self.numbers and self.rng.random() < 0.2:
            return f"{self.name()} * {self.rng.choice(self.numbers)} * 0.3"
        return super().expression()

    def condition(self) -> str:
        if self.strings and self.rng.random() < 0.4:
            return f"{self.rng.choice(self.strings)} {self.rng.choice(('==', '!=', 'in'))} '{self.rng.choice(('a', 'b', 'ab'))}'"
        return super().condition()

    def fresh(self, stem: str) -> str:
        self.made += 1
        return f"{stem}{self.made}"

    def _things(self, depth: int, budget: int) -> None:
        """A loop over a few things, which may be of different kinds."""
        number, string = self.fresh("k"), self.fresh("s")
        head, strings, numbers = self.rng.choice((
            (f"for {string} in ('a', 'b', 'c'):", [string], []),
            (f"for {number} in (x, 0.5, z):", [], [number]),
            (f"for {number} in [y, x]:", [], [number]),
            (f"for {string}, {number} in (('a', x), ('b', 2.0), ('b', y)):", [string], [number]),
            (f"for {string}, {number} in {{'a': x, 'b': 0.7}}.items():", [string], [number]),
            (f"for {string}, {number} in zip('abc', (x, y, z)):", [string], [number]),
            (f"for {number}, {self.fresh('v')} in enumerate((z, 'a', None)):", [], [number]),
            (f"for {number} in reversed(range({self.rng.randint(1, 3)})):", [], [number])))
        before = self.strings, self.numbers
        self.strings, self.numbers = [*self.strings, *strings], [*self.numbers, *numbers]
        self.loop(depth, budget, head)
        self.strings, self.numbers = before

    def _forever(self, depth: int, budget: int) -> None:
        name = self.fresh("n")
        self.add(depth, f"{name} = 0")
        self.add(depth, "while True:")
        self.add(depth + 1, f"{name} += 1")
        self.add(depth + 1, f"if {name} > {self.rng.randint(1, 3)}:")
        self.add(depth + 2, "break")
        self.turns(depth, budget)

    def _context(self, depth: int, budget: int) -> None:
        context = self.rng.choice(_CONTEXTS)
        self.tries += "suppress" in context
        self.add(depth, f"with {context}:")
        self.body(depth + 1, budget - 1)
        self.tries -= "suppress" in context

    def _finally(self, depth: int, budget: int) -> None:
        self.add(depth, "try:")
        self.body(depth + 1, budget - 1)
        self.add(depth, "finally:")
        self._assign(depth + 1, 0)

    def _caught(self, depth: int, budget: int) -> None:
        """Several clauses, one of which may raise anew."""
        self.tried(depth, budget)
        self.add(depth, "except KeyError:")
        self.body(depth + 1, 0)
        self.add(depth, self.rng.choice(("except (ValueError, IndexError) as error:", "except Exception:")))
        if self.rng.random() < 0.3:
            self.add(depth + 1, f"if {self.condition()}:")
            self.add(depth + 2, "raise")
        self.body(depth + 1, budget - 1)

    def _inside(self, depth: int, budget: int) -> None:
        """The body of a function of its own."""
        before = self.loops, self.tries, self.strings, self.numbers
        self.loops, self.tries, self.strings, self.numbers = 0, 0, [], []
        self.body(depth, budget)
        self.loops, self.tries, self.strings, self.numbers = before

    def _helper(self, depth: int, budget: int) -> None:
        name = self.fresh("g")
        outer = self.rng.random() < 0.3
        self.add(depth, f"def {name}(x, y{'' if outer else ', z=0.5'}):")
        if outer:
            self.add(depth + 1, "nonlocal z")
        self._inside(depth + 1, budget - 1)
        if self.rng.random() < 0.7:
            self.add(depth + 1, f"return {self.expression()}")
        value = f"{name}({self.expression()}, y)"
        out = self.fresh("r")
        self.add(depth, f"{out} = {value}")
        self.add(depth, f"z += 0.0 if {out} is None else {out}")

    def _generator(self, depth: int, budget: int) -> None:
        name, item = self.fresh("h"), self.fresh("k")
        self.add(depth, f"def {name}(x, y, z):")
        self._inside(depth + 1, budget - 1)
        self.add(depth + 1, f"yield {self.expression()}")
        self._inside(depth + 1, budget - 1)
        self.add(depth + 1, f"yield {self.expression()}")
        head = f"for {item} in {name}({self.expression()}, y, z):"
        self.numbers = [*self.numbers, item]
        self.loop(depth, budget, head)
        self.numbers = self.numbers[:-1]

    def _walrus(self, depth: int, budget: int) -> None:
        name = self.fresh("w")
        self.add(depth, f"if ({name} := {self.expression()}) > 0.2:")
        self.body(depth + 1, budget - 1)
        self.add(depth, "else:")
        self.add(depth + 1, f"z = {name} * 0.5")

    def _maybe(self, depth: int, budget: int) -> None:
        """A name that is None on some paths."""
        name = self.fresh("m")
        self.add(depth, f"{name} = None")
        self.add(depth, f"if {self.condition()}:")
        self.add(depth + 1, f"{name} = {self.expression()}")
        self.add(depth, self.rng.choice((f"z += x if {name} is None else {name}", f"x = {name} or y",
                                         f"if {name} is not None and {name} > 0.1:\n{'    ' * (depth + 1)}z = {name}")))

    def _swap(self, depth: int, budget: int) -> None:
        self.add(depth, self.rng.choice(("x, y = y, x", "x, z = z * 0.5, x", "y, *_ = (z, x, y)", "(x, y), z = (z, x), y", "x = y = z * 0.5")))

    def _array(self, depth: int, budget: int) -> None:
        name = self.fresh("a")
        self.add(depth, f"{name} = np.array([x, y, z])")
        self.add(depth, self.rng.choice((f"{name}[1] += {self.expression()}", f"{name} *= 0.9", f"if {self.condition()}:\n"
                                         f"{'    ' * (depth + 1)}{name}[0] = {self.expression()}")))
        self.add(depth, self.rng.choice((f"z += {name}[0] * {name}[1]", f"x, y, z = {name}", f"z = {name}.sum()", f"y = float({name}[0])")))

    def _list(self, depth: int, budget: int) -> None:
        name, item = self.fresh("l"), self.fresh("k")
        self.add(depth, f"{name} = [x, y]")
        self.add(depth, self.rng.choice((f"{name}.append({self.expression()})", f"if {self.condition()}:\n{'    ' * (depth + 1)}{name}.append(z)",
                                         f"{name}[0] = {self.expression()}")))
        self.add(depth, self.rng.choice((f"z = {name}.pop()", f"z += sum({name})", f"for {item} in {name}:\n{'    ' * (depth + 1)}z += {item} * 0.2",
                                         f"x = max({name})")))

    def _comprehension(self, depth: int, budget: int) -> None:
        item = self.fresh("k")
        self.add(depth, self.rng.choice((f"z = sum([{item} * 0.3 for {item} in (x, y, z) if {item} > 0.1])",
                                         f"z += sum({item} * x for {item} in range(3))",
                                         f"x = next(({item} for {item} in (x, y, 0.4) if {item} < 0.9), z)",
                                         f"if any({item} > 0.7 for {item} in (x, z)):\n{'    ' * (depth + 1)}y = {self.expression()}")))
