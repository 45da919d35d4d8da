"""Peak memory and time of the gradient of a long recurrence, with and without keeping every state; each in a process of its own."""
from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

import transgrad as tg

STEPS, SIZE = 100_000, 1_000
MEMORY, TIME = 0.05, 3.0


def every(x, n, c):
    for _ in range(n):
        x = x + c * (x - x * x)
    return np.sum(x)


def some(x, n, c):
    for _ in tg.checkpointed(range(n)):
        x = x + c * (x - x * x)
    return np.sum(x)


def run(name: str) -> None:
    """Prints the peak in bytes over what the process had before, and the seconds."""
    gradient = tg.grad({"every": every, "some": some}[name], fallback="error")
    x = np.linspace(0.1, 0.9, SIZE)
    gradient(x, 10, 0.01)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    gradient(x, STEPS, 0.01)
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, time.perf_counter() - start)


def main() -> bool:
    """Prints the ratios; whether both hold."""
    found = {}
    for name in ("every", "some"):
        out = subprocess.run([sys.executable, "-m", "benchmarks.memory", name], capture_output=True, text=True, check=True).stdout
        found[name] = tuple(map(float, out.split()))
    memory, seconds = (found["some"][k] / found["every"][k] for k in (0, 1))
    ok = memory <= MEMORY and seconds <= TIME
    print(f"a recurrence of {STEPS} steps, state of {SIZE} numbers")
    print(f"  every state kept  {found['every'][0] / 1e6:8.0f} MB {found['every'][1]:6.2f} s")
    print(f"  checkpointed      {memory:8.1%} of it, {seconds:.2f} times as long (limits {MEMORY:.0%}, {TIME})   {'ok' if ok else 'OVER'}")
    return ok


if __name__ == "__main__":
    run(sys.argv[1])
