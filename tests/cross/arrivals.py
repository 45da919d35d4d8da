"""How operands arrive in a function: its parameters, the lines that read the operands from them, and the arguments of a call."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .operands import NotForThis

__all__ = ["ARRIVALS", "Arrival", "arrive"]

SETUP = '''@dataclasses.dataclass
class Params:
    a: object
    b: object = 1.0
    c: object = 1.0


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: object
    b: object = 1.0
    c: object = 1.0


class Tupled(typing.NamedTuple):
    a: object
    b: object = 1.0
    c: object = 1.0


class Box:
    def __init__(self, a, b=1.0, c=1.0):
        self.a, self.b, self.c = a, b, c


class Items(list):
    pass


class Table(dict):
    pass
'''


@dataclass
class Arrival:
    """Parameters, lines, arguments (positional and by keyword), and the positions or names that are differentiated."""

    parameters: str
    lines: list[str]
    args: list[str]
    kwargs: dict[str, str]
    wrt: str
    picked: list[int | str]
    setup: str = ""
    #: the arguments of the atom's call where they are not ``a0, a1, …``
    front: str = ""


def _names(n: int) -> list[str]:
    return [f"a{k}" for k in range(n)]


def _fields(n: int) -> list[str]:
    if n > 3:
        raise NotForThis
    return ["a", "b", "c"][:n]


def _numbers(picked: Sequence[int]) -> str:
    return f"argnums={tuple(picked)}" if len(picked) != 1 else f"argnums={picked[0]}" if picked[0] else ""


def _alone(texts: list[str], rng: np.random.Generator) -> Arrival:
    return Arrival(", ".join(_names(len(texts))), [], texts, {}, _numbers(range(len(texts))), list(range(len(texts))))


def _some(texts: list[str], rng: np.random.Generator) -> Arrival:
    k = int(rng.integers(len(texts)))
    if len(texts) < 2:
        raise NotForThis
    return Arrival(", ".join(_names(len(texts))), [], texts, {}, f"argnums={k}", [k])


def _keyword(texts: list[str], rng: np.random.Generator) -> Arrival:
    names = _names(len(texts))
    star = "*, " if rng.random() < 0.5 else ""
    return Arrival(star + ", ".join(names), [], [], dict(zip(names, texts)), f"argnames={tuple(names)}", list(names))


def _default(texts: list[str], rng: np.random.Generator) -> Arrival:
    names = _names(len(texts))
    if len(texts) < 2:
        raise NotForThis
    rest = ", ".join(f"{n}=D{k}" for k, n in enumerate(names) if k)
    return Arrival(f"a0, {rest}", [], texts[:1], {}, "", [0], "\n".join(f"D{k} = {t}" for k, t in enumerate(texts) if k))


def _global(texts: list[str], rng: np.random.Generator) -> Arrival:
    if len(texts) < 2:
        raise NotForThis
    lines = [f"a{k} = G{k}" for k in range(1, len(texts))]
    return Arrival("a0", lines, texts[:1], {}, "", [0], "\n".join(f"G{k} = {t}" for k, t in enumerate(texts) if k))


def _starred(texts: list[str], rng: np.random.Generator) -> Arrival:
    lines = [f"{', '.join(_names(len(texts)))}{',' * (len(texts) == 1)} = args"]
    return Arrival("*args", lines, texts, {}, _numbers(range(len(texts))), list(range(len(texts))), front="*args")


def _named(texts: list[str], rng: np.random.Generator) -> Arrival:
    names = _names(len(texts))
    return Arrival("**kw", [f"{n} = kw[{n!r}]" for n in names], [], dict(zip(names, texts)), f"argnames={tuple(names)}", list(names))


def _container(made: Callable[[list[str]], str], read: Callable[[int, int], str], setup: str = "", front: str = "", limit: bool = False) -> Callable[..., Arrival]:
    def arrival(texts: list[str], rng: np.random.Generator) -> Arrival:
        if limit:
            _fields(len(texts))
        lines = [f"a{k} = {read(k, len(texts))}" for k in range(len(texts))]
        return Arrival("p", lines, [made(texts)], {}, "", [0], setup, front)
    return arrival


def _joined(texts: list[str]) -> str:
    return ", ".join(texts)


def _unpacked(made: Callable[[list[str]], str]) -> Callable[..., Arrival]:
    def arrival(texts: list[str], rng: np.random.Generator) -> Arrival:
        return Arrival("p", [f"{', '.join(_names(len(texts)))}{',' * (len(texts) == 1)} = p"], [made(texts)], {}, "", [0], front="*p")
    return arrival


def _record(name: str, front: str = "") -> Callable[..., Arrival]:
    return _container(lambda t: f"{name}({_joined(t)})", lambda k, n: f"p.{'abc'[k]}", SETUP, front, True)


def _dict(t: list[str]) -> str:
    return "{" + ", ".join(f"{f!r}: {v}" for f, v in zip(_fields(len(t)), t)) + "}"


ARRIVALS: dict[str, Callable[[list[str], np.random.Generator], Arrival]] = {
    "alone": _alone, "some": _some, "by keyword": _keyword, "default": _default, "global": _global, "*args": _starred, "**kw": _named,
    "list": _container(lambda t: f"[{_joined(t)}]", lambda k, n: f"p[{k}]", front="*p"),
    "list, from behind": _container(lambda t: f"[{_joined(t)}]", lambda k, n: f"p[{k - n}]", front="*p"),
    "unpacked list": _unpacked(lambda t: f"[{_joined(t)}]"),
    "tuple": _container(lambda t: f"({_joined(t)},)", lambda k, n: f"p[{k}]", front="*p"),
    "unpacked tuple": _unpacked(lambda t: f"({_joined(t)},)"),
    "dict": _container(_dict, lambda k, n: f"p[{'abc'[k]!r}]", limit=True, front="*p.values()"),
    "dict of numbers": _container(lambda t: "{" + ", ".join(f"{k}: {v}" for k, v in enumerate(t)) + "}", lambda k, n: f"p[{k}]"),
    "dict, get": _container(_dict, lambda k, n: f"p.get({'abc'[k]!r})", limit=True),
    "OrderedDict": _container(lambda t: f"collections.OrderedDict({_dict(t)})", lambda k, n: f"p[{'abc'[k]!r}]", limit=True),
    "defaultdict": _container(lambda t: f"collections.defaultdict(float, {_dict(t)})", lambda k, n: f"p[{'abc'[k]!r}]", limit=True),
    "deque": _container(lambda t: f"collections.deque([{_joined(t)}])", lambda k, n: f"p[{k}]"),
    "subclass of list": _container(lambda t: f"Items([{_joined(t)}])", lambda k, n: f"p[{k}]", SETUP),
    "subclass of dict": _container(lambda t: f"Table({_dict(t)})", lambda k, n: f"p[{'abc'[k]!r}]", SETUP, limit=True),
    "dataclass": _record("Params"), "frozen dataclass": _record("Frozen"), "named tuple": _record("Tupled", "*p"), "object": _record("Box"),
    "nested": _container(lambda t: f"{{'u': [{t[0]}, ({_joined(t[1:])}{',' if len(t) == 2 else ''})], 'n': 'text'}}",
                         lambda k, n: "p['u'][0]" if not k else f"p['u'][1][{k - 1}]"),
    "list of dicts": _container(lambda t: "[" + ", ".join(f"{{'w': {v}}}" for v in t) + "]", lambda k, n: f"p[{k}]['w']"),
    "dict of dataclasses": _container(lambda t: "{" + ", ".join(f"'k{k}': Params({v})" for k, v in enumerate(t)) + "}",
                                      lambda k, n: f"p['k{k}'].a", SETUP),
    "dataclass of lists": _container(lambda t: f"Params([{_joined(t)}], 2.5, 'text')", lambda k, n: f"p.a[{k}]", SETUP),
    "same twice": _container(lambda t: f"({t[0]}, {_joined(t)})", lambda k, n: f"p[{k + 1}]"),
}


def arrive(name: str, texts: list[str], wanted: list[bool], rng: np.random.Generator) -> Arrival:
    """The arrival of a name; operands that are not differentiated stand beside the others."""
    if all(wanted):
        return ARRIVALS[name](texts, rng)
    if name not in ("alone", "by keyword"):
        raise NotForThis
    found = ARRIVALS[name](texts, rng)
    found.picked = [k for k, w in zip(found.picked, wanted) if w]
    found.wrt = _numbers([int(k) for k in found.picked]) if name == "alone" else f"argnames={tuple(found.picked)}"
    if not found.picked:
        raise NotForThis
    return found
