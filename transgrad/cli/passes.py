"""``transgrad passes``: list the pipelines, or show what each pass changes in one derivative."""
from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Iterator
from typing import Any

from ..ir.ops import Function
from ..passes.manager import Each, IfChanged, Pass, Step, With, observed
from ..passes.pipelines import pipelines
from ..passes.switches import NAMES

__all__ = ["Trace", "describe", "markdown", "trace"]


def describe() -> str:
    """Return the pipelines as plain text: one pass per line, with its switch."""
    lines = []
    for name, steps in pipelines().items():
        lines.append(f"{name}:")
        for depth, step, note in _flatten(steps):
            switch = f"  [{step.switch}]" if step.switch else ""
            lines.append(f"  {'  ' * depth}{step.name}{note}{switch}")
    return "\n".join(lines)


def _flatten(steps: tuple[Step, ...], depth: int = 0) -> Iterator[tuple[int, Pass, str]]:
    """Yield the passes of a pipeline with their depth and a note on when they run."""
    for step in steps:
        if isinstance(step, Pass):
            yield depth, step, ""
        elif isinstance(step, With):
            yield depth, step.step, _options(step.options)
        elif isinstance(step, IfChanged):
            yield depth, step.step, f"{_options(step.options)}, and if it changed the function:"
            yield from _flatten(step.then, depth + 1)
        else:
            assert isinstance(step, Each)
            for inner, found, note in _flatten(step.steps, depth):
                yield inner, found, f"{note}, on each function"


def _options(options: dict[str, Any]) -> str:
    plain = {k: v for k, v in options.items() if isinstance(v, bool)}
    return f" ({', '.join(f'{k}={v}' for k, v in plain.items())})" if plain else ""


def markdown() -> str:
    """Return the reference page of the passes and the optimization switches."""
    lines = ["# Passes", "", "The passes of the compiler, in the order in which they run. This page is generated from their declarations;",
             "`transgrad passes` prints the same list, and `transgrad passes TARGET` shows what each pass changes.", ""]
    for name, steps in pipelines().items():
        lines += [f"## {name[0].upper()}{name[1:]}", "", "| pass | switch | effect |", "|---|---|---|"]
        seen: set[str] = set()
        for _, step, note in _flatten(steps):
            again = step.name in seen
            seen.add(step.name)
            summary = "as above" if again else step.summary.replace("|", "\\|")
            lines.append(f"| `{step.name}`{note} | {f'`{step.switch}`' if step.switch else ''} | {summary} |")
        lines.append("")
    lines += ["## Switches", "", "`with transgrad.testing.switched_off(\"hoist\"): ...` compiles without an optimization.", "",
              "| switch | controls |", "|---|---|", *(f"| `{name}` | {what} |" for name, what in NAMES.items()), ""]
    return "\n".join(lines)


class Trace:
    """An observer that records the passes that change the printed IR, with a difference and the time since the previous pass."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, str, float, str]] = []
        self._last: dict[int, str] = {}
        self._time = time.perf_counter()

    def __call__(self, step: Pass, fn: Function) -> None:
        seconds = time.perf_counter() - self._time
        text = str(fn)
        before = self._last.get(id(fn))
        self._last[id(fn)] = text
        if before is None or before == text:
            difference = "" if before is not None else text
        else:
            difference = "\n".join(list(difflib.unified_diff(before.splitlines(), text.splitlines(), lineterm="", n=2))[2:])
        if difference:
            self.entries.append((step.name, fn.name, seconds, difference))
        self._time = time.perf_counter()


def trace(compile: Callable[[], Any]) -> str:
    """Return what each pass changes in the IR while ``compile`` runs, as unified differences."""
    recorded = Trace()
    with observed(recorded):
        compile()
    return "\n\n".join(f"== {name} on {fn} ({seconds * 1e3:.1f} ms)\n{difference}" for name, fn, seconds, difference in recorded.entries)
