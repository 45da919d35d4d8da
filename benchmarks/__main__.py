"""Runs every measurement, or those that are named: ``python -m benchmarks``; exits with 1 where a limit does not hold."""
from __future__ import annotations

import argparse

from . import batches, compile_time, determinism, first_use, golden_files, gradients, memory, ratios, sparse, tape

PARTS = {"golden": golden_files.main, "ratios": ratios.main, "compile_time": compile_time.main, "first_use": first_use.main,
         "determinism": determinism.main, "tape": tape.main, "batches": batches.main, "sparse": sparse.main, "memory": memory.main,
         "gradients": gradients.main}
parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
parser.add_argument("parts", nargs="*", metavar="PART", help=f"what is measured: {', '.join(PARTS)} (all of it)")
chosen = parser.parse_args().parts
if unknown := [name for name in chosen if name not in PARTS]:
    parser.error(f"there is no part {unknown[0]}: there are {', '.join(PARTS)}")
raise SystemExit(sum(not PARTS[name]() for name in chosen or PARTS) > 0)
