"""The whole corpus on Numba: ``python -m tests.native``.  Prints what is right, wrong and refused, with the reasons."""
import argparse
import re
import sys
from collections import Counter, defaultdict

from tests.corpus.registry import load

from .trial import tried


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("match", nargs="*", help="parts of row-name to run")
    parser.add_argument("--every", type=int, default=1, help="one of so many cases")
    parser.add_argument("--show", type=int, default=1000, help="how many reasons to print")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    causes: dict[tuple[str, str], list[str]] = defaultdict(list)
    cases = [c for c in load() if not options.match or any(m in f"{c.row}-{c.name}" for m in options.match)]
    for case in cases[::options.every]:
        kind, cause = tried(case)
        counts[kind] += 1
        if kind != "right":
            causes[kind, re.sub(r"grad_\w+|value_and_grad_\w+", "…", cause)].append(f"{case.row}-{case.name}")
    for (kind, cause), names in sorted(causes.items(), key=lambda item: (item[0][0] == "refused", -len(item[1])))[:options.show]:
        print(f"{kind} {len(names)}: {cause}\n    {', '.join(names[:6])}")
    print(", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    return int(bool(counts["wrong"]))


if __name__ == "__main__":
    sys.exit(main())
