"""Record which functions, and which of their keywords, have each kind of derivative.

``python -m tests.rules.compatibility`` runs the cases of every rule and writes a JSON file, from which the documentation
makes the compatibility tables of NumPy and SciPy.  A cell counts the cases that passed and those that were refused with a
documented error.  Any other outcome is a failure, which the file also records.
"""
from __future__ import annotations

import argparse
import collections
import importlib.metadata
import json
import pathlib
import re
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import transgrad as tg
from transgrad.comparison import NothingCompared
from transgrad.errors import TransgradError
from transgrad.rules.advice import name_of
from transgrad.testing import _dot as dot
from transgrad.testing import _random_like as random_like

from .cases import FAMILIES, Case
from .checks import NotForThis, _real_problem, compiled, quiet, second_order, tape
from .draws import drawn

PATH = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference" / "compatibility.json"


def versions() -> str:
    """The versions that a table is about."""
    python = ".".join(map(str, sys.version_info[:2]))
    return f"Python {python}, NumPy {importlib.metadata.version('numpy')} and SciPy {importlib.metadata.version('scipy')}"


def one_name(name: str) -> str:
    """The name of a method of a distribution, the same for all distributions."""
    return re.sub(r"^scipy\.stats\.[a-z][a-z0-9_]*\.", "scipy.stats.‹distribution›.", name)


@quiet
def forward(case: Case) -> None:
    """Compare the compiled tangent with the gradient's inner product with the direction."""
    if "forward" not in case.kwargs.get("modes", ("forward",)):
        raise NotForThis
    f, values = _real_problem(case)
    rng = np.random.default_rng(4)
    along = [random_like(v, rng) for v in values]
    _, tangent = tg.jvp(f, tuple(values), tuple(along), fallback="error")
    gradient = tg.grad(f, argnums=tuple(range(len(values))), fallback="error")(*values)
    np.testing.assert_allclose(tangent, sum(dot(g, t) for g, t in zip(gradient, along)), rtol=1e-7, atol=1e-8)


#: The columns of the tables.
CHECKS: dict[str, Callable[[Case], None]] = {
    "reverse": compiled, "forward": forward, "second order": second_order, "tape": tape,
}
PASSED, REFUSED, FAILED = range(3)


def outcome(check: Callable[[Case], None], case: Case) -> int | None:
    """Whether a case passes, is refused, or fails; None where the check does not apply."""
    try:
        check(case)
    except (NotForThis, NothingCompared):
        return None
    except TransgradError:
        return REFUSED
    except Exception:
        return FAILED
    return PASSED


def cases(names: set[str] | None = None) -> Iterator[tuple[str, Case]]:
    """Every case of a public function of NumPy or SciPy, with the function's name."""
    for make in (*FAMILIES.values(), drawn):
        for case in make():
            name = name_of(case.fn)
            if name.split(".")[0] in ("numpy", "scipy") and (names is None or one_name(name) in names):
                yield one_name(name), case


def record(names: set[str] | None = None, progress: bool = False, seconds: float = float("inf")) -> dict[str, Any]:
    """Run the cases, those of one function after the other; return counts by function, keyword (empty for the whole function) and check."""
    table: dict[str, dict[str, dict[str, list[int]]]] = collections.defaultdict(dict)
    by_name: dict[str, list[Case]] = collections.defaultdict(list)
    for name, case in cases(names):
        by_name[name].append(case)
    end = time.monotonic() + seconds
    for name, group in sorted(by_name.items()):
        if time.monotonic() > end:
            break
        if progress:
            print(name, len(group), flush=True)
        for case in group:
            for label, check in CHECKS.items():
                found = outcome(check, case)
                if found is None:
                    continue
                for keyword in ("", *case.options):
                    table[name].setdefault(keyword, {}).setdefault(label, [0, 0, 0])[found] += 1
    return {"versions": versions(), "functions": {name: table[name] for name in sorted(table)}}


def stale(recorded: dict[str, Any]) -> set[str]:
    """Functions whose cases are not those that are recorded, by their number, or of which one was refused."""
    numbers = collections.Counter(name for name, _ in cases())
    old = {name: max(sum(counts) for counts in rows[""].values()) for name, rows in recorded.items()}
    refused = {name for name, rows in recorded.items() if any(counts[REFUSED] for row in rows.values() for counts in row.values())}
    return {name for name in numbers if numbers[name] != old.get(name)} | refused & set(numbers)


def main() -> int:
    """Write the file; return 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.rules.compatibility", description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=PATH, help="where the table goes")
    parser.add_argument("--stale", action="store_true", help="run only functions whose cases are not those that are recorded")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time, and keep what is recorded of the rest")
    options = parser.parse_args()
    old = json.loads(options.output.read_text(encoding="utf-8"))["functions"] if options.output.exists() else {}
    found = record(stale(old) if options.stale else None, True, options.seconds)
    if options.stale or options.seconds < float("inf"):
        current = {name for name, _ in cases()}
        kept = {name: rows for name, rows in old.items() if name in current}
        found["functions"] = dict(sorted({**kept, **found["functions"]}.items()))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{json.dumps(name)}: {json.dumps(rows)}" for name, rows in found["functions"].items()]
    options.output.write_text('{"versions": %s, "functions": {\n%s\n}}\n' % (json.dumps(found["versions"]), ",\n".join(lines)), encoding="utf-8")
    failed = [f"{name}({keyword}): {label}" for name, rows in found["functions"].items() for keyword, row in rows.items()
              for label, counts in row.items() if counts[FAILED]]
    print(f"{len(found['functions'])} functions; failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
