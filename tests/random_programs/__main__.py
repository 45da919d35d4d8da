"""Tries many random programs and prints the shares, and the smallest program of each kind of failure."""
from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict

from tests.outcomes import Outcome
from transgrad.passes.switches import NAMES, switched_off

from .generator import generate
from .program import Program
from .trial import shrink, trial


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.random_programs", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--mode", choices=("reverse", "pullback", "forward", "second", "numba", "batch"), default="reverse")
    parser.add_argument("--show", type=int, default=3, help="how many causes to show with their smallest program")
    parser.add_argument("--only", choices=("wrong", "refused", "crashed"), help="show only these")
    parser.add_argument("--without", action="append", default=[], choices=[*NAMES, "all"], help="an optimisation to switch off")
    options = parser.parse_args()
    with switched_off(*options.without):
        return run(options)


def run(options: argparse.Namespace) -> int:
    """Tries as many programs as are asked for, and prints what came out."""
    counts: Counter[str] = Counter()
    causes: dict[tuple[str, str], list[tuple[Program, Outcome]]] = defaultdict(list)
    start = time.perf_counter()
    seed = options.seed
    while sum(counts[k] for k in ("right", "wrong", "refused", "crashed")) < options.count:
        program = generate(seed)
        seed += 1
        outcome = trial(program, options.mode)
        counts[outcome.kind] += 1
        if outcome.kind not in ("right", "unfit"):
            causes[outcome.kind, outcome.cause].append((program, outcome))
    total = options.count
    print(f"{total} programs ({options.mode}) in {time.perf_counter() - start:.0f} s; {counts['unfit']} more were unfit to judge")
    for kind in ("right", "wrong", "refused", "crashed"):
        print(f"  {kind:8s} {counts[kind]:5d}  {counts[kind] / total:6.1%}")
    order = {"wrong": 0, "crashed": 1, "refused": 2}
    listed = sorted(causes.items(), key=lambda item: (order[item[0][0]], -len(item[1])))
    for (kind, cause), found in listed:
        print(f"{kind} {len(found)}×  {cause}  seeds {[p.seed for p, _ in found[:5]]}")
    for (kind, cause), found in [c for c in listed if not options.only or c[0][0] == options.only][:options.show]:
        program, outcome = min(found, key=lambda item: len(item[0].text()))
        print(f"\n{'=' * 100}\n{kind}: {cause} (seed {program.seed})\n{shrink(program, outcome, options.mode)}\n{outcome.detail}")
    return 1 if counts["wrong"] or counts["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main())
