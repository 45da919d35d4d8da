"""Programs: an atom, an arrival, a kind of operands, a frame and a state, as source text that is loaded and run."""
from __future__ import annotations

import copy
import itertools
import linecache
import sys
import types
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .arrivals import ARRIVALS, arrive
from .atoms import Atom
from .frames import FRAMES, frame
from .operands import KINDS, NotForThis, sources
from .trees import children, is_number

__all__ = ["Choice", "Program", "choose", "make"]

HEADER = """import cmath, collections, contextlib, copy, dataclasses, enum, functools, itertools, math, operator, statistics, types, typing
import numpy as np
import scipy, scipy.fft, scipy.fftpack, scipy.integrate, scipy.interpolate, scipy.linalg, scipy.ndimage, scipy.optimize, scipy.signal
import scipy.spatial, scipy.special, scipy.stats
import transgrad as tg
"""
SHORT = HEADER.replace("import scipy, scipy.fft, scipy.fftpack, scipy.integrate, scipy.interpolate, scipy.linalg, scipy.ndimage, scipy.optimize, scipy.signal\n"
                       "import scipy.spatial, scipy.special, scipy.stats\n", "")
_count = itertools.count()

#: State outside of the function: how it is set up, read and changed.
STATES: dict[str, tuple[str, str, str]] = {
    "number": ("K = 1.5", "K", "K = -0.5"),
    "number to array": ("K = 1.5", "K", "K = np.array([0.5])"),
    "number to int": ("K = 1.5", "K", "K = 2"),
    "float to NumPy number": ("K = 1.5", "K", "K = np.float32(0.5)"),
    "array": ("K = np.array([1.5])", "K", "K[0] = -0.5"),
    "item": ("K = [1.5, 2.0]", "K[0]", "K[0] = -0.5"),
    "entry": ("K = {'k': 1.5}", "K['k']", "K['k'] = -0.5"),
    "class attribute": ("class K:\n    k = 1.5", "K.k", "K.k = -0.5"),
    "attribute": ("K = types.SimpleNamespace(k=1.5)", "K.k", "K.k = -0.5"),
    "inherited": ("class Base:\n    k = 1.5\n\n\nclass K(Base):\n    pass", "K.k", "K.k = -0.5"),
    "function": ("def K(): return 1.5", "K()", "def K(): return -0.5"),
    "default": ("def K(k=1.5): return k", "K()", "K.__defaults__ = (-0.5,)"),
    "code": ("def K(): return 1.5\n\n\ndef L(): return -0.5", "K()", "K.__code__ = L.__code__"),
    "keyword default": ("def K(*, k=1.5): return k", "K()", "K.__kwdefaults__['k'] = -0.5"),
    "closure": ("def cell():\n    k = 1.5\n\n    def put(v):\n        nonlocal k\n        k = v\n    return (lambda: k), put\n\n\nK, put = cell()",
                "K()", "put(-0.5)"),
    "method": ("class K:\n    def k(self): return 1.5", "K().k()", "K.k = lambda self: -0.5"),
    "branch": ("K = True", "(1.5 if K else -0.5)", "K = False"),
    "string": ("K = 'u'", "{'u': 1.5, 'v': -0.5}[K]", "K = 'v'"),
    "length": ("K = [1.5, 1.0]", "sum(K)", "K.append(2.0)"),
    "tuple": ("K = (1.5, 2.0)", "K[0]", "K = (-0.5,)"),
    "None": ("K = None", "(1.5 if K is None else K)", "K = -0.5"),
}


@dataclass(frozen=True)
class Choice:
    """What makes a program."""

    atom: Atom
    arrival: str
    kind: str
    frame: str
    state: str = ""
    before: str = ""
    loss: str = "weights"

    def __str__(self) -> str:
        parts = [self.atom.name, f"operands {self.kind}", f"arriving {self.arrival}", f"in {self.frame}"]
        if self.state:
            parts.append(f"after the {self.state} has changed")
        if self.before:
            parts.append(f"after operands {self.before}")
        return " · ".join(parts)


def choose(atom: Atom, rng: np.random.Generator) -> Choice:
    """A choice at random; half of the programs are plain in each respect, lest failures hide one another."""
    def draw(names: Sequence[str], plain: float) -> str:
        first, *rest = names
        return first if rng.random() < plain else str(rng.choice(rest))
    kinds = ["plain", *(k for k in KINDS if k not in ("plain", "int")), "int beside", "mixed", "one float32", "one number"]
    later = rng.random()
    return Choice(atom, draw([*ARRIVALS], 0.25), draw(kinds, 0.35), draw([*FRAMES], 0.5),
                  str(rng.choice([*STATES])) if later < 0.1 else "", str(rng.choice(kinds)) if later > 0.8 else "",
                  str(rng.choice(["weights", "sum", "square", "mean", "own"])))


