"""``python -m tests.random_control``: runs many programs, and counts."""
from __future__ import annotations

import argparse
import collections
import sys

from .check import check
from .generate import Writer, program
from .state import StateWriter
from .wide import WideWriter


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=int, default=3)
    parser.add_argument("--backend", choices=("numpy", "numba"), default="numpy")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--wide", action="store_true", help="with more of the language")
    kind.add_argument("--state", action="store_true", help="about arrays, containers and objects that are written to")
    parser.add_argument("--show", type=int, default=3, help="how many of the programs that are wrong are printed")
    options = parser.parse_args()
    writer_of = WideWriter if options.wide else StateWriter if options.state else Writer
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(options.seed, options.seed + options.count):
        outcome = check(seed, options.budget, options.backend, writer_of=writer_of)
        counts[outcome.kind] += 1
        if outcome.kind == "refused":
            counts[f"  {outcome.cause}"] += 1
        if outcome.kind in ("wrong", "crashed"):
            print(f"seed {seed}: {outcome.kind}: {outcome.cause}")
            if counts["wrong"] + counts["crashed"] <= options.show:
                print(program(seed, options.budget, writer_of))
    for kind, n in counts.items():
        print(f"{n:6d} {kind}")
    return 1 if counts["wrong"] + counts["crashed"] else 0


sys.exit(main())
