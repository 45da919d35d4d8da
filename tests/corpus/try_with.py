"""try/except/else/finally and with: the path that ran is the path that is differentiated."""
from __future__ import annotations

import contextlib
import io
import math
import warnings

import numpy as np

from .registry import case

SPD = np.array([[2.0, 0.3], [0.3, 1.5]])
X = np.array([0.8, -1.1])


@case(args=(SPD, X), wrt=(0, 1), name="cholesky_or_eigh_cholesky")
@case(args=(SPD - 2.0 * np.eye(2), X), wrt=(1,), name="cholesky_or_fallback")
def cholesky_or_fallback(a, b):
    try:
        low = np.linalg.cholesky(a)
        half = np.linalg.solve(low, b)
        return np.sum(half ** 2)
    except np.linalg.LinAlgError:
        return np.sum(b ** 2) * 0.5


@case(args=(np.array([[1.0, 2.0], [2.0, 4.0]]), X), wrt=(1,), name="solve_or_lstsq_singular")
@case(args=(SPD, X), wrt=(0, 1), name="solve_or_lstsq_regular")
def solve_or_ridge(a, b):
    try:
        x = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        x = np.linalg.solve(a.T @ a + 0.1 * np.eye(2), a.T @ b)
    return np.sum(x ** 2)


@case(args=(0.7, 0.0), name="division_guard_zero")
@case(args=(0.7, 2.0), wrt=(0, 1), name="division_guard")
def division_guard(a, b):
    try:
        y = a / b
    except ZeroDivisionError:
        y = a * a
    return y * 3.0


@case(args=(0.4,))
def try_else_finally(x):
    log = []
    try:
        y = math.sqrt(x)
    except ValueError:
        y = 0.0
    else:
        y = y * x
    finally:
        log.append("done")
    return y + len(log) * x


@case(args=({"a": 1.4},))
def missing_key_has_default(p):
    try:
        b = p["b"]
    except KeyError:
        b = p["a"] ** 2
    return b * p["a"]


@case(args=([1.5, 0.4],))
def index_error_ends_the_sum(values):
    total, k = 0.0, 0
    while True:
        try:
            v = values[k]
        except IndexError:
            break
        total += v * v * (k + 1)
        k += 1
    return total


@case(args=(2.2,))
def several_handlers(x):
    def risky(v):
        if v > 2.0:
            raise OverflowError("too large")
        if v < 0.0:
            raise ValueError("negative")
        return v
    try:
        y = risky(x)
    except ValueError:
        y = -x
    except (ArithmeticError, TypeError) as err:
        y = x ** 2 + len(str(err))
    return y * x


@case(args=(1.2,))
def written_before_the_exception(x):
    y = x
    try:
        y = y * 2.0
        y = y + 1.0 / (math.floor(x) - 1)
        y = y * 100.0
    except ZeroDivisionError:
        y = y + x ** 2
    return y


@case(args=(0.9,))
def reraised_and_caught_outside(x):
    def inner(v):
        try:
            return math.acos(v + 1.0)
        except ValueError as exc:
            raise RuntimeError("outside the domain") from exc
    try:
        return inner(x)
    except RuntimeError as exc:
        return x ** 3 if isinstance(exc.__cause__, ValueError) else x


@case(args=(X,))
def errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = x / np.array([0.5, 2.0])
        y = np.where(ratio > 0, ratio ** 2, ratio)
    return np.sum(y * x)


@case(args=(0.6,))
def with_as_value(x):
    with contextlib.nullcontext(x * 2.0) as doubled:
        y = doubled * x
    return y + doubled


@case(args=(0.6,))
def nested_with(x):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        y = np.log(x)
        with contextlib.redirect_stdout(io.StringIO()):
            print("inside", y)
            y *= x
    return y


@case(args=(1.5,))
def suppressed(x):
    y = x
    with contextlib.suppress(ZeroDivisionError):
        y = y * x
        y = y / 0
        y = y * 100.0
    return y + x


@case(args=(0.8,))
def own_context_manager(x):
    class Scaled:
        def __init__(self, factor):
            self.factor = factor

        def __enter__(self):
            return self.factor ** 2

        def __exit__(self, *exc):
            return False

    with Scaled(x) as f:
        y = f * x
    return y


@case(args=(0.8, 1.1), wrt=(0, 1))
def generator_context_manager(x, w):
    @contextlib.contextmanager
    def shifted(v):
        yield v + 1.0

    with shifted(x) as s:
        y = s * w
    return y ** 2


@case(args=(X, 0.3), wrt=(0, 1))
def try_in_loop(x, c):
    total = 0.0
    for v in x:
        try:
            total += math.sqrt(v) * c
        except ValueError:
            total += v ** 2 * c
        finally:
            total *= 1.1
    return total


@case(args=(0.5,))
def finally_writes(x):
    y = 1.0
    try:
        y = np.exp(x)
    finally:
        y = y * x
    return y


@case(args=(3.1,))
def assertion_is_caught(x):
    try:
        assert x < 3.0, "too large"
        y = x
    except AssertionError:
        y = x / 3.0
    return y ** 2
