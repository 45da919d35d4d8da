"""One array, list or dict that stands in several places, and is written to through one of them: all places have it."""
import copy
import itertools

import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


@tried
def repeated_lists(x):
    grid = [[0.0] * 3] * 3
    grid[0][1] = x[0] * 2
    return grid[1][1] * grid[2][1] + grid[0][0]


@tried
def repeated_copies(x):
    rows = [x.copy()] * 3
    rows[0][0] = x[1] * x[2]
    return np.sum(rows[1]) * np.sum(rows[2])


@tried
def repeated_zeros(x):
    n = len(x)
    rows = [np.zeros(n)] * n
    for i in range(n):
        rows[i][i] += x[i] ** 2
    return np.sum(rows[0] * x)


@tried
def one_row_of_numbers(x):
    n = len(x)
    grid = [[0.0] * n] * n
    for i in range(n):
        for j in range(n):
            grid[i][j] = x[i] * x[j]
    tot = 0.0
    for row in grid:
        for v in row:
            tot += v ** 2
    return tot


@tried
def two_names(x):
    a = b = [x[0]]
    a.append(x[1])
    b.append(x[2])
    return a[-1] * b[1] * len(a)


@tried
def dict_of_lists(x):
    d = {}
    for i in range(3):
        d.setdefault(i % 2, []).append(x[i])
    e = dict(d)
    e[0].append(x[1] * 3)
    return sum(d[0]) * sum(d[1])


@tried
def tuple_twice(x):
    t = ([x[0]],)
    t[0].append(x[1])
    u = t * 2
    u[1].append(x[2])
    return sum(t[0]) * len(u[0])


@tried
def shallow_and_deep(x):
    a = [x.copy(), x * 2]
    b = copy.copy(a)
    c = copy.deepcopy(a)
    a[0][0] = x[1] ** 2
    return np.sum(b[0]) + 2 * np.sum(c[0])


@tried
def sliced(x):
    a = [x.copy() for _ in range(2)]
    b = a[:]
    b[0][1] *= 3.0
    b[1] = x ** 2
    return np.sum(a[0]) + np.sum(a[1])


@tried
def added_to_itself(x):
    a = [x.copy()]
    b = a + a
    b[0][1] *= 3.0
    return np.sum(b[1]) + np.sum(a[0])


@tried
def assigned_twice(x):
    st = [None, None]
    st[0] = x * 2
    st[1] = st[0]
    st[1][0] = 7.0
    return np.sum(st[0])


@tried
def swapped(x):
    st = [None] * 2
    for i in range(2):
        st[i] = x * (i + 1)
    st[0], st[1] = (st[1], st[0])
    return np.sum(st[0] * x) + 3 * np.sum(st[1])


@tried
def row_in_a_comprehension(x):
    n = len(x)
    row = np.zeros(n)
    rows = [row for _ in range(n)]
    for i in range(n):
        rows[i][i] += x[i] ** 2
    return np.sum(rows[0] * x)


@tried
def row_appended(x):
    n = len(x)
    row = np.zeros(n)
    rows = []
    for i in range(n):
        rows.append(row)
    for i in range(n):
        rows[i][i] += x[i] ** 2
    return np.sum(rows[0] * x)


@tried
def row_displayed(x):
    n = len(x)
    row = np.zeros(n)
    rows = [row, row]
    for i in range(2):
        rows[i][i] += x[i] ** 2
    return np.sum(rows[0] * x)


@tried
def row_from_keys(x):
    n = len(x)
    d = dict.fromkeys(range(n), np.zeros(n))
    for i in range(n):
        d[i][i] += x[i] ** 2
    return np.sum(d[0] * x)


@tried
def row_in_a_tuple(x):
    n = len(x)
    t = (np.zeros(n),) * n
    for i in range(n):
        t[i][i] += x[i] ** 2
    return np.sum(t[0] * x)


@tried
def row_assigned(x):
    n = len(x)
    rows = [np.zeros(n) for _ in range(n)]
    rows[1] = rows[0]
    for i in range(n):
        rows[i][i] += x[i] ** 2
    return np.sum(rows[0] * x)


@tried
def own_row_appended(x):
    n = len(x)
    rows = [np.zeros(n)]
    for i in range(n):
        rows.append(rows[0])
    for i in range(n):
        rows[i][i] += x[i] ** 2
    return np.sum(rows[0] * x)


@tried
def list_added_to_itself(x):
    n = len(x)
    rows = [np.zeros(n)]
    rows = rows + rows + rows
    for i in range(n):
        rows[i][i] += x[i] ** 2
    return np.sum(rows[0] * x)


@tried
def places_filled(x):
    n = len(x)
    rows = [None] * n
    for i in range(n):
        rows[i] = np.zeros(n)
    for i in range(n):
        rows[i][i] += x[i] ** 2
    return np.sum(rows[0] * x) + np.sum(rows[2] * x)


@tried
def places_filled_with_one(x):
    n = len(x)
    rows = [None] * n
    row = np.zeros(n)
    for i in range(n):
        rows[i] = row
    for i in range(n):
        rows[i][i] += x[i] ** 2
    return np.sum(rows[0] * x) + np.sum(rows[2] * x)


