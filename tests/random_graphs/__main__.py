"""Compares random programs with PyTorch, and prints how many differ and the smallest of them.

python -m tests.random_graphs --count 2000 --seed 0
"""
from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from .child import CRASHED, Child, compared, shortened


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.random_graphs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="the first seed; with --count 1 it reproduces one program")
    parser.add_argument("--show", type=int, default=3, help="how many differing programs to show, made as short as possible")
    parser.add_argument("--more", default="", help="the name of a kind of step to draw ten times as often")
    parser.add_argument("--ours", default="transgrad", help="the library under test")
    options = parser.parse_args()
    child = Child()
    start, steps, cut, differing = time.perf_counter(), 0, Counter(), {}
    for done, seed in enumerate(range(options.seed, options.seed + options.count), 1):
        outcome = compared(child, seed, options.ours, options.more)
        steps += len(outcome.program)
        cut.update([outcome.cut] * bool(outcome.cut))
        if outcome.cut == CRASHED:
            print(f"seed {seed}: {CRASHED}", flush=True)
        if outcome.differences:
            differing[seed] = outcome
        if done % 100 == 0:
            print(f"{done} of {options.count}: {len(differing)} differ", file=sys.stderr, flush=True)
    print(f"{options.count} graphs, {steps} steps in {time.perf_counter() - start:.0f} s: {len(differing)} differ {[*differing][:20]}; "
          f"{cut.total()} compared up to where PyTorch is no measure")
    for reason, times in cut.most_common():
        print(f"{times:6} {reason}")
    for seed, outcome in [*differing.items()][: options.show]:
        print(f"\nseed {seed}", *shortened(child, seed, outcome, options.ours), sep="\n")
    child.close()
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
