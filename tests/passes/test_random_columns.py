"""Random functions of small arrays: their batches by columns, by rows, in machine code and one by one are the same."""
import random

import numpy as np
import pytest

import transgrad as tg
from tests.random_programs.oracle import compile_text
from transgrad.passes.scalarize.functions import columns

COUNT = 9


class Writer:
    """Writes a function of two vectors and a number, from a seed."""

    def __init__(self, seed):
        self.pick = random.Random(seed)
        self.length = self.pick.choice((2, 3, 3, 4))
        self.vectors, self.numbers = ["x", "y"], ["k"]
        self.lines = []

    def number(self):
        i = self.pick.randrange(self.length)
        v, w = self.vector(), self.vector()
        return self.pick.choice([
            lambda: self.pick.choice(self.numbers), lambda: f"{v}[{i}]", lambda: f"np.sum({v})", lambda: f"({v} @ {w})",
            lambda: f"np.sum({v} * {w})", lambda: f"np.linalg.norm({v})", lambda: f"np.mean({v}[{i // 2}:])", lambda: "0.7",
            lambda: f"(x.reshape(1, -1) @ np.outer({v}, {w}))[0, {i}]"])()

    def vector(self):
        return self.pick.choice(self.vectors)

    def element_wise(self, operand):
        a, b = operand(), operand()
        return self.pick.choice([
            lambda: f"{a} + {b}", lambda: f"{a} - 0.5 * {b}", lambda: f"{a} * {b}", lambda: f"{a} / (2.0 + {b} * {b})",
            lambda: f"np.sin({a})", lambda: f"np.exp(-{a} * {a})", lambda: f"np.sqrt(1.0 + {a} * {a})", lambda: f"np.tanh({a}) ** 2",
            lambda: f"-{a}", lambda: f"np.maximum({a}, {b})", lambda: f"np.where({a} > {b}, {a}, 0.3 * {b})"])()

    def whole(self):
        v, s = self.vector(), self.number()
        return self.pick.choice([
            lambda: f"np.cross({v}, {self.vector()})" if self.length == 3 else f"{v}[::-1]", lambda: f"{s} * {v}", lambda: f"{v}[::-1] * {s}",
            lambda: f"np.concatenate([{v}[1:], np.array([{s}])])", lambda: f"np.outer({v}, {self.vector()}) @ {self.vector()}",
            lambda: f"np.cumsum({v})", lambda: f"np.zeros({self.length}) + {s}"])()

    def statement(self, indent, depth):
        name = f"t{len(self.lines)}"
        form = self.pick.choice(("number", "vector", "vector", "whole", "whole", "write", "branch", "loop"))
        if form in ("branch", "loop") and depth or form == "number":
            self.lines.append(f"{indent}{name} = {self.element_wise(self.number)}")
            self.numbers.append(name)
        elif form in ("vector", "whole"):
            self.lines.append(f"{indent}{name} = {self.element_wise(self.vector) if form == 'vector' else self.whole()}")
            self.vectors.append(name)
        elif form == "write":
            self.lines += [f"{indent}{name} = {self.vector()} * 1.0", f"{indent}{name}[{self.pick.randrange(self.length)}] = {self.number()}",
                           f"{indent}{name}[1:] *= {self.number()}"]
            self.vectors.append(name)
        else:
            self.nested(name, form)

    def nested(self, name, form):
        """A branch or a loop that changes a vector and a number."""
        v, s = self.vector(), self.number()
        self.lines += [f"    {name} = {v} * 1.0", f"    {name}s = {s}",
                       f"    if {self.number()} > {self.number()}:" if form == "branch" else f"    for i in range({self.pick.randint(1, 3)}):"]
        for _ in range(2 if form == "branch" else 1):
            kept = list(self.vectors), list(self.numbers)
            self.statement("        ", 1)
            self.lines += [f"        {name} = {name} + 0.5 * {self.vector()}", f"        {name}s = {self.element_wise(self.number)}"]
            if form == "loop":
                self.lines.append(f"        {name}[i % {self.length}] += {self.number()}")
            elif not any(line == "    else:" for line in self.lines[-8:]):
                self.lines.append("    else:")
            self.vectors, self.numbers = kept
        if self.lines[-1] == "    else:":
            self.lines.append("        pass")
        self.vectors.append(name)
        self.numbers.append(f"{name}s")

    def text(self):
        for _ in range(self.pick.randint(3, 6)):
            self.statement("    ", 0)
        result = f"np.array([{self.number()}, {self.numbers[-1]}])" if self.pick.random() < 0.3 else f"{self.vectors[-1]} + {self.number()}"
        return "\n".join(["import numpy as np", "", "", "def program(x, y, k):", *self.lines, f"    return {result}", ""])


def compare(seed, backend="numpy"):
    """Whether it was computed by elements, and the Jacobians."""
    writer = Writer(seed)
    text = writer.text()
    f = compile_text(text, f"columns {seed}")
    rng = np.random.default_rng(seed)
    args = rng.normal(size=(COUNT, writer.length)), rng.normal(size=(COUNT, writer.length)), rng.normal(size=COUNT)
    by_elements, found = False, []
    for jacobian in (tg.jacrev, tg.jacfwd):
        one = jacobian(f, (0, 1, 2), fallback="error")
        want = [np.array(part) for part in zip(*(one(*row) for row in zip(*args)))]
        derivative = tg.vmap(jacobian(f, (0, 1, 2), fallback="error", backend=backend), fallback="error", backend=backend)
        found.append(derivative(*args))
        for got, part in zip(found[-1], want):
            scale = max(1.0, np.abs(part).max())
            np.testing.assert_allclose(got, part, rtol=1e-8, atol=1e-9 * scale, err_msg=f"seed {seed}\n{text}\n{derivative.source}")
        by_elements |= any(fact[0] == "shape" for fact in derivative.variants[-1].guards.facts)
    return by_elements, found


@pytest.mark.parametrize("first", range(0, 30, 10))
@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning")
def test_random_functions(first, monkeypatch):
    monkeypatch.setattr(columns, "_border", lambda ways, rows: 0.0)     # by columns wherever it can be
    with np.errstate(all="ignore"):
        found = [compare(seed)[0] for seed in range(first, first + 10)]
    assert sum(found) > 5
