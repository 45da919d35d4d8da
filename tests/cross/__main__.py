"""Runs the cross product: ``python -m tests.cross [--seed N] [--count N] [--only TEXT] [--shard K/N] [--log FILE]``, or a slice of all that a
seed stands for, which is added to ``tests/reports/cross.md``: ``python -m tests.cross --seed N --slice I/N``."""
from __future__ import annotations

import argparse
import os
import sys

os.environ.setdefault("TRANSGRAD_CACHE", "off")
os.environ.setdefault("TRANSGRAD_STRICT", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from .run import MODES, Settings, report, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.cross", description=__doc__)
    parser.add_argument("--seed", type=int, default=None, help="the seed of the choices (default: the time)")
    parser.add_argument("--count", type=int, default=1000, help="how many programs (default: 1000)")
    parser.add_argument("--start", type=int, default=0, help="the index of the first program")
    parser.add_argument("--case", type=int, default=None, help="only the program of this index, with its scripts")
    parser.add_argument("--only", action="append", default=[],
                        help="NAME=TEXT: only atoms, groups, arrivals, kinds, frames, states or modes that contain the text "
                             "(atom=np.sum, group=operator, arrival=list, kind=float32, frame=loop, mode=jvp); several narrow it down")
    parser.add_argument("--modes", type=int, default=4, help="how many transformations for each program (0: all)")
    parser.add_argument("--shard", default="0/1", help="K/N: every Nth program from K on")
    parser.add_argument("--slice", default=None, help="I/N: the Ith of N parts of the whole product, which is added to the report")
    parser.add_argument("--log", default=None, help="a file of results as JSON lines; programs that stand there are passed over")
    parser.add_argument("--scripts", default=None, help="a folder for the scripts of failures")
    parser.add_argument("--show", type=int, default=40, help="how many groups of failures to print")
    parser.add_argument("--reasons", action="store_true", help="print the reasons of refusals and of falls back to the tape")
    options = parser.parse_args()
    only = dict(text.partition("=")[::2] for text in options.only)
    bad = set(only) - {"atom", "group", "arrival", "kind", "frame", "state", "before", "loss", "mode"}
    if bad or only.get("mode", "") and not any(only["mode"] in m for m in MODES):
        parser.error(f"--only: {bad or only['mode']}")
    import time
    seed = options.seed if options.seed is not None else int(time.time()) % 1_000_000
    shard, shards = map(int, options.shard.split("/"))
    start, count = (options.case, 1) if options.case is not None else (options.start, options.count)
    settings = Settings(seed, start, count, only, options.modes, shard, shards, options.log, options.scripts)
    print(f"seed {seed}", flush=True)
    if options.slice is not None:
        from .reports import run_slice
        return report(run_slice(settings, *map(int, options.slice.split("/"))), options.show, options.reasons)
    results = run(settings, verbose=options.case is not None)
    return report(results, options.show, options.reasons)


if __name__ == "__main__":
    sys.exit(main())
