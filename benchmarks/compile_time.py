"""How long it takes to compile the gradient of a function of a hundred lines, and what a call costs over calling the text."""
from __future__ import annotations

import linecache
import statistics
import time
from typing import Any

import numpy as np

import transgrad as tg

from .timing import difference

LIMIT_MS = 50.0
OVERHEAD_US = 2.0
ARGS = (np.linspace(0.1, 1.0, 20), np.linspace(-1.0, 1.0, 20), 0.3)


def long_text(lines: int = 100) -> str:
    """A function of so many lines: array code, scalar code, loops and branches in turn."""
    body = ["def long_function(x, w, c):", "    total = 0.0", "    u = x * w", "    v = np.tanh(x)"]
    k = 0
    while len(body) < lines - 1:
        body += [
            f"    u = u + np.sin(v * {k + 1}.0) * c",
            f"    v = v * 0.9 + {k / 10} * u / (1.0 + u ** 2)",
            f"    s{k} = np.sum(u * v) / len(x)",
            f"    if s{k} > 0.0:",
            f"        total += s{k} * c",
            "    else:",
            f"        total -= 0.5 * s{k} ** 2",
            f"    for i in range({2 + k % 3}):",
            "        total += x[i] * w[i] - c",
            "        total = total * 0.99",
        ]
        k += 1
    return "\n".join([*body[:lines - 1], "    return total + np.sum(v)"]) + "\n"


_MADE = 0


def long_function(lines: int = 100) -> Any:
    """A new function each time, with a number of its own, so that nothing is remembered of the last one, not even its syntax."""
    global _MADE
    _MADE += 1
    text = long_text(lines).replace("total = 0.0", f"total = {_MADE}e-9", 1)
    text = f"import numpy as np\n\n\n{text}"
    name = f"<long function {_MADE}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    return space["long_function"]


def main() -> bool:
    """Prints both times; whether they hold."""
    print("compile time and call overhead")
    taken = []
    for _ in range(22):
        gradient = tg.grad(long_function(), argnums=(0, 1, 2), fallback="error")
        start = time.process_time()     # of the processor, whatever else the machine is doing
        gradient.source_for(*ARGS)
        taken.append((time.process_time() - start) * 1e3)
    compile_ms = statistics.median(taken[2:])
    print(f"  100-line function  {compile_ms:6.1f} ms (first in the process {taken[0]:.0f} ms, limit {LIMIT_MS:.0f})   "
          f"{'ok' if compile_ms <= LIMIT_MS else 'OVER'}")

    def tiny(x, y, z):
        return x[0] * y[0] * z[0]

    gradient = tg.grad(tiny, argnums=(0, 1, 2), fallback="error")
    args = (np.ones(3), np.ones(3), np.ones(3))
    gradient(*args)
    text = gradient.variants[-1].function
    overhead = difference(lambda: text(*args), lambda: gradient(*args)) * 1e6
    print(f"  call of three arrays  {overhead:5.2f} us over the text (limit {OVERHEAD_US})   {'ok' if overhead <= OVERHEAD_US else 'OVER'}")
    return compile_ms <= LIMIT_MS and overhead <= OVERHEAD_US


if __name__ == "__main__":
    raise SystemExit(not main())
