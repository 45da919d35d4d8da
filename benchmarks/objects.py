"""``python -m benchmarks.objects``: object-oriented code, gradient over primal on the corpus, and the compile time of a 500-line class.

The ratio of a program is the time of its compiled gradient over that of the plain function, each the shortest of several runs that
alternate in one process. Programs that are not compiled are left out.
"""
from __future__ import annotations

import argparse
import linecache
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import transgrad as tg
from tests.objects import ALL
from tests.objects.registry import Program

__all__ = ["class_text", "compile_seconds", "ratio"]


def _best(call: Callable[[], Any], seconds: float) -> float:
    """The shortest time of one call, over several batches."""
    count, best, end = 1, float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(count):
            call()
        took = time.perf_counter() - start
        best = min(best, took / count)
        if took < 2e-3:
            count *= 2
    return best


def ratio(p: Program, seconds: float = 0.06) -> float | None:
    """Gradient over primal; None where the gradient is not compiled."""
    try:
        p.reset()
        given = list(p.given())
        derivative = tg.grad(p.f, tuple(range(len(p.x))), fallback="error")
        derivative(*p.x, *given)
        plain, gradient = [], []
        for _ in range(3):
            plain.append(_best(lambda: p.f(*p.x, *given), seconds))
            gradient.append(_best(lambda: derivative(*p.x, *given), seconds))
        return min(gradient) / min(plain)
    except tg.TransgradError:
        return None
    finally:
        p.reset()


def class_text(lines: int) -> str:
    """A class of about so many lines, whose methods call each other, and a function that runs it."""
    out = ["import math", "", "", "class Plant:", "    def __init__(self, a, b):", "        self.a, self.b, self.t = a, b, 0.0"]
    methods = (lines - 12) // 7
    for k in range(methods):
        out += ["", f"    def stage{k}(self, u):", f"        gain = self.a * {k + 1}.5 / {k + 2}.0 + math.sin(self.b * u)",
                "        if gain > 0.9:", "            gain = math.tanh(gain)", "        self.t += 0.1 * gain", "        return gain * u"]
    out += ["", "", "def program(a, b):", "    plant, u = Plant(a, b), 1.0"]
    out += [f"    u = plant.stage{k}(u) + 0.1" for k in range(methods)]
    return "\n".join([*out, "    return u + plant.t", ""])


def compile_seconds(lines: int = 500) -> float:
    """The time until the gradient of a function that runs a class of so many lines is there; the shortest of three."""
    best = float("inf")
    for attempt in range(3):
        text, filename = class_text(lines), f"<class of {lines} lines, {attempt}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        space: dict[str, Any] = {"__name__": "big_class"}
        exec(compile(text, filename, "exec"), space)
        start = time.perf_counter()
        tg.grad(space["program"], (0, 1), fallback="error")(0.4, 0.7)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.objects", description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="take one program in so many")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = {name: r for name, p in list(ALL.items())[::options.every] if (r := ratio(p)) is not None}
    ratios = sorted(found.values())
    print(f"gradient over primal, {len(ratios)} programs: median {statistics.median(ratios):.2f}, "
          f"quartiles {ratios[len(ratios) // 4]:.2f} and {ratios[3 * len(ratios) // 4]:.2f}, largest {ratios[-1]:.1f}")
    for name in sorted(found, key=lambda n: -found[n])[:8]:
        print(f"  {name:28} {found[name]:6.1f}")
    for lines in (125, 250, 500):
        print(f"compile time of a class of {lines} lines: {compile_seconds(lines):.2f} s")


if __name__ == "__main__":
    main()
