"""How the time to compile a gradient grows with the length of the function: of several kinds of long functions."""
from __future__ import annotations

import linecache
import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import transgrad as tg

__all__ = ["KINDS", "calls", "long_function", "main"]

SIZES = (100, 400, 1600)
#: what the exponent of a power law from the first size to the last may be
LIMIT = 1.2
X, W = np.linspace(0.1, 1.0, 20), np.linspace(-1.0, 1.0, 20)

#: By name: the arguments, the lines before, the lines that are written again and again (``{k}`` is their number), the lines after.
KINDS: dict[str, tuple[tuple[Any, ...], Sequence[str], Sequence[str], Sequence[str]]] = {
    "arrays": ((X, W, 0.3), ["u = x * w", "v = np.tanh(x)"], [
        "u = u + np.sin(v * {k}.0) * c", "v = v * 0.9 + 0.{k} * u / (1.0 + u ** 2)", "v = v + np.sum(u * w) / len(x)",
    ], ["return np.sum(u * v)"]),
    "numbers": ((0.3, 0.4, 0.5), ["u = x * w", "v = math.tanh(c)"], [
        "t{k} = u * {k}.0 + v * c", "u = math.sin(t{k}) + 0.5 * x", "v = v * 0.9 + t{k} / (1.0 + w ** 2)",
    ], ["return u + v"]),
    "loops": ((X, W, 0.3), ["total = 0.0"], [
        "for i in range(3):", "    a = x[i] * w[i] + {k}.0 * c", "    for j in range(2):", "        total += np.sin(a * x[j])",
        "        a = a * 0.5", "if total > 1.0:", "    total = total * 0.5",
    ], ["return total"]),
    "one long loop": ((X, W, 0.3), ["s = 0.0", "u = x * c", "for i in range(10):", "    p = x[i]"], [
        "    p = p * w[i] + {k}.0 * c", "    q{k} = np.sin(p) + s", "    s = s + q{k} * q{k}", "    u = u * 0.5 + q{k} * w",
    ], ["return s + np.sum(u)"]),
    "branches": ((X, W, 0.3), ["t = 0.0", "u = x * w"], [
        "if t > {k}.5:", "    u = u * c", "    t = t + u[0]", "else:", "    t = t + x[1] * c", "    u = u + {k}.0 * w",
    ], ["return t + np.sum(u)"]),
    "writes": ((X, W, 0.3), ["out = np.zeros(20)", "rows = []"], [
        "out[3] = x[5] * c", "out[2:] += {k}.0 * w[:-2] * out[:-2]", "rows.append(np.sin(out))", "for i in range(1, 4):",
        "    out[i] = out[i - 1] * w[i] + rows[-1][i]",
    ], ["return np.sum(out) + np.sum(rows[0])"]),
}
_MADE = 0


def long_function(kind: str, lines: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A new function of a kind, of about so many lines, and arguments for it."""
    global _MADE
    _MADE += 1
    args, before, again, after = KINDS[kind]
    count = (lines - len(before) - len(after) - 1) // len(again)
    body = [*before, *(line.format(k=k) for k in range(count) for line in again), *after]
    text = "\n".join(["def long_function(x, w, c):", *(f"    {line}" for line in body)]) + "\n"
    name = f"<long function of {kind} {_MADE}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {"np": np, "math": math}
    exec(compile(text, name, "exec"), space)
    return space["long_function"], args


def calls(kind: str, lines: int) -> int:
    """How many calls of Python functions it takes to compile the gradient: what time would say, without its noise."""
    f, args = long_function(kind, lines)
    gradient = tg.grad(f, argnums=(0, 1, 2), fallback="error")
    count = 0

    def note(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        gradient.source_for(*args)
    finally:
        sys.setprofile(None)
    return count


def main() -> bool:
    """Prints a row a kind; whether all hold."""
    print(f"time to compile the gradient of a function of {', '.join(map(str, SIZES))} lines (exponent, limit {LIMIT})")
    good = True
    for kind in KINDS:
        times = []
        for lines in SIZES:
            best = math.inf
            for _ in range(3):
                f, args = long_function(kind, lines)
                gradient = tg.grad(f, argnums=(0, 1, 2), fallback="error")
                start = time.process_time()
                gradient.source_for(*args)
                best = min(best, time.process_time() - start)
            times.append(best)
        exponent = math.log(times[-1] / times[0]) / math.log(SIZES[-1] / SIZES[0])
        good &= exponent <= LIMIT
        print(f"  {kind:14s} {'  '.join(f'{1e3 * t:7.0f} ms' for t in times)}   {exponent:.2f}   {'ok' if exponent <= LIMIT else 'OVER'}")
    return good


if __name__ == "__main__":
    raise SystemExit(not main())
