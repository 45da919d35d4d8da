"""Runs the whole product: ``python -m tests.boundary [--seed N] [--transformations a,b] [--refused]``."""
from __future__ import annotations

import argparse
import collections
import secrets

from .run import cases, judged
from .transformations import TRANSFORMATIONS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2 ** 31))
    parser.add_argument("--transformations", default=",".join(TRANSFORMATIONS))
    parser.add_argument("--refused", action="store_true", help="print what was refused, too")
    given = parser.parse_args()
    print("seed", given.seed)
    counts: collections.Counter[str] = collections.Counter()
    for function, container in cases(given.seed):
        for transformation in given.transformations.split(","):
            for fallback in ("tape", "error"):
                try:
                    wrong = judged(transformation, function, container, given.seed, fallback=fallback)
                except Exception as error:
                    wrong = f"{type(error).__name__}: {error}"
                refused = wrong is not None and wrong.startswith("refused")
                counts["right" if wrong is None else "refused" if refused else "wrong"] += 1
                if wrong is not None and (given.refused or not refused):
                    print(f"{transformation} of {function}({container}), fallback={fallback}: {wrong}".splitlines()[0], flush=True)
    print(dict(counts))


if __name__ == "__main__":
    main()
