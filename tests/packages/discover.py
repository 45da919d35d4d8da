"""Finds functions of installed packages that compute numbers from numbers, and arguments that they accept.

Nobody chooses the functions or writes their arguments: a package is imported, its public functions, and its classes with their methods, are
called with numbers, vectors and matrices until one combination gives a finite result that depends on the arguments. The longest functions,
those with loops, with assignments to items and with classes come first.
"""
from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import io
import itertools
import pkgutil
import textwrap
import time
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .entry import Entry, entry
from .limits import TooSlow, limited

__all__ = ["discover"]

_SECONDS = 3
_SKIPPED = ("test", "conftest", "example", "plot", "cli", "__main__", "setup", "gui", "demo", "bench", "_version", "datasets", "download")
_WHOLE = ("n", "k", "m", "order", "num", "size", "degree", "deg", "nbins", "bins", "steps", "iterations", "n_iter", "maxiter", "axis", "dim",
          "window", "lag", "seed", "length", "count", "level", "index", "idx", "month", "day", "year", "doy")
_RNG = np.random.default_rng(5)
_NUMBERS = (0.7, 1.3, 0.4, 2.1, 0.9, 1.7, 0.6, 1.1, 0.3, 1.9)
_VECTOR = np.array([0.8, 1.4, 0.5, 2.2, 1.1, 1.6, 0.9, 1.3])
_POINTS = _RNG.uniform(0.2, 2.0, size=(9, 6, 3))
_NOISE = 0.1 * _RNG.normal(size=(9, 3, 3))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(
            io.StringIO()):
        warnings.simplefilter("ignore")
        yield


@dataclass(frozen=True)
class _Candidate:
    """An expression of a module's names that is called: a function, or a lambda that makes an instance and calls a method.

    ``names`` are those of its arguments.
    """

    module: str
    target: str
    names: tuple[str, ...]
    score: int


def discover(package: str, count: int, seconds: int = 240) -> list[Entry]:
    """Entries for at most ``count`` functions of a package, from at most ``seconds`` of calls."""
    found: list[Entry] = []
    end = time.monotonic() + seconds
    by_target = {c.target: c for c in _candidates(package)}     # a name that several modules have, once
    for candidate in sorted(by_target.values(), key=lambda c: (-c.score, c.target)):
        if len(found) >= count or time.monotonic() > end:
            break
        made = _accepted(candidate)
        if made is not None:
            found.append(made)
    return found


def _candidates(package: str) -> Iterator[_Candidate]:
    with _quiet():
        try:
            with limited(30):
                top = importlib.import_module(package)
        except BaseException:
            return
        modules = [top]
        for info in itertools.islice(pkgutil.walk_packages(getattr(top, "__path__", []), f"{package}.", onerror=lambda _: None), 300):
            if any(part in info.name.lower() for part in _SKIPPED):
                continue
            with contextlib.suppress(BaseException), limited(20):
                modules.append(importlib.import_module(info.name))
    for module in modules:
        for name, obj in sorted(vars(module).items()):
            if name.startswith("_") or getattr(obj, "__module__", None) != module.__name__:
                continue
            if isinstance(obj, types.FunctionType):
                yield from _of_function(module.__name__, name, obj)
            elif isinstance(obj, type):
                yield from _of_class(module.__name__, name, obj)


def _of_function(module: str, name: str, f: Any) -> Iterator[_Candidate]:
    names, score = _required(f), _score(f)
    if names and score:
        yield _Candidate(module, name, names, score)


def _of_class(module: str, name: str, cls: type) -> Iterator[_Candidate]:
    given = _required(cls)
    if given is None or len(given) > 6:
        return
    for method, f in sorted(vars(cls).items()):
        if method.startswith("_") or not isinstance(f, types.FunctionType):
            continue
        names, score = _required(f, skip=1), _score(f)
        if names is None or not score or not (given or names):
            continue
        every = tuple(f"i{k}" for k in range(len(given))), tuple(f"m{k}" for k in range(len(names)))
        text = f"lambda {', '.join((*every[0], *every[1]))}: {name}({', '.join(every[0])}).{method}({', '.join(every[1])})"
        yield _Candidate(module, text, (*given, *names), score + 30)


