"""``python -m tests.objects [NAME …]``: run all programs or those whose names contain NAME, and print a table."""
from __future__ import annotations

import argparse
import collections
import sys

from . import ALL
from .check import check, forward, reverse


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of names of programs")
    parser.add_argument("--quiet", action="store_true", help="print the counts only")
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    rank = ("compiled", "tape", "refused", "wrong", "crashed")
    for name, p in ALL.items():
        if options.names and not any(part in name for part in options.names):
            continue
        found = [check(p, mode) for mode in (reverse, forward)]
        kind = max((o.kind for o in found), key=rank.index)
        counts[kind] += 1
        for o, mode in zip(found, ("reverse", "forward")):
            if o.kind != "compiled":
                reasons[(o.detail or o.cause).partition(" [")[0]] += 1
                if not options.quiet:
                    print(f"{name:28} {mode:8} {o.kind:9} {o.cause}" + (f" | {o.detail}" if o.detail else ""), flush=True)
    print(f"\n{sum(counts.values())} programs: " + ", ".join(f"{counts[k]} {k}" for k in rank))
    for reason, n in reasons.most_common():
        print(f"{n:4d}  {reason}")
    return 1 if counts["wrong"] or counts["crashed"] else 0


sys.exit(main())