@dataclass
class Program:
    """A loaded program.

    Attributes
    ----------
    text : str
        The module: the functions ``f`` (the results of the atom) and ``loss`` (one real number).
    picked : list
        The positions or names of the arguments that are differentiated.
    """

    choice: Choice
    text: str
    call: str
    wrt: str
    picked: list[int | str]
    space: dict[str, Any]
    change: str
    before: str
    single: bool = True
    weights: list[Any] = field(default_factory=list)

    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """New arguments of a call."""
        return self.evaluate(self.call)

    def evaluate(self, call: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments that the source of a call stands for."""
        space = {**self.space, "_take": lambda *args, **kwargs: (args, kwargs)}
        return eval(f"_take({call})", space)

    def inputs(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The differentiated ones among arguments."""
        return tuple(args[k] if isinstance(k, int) else kwargs[k] for k in self.picked)

    def at(self, inputs: Sequence[Any], name: str) -> Any:
        """Runs a function of the program with these inputs, and the other arguments as in the call."""
        args, kwargs = self.arguments()
        full = list(args)
        for k, v in zip(self.picked, inputs):
            if isinstance(k, int):
                full[k] = copy.deepcopy(v)
            else:
                kwargs[k] = copy.deepcopy(v)
        with np.errstate(all="ignore"):
            return self.space[name](*full, **kwargs)

    def forget(self) -> None:
        """Removes the program from what Python knows."""
        linecache.cache.pop(self.space["__file__"], None)
        sys.modules.pop(self.space["__name__"], None)


def _load(text: str) -> dict[str, Any]:
    n = next(_count)
    module = types.ModuleType(f"cross_{n}")
    file = f"<cross {n}>"
    module.__file__ = file
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    sys.modules[module.__name__] = module
    exec(compile(text, file, "exec"), module.__dict__)
    return module.__dict__


def _loss(y: Any, form: str, rng: np.random.Generator, weights: list[str]) -> str | None:
    """One real number from the results."""
    terms: list[str] = []

    def walk(part: str, value: Any) -> None:
        parts = children(value)
        if parts is not None:
            for key, v in parts:
                walk(part + key, v)
        elif is_number(value):
            real = f"np.real({part})" if np.iscomplexobj(value) else part
            if form == "own" and not np.ndim(value) and not np.iscomplexobj(value):
                terms.append(part)
            elif form in ("sum", "own"):
                terms.append(f"np.sum({real})")
            elif form == "square":
                terms.append(f"np.sum(np.abs({part}) ** 2)" if np.iscomplexobj(value) else f"np.sum({part} ** 2)")
            elif form == "mean" and np.size(value):
                terms.append(f"np.mean({real})")
            else:
                values = np.round(rng.uniform(0.5, 1.5, np.shape(value)) * rng.choice([-1.0, 1.0], np.shape(value)), 3)
                weights.append(f"W{len(weights)} = np.array({values.tolist()}).reshape({np.shape(value)})")
                terms.append(f"np.sum(W{len(weights) - 1} * {real})")

    walk("y", y)
    return " + ".join(terms) if terms else None


def make(choice: Choice, seed: Sequence[int]) -> Program:
    """The program of a choice; `NotForThis` where it does not run."""
    rng = np.random.default_rng([*seed, 1])
    atom = choice.atom
    texts, wanted = sources(atom.operands, choice.kind, rng)
    arrival = arrive(choice.arrival, texts, wanted, rng)
    before = ""
    if choice.before:
        others, more = sources(atom.operands, choice.before, rng)
        if more != wanted:
            raise NotForThis
        earlier = arrive(choice.arrival, others, more, rng)
        before = ", ".join([*earlier.args, *(f"{k}={v}" for k, v in earlier.kwargs.items())])
    if arrival.front and atom.call is not None and choice.frame == "plain" and rng.random() < 0.5:
        name, rest = atom.call
        body: list[str] = [f"y = {name}({arrival.front}{', ' if rest else ''}{rest})"]
        module: list[str] = []
    else:
        module, lines = frame(choice.frame, atom, rng)
        body = [*arrival.lines, *lines]
    setup, change = [*atom.setup, arrival.setup], ""
    if choice.state:
        first, read, change = STATES[choice.state]
        setup.append(first)
        if arrival.lines or choice.arrival in ("alone", "some", "by keyword", "default"):
            body.insert(len(arrival.lines) if body[:len(arrival.lines)] == arrival.lines else 0, f"a0 = a0 * {read}" if not isinstance(
                atom.operands[0], (list, tuple)) else f"a0 = [t * {read} for t in a0]")
            if body[1:] and "*p" in body[-1]:
                raise NotForThis
        else:
            raise NotForThis
    head = f"def NAME({arrival.parameters}):"
    text = "\n\n".join(["\n".join(filter(None, [*setup, *module])),
                        "\n".join([head.replace("NAME", "f"), *("    " + line for line in body), "    return y"])])
    header = HEADER if "scipy" in text else SHORT
    call = ", ".join([*arrival.args, *(f"{k}={v}" for k, v in arrival.kwargs.items())])
    program = Program(choice, header + "\n\n" + text, call, arrival.wrt, arrival.picked, {}, change, before)
    program.single = len(arrival.picked) == 1 and "(" not in arrival.wrt
    try:
        program.space = _load(program.text)
        args, kwargs = program.arguments()
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = program.space["f"](*args, **kwargs)
    except Exception as error:
        if program.space:
            program.forget()
        raise NotForThis(f"{type(error).__name__}: {error}") from None
    weights: list[str] = []
    result = _loss(y, choice.loss, rng, weights)
    if result is None:
        program.forget()
        raise NotForThis("no numbers in the result")
    loss = "\n".join([*weights, "", head.replace("NAME", "loss"), *("    " + line for line in body), f"    return {result}"])
    program.forget()
    program.text = header + "\n\n" + text + "\n\n" + loss
    program.space = _load(program.text)
    return program
