"""``python -m tests.mutation [--count N] [--seed N] [--only passes/reverse] [--cache DIR]``."""
from __future__ import annotations

import argparse
import collections
import pathlib
import sys
import time

from .run import run
from .targets import ROOT


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--count", type=int, default=40, help="how many mutants (default: 40)")
    parser.add_argument("--only", action="append", default=[], help="only files whose path contains this")
    parser.add_argument("--per-file", type=int, default=4, help="how many mutants of a file (default: 4)")
    parser.add_argument("--tests", type=int, default=150, help="how many tests a mutant runs at most (default: 150)")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for a mutant; ten times as much to record a file's coverage")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "out" / "mutation", help="where coverage is kept")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else int(time.time()) % 1_000_000
    print(f"seed {seed}", flush=True)
    counts: collections.Counter[str] = collections.Counter()
    survivors = []
    for verdict in run(seed, options.count, options.only, options.cache, options.per_file, options.tests, options.timeout):
        counts[verdict.kind] += 1
        print(f"{verdict.kind:11s} {verdict.seconds:5.0f} s {verdict.tests:4d} tests  {verdict.mutant}", flush=True)
        if verdict.kind in ("survived", "not covered"):
            survivors.append(verdict)
    print(", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    for verdict in survivors:
        print(f"{verdict.kind}: {verdict.mutant}")
    decided = sum(counts.values()) - counts["not covered"]
    if decided:
        print(f"{100 * (counts['killed'] + counts['timed out']) / decided:.1f} % of {decided} covered mutants are killed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
