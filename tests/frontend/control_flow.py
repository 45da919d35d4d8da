"""Functions with branches, loops and early exits, and arguments for them."""
import contextlib

import numpy as np

X = np.array([0.5, -1.25, 2.0, 0.75])


def elif_chain(x, n):
    if n < 0:
        y = -x
    elif n == 0:
        y = 0.0
    elif n > 5:
        return x * 10
    else:
        y = x ** n
    return y + 1


def conditional(x, c):
    return (x if c > 0 else -x) * (2 if c else 3)


def boolean_values(x, y):
    a = x and y
    b = x or y
    return a + b + (not x)


def chained(x, lo, hi):
    return 1.0 if lo <= x < hi else 2.0


def membership(k, x):
    return x if k in (1, 2, 3) else -x if k not in [7, 8] else 0.0


def guard_none(x, scale=None):
    if scale is None:
        scale = 2.0
    return x * scale


def option_string(x, mode="mean"):
    if mode == "mean":
        return np.mean(x)
    if mode == "sum":
        return np.sum(x)
    raise ValueError(f"unknown mode {mode!r}")


def isinstance_guard(x):
    if isinstance(x, np.ndarray):
        return x.sum()
    if isinstance(x, (int, float)):
        return x * 2
    return 0.0


def none_until_found(xs, t):
    best = None
    for x in xs:
        if best is None or abs(x - t) < abs(best - t):
            best = x
    return best


def for_else(xs, t):
    for k, x in enumerate(xs):
        if x > t:
            break
    else:
        return -1.0
    return k * x


def nested_break_continue(x, n):
    total = 0.0
    for i in range(n):
        if i == 1:
            continue
        for j in range(n):
            if j == i:
                continue
            if i * j > 4:
                break
            total += x * i + j
        else:
            total += 100
        if total > 500:
            break
    return total


def return_in_loops(x, n):
    for i in range(n):
        for j in range(n):
            if i * j * x > 3:
                return i + j * x
    return -x


def while_else(x):
    n = 0
    while x > 1:
        x = x / 2
        n += 1
        if n > 10:
            break
    else:
        n = n + 100
    return x + n


def while_walrus(x):
    total = 0.0
    while (x := x * 0.5) > 0.1:
        total += x
    return total + x


def while_true(x):
    while True:
        x = x * 0.7
        if x < 0.5:
            break
    return x


def while_true_return(x):
    while True:
        x = x * 0.7
        if x < 0.5:
            return x * 2


def zip_enumerate_reversed(xs, ys):
    total = 0.0
    for k, (x, y) in enumerate(zip(xs, reversed(ys)), 2):
        total += k * x * y
    for x in reversed(xs):
        total = total * 0.5 + x
    for k in reversed(range(len(xs))):
        total += k * xs[k]
    return total


def rows(a):
    total = 0.0
    for row in a:
        total += row[0] * row.sum()
    return total


def loop_over_tuple(a, b):
    total = 0.0
    for w in (a, b, 2.0):
        total += w * w
    return total


def loop_over_functions(x):
    for f in (np.sin, np.cos, lambda t: t * t):
        x = f(x)
    return x


def loop_over_mixed(x):
    total = 0.0
    for name, value in (("a", x), ("b", 2), ("c", x * x)):
        if name != "b":
            total = total + value
    return total


def assert_and_raise(x):
    assert x > 0, "must be positive"
    if x > 100:
        raise ValueError("too large")
    return np.log(x)


def try_except(d, k, x):
    try:
        v = d[k]
    except KeyError:
        v = 3.0
    return v * x


def try_else_finally(x):
    y = 1.0
    try:
        if x > 2:
            raise ValueError
        y = x * 2
    except ValueError:
        y = x * 5
    else:
        y = y + 1
    finally:
        y = y * 10
    return y


def return_in_try(x):
    try:
        if x > 1:
            return x * 2
        y = 1 / (x - x)
    except ZeroDivisionError:
        return -x
    return y


def assigned_then_interrupted(x):
    y = 1.0
    try:
        y = x * 2
        z = [1.0][5]
        y = z
    except IndexError:
        y = y * 3
    return y


def with_errstate(x):
    with np.errstate(divide="ignore"):
        y = 1.0 / x
    return y


def with_return(x):
    with np.errstate(all="ignore"):
        if np.sum(x) > 0:
            return x * 2
    return x


def suppressed(x):
    y = x
    with contextlib.suppress(ZeroDivisionError):
        y = x * 2
        y = y / 0
    return y


@contextlib.contextmanager
def scaled(v):
    yield v * 3


def own_context(x):
    with scaled(x) as y, scaled(y) as z:
        w = y * z
    return w + z


class Ctx:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        self.x = self.x + 1
        return self

    def __exit__(self, *exc):
        return False


def own_context_class(x):
    with Ctx(x) as c:
        y = c.x * 2
    return y + c.x


