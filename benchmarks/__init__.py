"""Measurements: emitted against hand-written derivatives, gradient over primal, compile time, determinism."""
import os

# One thread for the matrix products: ratios that do not depend on what else the machine is doing.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# What is measured is this run, not what an earlier one left on the disk.
os.environ.setdefault("TRANSGRAD_CACHE", "off")
