"""Every check on every case of every rule: ``python -m tests.rules [--family NAME] [--check NAME] [--show N]``."""
from __future__ import annotations

import argparse
import collections
import sys
from collections.abc import Iterator

import scipy.stats

from transgrad.errors import TransgradError
from transgrad.rules.advice import name_of

from .cases import FAMILIES, Case, scipy_distributions
from .checks import CHECKS, REFUSED, NotForThis
from .draws import drawn


def every_distribution() -> Iterator[Case]:
    """Every method of every distribution of scipy.stats, of which the tests try some."""
    yield from scipy_distributions.every()
    yield from scipy_distributions.forms(scipy.stats)


def main() -> int:
    """Prints functions × checks and the number of failures; 1 where there are any."""
    parser = argparse.ArgumentParser(prog="python -m tests.rules", description=__doc__)
    parser.add_argument("--family", help="only this file of cases, or 'drawn'")
    parser.add_argument("--check", choices=CHECKS, help="only this check")
    parser.add_argument("--show", type=int, default=20, help="how many failures to print (default: 20)")
    options = parser.parse_args()
    cases: list[tuple[str, Case]] = [(family, c) for family, make in {**FAMILIES, "drawn": drawn, "scipy_distributions": every_distribution}.items()
                                     if options.family in (None, family) for c in make()]
    functions = {name_of(c.fn) for _, c in cases}
    print(f"{len(functions)} functions, {len(cases)} cases")
    failures = []
    for name, check in CHECKS.items():
        if options.check not in (None, name):
            continue
        count: collections.Counter[str] = collections.Counter()
        tried = set()
        for family, case in cases:
            try:
                check(case)
                count["passed"] += 1
            except NotForThis:
                count["passed over"] += 1
                continue
            except TransgradError as error:
                known = (name, case.fn) in REFUSED or (name, getattr(case.fn, "__name__", "")) in REFUSED
                count["refused" if known else "failed"] += 1
                if not known:
                    failures.append(f"{name}: {family}: {case} is refused: {str(error).splitlines()[0]}")
            except Exception as error:
                count["failed"] += 1
                failures.append(f"{name}: {family}: {case}: {type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}")
            tried.add(name_of(case.fn))
        print(f"{name:14s} {len(tried):4d} functions {count['passed']:6d} passed {count['failed']:4d} failed {count['refused']:4d} refused {count['passed over']:6d} do not apply", flush=True)
    for line in failures[:options.show]:
        print(line[:300])
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
