"""Measures one workload: every derivative is checked against the one written by hand; groups of them are timed in turn."""
from __future__ import annotations

import dataclasses
import importlib.util
import time
from collections.abc import Callable
from typing import Any

from .timing import interleaved
from .tools import agree, by_hand, ours, with_autograd, with_casadi, with_jax, with_mygrad, with_torch
from .tools.twins import Left
from .workload import Rewritten, Workload, load

__all__ = ["PEERS", "TOOLS", "Row", "WrongDerivative", "measure"]

Prepare = Callable[[Workload, tuple[Any, ...]], Callable[[], Any]]

PEERS = ("jax", "torch", "autograd", "mygrad", "casadi")
#: how each is called where it is installed
_MODULES = {"numba primal": "numba", "numba hand": "numba", "numba ours": "numba", **{name: name for name in PEERS}}
#: a larger size is left out where it is to be expected that one call takes longer, in seconds
PATIENCE = 4.0


class WrongDerivative(AssertionError):
    """A derivative that is not the one written by hand."""


@dataclasses.dataclass
class Row:
    """What was found for one workload at one size; times are in seconds, ratios of medians of one run.

    ``first`` is what the first call took: where a tool compiles, that is what it takes.
    """

    workload: str
    size: str
    limit: str | None
    seconds: dict[str, float]
    ratios: dict[str, float]
    first: dict[str, float]
    left: dict[str, str]
    rewritten: list[str]


def _ours(workload: Workload, args: tuple[Any, ...], **options: Any) -> Callable[[], Any]:
    derivative = ours.derivative(workload, **options)
    return lambda: derivative(*args)


TOOLS: dict[str, Prepare] = {
    "primal": by_hand.primal, "hand": by_hand.with_numpy, "ours": _ours,
    "numba primal": by_hand.with_numba_primal, "numba hand": by_hand.with_numba,
    "numba ours": lambda workload, args: _ours(workload, args, backend="numba"),
    "jax": with_jax.prepare, "torch": with_torch.prepare, "autograd": with_autograd.prepare, "mygrad": with_mygrad.prepare,
    "casadi": with_casadi.prepare,
}
#: what is timed in turn, before what follows is made ready: other tools leave the heap in pieces, for which small arrays would pay
_GROUPS = (("primal", "hand", "ours"), ("numba primal", "numba hand", "numba ours"), PEERS)
#: which of them the other tools are compared with, once more
_BESIDE_PEERS = ("ours", "numba ours", "numba hand")
#: what is divided by what
_RATIOS = [("ours", "hand"), ("text", "hand"), ("ours", "primal"), ("hand", "primal"), ("numba ours", "numba hand"),
           ("numba text", "numba hand"), ("numba ours", "numba primal"), ("numba hand", "numba primal")]


def measure(name: str) -> list[Row]:
    """The rows of a workload, one a size.

    Raises
    ------
    WrongDerivative
        Where a tool's result differs from the one written by hand.
    """
    workload, rows = load(name), []
    for size in workload.sizes:
        rows.append(_row(name, workload, size, rows[-1] if rows else None))
    return rows


def _row(name: str, workload: Workload, size: str, before: Row | None) -> Row:
    args = workload.args(workload.sizes[size])
    expected = workload.by_hand(*args)
    calls = []
    for _ in range(3):
        start = time.process_time()
        workload.by_hand(*args)
        calls.append(time.process_time() - start)
    row = Row(name, size, workload.limit, {}, {}, {}, {}, [p for p in PEERS if isinstance(workload.peers.get(p), Rewritten)])
    made: dict[str, Callable[[], Any]] = {}
    for group in _GROUPS:
        thunks = {tool: made[tool] for tool in _BESIDE_PEERS if tool in made} if group is PEERS else {}
        for tool in group:
            reason = _absent(tool) or _hopeless(tool, before, min(calls))
            thunk = None if reason else _prepared(row, tool, workload, args, expected)
            if thunk is None:
                row.left.setdefault(tool, reason or "")
                continue
            thunks[tool] = made[tool] = thunk
            found = _text(workload, args, tool) if tool.endswith("ours") else None
            if found is not None:
                thunks[tool.replace("ours", "text")] = found
        timings = interleaved(thunks) if group is PEERS else interleaved(thunks, rounds=101, most=2.0)
        row.seconds.update({tool: timings.seconds(tool) for tool in thunks if tool not in row.seconds})
        if group is not PEERS:
            row.ratios.update({f"{a} / {b}": timings.ratio(a, b) for a, b in _RATIOS if a in thunks and b in thunks})
            continue
        best = min((t for t in ("ours", "numba ours") if t in thunks), key=timings.seconds)
        row.ratios.update({f"{peer} / best": timings.ratio(peer, best) for peer in [*PEERS, "numba hand"] if peer in thunks})
    return row


def _prepared(row: Row, tool: str, workload: Workload, args: tuple[Any, ...], expected: Any) -> Callable[[], Any] | None:
    """What calls the derivative by a tool; None where it has none, which the row then says."""
    start = time.process_time()
    try:
        thunk = TOOLS[tool](workload, args)
        out = thunk()
    except Left as why:
        row.left[tool] = str(why)
        return None
    except MemoryError:
        row.left[tool] = "it takes more than 8 GB"
        return None
    except Exception as error:
        if not tool.startswith("numba"):
            raise
        row.left[tool] = f"{type(error).__name__}: {str(error).splitlines()[0].split('File ')[0].strip()}"
        return None
    row.first[tool] = time.process_time() - start
    if "primal" not in tool and not agree(out, expected):
        raise WrongDerivative(f"{row.workload}, {row.size}: the derivative by {tool} is not the one written by hand")
    return thunk


def _text(workload: Workload, args: tuple[Any, ...], tool: str) -> Callable[[], Any] | None:
    derivative = ours.derivative(workload, **({"backend": "numba"} if tool == "numba ours" else {}))
    derivative(*args)
    text = ours.text_of(derivative)
    return None if text is None else lambda: text(*args)


def _absent(tool: str) -> str | None:
    module = _MODULES.get(tool)
    return f"{module} is not installed" if module and importlib.util.find_spec(module) is None else None


def _hopeless(tool: str, before: Row | None, hand: float) -> str | None:
    """Why a tool is not tried at this size: it may grow as the square of what it should."""
    if before is None or tool not in before.seconds:
        return before.left.get(tool) if before is not None and "longer than" in before.left.get(tool, "") else None
    growth = max(hand / before.seconds["hand"], 1.0)
    compiling = before.first[tool] * growth if tool == "casadi" else 0.0
    if max(before.seconds[tool] * growth ** 2, compiling) > PATIENCE and before.seconds[tool] > 20 * before.seconds["hand"]:
        return f"a call may take longer than {PATIENCE:.0f} s"
    return None
