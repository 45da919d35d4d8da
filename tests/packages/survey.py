"""Differentiates functions of published packages and prints what compiles: ``python -m tests.packages.survey``.

The packages are those of the optional extra ``survey``; functions of packages that are not installed are left out.
"""
from __future__ import annotations

import argparse
import copy
import importlib
import linecache
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import transgrad as tg
from tests import oracles
from transgrad import progress
from transgrad.errors import TransgradError

from .entries import ENTRIES, Entry
from .limits import TooSlow, limited

__all__ = ["Verdict", "absent", "expected", "number", "survey"]


@dataclass(frozen=True)
class Verdict:
    """'right', 'taped' (the compiler refuses it, and it is right on the tape), 'wrong', 'refused', 'crashed' or 'unfit' (the oracle
    itself is not sure), with the reason."""

    kind: str
    reason: str = ""


def absent(entry: Entry) -> bool:
    """Whether the entry's package is not installed."""
    try:
        importlib.import_module(entry.target.partition(":")[0])
    except ImportError:
        return True
    return False


def number(entry: Entry) -> Callable[..., Any]:
    """A function of the entry's arguments that calls it and reduces the result to one number."""
    module = importlib.import_module(entry.target.partition(":")[0])
    target = eval(_compiled(entry.name, f"<target {entry.target}>", "eval"), vars(module))
    params = ", ".join(f"a{k}" for k in range(len(entry.args)))
    source = f"def number({params}):\n    r = target({params})\n    return {entry.reduce}\n"
    space: dict[str, Any] = {"np": np, "target": target}
    exec(_compiled(source, f"<survey {entry.target}>", "exec"), space)
    return space["number"]  # type: ignore[no-any-return]


def _compiled(text: str, filename: str, mode: str) -> Any:
    """The code of a text, which is found where it is looked for."""
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    return compile(text, filename, mode)


def expected(entry: Entry) -> tuple[oracles.Problem, np.ndarray, float]:
    """The problem, its gradient by differences, and the estimated error of that."""
    problem = oracles.Problem(number(entry), entry.args, entry.wrt)
    g, error = oracles.gradient(problem, problem.x, entry.step)
    return problem, g, error


def survey(entry: Entry, seconds: int = 30) -> Verdict:
    """Tries one function in reverse mode: compiled, and where that is refused on the tape."""
    try:
        with limited(seconds), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            problem, want, error = expected(entry)
            if not np.all(np.isfinite(want)) or error > 1e-4 * max(1.0, float(np.max(np.abs(want)))):
                return Verdict("unfit", f"differences do not converge ({error:.0e})")
            derivative, refusal = tg.grad(number(entry), argnums=entry.wrt, fallback="error"), ""
            try:
                got = [derivative(*copy.deepcopy(entry.args))]
            except TransgradError as exc:
                refusal = _said(exc)
                derivative = tg.grad(number(entry), argnums=entry.wrt)
                got = [derivative(*copy.deepcopy(entry.args)) for _ in range(2)]     # as a whole, and around what is refused
        for g in got:
            oracles.assert_close(g, want, problem.point, rtol=1e-6, error=error)
        return Verdict("taped", refusal) if refusal else Verdict("right")
    except TransgradError as exc:
        return Verdict("refused", _said(exc))
    except AssertionError as exc:
        return Verdict("wrong", " ".join(str(exc).split())[:200])
    except (Exception, TooSlow) as exc:
        frames = [f for f in traceback.extract_tb(exc.__traceback__) if "/transgrad/" in f.filename]
        where = f"{frames[-1].filename.rpartition('/transgrad/')[2]}:{frames[-1].lineno} " if frames else ""
        return Verdict("crashed", f"{where}{type(exc).__name__}: {' '.join(str(exc).split())[:150]}")


def _said(refusal: TransgradError) -> str:
    return refusal.reason + (f" `{refusal.loc.text.strip()}`" if refusal.loc and refusal.loc.text else "")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the survey, with a progress bar if the error stream is a terminal, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m tests.packages.survey", description=__doc__)
    parser.add_argument("match", nargs="*", help="parts of the names to try")
    options = parser.parse_args(argv)
    counts: Counter[str] = Counter()
    packages: dict[str, Counter[str]] = {}
    print("| package | function | verdict | reason |\n|---|---|---|---|")
    chosen = [entry for entry in ENTRIES if not options.match or any(m in entry.target for m in options.match)]
    with progress.shown():
        for entry in progress.tracked(chosen, "survey"):
            if absent(entry):
                continue
            verdict = survey(entry)
            counts[verdict.kind] += 1
            packages.setdefault(entry.package, Counter())[verdict.kind] += 1
            print(f"| {entry.package} | `{entry.name}` | {verdict.kind} | {verdict.reason.replace('|', '/')} |", flush=True)
    total = sum(counts.values())
    print(f"\n{total} functions of {len(packages)} packages: " + ", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
