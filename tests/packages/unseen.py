"""Differentiates functions that `discover` finds in installed packages: ``python -m tests.packages.unseen PACKAGE ... [-o REPORT]``.

Each package is tried in a process of its own. The oracle is finite differences with an error estimate, as in `survey`. The report is a
table in Markdown, to which the packages are added.
"""
from __future__ import annotations

import argparse
import multiprocessing
import os
import queue as queue_module
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from .entry import Entry
from .survey import Verdict, expected, number, survey

__all__ = ["main"]


def _try(package: str, count: int, queue: Any) -> None:
    os.environ.setdefault("MPLBACKEND", "Agg")
    from .discover import discover
    for made in discover(package, count):
        verdict = survey(made, 40)
        if verdict.kind == "wrong" and _has_kink(made):
            verdict = Verdict("unfit", "differences from the left and from the right differ")
        queue.put((made.target, verdict.kind, verdict.reason))
    queue.put(None)


def _has_kink(made: Entry) -> bool:
    """Whether differences to one side differ from those to the other, or small steps from larger ones, as on a staircase."""
    f, h = number(made), 1e-6
    wide = iter(np.atleast_1d(expected(made)[1]))
    with np.errstate(all="ignore"):
        at = f(*made.args)
        for k in made.wrt:
            for place in np.ndindex(np.shape(made.args[k])):
                slopes = [next(wide)]
                for step in (-h, -3 * h, h, 3 * h):
                    x = np.array(made.args[k])
                    x[place] += step
                    args = (*made.args[:k], x if isinstance(made.args[k], np.ndarray) else float(x), *made.args[k + 1:])
                    slopes.append((f(*args) - at) / step)
                if np.ptp(slopes) > 1e-3 * max(1.0, float(np.max(np.abs(slopes)))):
                    return True
    return False


def _results(package: str, count: int, seconds: int) -> list[tuple[str, str, str]]:
    queue: Any = multiprocessing.Queue()
    process = multiprocessing.Process(target=_try, args=(package, count, queue), daemon=True)
    process.start()
    found = []
    try:
        while (item := queue.get(timeout=seconds)) is not None:
            found.append(item)
    except queue_module.Empty:
        found.append((f"{package}:", "crashed" if not process.is_alive() else "unfit", "the process ended, or took too long"))
    process.kill()
    return found


def _row(target: str, kind: str, reason: str) -> str:
    module, _, name = target.partition(":")
    clean = " ".join(reason.replace("|", "/").split())
    return f"| {module.partition('.')[0]} | `{name}` | {kind} | {clean} |"


def main() -> int:
    """Try the packages that are named; exit status 1 if a derivative is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.packages.unseen", description=__doc__)
    parser.add_argument("packages", nargs="+", help="names of modules to import")
    parser.add_argument("--count", type=int, default=8, help="functions of a package (default: 8)")
    parser.add_argument("--seconds", type=int, default=300, help="how long to wait for one function (default: 300)")
    parser.add_argument("-o", "--output", type=Path, help="the report to append to")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for package in options.packages:
        rows = _results(package, options.count, options.seconds)
        counts.update(kind for _, kind, _ in rows)
        for row in (_row(*r) for r in rows):
            print(row, flush=True)
            if options.output is not None:
                with options.output.open("a", encoding="utf-8") as file:
                    file.write(row + "\n")
    print(f"\n{sum(counts.values())} functions of {len(options.packages)} packages: " + ", ".join(f"{n} {k}" for k, n in counts.most_common()))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
