"""Where in a function an atom stands: in a loop, a branch, a helper, a generator, …"""
from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .atoms import Atom
from .operands import NotForThis

__all__ = ["FRAMES", "frame"]

Framed = tuple[list[str], list[str]]


def indent(lines: Sequence[str], depth: int = 1) -> list[str]:
    """Lines moved to the right."""
    return ["    " * depth + line for line in lines]


def _plain(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    return [], list(atom.lines)


def _loop(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    return [], ["total = 0.0", f"for k in range({int(rng.integers(1, 4))}):", *indent([*atom.lines, "total = total + y * (k + 1.0)"]), "y = total"]


def _while(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    return [], ["k = 0", "while True:", *indent([*atom.lines, "k += 1", "if k >= 2:", "    break"])]


def _branch(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    test = str(rng.choice(["FLAG", f"np.ndim({names[0]}) < 9", f"{names[0]} is not None", f"np.sum({names[0]}) * 0 == 0"]))
    return ["FLAG = True"], [f"if {test}:", *indent(atom.lines), "else:", f"    y = {names[0]}"]


def _early(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    lines = [line.replace("return", "return") for line in atom.lines]
    setup = ["FLAG = True", f"def part({', '.join(names)}):", *indent(["if FLAG:", *indent([*lines, "return y"]), f"return {names[0]}"])]
    return setup, [f"y = part({', '.join(names)})"]


def _try(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    if rng.random() < 0.5:
        return [], ["try:", *indent(atom.lines), "except (ValueError, ZeroDivisionError):", f"    y = {names[0]}"]
    return [], ["try:", "    raise KeyError('k')", "except KeyError:", *indent(atom.lines)]


def _comprehension(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    if atom.expression is None or ":=" in atom.expression:
        raise NotForThis
    return [], [f"ys = [{atom.expression} for _ in range(2)]", "y = ys[1]" if rng.random() < 0.5 else "y = ys"]


def _generator(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    if any("yield" in line for line in atom.lines):
        raise NotForThis
    setup = [f"def parts({', '.join(names)}):", *indent([*atom.lines, "yield y", f"yield {names[0]}"])]
    return setup, [f"y = next(parts({', '.join(names)}))" if rng.random() < 0.5 else f"y = list(parts({', '.join(names)}))"]


def _helper(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    star = rng.random() < 0.4
    setup = [f"def part({', '.join(names)}):", *indent([*atom.lines, "return y"])]
    return setup, [f"y = part(*({', '.join(names)},))" if star else f"y = part({', '.join(f'{n}={n}' for n in names)})"]


def _container_helper(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    setup = ["def part(q):", *indent([f"{', '.join(names)}, = q", *atom.lines, "return y"])]
    return setup, [f"y = part([{', '.join(names)}])"]


def _inner(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    if len(atom.lines) > 1:
        raise NotForThis
    return [], ["def part():", *indent([*atom.lines, "return y"]), "y = part()"]


def _lambda(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    if atom.expression is None:
        raise NotForThis
    return [], [f"part = lambda {', '.join(names)}: {atom.expression}", f"y = part({', '.join(names)})"]


def _method(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    first, rest = names[0], names[1:]
    setup = ["class Model:", *indent(["def __init__(self, first):", "    self.first = first", "",
                                      f"def run(self{''.join(f', {n}' for n in rest)}):", *indent([f"{first} = self.first", *atom.lines, "return y"])])]
    return setup, [f"y = Model({first}).run({', '.join(rest)})"]


def _recursion(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    setup = [f"def again(n, {', '.join(names)}):", *indent(["if n == 0:", "    return 0.0", *atom.lines,
                                                         f"return y + again(n - 1, {', '.join(names)})"])]
    return setup, [f"y = again(2, {', '.join(names)})"]


def _with(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    return [], ["with np.errstate(all='ignore'):", *indent(atom.lines)]


def _written(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    return [], [*atom.lines, "buffer = np.zeros((2, *np.shape(y)))", "buffer[0] = y", "buffer[1] += y * 2.0", "y = buffer"]


def _appended(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    return [], ["out = []", "for k in range(2):", *indent([*atom.lines, "out.append(y)"]), "y = out"]


def _in_dict(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    return [], ["out = {}", *atom.lines, "out['y'] = y", f"out['first'] = {names[0]}", "y = out"]


def _pair(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    return [], [*atom.lines, f"y = y, {names[-1]}"]


def _checkpoint(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    setup = ["@tg.checkpoint", f"def part({', '.join(names)}):", *indent([*atom.lines, "return y"])]
    return setup, [f"y = part({', '.join(names)})"]


def _scaled(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    """Operands that are computed first."""
    return [], [*(f"{n} = {n} * 1.0" for n in names), *atom.lines]


def _compiled(atom: Atom, names: list[str], rng: np.random.Generator) -> Framed:
    setup = [f"def part({', '.join(names)}):", *indent([*atom.lines, "return y"])]
    return setup, [f"y = tg.jvp(part, ({', '.join(names)},), ({', '.join(names)},))"]


FRAMES: dict[str, Callable[[Atom, list[str], np.random.Generator], Framed]] = {
    "plain": _plain, "loop": _loop, "while": _while, "branch": _branch, "early return": _early, "try": _try, "comprehension": _comprehension,
    "generator": _generator, "helper": _helper, "helper of a container": _container_helper, "inner function": _inner, "lambda": _lambda,
    "method": _method, "recursion": _recursion, "with": _with, "written into an array": _written, "appended": _appended, "in a dict": _in_dict,
    "pair": _pair, "checkpoint": _checkpoint, "computed operands": _scaled, "jvp inside": _compiled,
}


def frame(name: str, atom: Atom, rng: np.random.Generator) -> Framed:
    """Lines of the module and of the function."""
    return FRAMES[name](atom, [f"a{k}" for k in range(len(atom.operands))], rng)
