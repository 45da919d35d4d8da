"""Arrays that iterators hand out, and that are written to."""
import itertools

import numpy as np
import pytest

from .by_differences import check

FUNCTIONS = []


def tried(f):
    FUNCTIONS.append(f)
    return f


@tried
def of_iterators_b(x):
    rows = [x * 1.0, x * 2.0]
    for p, r in itertools.product(rows, rows):
        p += r * 0.1
    return np.sum(rows[0] * rows[1])


@tried
def of_iterators_c(x):
    rows = [x * 1.0, x * 2.0, x * 3.0]
    for p, r in itertools.pairwise(rows):
        r += p * p
    return np.sum(rows[0] * rows[1] * rows[2])


@tried
def of_iterators_d(x):
    rows = [x * 1.0, x * 2.0, x * 3.0]
    for p, r in itertools.combinations(rows, 2):
        r += p * p
    return np.sum(rows[0] * rows[1] * rows[2])


@tried
def of_iterators_e(x):
    rows = [x * 1.0, x * 2.0, x * 3.0]
    for p, r in zip(rows, rows[1:]):
        r *= p
    return np.sum(rows[0] * rows[1] * rows[2])


@tried
def of_iterators_f(x):
    rows = [x * 1.0, x * 2.0, x * 3.0]
    for p in itertools.chain(rows, rows):
        p *= x
    return np.sum(rows[0] * rows[1] * rows[2])


@tried
def of_iterators_g(x):
    m = {k: x * k for k in range(1, 4)}
    for k, v in m.items():
        v += m[1] * k
    return np.sum(m[1] * m[2] + m[3])


@tried
def of_iterators_h(x):
    q = [x[0]]
    for i, v in enumerate(q):
        if i < 4:
            q.append(v * x[1] + i)
    return sum(q)


@tried
def of_iterators_i(x):
    q = list(x)
    while q:
        v = q.pop()
        if len(q) < 2 and v > 0.5:
            q.append(v * x[0])
        if v < 0.05:
            break
    return v * v


@tried
def of_iterators_j(x):
    q = [x[0], x[1]]
    it = iter(q)
    a = next(it)
    q.append(a * x[2])
    b = next(it)
    c = next(it)
    return a * b * c


@tried
def of_iterators_k(x):
    rows = [x * 1.0, x * 2.0]
    for r in reversed(rows):
        rows[0] = rows[0] + r * r
    return np.sum(rows[0])


@tried
def of_iterators_l(x):
    rows = [x * 1.0, x * 2.0]
    for p in itertools.islice(rows, 0, 1):
        rows[1] += p * p
        p *= 3
    return np.sum(rows[0] * rows[1])


@tried
def of_iterators_m(x):
    rows = [x * 1.0, x * 2.0]
    for a, b in itertools.zip_longest(rows, rows[:1]):
        if b is not None:
            a *= b
    return np.sum(rows[0] * rows[1])


@tried
def of_iterators_n(x):
    rows = [x * 1.0, x * 2.0]
    acc = list(itertools.accumulate(rows))
    rows[0] *= 2
    return np.sum(acc[0] * acc[1])


@tried
def of_iterators_o(x):
    rows = [x * 1.0, x * 2.0]
    acc = list(map(lambda r: r, rows))
    rows[0] *= 2
    return np.sum(acc[0] * acc[1])


@tried
def of_iterators_p(x):
    rows = [x * 1.0, x * 2.0]
    acc = sorted(rows, key=lambda r: -r[0])
    rows[0] *= 2
    return np.sum(acc[0] * acc[1] ** 2)


@tried
def of_iterators_q(x):
    rows = [x * 1.0, x * 2.0]
    acc = max(rows, key=lambda r: r[0])
    rows[1] *= x
    return np.sum(acc * rows[0])


X = np.array([0.3, 0.7, 1.1])


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(f):
    check(f, X)
