"""Runs the product of forms: ``python -m tests.forms [--seed N] [--shard K/N] [--family NAME] [--kind NAME] [--mode NAME] [--only TEXT]``."""
from __future__ import annotations

import argparse
import os
import sys

os.environ.setdefault("TRANSGRAD_CACHE", "off")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from tests.rules.cases import FAMILIES

from .judge import MODES
from .operands import KINDS
from .run import run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.forms", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the seed of weights, directions and shards")
    parser.add_argument("--shard", default="0/1", help="K/N: the part K of N parts")
    parser.add_argument("--family", action="append", choices=list(FAMILIES), help="only these files of cases")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="only these kinds of operands")
    parser.add_argument("--mode", action="append", choices=list(MODES), help="only these transformations")
    parser.add_argument("--only", default="", help="only cases whose description contains this text")
    options = parser.parse_args()
    shard, shards = map(int, options.shard.split("/"))
    print(f"seed {options.seed}, shard {shard} of {shards}", flush=True)
    counts, failures = run(options.family or tuple(FAMILIES), options.kind or tuple(KINDS), options.mode or tuple(MODES), shard, shards,
                           options.seed, options.only, show=True)
    print(", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
