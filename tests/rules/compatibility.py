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
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import transgrad as tg
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
    except NotForThis:
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


def record(names: set[str] | None = None, progress: bool = False) -> dict[str, Any]:
    """Run the cases; return counts by function, keyword (empty for the function as a whole) and check."""
    table: dict[str, dict[str, dict[str, list[int]]]] = collections.defaultdict(dict)
    for number, (name, case) in enumerate(cases(names)):
        for label, check in CHECKS.items():
            found = outcome(check, case)
            if found is None:
                continue
            for keyword in ("", *case.options):
                table[name].setdefault(keyword, {}).setdefault(label, [0, 0, 0])[found] += 1
        if progress and number % 100 == 0:
            print(number, name, flush=True)
    return {"versions": versions(), "functions": {name: table[name] for name in sorted(table)}}


def main() -> int:
    """Write the file; return 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.rules.compatibility", description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=PATH, help="where the table goes")
    options = parser.parse_args()
    found = record(progress=True)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{json.dumps(name)}: {json.dumps(rows)}" for name, rows in found["functions"].items()]
    options.output.write_text('{"versions": %s, "functions": {\n%s\n}}\n' % (json.dumps(found["versions"]), ",\n".join(lines)), encoding="utf-8")
    failed = [f"{name}({keyword}): {label}" for name, rows in found["functions"].items() for keyword, row in rows.items()
              for label, counts in row.items() if counts[FAILED]]
    print(f"{len(found['functions'])} functions; failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
