"""Lists and dicts that are arguments: what is in them is unpacked, written to in place, and replaced."""
import copy

import numpy as np
import pytest

import transgrad as tg

from .by_differences import check_nested

A, B = np.array([0.7, -1.2]), np.array([0.4, 1.5])


def unpacked_lists(xs):
    a, b = xs
    return sum([p * q for p, q in zip(a, b)]) + a[0] ** 2


def unpacked_deep(xs):
    (a, b), (c, d) = xs
    return a[0] * b[0] * c[0] * d[0] + np.sum(np.array(a) * np.array(d))


def unpacked_with_rest(xs):
    a, *rest = xs
    return a[0] * rest[0][1] + rest[1][0]


def unpacked_dicts(xs):
    a, b = xs
    return a["x"] * b["x"] ** 2


def unpacked_in_a_loop(xs):
    s = 0.0
    for pair in xs:
        a, b = pair
        for i in range(len(a)):
            s += a[i] * b[i] ** 2
    return s


def unpacked_by_a_helper(a, b):
    def lengths(pair):
        u, v = pair
        return [p - q for p, q in zip(u, v)]
    d = lengths([a, b])
    return d[0] * d[1]


def columns_of_rows(xs):
    x, y = zip(*xs)
    return sum(x) * y[0] + sum([a * b for a, b in zip(x, y)])


def product_of_rows_and_columns(a, b):
    """As packages without NumPy multiply matrices."""
    c = [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]
    return c[0][0] * c[1][1] + c[0][1]


def unpacked_and_written(xs):
    a, b = xs
    a[0] = b[1] * 2.0
    return xs[0][0] * a[1] + b[0]


def unpacked_arrays_written(xs):
    a, b = xs
    a *= 2.0
    b[0] = a[1]
    return np.sum(xs[0] * xs[1]) + a[0]


def scaled(xs):
    a = xs[0]
    a *= 2.0
    return np.sum(xs[0] * xs[1])


def scaled_part(xs):
    a = xs[0]
    a[:] *= 2.0
    return np.sum(xs[0])


def scaled_in_its_place(xs):
    xs[0] *= 2.0
    return np.sum(xs[0] ** 2)


def given_again(xs):
    a = xs[0]
    a *= xs[1]
    xs[0] = a
    return np.sum(xs[0] ** 2)


def exchanged(xs):
    xs[0], xs[1] = xs[1], xs[0]
    xs[0] *= 3.0
    return np.sum(xs[0] ** 2) + xs[1][0] ** 3


def replaced_then_scaled(xs):
    xs[0] = xs[0] * xs[1]
    xs[0] *= 2.0
    return np.sum(xs[0])


def entry_scaled(d):
    a = d["x"]
    a *= 2.0
    return np.sum(a ** 2)


def entries_of_a_record(d):
    d["x"] += d["y"]
    d["x"] *= d["x"]
    return np.sum(d["x"]) + d["y"][0]


def entries_in_a_loop(d):
    for k in d:
        d[k] *= 3.0
    return np.sum(d["x"] * d["y"])


def of_a_tuple(t):
    a = t[0]
    a *= 2.0
    return np.sum(a * t[1])


def of_a_tuple_unpacked(t):
    a, b = t
    a[0] = b[1]
    b *= a
    return np.sum(t[0] * t[1] ** 2)


NUMBERS = [[1.0, 2.0], [3.0, 4.0]]
ARRAYS = [A, B]
RECORD = {"x": A, "y": B}
CASES = [
    (unpacked_lists, (NUMBERS,)), (unpacked_deep, ([[[1.0], [2.0]], [[3.0], [4.0]]],)), (unpacked_with_rest, ([*NUMBERS, [5.0, 6.0]],)),
    (unpacked_dicts, ([{"x": 1.5}, {"x": 3.0}],)), (unpacked_in_a_loop, ([NUMBERS, [[1.0, 5.0], [0.3, 0.2]]],)),
    (unpacked_by_a_helper, (NUMBERS[0], NUMBERS[1])), (unpacked_and_written, (NUMBERS,)),
    (columns_of_rows, ([*NUMBERS, [5.0, 6.0]],)), (product_of_rows_and_columns, (NUMBERS, [[0.5, 2.0], [1.5, -1.0]])),
    (unpacked_arrays_written, (ARRAYS,)),
    *((f, (ARRAYS,)) for f in (scaled, scaled_part, scaled_in_its_place, given_again, exchanged, replaced_then_scaled)),
    *((f, (RECORD,)) for f in (entry_scaled, entries_of_a_record, entries_in_a_loop)),
    *((f, ((A, B),)) for f in (of_a_tuple, of_a_tuple_unpacked)),
]


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_given(f, args):
    check_nested(f, args)


def test_what_is_compiled():
    for f, args in CASES:
        if f not in (entries_of_a_record, entries_in_a_loop, exchanged):
            tg.grad(f, argnums=tuple(range(len(args))), fallback="error")(*copy.deepcopy(args))