def matching(x, shape):
    match shape:
        case ("circle", r):
            return x * r
        case ("rect", a, b) if a > 0:
            return x * a * b
        case [first, *_]:
            return first
        case {"kind": "square", "side": s}:
            return x * s
        case int(n) | float(n):
            return x + n
        case None:
            return x
        case _:
            return -x


def match_value(x, n):
    match n:
        case 1:
            y = x
        case 2 | 3:
            y = x * n
        case k if k > 10:
            y = x - k
        case _:
            y = 0.0
    return y


def unbound(x, n):
    if n > 3:
        y = x
    return y


def scope_of_loop_variable(xs):
    for i in range(3):
        t = xs[i]
    return t * i


def list_state(x, n):
    state = [x, 1.0]
    for _ in range(n):
        state = [state[1], state[0] + state[1]]
    return state[0] * state[1]


def dict_state(x, n):
    s = {"a": x, "b": 0.0}
    for k in range(n):
        s["b"] += s["a"] * k
        s["a"] = np.sin(s["a"])
    return s["b"], s


def swap(a, b, n):
    for _ in range(n):
        a, b = b, a + b
    return a, b


def carried_type_grows(xs):
    total = 0
    for x in xs:
        total += x
    return total


def early_exit_in_both(x, n):
    if n > 2:
        if x > 0:
            return x
        x = -x
    else:
        if x < 0:
            return 2 * x
        x = x + 1
    return x * 3


CASES = [
    (conditional, (1.5, 1.0)), (boolean_values, (2.0, 3.0)), (boolean_values, (0.0, 3.0)), (chained, (1.0, 0.5, 2.0)), (membership, (2, 1.5)),
    (membership, (7, 1.5)), (guard_none, (2.0,)), (guard_none, (2.0, 4.0)), (option_string, (X,)), (option_string, (X, "sum")),
    (option_string, (X, "no")), (isinstance_guard, (X,)), (isinstance_guard, (2.5,)), (isinstance_guard, ("s",)), (none_until_found, (X, 0.6)),
    (none_until_found, ([], 0.6)), (none_until_found, ([0.5, 2.0], 1.6)), (for_else, (X, 1.0)), (for_else, (X, 5.0)), (nested_break_continue, (1.5, 5)),
    (return_in_loops, (1.5, 4)), (return_in_loops, (0.1, 2)), (while_else, (9.0,)), (while_else, (1e9,)), (while_walrus, (3.0,)), (while_true, (3.0,)),
    (while_true_return, (3.0,)), (zip_enumerate_reversed, (X, X * 2)), (zip_enumerate_reversed, ([1.0, 2.0], [3.0, 4.0])), (rows, (np.outer(X, X),)),
    (loop_over_tuple, (1.5, 2.5)), (loop_over_functions, (0.3,)), (loop_over_mixed, (1.5,)), (assert_and_raise, (2.0,)), (assert_and_raise, (-2.0,)),
    (assert_and_raise, (200.0,)), (try_except, ({"a": 2.0}, "a", 1.5)), (try_except, ({"a": 2.0}, "b", 1.5)), (try_else_finally, (1.0,)),
    (try_else_finally, (3.0,)), (return_in_try, (2.0,)), (return_in_try, (0.5,)), (assigned_then_interrupted, (2.0,)), (with_errstate, (X,)),
    (with_return, (X,)), (with_return, (-X,)), (suppressed, (2.0,)), (own_context, (2.0,)), (own_context_class, (2.0,)),
    (matching, (2.0, ("circle", 1.5))), (matching, (2.0, ("rect", 1.5, 2.0))), (matching, (2.0, [1.0, 2.0])),
    (matching, (2.0, {"kind": "square", "side": 3.0})), (matching, (2.0, 3)), (matching, (2.0, None)), (matching, (2.0, "x")),
    (match_value, (2.0, 1)), (match_value, (2.0, 3)), (match_value, (2.0, 30)), (match_value, (2.0, 5)), (unbound, (2.0, 5)),
    (scope_of_loop_variable, (X,)), (list_state, (2.0, 4)), (dict_state, (2.0, 4)), (swap, (1.0, 2.0, 5)), (carried_type_grows, (X,)),
    (carried_type_grows, ([1.0, 2.0],)), (early_exit_in_both, (1.0, 3)), (early_exit_in_both, (-1.0, 1)), (early_exit_in_both, (1.0, 1)),
]


def assigned_on_some_turns(xs, t):
    for x in xs:
        if x > t:
            best = x
        elif x < -t:
            best = -x
    return best


def assigned_in_an_inner_loop(xs, n):
    last = -1.0
    for i in range(3):
        for j in range(n - i):
            last = xs[j] * i
            k = j
        last += k * 0.5
    return last + k


CASES += [
    (assigned_on_some_turns, (X, 0.6)), (assigned_on_some_turns, (X, 1.9)), (assigned_on_some_turns, (X[:2], 1.0)),
    (assigned_in_an_inner_loop, (X, 2)), (assigned_in_an_inner_loop, (X, 4)),
]
