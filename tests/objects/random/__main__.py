"""``python -m tests.objects.random --seed N --count M``: tries random programs of classes, and counts."""
from __future__ import annotations

import argparse
import collections
import re
import sys

from .generate import generate
from .trial import trial


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.objects.random", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--show", type=int, default=2, help="how many of the programs that are wrong are printed")
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    causes: dict[str, list[int]] = collections.defaultdict(list)
    for seed in range(options.seed, options.seed + options.count):
        outcome = trial(seed)
        counts[outcome.kind] += 1
        if outcome.kind in ("wrong", "crashed"):
            print(f"seed {seed}: {outcome.kind}: {outcome.detail[-800:] or outcome.cause}", flush=True)
            if counts["wrong"] + counts["crashed"] <= options.show:
                print(generate(seed))
        elif outcome.kind == "refused":
            causes[re.sub(r"'\w+'|\b[a-zC]+\d+\b|\[.*", "_", outcome.cause)].append(seed)
    judged = options.count - counts["unfit"]
    print(f"{judged} programs: " + ", ".join(f"{counts[k]} {k} ({counts[k] / max(judged, 1):.1%})" for k in (
        "right", "refused", "wrong", "crashed")) + f"; {counts['unfit']} more cannot be judged")
    for cause, seeds in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"{len(seeds):5d}  {cause[:180]}  {seeds[:4]}")
    return 1 if counts["wrong"] or counts["crashed"] else 0


sys.exit(main())