@tried
def rows_of_zeros(x):
    n = len(x)
    rows = list(np.zeros((n, n)))
    for i in range(n):
        rows[i][i] += x[i] ** 2
    return np.sum(rows[0] * x) + np.sum(rows[2] * x)


@tried
def rows_of_a_matrix(x):
    m = np.zeros((3, 3))
    rows = [m[i] for i in range(3)]
    for i in range(3):
        rows[i][i] += x[i] ** 2
    return np.sum(m @ x)


@tried
def rows_of_a_matrix_twice(x):
    m = np.zeros((3, 3))
    rows = [m[i] for i in range(3)] * 2
    for i in range(6):
        rows[i][i % 3] += x[i % 3] ** 2
    return np.sum(m @ x)


@tried
def repeated_by_itertools(x):
    n = len(x)
    rows = list(itertools.repeat(np.zeros(n), n))
    for i in range(n):
        rows[i][i] += x[i] ** 2
    return np.sum(rows[0] * x)


@tried
def written_in_a_loop(x):
    n = len(x)
    rows = [np.zeros(n)] * n
    for r in rows:
        r += x ** 2
    return np.sum(rows[0] * x)


@tried
def repeated_empty_lists(x):
    n = len(x)
    rows = [[]] * n
    for i in range(n):
        rows[i].append(x[i])
    return sum(rows[0]) * len(rows[1])


@tried
def repeated_empty_dicts(x):
    n = len(x)
    rows = [{}] * n
    for i in range(n):
        rows[i][i] = x[i]
    return sum(rows[0].values()) * len(rows[1])


@tried
def repeated_rows(x):
    n = len(x)
    rows = [x * 1.0] * n
    for i in range(n):
        rows[i][i] *= x[i]
    return np.sum(rows[0] * x)


def make(x, n):
    return [x * 1.0] * n


@tried
def made_by_a_helper(x):
    rows = make(x, 3)
    for i in range(3):
        rows[i][i] *= x[i]
    return np.sum(rows[0] * x)


def make1(x, n):
    rows = [x * (k + 1.0) for k in range(n)]
    return (rows, rows[:])


@tried
def list_and_its_copy_from_a_helper(x):
    rows, other = make1(x, 3)
    for i in range(3):
        rows[i][i] *= x[i]
    return np.sum(other[0] * x) + np.sum(rows[1] * other[2])


def make2(x):
    row = x * 2.0
    return [row for _ in range(3)]


@tried
def comprehension_of_a_helper(x):
    rows = make2(x)
    for i in range(3):
        rows[i][i] *= x[i]
    return np.sum(rows[0] * x)


def make3(x):
    row = x * 2.0
    return {'a': row, 'b': row}


@tried
def dict_of_a_helper(x):
    rows = make3(x)
    rows['a'][1] *= x[0]
    return np.sum(rows['b'] * x)


def make4(n):
    row = np.zeros(n)
    return [row, row, np.zeros(n)]


@tried
def constants_of_a_helper(x):
    rows = make4(3)
    for i in range(3):
        rows[i][i] += x[i] ** 2
    return np.sum(rows[0] * x) + np.sum(rows[2] * x ** 2)


def make5(x):
    m = np.outer(x, x)
    return ([m[i] for i in range(3)], m)


@tried
def rows_and_matrix_of_a_helper(x):
    rows, m = make5(x)
    for i in range(3):
        rows[i][i] *= x[i]
    return np.sum(m @ x)


def make6(x):
    return [x, x + 0.0]


@tried
def argument_among_results(x):
    y = x * 1.0
    rows = make6(y)
    rows[0][0] = rows[1][1] * 3
    rows[1][2] = y[0]
    return np.sum(y ** 2) + np.sum(rows[1] * x)


def fill(rows, x):
    for i in range(len(rows)):
        rows[i][i] += x[i] ** 2


@tried
def filled_by_a_helper(x):
    rows = [np.zeros(3)] * 3
    fill(rows, x)
    return np.sum(rows[0] * x)


@tried
def one_row_filled_by_a_helper(x):
    row = np.zeros(3)
    rows = [row, row, row]
    fill(rows, x)
    return np.sum(rows[0] * x)


class Box:

    def __init__(self, x):
        self.rows = [x * 1.0] * 3

    def bump(self, x):
        for i in range(3):
            self.rows[i][i] *= x[i]


@tried
def in_an_object(x):
    b = Box(x)
    b.bump(x)
    return np.sum(b.rows[1] * x)


def make10(x):
    return (x * 1.0,) * 3


@tried
def tuple_of_a_helper(x):
    rows = make10(x)
    for i in range(3):
        rows[i][i] *= x[i]
    return np.sum(rows[0] * x)


def swap(rows):
    rows[0], rows[1] = (rows[1], rows[0])
    return rows


@tried
def swapped_by_a_helper(x):
    a = x * 1.0
    b = x * 2.0
    rows = swap([a, b])
    rows[0][1] *= x[0]
    return np.sum(a * x) + np.sum(b * x ** 2)


@tried
def one_of_two(x):
    rows = [x * 1.0, x * 2.0]
    pick = rows[0] if x[0] > 0 else rows[1]
    pick[1] *= x[2]
    return np.sum(rows[0] * x)


X = np.array([0.6, 1.3, 0.8])


@pytest.mark.parametrize("f", tried, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(f):
    check(f, X)
