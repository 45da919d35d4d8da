"""Observe a function line by line: counts, time, memory and assigned values."""
from __future__ import annotations

import ast
import sys
import time
import tracemalloc
import types
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Fact", "assigned_names", "bytes_of", "described", "observe", "profiled", "read_names"]


@dataclass
class Fact:
    """Observations of one line.

    Attributes
    ----------
    count : int
        How often the line ran.
    seconds : float
        The time it took, including calls.
    memory : int
        The largest increase of memory in one execution, in bytes.
    values : dict of str to str
        The variables that it assigns, with their last values.
    """

    count: int = 0
    seconds: float = 0.0
    memory: int = 0
    values: dict[str, str] = field(default_factory=dict)


def assigned_names(source: str, first: int = 1) -> dict[int, list[str]]:
    """Return the variables that each line of a source assigns or changes; ``first`` is the number of its first line."""
    found: dict[int, dict[str, None]] = {}
    for node in ast.walk(ast.parse(source)):
        target = node.target if isinstance(node, ast.AugAssign) else node
        while isinstance(target, (ast.Subscript, ast.Attribute)) and isinstance(target.ctx, ast.Store):
            target = target.value
        if isinstance(target, ast.Name) and (isinstance(target.ctx, ast.Store) or target is not node):
            found.setdefault(node.lineno + first - 1, {})[target.id] = None  # type: ignore[attr-defined]
    return {line: list(names) for line, names in found.items()}


def read_names(source: str, start: int) -> set[str]:
    """Return the names that a source reads from a line on before it assigns them."""
    first: dict[str, tuple[int, bool]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and node.lineno >= start:
            key = node.lineno, isinstance(node.ctx, ast.Store) and node.id not in _read_in_line(source, node.lineno)
            first[node.id] = min(first.get(node.id, key), key)
    return {name for name, (_, stores) in first.items() if not stores}


def _read_in_line(source: str, line: int) -> set[str]:
    """Return the names that a line reads; a loop assigns its variables before its body reads them."""
    text = source.splitlines()[line - 1].strip()
    try:
        tree = ast.parse(f"{text} pass" if text.endswith(":") else text)
    except SyntaxError:
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def observe(call: Callable[[], Any], lines: Mapping[str, Mapping[int, Collection[str]]], memory: bool = False,
            stop: tuple[str, int] | None = None) -> tuple[dict[str, dict[int, Fact]], dict[str, Any]]:
    """Call a function and observe the lines that run in given files.

    Parameters
    ----------
    call : callable
        The function to call.
    lines : mapping
        For each file, the variables that its lines assign.
    memory : bool
        Whether to measure memory, which takes longer.
    stop : (str, int), optional
        A file and a line; the variables of the frame that first reaches it, or a line after it, are returned.

    Returns
    -------
    facts, variables
    """
    facts: dict[str, dict[int, Fact]] = {file: {} for file in lines}
    kept: dict[str, Any] = {}
    clock = time.perf_counter

    def local(frame: types.FrameType) -> Callable[..., Any]:
        file = frame.f_code.co_filename
        own, assigned = facts[file], lines[file]
        last: list[Any] = [0, 0.0, 0]

        def finish(now: float) -> None:
            line, start, before = last
            if not line:
                return
            fact = own.setdefault(line, Fact())
            fact.count += 1
            fact.seconds += now - start
            if memory:
                fact.memory = max(fact.memory, tracemalloc.get_traced_memory()[1] - before)
            held = frame.f_locals
            for name in assigned.get(line, ()):
                if name in held:
                    fact.values[name] = described(held[name])

        def trace(frame: types.FrameType, event: str, arg: Any) -> Callable[..., Any]:
            finish(clock())
            if event == "line":
                if stop is not None and not kept and file == stop[0] and frame.f_lineno >= stop[1]:
                    kept.update(frame.f_locals)
                if memory:
                    tracemalloc.reset_peak()
                last[:] = frame.f_lineno, clock(), tracemalloc.get_traced_memory()[0] if memory else 0
            else:
                last[0] = 0
            return trace
        return trace

    def start(frame: types.FrameType, event: str, arg: Any) -> Callable[..., Any] | None:
        return local(frame) if frame.f_code.co_filename in facts else None

    before = sys.gettrace()
    if memory:
        tracemalloc.start()
    sys.settrace(start)
    try:
        call()
    finally:
        sys.settrace(before)
        if memory:
            tracemalloc.stop()
    return facts, kept


def profiled(call: Callable[[], Any], lines: Mapping[str, Mapping[int, Collection[str]]], runs: int = 3) -> dict[str, dict[int, Fact]]:
    """Return the time of each line, the minimum of several runs, and its memory, from a separate run."""
    found, _ = observe(call, lines, memory=True)
    for k in range(runs):
        timed, _ = observe(call, lines)
        for file, facts in timed.items():
            for line, fact in facts.items():
                known = found[file].setdefault(line, fact)
                known.seconds = min(known.seconds, fact.seconds) if k else fact.seconds
    return found


def described(x: Any) -> str:
    """Describe a value in a few words: its type, and its shape or number."""
    if isinstance(x, np.ndarray):
        shape = " × ".join(map(str, x.shape)) or "no dimensions"
        if x.size and x.dtype.kind in "iuf" and x.size <= 1 << 20:
            return f"{x.dtype} [{shape}], {np.min(x):.4g} … {np.max(x):.4g}"
        return f"{x.dtype} [{shape}]"
    if isinstance(x, (bool, int, str, type(None))):
        return f"{type(x).__name__} {x!r:.40}"
    if isinstance(x, (float, complex, np.generic)):
        return f"{type(x).__name__} {x:.6g}" if not isinstance(x, np.generic) or x.dtype.kind in "fciu" else f"{type(x).__name__} {x}"
    if isinstance(x, (list, tuple, dict, set)):
        return f"{type(x).__name__} of {len(x)}"
    return type(x).__name__


def bytes_of(x: Any, seen: set[int] | None = None) -> int:
    """Return the size of a value in bytes; shared arrays and containers count once."""
    seen = set() if seen is None else seen
    if id(x) in seen:
        return 0
    seen.add(id(x))
    if isinstance(x, np.ndarray):
        return x.nbytes if x.base is None or not isinstance(x.base, np.ndarray) else bytes_of(x.base, seen)
    if isinstance(x, (list, tuple)):
        return sys.getsizeof(x) + sum(bytes_of(item, seen) for item in x)
    return sys.getsizeof(x)
