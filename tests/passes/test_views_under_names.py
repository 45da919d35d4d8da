"""Views and items under names of their own, in displays, objects, loops and choices, that are written to."""

import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


@tried
def rows_in_a_list(x):
    m = np.outer(x, x)
    rows = [m[0], m[1]]
    rows[0] *= x
    return np.sum(m * m)


@tried
def rows_by_a_comprehension(x):
    m = np.outer(x, x)
    rows = [r for r in m]
    rows[2] *= x
    return np.sum(m * m)


@tried
def a_row_and_a_column(x):
    m = np.outer(x, x)
    v = m[0]
    w = m[:, 0]
    v *= x
    w += x
    return np.sum(m * m)


@tried
def the_best_row(x):
    m = np.outer(x, x)
    best = m[0]
    for k in range(3):
        if m[k, 0] > best[0]:
            best = m[k]
    best *= x
    return np.sum(m * m)


@tried
def parts_in_a_dict(x):
    m = np.outer(x, x)
    d = {"v": m[0], "w": m[1:]}
    d["v"] *= x
    d["w"][0] += d["v"]
    return np.sum(m * m)


@tried
def a_loop_over_a_tuple(x):
    m = np.outer(x, x)
    t = (m[0], m[1])
    for r in t:
        r *= x
    return np.sum(m * m)


@tried
def pairs_of_rows(x):
    m = np.outer(x, x)
    prs = [(m[i], m[(i + 1) % 3]) for i in range(3)]
    for p, q in prs:
        q += p * x
    return np.sum(m * m)


@tried
def a_row_of_numbers_twice(x):
    g = [[x[0] * i + j for j in range(3)] for i in range(3)]
    r = g[1]
    r[0] = x[1]
    g[2] = r
    g[2][1] = x[2] * 2
    return sum(sum(q) for q in g) * g[1][1]


@tried
def columns_taken_apart(x):
    g = [[x[0] * i + j for j in range(3)] for i in range(3)]
    cols = list(zip(*g))
    g[0][0] = x[1]
    return cols[0][0] * g[0][0] + cols[1][2]


@tried
def rows_that_are_copied(x):
    g = [[x[0] * i + j for j in range(3)] for i in range(3)]
    h = [list(r) for r in g]
    h[0][0] = x[1]
    for r in h:
        r.append(x[2])
    return g[0][0] * h[0][0] + sum(map(sum, h))


@tried
def a_copied_list_of_rows(x):
    g = [[x[0] * i + j for j in range(3)] for i in range(3)]
    h = g[:]
    h[0][0] = x[1]
    h.append([x[2]])
    return g[0][0] * len(g) + sum(map(sum, h))


@tried
def a_stack_of_lists(x):
    stack = [[x[0]]]
    while len(stack) < 4:
        top = stack[-1]
        new = top + [x[len(stack) - 1]]
        top[0] = top[0] * 2
        stack.append(new)
    return sum(map(sum, stack))


@tried
def a_copied_dict(x):
    st = {"u": x * 1.0, "v": x * 2.0}
    for k in range(3):
        old = dict(st)
        st["u"] = old["v"] * x
        st["v"] = old["u"] + 1
    return np.sum(st["u"] * st["v"])


@tried
def a_copied_dict_written_in_place(x):
    st = {"u": x * 1.0, "v": x * 2.0}
    for k in range(3):
        old = dict(st)
        st["u"] *= old["v"]
        st["v"] = old["u"] + 1
    return np.sum(st["u"] * st["v"])


@tried
def one_array_in_two_places(x):
    u = x * 1.0
    v = u
    w = [u, v]
    w[0] = w[0] * 2
    w[1] *= x
    return np.sum(u * w[0] + v)


@tried
def a_history_in_an_object(x):
    class P:
        def __init__(s):
            s.hist = []
            s.cur = x * 1.0

        def step(s, k):
            s.hist.append(s.cur)
            s.cur = s.cur * x + k
            s.cur[0] *= 2

    p = P()
    for k in range(3):
        p.step(k)
    return np.sum(p.hist[1] * p.cur)


@tried
def one_array_as_a_history(x):
    class P:
        def __init__(s):
            s.hist = []
            s.cur = x * 1.0

        def step(s, k):
            s.hist.append(s.cur)
            s.cur *= x

    p = P()
    for k in range(3):
        p.step(k)
    return np.sum(p.hist[1] * p.cur)


@tried
def two_buffers(x):
    buf = [x * 0.0, x * 1.0]
    for k in range(4):
        a, b = buf[k % 2], buf[(k + 1) % 2]
        b[:] = a * x + b
        a += 1
    return np.sum(buf[0] * buf[1])


@tried
def swapped(x):
    a = x * 1.0
    b = x * 2.0
    for k in range(4):
        a, b = b, a
        b[1:] += a[:-1]
    return np.sum(a * b * b)


@tried
def a_cache(x):
    cache = {}

    def get(k):
        if k not in cache:
            cache[k] = x * k
        return cache[k]

    get(1)[0] *= x[1]
    y = get(1) + get(2)
    y[1] = 0.0
    return np.sum(y * get(1))


@tried
def the_last_of_a_list(x):
    out = [x * 1.0]
    for k in range(3):
        last = out[-1]
        if k == 1:
            last = last.copy()
        last[k] += x[k]
        out.append(last)
    return sum(np.sum(o * o) * (i + 1) for i, o in enumerate(out))


@tried
def shifted_items(x):
    q = [x * 1, x * 2, x * 3]
    for i in range(3):
        q[i] = q[(i + 1) % 3]
        q[i][i] *= 2
    return np.sum(q[0] * q[1] + q[2])


@tried
def both_ends_of_a_list(x):
    q = [x * 1, x * 2, x * 3]
    for r, s in zip(q, q[::-1]):
        r += s * 0.1
    return np.sum(q[0] * q[1] + q[2])


@tried
def both_ends_of_an_array(x):
    q = np.stack([x, x * 2, x * 3])
    for r, s in zip(q, q[::-1]):
        r += s * 0.1
    return np.sum(q[0] * q[1] + q[2])


@tried
def shrinking_views(x):
    q = np.stack([x, x * 2, x * 3])
    p = q
    for i in range(2):
        p = p[1:]
        p *= 1.5
    return np.sum(q * q)


@tried
def chosen_rows(x):
    q = np.stack([x, x * 2, x * 3])
    p = q
    for i in range(3):
        p = q[i] if x[i] > 0.5 else p
        p *= 1.5
        q[0] += 0.1
    return np.sum(q * q)


@tried
def one_array_in_each_place(x):
    b = x * 2.0
    q = []
    for _ in range(len(x)):
        q.append(b)
    for r in list(q):
        q[1][1:] *= r[:-1]
    return np.sum(b)


def put(q, u, i):
    q[i] = u


@tried
def squared_by_two_places(x):
    q = [x * 1.0, x * 3.0]
    put(q, q[1], 0)
    q[1] *= q[0]
    return sum(np.sum(r * r) * (i + 1) for i, r in enumerate(q))


X = np.array([0.3, 0.7, 1.1])


@pytest.mark.parametrize("f", tried, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(f):
    check(f, X)
