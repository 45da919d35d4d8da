"""Random programs about arrays, lists, dicts and objects that are written to under several names: by statements, in expressions, by helpers."""
from __future__ import annotations

import random

from . import things
from .generate import Writer

__all__ = ["StateWriter"]

_UNKNOWN = ("either(", " else m)", " else b)", " = (l, m)[", " = [a, b][", " = q[int(", "[:1] = ")


class StateWriter(Writer):
    """``a``, ``b``: arrays of three; ``l``, ``m``: lists of two numbers and more; ``q``: a list of two lists; ``d``: a dict; ``p``: an object
    with a number ``v`` and an array ``w``; ``x``, ``y``, ``z``: numbers."""

    names = vars(things)

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self.made = 0
        self.numbers = ["x", "y", "z"]
        self.places = ["0", "1", "-1"]
        #: most programs do without what is refused where it is written to: one of several things, lists of another length
        self.plain = rng.random() < 0.8

    def opening(self) -> None:
        self.add(1, "z = 0.5")
        for line in ("a = np.array([x, y, 0.3])", "b = a * 0.5 + 0.2", "l = [x, 0.5 * y, z]", "m = [y, 0.4]", "q = [[x, 0.1, y], [0.7 * y, 0.2]]",
                     "d = {'k': x, 'n': y}", "p = Pair(y, np.array([0.2, x, y]))"):
            self.add(1, line)

    def closing(self) -> str:
        return ("x + 0.9 * y + 0.8 * z + np.sum(a * a) + 0.7 * np.sum(b) + sum(l) + 0.6 * m[0] - m[-1] + q[0][0] * 0.5 + q[1][-1] + len(q[0]) * x"
                " + d['k'] * 0.4 + d['n'] + p.v * 0.3 + np.dot(p.w, [0.3, 0.2, 0.5])")

    def fresh(self, stem: str) -> str:
        self.made += 1
        return f"{stem}{self.made}"

    def one_of(self, *choices: str) -> str:
        return self.rng.choice([c for c in choices if not (self.plain and any(part in c for part in _UNKNOWN))] or choices)

    def place(self) -> str:
        return self.one_of(*self.places, "len(l) % 2", "int(x > 0.1)")

    def number(self, deep: int = 2) -> str:
        """An expression of a number, which may write to what is about."""
        r, n = self.rng, self.one_of(*self.numbers)
        if deep == 0:
            return self.one_of(n, n, f"a[{self.place()}]", f"b[{self.place()}]", f"l[{self.place()}]", "m[0]", "d['k']", "p.v", "0.3", f"q[0][{self.place()}]")
        e, g = self.number(deep - 1), self.number(0)
        kind = r.random()
        if kind < 0.25:
            return self.number(0)
        if kind < 0.5:
            return self.one_of(f"{g} * 0.5 + {e}", f"{e} - 0.3 * {g}", f"np.sin({e})", f"-({e})", f"{g} * np.cos({e})", f"({e} if {self.simple()} else {g})")
        arr, lst = self.array(deep - 1), self.list(deep - 1)
        if kind < 0.72:
            return self.one_of(
                f"np.sum({arr}) * 0.3", f"{arr}[{self.place()}]", f"sum({lst}) * 0.3", f"max({lst})", f"sorted({lst})[0]", f"({arr} @ b) * 0.2",
                f"np.dot({arr}[1:], a[:2]) * 0.3", "p.both * 0.5", f"d.get('{r.choice('knz')}', {e})", "len(l) * x * 0.1", f"{lst}[0]", f"next(iter({lst}))",
                f"({e}, {g})[{r.choice(('0', 'int(y > 0)'))}]", f"sum(v * 0.2 for v in {lst})", f"np.mean([v * {g} for v in {arr}])",
                f"(lambda s: s * 0.4 + {g})({e})", f"{arr}.max()", f"either({arr}, b, {g})[0]", f"abs({e})", f"q[{r.choice('01')}][{self.place()}]")
        return self.one_of(
            f"scaled({arr}, {g})", f"pushed({lst}, {e})", f"filled({arr}, {e})[{self.place()}]", f"p.bump({e}) * 0.5", f"moved(d, {e})", f"twice({arr}, {g})",
            f"swapped({lst})[0]", f"(l.pop() if len(l) > 3 else {e})", f"(z := {e})", f"held(p, {arr}).w[1]", f"d.pop('z', {e})", f"d.setdefault('z', {e})",
            f"chosen({lst}, {e})", f"(l.append({e}) or l[-1])", f"either(a, {arr}, {e})[1]", f"[q[0].pop() if len(q[0]) > 2 else {e}, {g}][0]")

    def array(self, deep: int = 2) -> str:
        """An expression of an array of three, which may be one that has a name."""
        if deep <= 0 or self.rng.random() < 0.35:
            return self.one_of("a", "a", "b", "p.w")
        e, arr = self.number(deep - 1), self.array(deep - 1)
        return self.one_of(
            f"({arr} * {self.number(0)})", f"({arr} + 0.5 * b)", f"np.array([{e}, 0.3, {self.number(0)}])", f"{arr}[::-1]", f"np.where({arr} > 0.2, a, {arr})",
            f"filled({arr}, {e})", f"np.concatenate([{arr}[:1], b[1:]])", f"np.sin({arr})", f"{arr}.copy()", f"either({arr}, b, {e})", f"np.asarray({arr})",
            f"np.array([v * 0.5 for v in {arr}])", f"np.full(3, {e})", f"({arr} if {self.simple()} else b)", f"np.flip({arr})", f"held(p, {arr}).w",
            f"np.maximum({arr}, {self.number(0)})", f"np.array([0.2, *{arr}[1:]])", f"np.tanh({arr})", f"(np.cumsum({arr}) * 0.4)")

    def list(self, deep: int = 2) -> str:
        """An expression of a list of two numbers and more."""
        if deep <= 0 or self.rng.random() < 0.4:
            return self.one_of("l", "l", "m", "q[0]", "q[1]")
        e, lst = self.number(deep - 1), self.list(deep - 1)
        return self.one_of(f"[{e}, {self.number(0)}]", f"({lst} + [{e}])", f"{lst}[::-1]", f"list({lst})", f"[v * 0.5 for v in {lst}]", f"swapped({lst})", f"[*{lst}, {e}]",
                           f"({lst} if {self.simple()} else m)", f"sorted({lst})", f"list({self.array(0)})", f"{lst}.copy()", f"either({lst}, m, {e})",
                           f"[{e}, *{lst}]", "list(d.values())")

    def simple(self) -> str:
        return self.one_of(f"{self.number(0)} {self.rng.choice('<>')} {self.number(0)}", f"{self.one_of(*self.numbers)} > 0.3", "len(l) > 3", "'z' in d", "p.v > 0.2")

    def condition(self) -> str:
        return self.one_of(self.simple(), self.simple(), f"{self.number(1)} > 0.2", f"not {self.simple()}", f"{self.simple()} and {self.number(1)} < 0.6",
                           f"np.all({self.array(1)} > -0.5)", f"any(v > 0.5 for v in {self.list(1)})")

    def expression(self) -> str:
        return self.number()

    def kinds(self, depth: int, budget: int) -> list[str]:
        kinds = ["assign"] * 3 + ["change"] * 4 + ["alias"] * 2 + ["part"] * 2 + (["exit"] if depth > 1 and self.rng.random() < 0.4 else [])
        if budget > 0:
            kinds += ["if"] * 3 + ["for"] * 2 + ["while", "things", "things", "inner"] + ([] if self.plain else ["try"])
        return kinds

    def _target(self) -> str:
        return self.one_of("x", "y", "z", f"a[{self.place()}]", f"b[{self.place()}]", f"l[{self.place()}]", "m[0]", "d['k']", "d['n']", "p.v", f"p.w[{self.place()}]",
                           f"q[{self.rng.choice('01')}][{self.place()}]")

    def _assign(self, depth: int, budget: int) -> None:
        t, e = self._target(), self.number()
        self.add(depth, self.one_of(f"{t} = {e}", f"{t} = {e}", f"{t} += 0.5 * ({e})", f"{t} *= 0.6", f"{t} -= {e}", f"{t} = {self._target()} = {e}",
                                    f"{t}, {self._target()} = {self.number(1)}, {e}"))

    def _change(self, depth: int, budget: int) -> None:
        e, arr, lst, n = self.number(), self.array(), self.list(), self.one_of("a", "b", "p.w")
        s = self.one_of("l", "m", "q[0]", "q[1]")
        self.add(depth, self.one_of(
            f"{n}[1:] = {arr}[:2]", f"{n}[:2] += {arr}[1:]", f"{n} *= 0.7", f"{n} += 0.3 * {arr}", f"{n}[:] = {arr}", f"{n}[{n} > 0.6] = {e}", f"{n}[::2] = {e}",
            f"{n} -= 0.2 * {arr}", f"{n}.fill({e})", f"{n}[[0, 2]] *= {e}", f"np.copyto({n}, {arr})", f"np.add({n}, {arr}, out={n})",
            f"{s}.append({e})", f"{s}.insert(0, {e})", f"{s}.extend({lst})", f"{s}.reverse()", f"{s}[:1] = {lst}", f"{s} += [{e}]", f"{s}.sort()",
            f"if len({s}) > 2:\n{'    ' * (depth + 1)}z = {s}.pop()", f"if len({s}) > 2:\n{'    ' * (depth + 1)}del {s}[0]",
            f"d.update(k={e})", f"d['z'] = {e}", "d.pop('z', None)", f"p.bump({e})", f"filled({arr}, {e})", f"z = scaled({n}, {e})", f"pushed({lst}, {e})",
            f"swapped({lst})", "q.reverse()"))

    def _alias(self, depth: int, budget: int) -> None:
        self.add(depth, self.one_of(
            f"a = {self.array()}", f"b = {self.array()}", "b = a", "p.w = b", "a = p.w", f"p.w = {self.array()}", f"l = {self.list()}", "m = l", f"m = {self.list()}",
            "l = q[0]", f"q[0] = {self.list()}", "q[1] = l", "q = [l, m]", "q = [list(v) for v in q]", "d = dict(d)", f"p = Pair({self.number(1)}, {self.array(1)})",
            "a, b = b, a", "l, m = m, l", "a, l = b[::-1], [*m, x]", f"q = [{self.list(1)}, {self.list(1)}]", f"p = held(p, {self.array(1)})", "d = {**d, 'k': z}",
            f"a = either(a, b, {self.number(1)})", f"l = either(l, m, {self.number(1)})"))

    def _part(self, depth: int, budget: int) -> None:
        """A name for a part of something, which is written to."""
        v = self.fresh("v")
        self.add(depth, f"{v} = " + self.one_of(f"{self.array(1)}[1:]", "q[int(z > 0.5)]", "a[::-1]", "b[:2]", f"swapped({self.list(1)})", "(l, m)[int(x > 0.3)]",
                                                f"either(a, b, {self.number(1)})", f"filled({self.array(1)}, y)", "[a, b][int(y > 0.2)]", "l"))
        self.add(depth, self.one_of(f"{v}[0] = {self.number(1)}", f"{v}[1] *= {self.number(0)}", f"{v}[-1] += {self.number(1)}", f"z = {v}[0] + {v}[1]"))

    def _things(self, depth: int, budget: int) -> None:
        """A loop over the items of something."""
        v, i = self.fresh("v"), self.fresh("i")
        place = i
        head, numbers, places = self.rng.choice((
            (f"for {v} in {self.array(1)}:", [v], []), (f"for {v} in {self.list(1)}[:3]:", [v], []), (f"for {i}, {v} in enumerate({self.array(1)}):", [v], [place]),
            (f"for {v}, {i} in zip({self.array(1)}, (0, 1)):", [v], [place]), (f"for {v} in list(d.values()):", [v], []),
            (f"for {i} in range(2):", [], [place]), (f"for {i} in ({self.list(1)}, m):\n{'    ' * (depth + 1)}{i}[0] *= 0.8", [], []),
            (f"for {v}, {i} in [(x, 0), (z, 1)]:", [v], [place])))
        before = self.numbers, self.places
        self.numbers, self.places = [*self.numbers, *numbers], [*self.places, *places * 2]
        self.loop(depth, budget, head)
        self.numbers, self.places = before

    def _for(self, depth: int, budget: int) -> None:
        self.places, before = [*self.places, f"i{depth}", f"i{depth}"], self.places
        self.loop(depth, budget, f"for i{depth} in range({self.rng.randint(1, 2)}):")
        self.places = before

    def _inner(self, depth: int, budget: int) -> None:
        """A function that knows the names around it."""
        g = self.fresh("g")
        self.add(depth, f"def {g}(u):")
        if self.rng.random() < 0.4:
            self.add(depth + 1, f"nonlocal {self.one_of('x', 'a', 'l', 'z, b')}")
            self.add(depth + 1, "z = x = u")
        elif self.rng.random() < 0.6:
            self.add(depth + 1, self.one_of(f"a[0] = u * {self.number(0)}", "l.append(u)", "p.v += u * 0.4", "d['k'] = u", f"filled({self.array(0)}, u)"))
        self.add(depth + 1, f"return {self.number(1)} + u * 0.2")
        self.add(depth, self.one_of(f"z = {g}({self.number(1)})", f"a[1] = {g}({self.number(1)})", f"l.append({g}(y) + {g}(x))", f"y = {self.number(1)} + {g}(z)",
                                    f"m = [{g}(v) for v in (x, 0.3)]"))
