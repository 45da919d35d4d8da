"""The Hessian of the chained Rosenbrock function, of up to 20,000 variables, written with slices and as a loop: time over size."""
from __future__ import annotations

import time

import numpy as np

import transgrad as tg

LIMIT = 1.1
SIZES = (2500, 5000, 10000, 20000)


def with_slices(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def with_a_loop(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return s


def exact(x):
    """The diagonal, and the one beside it."""
    diagonal = np.zeros_like(x)
    diagonal[:-1] = 1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0
    diagonal[1:] += 200.0
    return diagonal, -400.0 * x[:-1]


def _fastest(functions, x):
    """The time of the fastest of several calls."""
    best = np.inf
    for f in functions:
        start = time.process_time()
        f(x)
        best = min(best, time.process_time() - start)
    return best


def _exponent(seconds):
    """The slope of log time over log size."""
    return np.polyfit(np.log(SIZES), np.log(seconds), 1)[0]


def main() -> bool:
    """Prints the times and how they grow; whether none grows faster than the non-zeros do."""
    ok = True
    for f in (with_slices, with_a_loop):
        first, again = [], []
        for n in SIZES:
            x = np.linspace(-1.0, 1.0, n)
            hessian = tg.sparse_hessian(f)
            hessian(x[:8])      # compiled; the pattern of another length is another one
            found = hessian(x)
            assert np.allclose(found.diagonal(), exact(x)[0]) and np.allclose(found.diagonal(1), exact(x)[1])
            fresh = [tg.sparse_hessian(f) for _ in range(3)]
            for one in fresh:
                one(x[:8])
            first.append(_fastest(fresh, x))
            again.append(_fastest([hessian] * 3, x))
        print(f"Hessian of the chained Rosenbrock function, {f.__name__}: {found.nnz} non-zeros of {SIZES[-1]} variables")
        for what, seconds in (("pattern, colours and entries", first), ("entries, once more", again)):
            exponent = _exponent(seconds)
            ok = ok and exponent <= LIMIT
            print(f"  {what:30} {' '.join(f'{1e3 * s:8.2f}' for s in seconds)} ms for n = {', '.join(map(str, SIZES))}: "
                  f"n^{exponent:.2f} (limit {LIMIT})   {'ok' if exponent <= LIMIT else 'OVER'}")
    return bool(ok)


if __name__ == "__main__":
    main()
