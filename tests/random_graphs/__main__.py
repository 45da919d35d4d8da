"""Compares random programs with PyTorch, and prints how many differ and the smallest of them.

python -m tests.random_graphs --count 2000 --seed 0
"""
from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections import Counter

from .trial import replay, shrink, trial


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
    torch, ours = importlib.import_module("torch"), importlib.import_module(options.ours)
    start, steps, cut, differing = time.perf_counter(), 0, Counter(), {}
    for seed in range(options.seed, options.seed + options.count):
        outcome = trial(seed, torch, ours, options.more)
        steps += len(outcome.program)
        cut.update([outcome.cut] * bool(outcome.cut))
        if outcome.differences:
            differing[seed] = outcome.program
    print(f"{options.count} graphs, {steps} steps in {time.perf_counter() - start:.0f} s: {len(differing)} differ {[*differing][:20]}; "
          f"{cut.total()} compared up to where PyTorch is no measure")
    for reason, times in cut.most_common():
        print(f"{times:6} {reason}")
    for seed, program in [*differing.items()][: options.show]:
        least = shrink(program, torch, ours, bool(seed % 2))
        print(f"\nseed {seed}", *least, *(f"    {line}" for line in replay(least, torch, ours, bool(seed % 2))[:4]), sep="\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
