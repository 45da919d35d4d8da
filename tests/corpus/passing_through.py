"""What passes through a function without a derivative: strings, printing, logging, random numbers, files, imports, hints."""
from __future__ import annotations

import json
import logging
import os
import random
import sys
import tempfile
import time
import warnings
from typing import TYPE_CHECKING, Final, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .registry import case

if TYPE_CHECKING:
    from collections.abc import Sequence

log = logging.getLogger(__name__)
LIMIT: Final = 3.0
X = np.array([0.6, -0.8, 1.1])


@case(args=(X,))
def strings_and_fstrings(x):
    name = "x" + str(len(x))
    label = f"{name}: {x[0]:.3f} {'big' if x[1] > 0 else 'small'!r}"
    parts = label.split(":")
    key = "-".join(p.strip().upper() for p in parts)
    scale = 2.0 if key.startswith("X3") else 1.0
    return scale * np.sum(x ** 2) * len(parts)


@case(args=(0.7,))
def prints(x):
    print("x =", x, file=sys.stderr)
    y = x ** 2
    print(f"{y=:.2f}", end="", file=sys.stderr)
    return y * x


@case(args=(X, True), name="verbose_on")
@case(args=(X, False), name="verbose_off")
def verbose(x, verbose=False):
    history = []
    for k in range(3):
        x = x * 0.9 + 0.1
        if verbose:
            history.append(f"{k}: {np.sum(x):.3g}")
            log.debug("step %d value %g", k, x[0])
    if verbose and history:
        log.info("\n".join(history))
    return np.sum(x ** 2)


@case(args=(X,))
def seeded_noise(x):
    rng = np.random.default_rng(3)
    noise = rng.normal(size=x.shape)
    np.random.seed(1)
    mask = np.random.rand(3) > 0.3
    random.seed(2)
    return np.sum((x + 0.1 * noise) ** 2 * mask) + random.random() * x[0]


@case(args=(X, np.random.default_rng(7)), order=2)
def generator_passed_in(x, rng):
    eps = rng.standard_normal(3)
    z = x + np.exp(0.1 * x) * eps
    return np.mean(z ** 2)


@case(args=(0.5,))
def imports_inside(x):
    import math
    from math import sin as sine

    import numpy as xp
    return math.exp(x) * sine(x) + xp.sum(xp.arange(3) * x)


@case(args=(X,))
def file_read(x):
    fd, path = tempfile.mkstemp(suffix=".json")
    with os.fdopen(fd, "w") as handle:
        json.dump({"weights": [1.0, 2.0, 3.0]}, handle)
    with open(path) as handle:
        weights = np.array(json.load(handle)["weights"])
    os.remove(path)
    return np.sum(weights * x ** 2)


@case(args=(X, 0.4), wrt=(0, 1))
def type_hints(x: ArrayLike, c: float = 1.0, names: "Sequence[str] | None" = None) -> float:
    """Weighted sum of squares.

    Parameters are hinted with things that need not exist when it runs.
    """
    a: NDArray[np.float64] = np.asarray(x)
    total: float = float(np.sum(a * a))  # a comment
    # another comment
    return cast("float", total) * c


@case(args=(0.6,))
def comments_only(x):
    # nothing but comments
    # before the result
    ...
    pass
    "a string that does nothing"
    return x * x  # the square


@case(args=(3.5,))
def warned(x):
    if x > LIMIT:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.warn("x is large", RuntimeWarning, stacklevel=2)
    return x ** 2 / LIMIT


@case(args=(0.8,))
def timed(x):
    start = time.perf_counter()
    y = x ** 3
    elapsed = time.perf_counter() - start
    assert elapsed >= 0.0
    return y


@case(args=(X,))
def integers_and_booleans(x):
    n = len(x)
    half, odd = divmod(n, 2)
    bits = (n << 1) ^ 3 & 5
    flags = [v > 0 for v in x]
    count = sum(flags)
    return x[half] * bits + x[odd] ** count + (count / n) * x[-1] + isinstance(x, np.ndarray) * x[0]


@case(args=(X, ["a", "b", "a"]))
def grouped_by_label(x, labels):
    totals = {}
    for label, v in zip(labels, x):
        totals[label] = totals.get(label, 0.0) + v
    return sum(t ** 2 for t in totals.values())


@case(args=(X, {"tol": 1e-8, "method": "mean", "weights": None}))
def options_dict(x, options):
    opts = {"method": "sum", "ddof": 0, **options}
    reducer = getattr(np, opts["method"])
    y = reducer(x ** 2)
    if opts["weights"] is not None:
        y *= opts["weights"]
    return y / (1 + opts["ddof"]) + opts["tol"] * x[0]


@case(args=(0.4, np.float64), name="dtype_argument")
def dtype_argument(x, dtype):
    grid = np.linspace(0.0, 1.0, 5, dtype=dtype)
    buf = np.zeros(grid.shape, dtype=dtype)
    buf[:] = np.sin(x * grid)
    return buf.astype(dtype).sum() + np.dtype(dtype).itemsize * x


@case(args=(1.2,))
def globals_counted(x):
    global _calls
    _calls += 1
    return x * x


_calls = 0


@case(args=(X,))
def values_for_reading_only(x):
    snapshot = [float(v) for v in x]
    worst = max(range(len(snapshot)), key=lambda k: abs(snapshot[k]))
    text = repr(snapshot)
    return x[worst] ** 2 + len(text) * 0.0


@case(args=(0.3,))
def documented(x):
    """Square of x.

    >>> documented(2.0)
    4.0
    """
    return x ** 2


@case(args=(X, "sum"), name="error_message_built")
def error_message_built(x, how):
    message = f"unknown {how!r}; choose one of {', '.join(sorted(['sum', 'mean']))}"
    if how not in {"sum", "mean"}:
        raise ValueError(message)
    return np.sum(x ** 3) if how == "sum" else np.mean(x)
