"""What iterators hand out, while it is written to and while the list grows that they run over."""
import itertools

import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


@tried
def product_of_arrays(x):
    rows = [x * 1.0, x * 2.0]
    for p, r in itertools.product(rows, rows):
        p += r * 0.1
    return np.sum(rows[0] * rows[1])


@tried
def pairwise_arrays(x):
    rows = [x * 1.0, x * 2.0, x * 3.0]
    for p, r in itertools.pairwise(rows):
        r += p * p
    return np.sum(rows[0] * rows[1] * rows[2])


@tried
def combinations_of_arrays(x):
    rows = [x * 1.0, x * 2.0, x * 3.0]
    for p, r in itertools.combinations(rows, 2):
        r += p * p
    return np.sum(rows[0] * rows[1] * rows[2])


@tried
def zip_of_arrays(x):
    rows = [x * 1.0, x * 2.0, x * 3.0]
    for p, r in zip(rows, rows[1:]):
        r *= p
    return np.sum(rows[0] * rows[1] * rows[2])


@tried
def chain_of_arrays(x):
    rows = [x * 1.0, x * 2.0, x * 3.0]
    for p in itertools.chain(rows, rows):
        p *= x
    return np.sum(rows[0] * rows[1] * rows[2])


@tried
def items_of_a_dict(x):
    m = {k: x * k for k in range(1, 4)}
    for k, v in m.items():
        v += m[1] * k
    return np.sum(m[1] * m[2] + m[3])


@tried
def a_list_that_its_loop_fills(x):
    q = [x[0]]
    for i, v in enumerate(q):
        if i < 4:
            q.append(v * x[1] + i)
    return sum(q)


@tried
def a_stack(x):
    q = list(x)
    while q:
        v = q.pop()
        if len(q) < 2 and v > 0.5:
            q.append(v * x[0])
        if v < 0.05:
            break
    return v * v


@tried
def next_of_a_list_that_grows(x):
    q = [x[0], x[1]]
    it = iter(q)
    a = next(it)
    q.append(a * x[2])
    b = next(it)
    c = next(it)
    return a * b * c


@tried
def reversed_while_an_item_is_replaced(x):
    rows = [x * 1.0, x * 2.0]
    for r in reversed(rows):
        rows[0] = rows[0] + r * r
    return np.sum(rows[0])


@tried
def islice_of_arrays(x):
    rows = [x * 1.0, x * 2.0]
    for p in itertools.islice(rows, 0, 1):
        rows[1] += p * p
        p *= 3
    return np.sum(rows[0] * rows[1])


@tried
def zip_longest_of_arrays(x):
    rows = [x * 1.0, x * 2.0]
    for a, b in itertools.zip_longest(rows, rows[:1]):
        if b is not None:
            a *= b
    return np.sum(rows[0] * rows[1])


@tried
def accumulate_of_arrays(x):
    rows = [x * 1.0, x * 2.0]
    acc = list(itertools.accumulate(rows))
    rows[0] *= 2
    return np.sum(acc[0] * acc[1])


@tried
def map_of_arrays(x):
    rows = [x * 1.0, x * 2.0]
    acc = list(map(lambda r: r, rows))
    rows[0] *= 2
    return np.sum(acc[0] * acc[1])


@tried
def sorted_arrays(x):
    rows = [x * 1.0, x * 2.0]
    acc = sorted(rows, key=lambda r: -r[0])
    rows[0] *= 2
    return np.sum(acc[0] * acc[1] ** 2)


@tried
def max_of_arrays(x):
    rows = [x * 1.0, x * 2.0]
    acc = max(rows, key=lambda r: r[0])
    rows[1] *= x
    return np.sum(acc * rows[0])


@tried
def pairwise_of_a_list_that_grows(x):
    q = [x[0], x[1]]
    s = 0.0
    for p, r in itertools.pairwise(q):
        s += p * r
        if len(q) < 5:
            q.append(r * x[2])
    return s


@tried
def chain_of_a_list_that_grows(x):
    q = [x[0], x[1]]
    s = 0.0
    for p in itertools.chain(q, [x[2]]):
        s += p * p
        if len(q) < 5:
            q.append(p * x[2])
    return s


@tried
def islice_before_the_list_grows(x):
    q = [x[0], x[1]]
    s = 0.0
    it = itertools.islice(q, 4)
    q.append(x[2] * 2)
    for p in it:
        s += p * p
    return s


@tried
def accumulate_of_a_list_that_grows(x):
    q = [x[0], x[1]]
    s = 0.0
    for p in itertools.accumulate(q):
        s += p * p
        if len(q) < 4:
            q.append(p * x[2])
    return s


@tried
def product_of_a_list_that_grows(x):
    q = [x[0], x[1]]
    s = 0.0
    for p, r in itertools.product(q, q):
        s += p * r
        if len(q) < 4:
            q.append(p * x[2])
    return s * len(q)


@tried
def map_before_the_list_grows(x):
    q = [x[0], x[1]]
    it = map(lambda v: v * x[2], q)
    q.append(x[1] * 3)
    return sum(it)


@tried
def generator_before_the_list_grows(x):
    q = [x[0], x[1]]
    it = (v * x[2] for v in q)
    q.append(x[1] * 3)
    return sum(it)


@tried
def zip_before_the_list_grows(x):
    q = [x[0], x[1]]
    it = zip(q, itertools.count(1))
    q.append(x[1] * 3)
    return sum(v * k for v, k in it)


@tried
def enumerate_before_an_item_changes(x):
    q = [x[0], x[1]]
    it = enumerate(q)
    q[0] = x[2]
    return sum(v * (k + 1) for k, v in it)


@tried
def reversed_before_an_item_changes(x):
    q = [x[0], x[1]]
    it = reversed(q)
    q[0] = x[2]
    return sum(v * (k + 1) for k, v in enumerate(it))


@tried
def filter_before_the_list_grows(x):
    q = [x[0], x[1]]
    it = filter(lambda v: v > 0.1, q)
    q.append(x[2])
    return sum(v * v for v in it)


@tried
def pairwise_twice(x):
    q = [x[0], x[1]]
    it = itertools.pairwise(q)
    s = sum(u * v for u, v in it)
    q.append(x[2])
    return s + sum(u * v for u, v in itertools.pairwise(q))


X = np.array([0.3, 0.7, 1.1])


@pytest.mark.parametrize("f", tried, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(f):
    check(f, X)
