"""Runs every measurement: ``python -m benchmarks``; exits with 1 where a limit does not hold."""
from __future__ import annotations

import sys

from . import batches, compile_time, determinism, first_use, golden_files, gradients, memory, ratios, sparse, tape

PARTS = {"golden": golden_files.main, "ratios": ratios.main, "compile_time": compile_time.main, "first_use": first_use.main,
         "determinism": determinism.main, "tape": tape.main, "batches": batches.main, "sparse": sparse.main, "memory": memory.main,
         "gradients": gradients.main}
chosen = sys.argv[1:] or list(PARTS)
raise SystemExit(sum(not PARTS[name]() for name in chosen) > 0)
