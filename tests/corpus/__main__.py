"""Runs the corpus and prints what is right, wrong, refused or broken, grouped by cause: ``python -m tests.corpus``."""
from __future__ import annotations

import argparse
import resource
import traceback
from collections import Counter, defaultdict

from tests.outcomes import outcome_of
from transgrad.passes.switches import NAMES, switched_off

from .modes import MODES, MORE, check
from .registry import load


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("match", nargs="*", help="parts of row-name to run")
    parser.add_argument("--mode", choices=[*MODES, *MORE], action="append")
    parser.add_argument("--trace", action="store_true", help="print the traceback of each failure")
    parser.add_argument("--verbose", action="store_true", help="print each case before it is run")
    parser.add_argument("--without", action="append", default=[], choices=[*NAMES, "all"], help="an optimisation to switch off")
    options = parser.parse_args()
    with switched_off(*options.without):
        run(options)


def run(options: argparse.Namespace) -> None:
    """Runs the cases that are asked for, and prints what came out."""
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    causes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for case in load():
        name = f"{case.row}-{case.name}"
        if options.match and not any(m in name for m in options.match):
            continue
        for mode in options.mode or MODES:
            if options.verbose:
                print(name, mode, flush=True)
            if options.trace:
                try:
                    check(case, mode)
                    counts[mode]["right"] += 1
                except Exception:
                    print(f"==== {name} {mode}")
                    traceback.print_exc()
                continue
            outcome = outcome_of(lambda case=case, mode=mode: check(case, mode))  # type: ignore[misc]
            counts[mode][outcome.kind] += 1
            if outcome.kind != "right":
                causes[outcome.kind, outcome.cause].append(f"{name}:{mode}")
    for (kind, cause), names in sorted(causes.items(), key=lambda item: (item[0][0] != "wrong", -len(item[1]))):
        print(f"{kind:8s} {len(names):4d}  {cause}\n               {' '.join(names[:6])}{' …' if len(names) > 6 else ''}")
    for mode, count in counts.items():
        print(f"{mode:22s}", dict(count))


if __name__ == "__main__":
    main()
