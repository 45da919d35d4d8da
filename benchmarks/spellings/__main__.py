"""Print how fast the gradient of each spelling is: ``python -m benchmarks.spellings [WORKLOAD…]``.

For each spelling, the table has the gradient over its own primal, the gradient over the gradient written by hand, and for each workload the
spread: the slowest gradient over the fastest one, after division by the same ratio of the primals.
"""
from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
import warnings
from collections.abc import Sequence

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")       # before NumPy is imported

import transgrad as tg  # noqa: E402

from ..timing import compare  # noqa: E402
from .workload import load, names  # noqa: E402


def measure(package: str, name: str, rounds: int, target: float) -> list[tuple[str, float, float, float]]:
    """For each spelling: its name, gradient over primal, gradient over the gradient by hand, and primal over the gradient by hand."""
    workload = load(package, name)
    args = workload.args()
    found = []
    for spelling, primal in workload.spellings.items():
        own = workload.args(spelling)
        gradient = tg.grad(primal, workload.argnums)
        with warnings.catch_warnings():
            warnings.simplefilter("error", tg.TapeFallbackWarning)
            try:
                gradient(*own)
            except tg.TapeFallbackWarning as taped:
                print(f"{name}, {spelling}: {taped}", file=sys.stderr)
        _, over_hand, primal_over_hand = compare(
            [lambda: workload.by_hand(*args), lambda: gradient(*own), lambda: primal(*own)], rounds, target,      # noqa: B023
            time.process_time)      # other processes do not count
        found.append((spelling, over_hand / primal_over_hand, over_hand, primal_over_hand))
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spellings", description=__doc__)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="names of workloads (default: all)")
    parser.add_argument("--held-out", action="store_true", help="measure the spellings that the optimizer was not written for")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--target", type=float, default=0.002, help="seconds for each measurement")
    options = parser.parse_args(argv)
    package = "held_out" if options.held_out else "workloads"
    everything: list[float] = []
    print(f"{'workload':22} {'spelling':28} {'gradient/primal':>15} {'gradient/by hand':>16}")
    for name in options.workloads or names(package):
        rows = measure(package, name, options.rounds, options.target)
        for spelling, over_primal, over_hand, _ in rows:
            print(f"{name:22} {spelling:28} {over_primal:15.2f} {over_hand:16.2f}", flush=True)
        everything += [row[2] for row in rows]
        gradients, ratios = [row[2] for row in rows], [row[1] for row in rows]
        print(f"{name:22} {'spread':28} {max(ratios) / min(ratios):15.2f} {max(gradients) / min(gradients):16.2f}", flush=True)
    everything.sort()
    if len(everything) > 1:
        tenth = everything[min(len(everything) - 1, int(0.9 * len(everything)))]
        print(f"\n{len(everything)} spellings, gradient over the gradient by hand: median {statistics.median(everything):.2f}, "
              f"90th percentile {tenth:.2f}, worst {everything[-1]:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
