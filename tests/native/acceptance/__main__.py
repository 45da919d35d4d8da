"""What the Numba back end accepts of plain programs: ``python -m tests.native.acceptance [NAME …]``.

Prints each program that is not accepted, with the reason: *refused* in our words, *wrong* where value or gradient differ from the NumPy
back end, *raw* where Numba's words or an exception of ours reach the user.
"""
import os
import sys
from collections import Counter

os.environ.setdefault("NUMBA_OPT", "0")     # the outcome does not depend on it, and compilation is faster

from .judge import judged
from .registry import load


def main(names: list[str]) -> int:
    counts: Counter[str] = Counter()
    for program in load():
        if names and program.name not in names:
            continue
        kind, reason = judged(program)
        counts[kind] += 1
        if kind != "accepted":
            print(f"{kind:8} {program.name}: {reason}", flush=True)
    total = counts.total()
    print(f"{total} programs: " + ", ".join(f"{counts[kind]} {kind}" for kind in ("accepted", "refused", "wrong", "raw")))
    return int(counts["wrong"] + counts["raw"] > 0 or counts["refused"] > 0.05 * total)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