def _required(f: Any, skip: int = 0) -> tuple[str, ...] | None:
    """The names of parameters without defaults; None where they cannot be given by position."""
    try:
        parameters = list(inspect.signature(f).parameters.values())[skip:]
    except (TypeError, ValueError):
        return None
    needed = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    if any(p.kind in (p.VAR_POSITIONAL, p.KEYWORD_ONLY) for p in needed) or len(needed) > 9:
        return None
    return tuple(p.name for p in needed)


def _score(f: Any) -> int:
    """How much there is to differentiate: lines, loops and assignments to items; 0 for what is too short, too long or a generator."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(f)))
    except (OSError, TypeError, SyntaxError):
        return 0
    nodes = list(ast.walk(tree))
    lines = {n.lineno for n in nodes if isinstance(n, ast.stmt) and not isinstance(getattr(n, "value", None), ast.Constant)}
    if not 3 <= len(lines) <= 150 or any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in nodes):
        return 0
    if not any(isinstance(n, (ast.BinOp, ast.AugAssign)) for n in nodes):
        return 0
    loops = sum(isinstance(n, (ast.For, ast.While, ast.comprehension)) for n in nodes)
    writes = sum(isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) for n in nodes)
    return len(lines) + 10 * loops + 10 * writes


def _combinations(names: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """Arguments to try: numbers, vectors, vectors first, points, matrices; a whole number where a name asks for one."""
    def filled(kinds: list[Any]) -> tuple[Any, ...]:
        return tuple(3 if name.lower() in _WHOLE else kind(k) for k, (name, kind) in enumerate(zip(names, kinds)))

    def number(k: int) -> float:
        return _NUMBERS[k % len(_NUMBERS)]

    def vector(k: int) -> Any:
        return np.roll(_VECTOR, k) * (1.0 + 0.1 * k)

    def three(k: int) -> Any:
        return np.array([0.3, 0.5, 0.7]) + 0.1 * k

    def points(k: int) -> Any:
        return _POINTS[k % 9].copy()

    def square(k: int) -> Any:
        return np.eye(3) * (2.0 + 0.1 * k) + _NOISE[k % 9] + _NOISE[k % 9].T

    n = len(names)
    yield filled([number] * n)
    yield filled([vector] * n)
    for k in range(1, min(n, 3)):
        yield filled([vector] * k + [number] * (n - k))
    yield filled([three] * n)
    for k in range(1, min(n, 3)):
        yield filled([three] * k + [number] * (n - k))
    yield filled([points] * n)
    yield filled([points] + [number] * (n - 1))
    yield filled([square] * n)
    yield filled([square] + [three] * (n - 1))


def _accepted(candidate: _Candidate) -> Entry | None:
    """The first combination of arguments with a finite result that depends on them."""
    module = importlib.import_module(candidate.module)
    with _quiet():
        try:
            target = eval(candidate.target, vars(module))
        except Exception:
            return None
        for args in _combinations(candidate.names):
            if not any(isinstance(a, (float, np.ndarray)) for a in args):
                return None
            try:
                with limited(_SECONDS):
                    reduce = _reduction(target(*_copied(args)))
                    if reduce is None:
                        continue
                    value, moved, again = (eval(reduce, {"np": np, "r": target(*_copied(args, scale))}) for scale in (1.0, 1.0 + 1e-3, 1.0))
            except (Exception, SystemExit, TooSlow):
                continue
            if type(value) in (float, np.float64) and np.isfinite(value) and np.isfinite(moved) and value != moved and again == value:
                return entry(f"{candidate.module}:{candidate.target}", *args, reduce=reduce)
    return None


def _copied(args: tuple[Any, ...], scale: float = 1.0) -> list[Any]:
    return [a if isinstance(a, int) else a * scale for a in args]


def _reduction(result: Any) -> str | None:
    """An expression that makes one number of a result r; None where it holds no real number."""
    def is_number(x: Any) -> bool:
        return isinstance(x, (float, np.floating)) or isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.size > 0
    if isinstance(result, (float, np.floating)):
        return "r"
    if is_number(result):
        return "np.sum(r)"
    if isinstance(result, (tuple, list)) and 0 < len(result) <= 12:
        terms = [f"np.sum(r[{k}])" for k, x in enumerate(result) if is_number(x)]
        return " + ".join(terms) or None
    return None
