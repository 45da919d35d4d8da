"""One object under a name that branches, loops and helpers choose: what is written through one is seen through the others."""
import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


@tried
def a_row_written_in_the_next_turn(x):
    now = np.outer(x, x)
    y = x * 2.0
    s = 0.0
    for k in range(3):
        now[0] = now[0] * x
        s += np.sum(y * y * k)
        y = now[0]
    return s


@tried
def a_row_of_its_own_turn(x):
    now = np.outer(x, x)
    y = x * 2.0
    s = 0.0
    for k in range(3):
        now[k] = now[k] * x + y
        s += np.sum(y * y * k)
        y = now[k]
    return s


@tried
def two_rows_by_turns(x):
    now = np.outer(x, x)
    y = x * 2.0
    s = 0.0
    for k in range(3):
        now[(k + 1) % 2] = now[k % 2] * x + y
        s += np.sum(y * y * k)
        y = now[k % 2]
    return s


@tried
def rows_of_an_inner_loop(x):
    now = np.outer(x, x)
    s = 0.0
    for t in range(3):
        y = x * 2.0
        for k in range(2):
            now[k] = now[k] * x + y
            s += np.sum(y * y * k)
            y = now[k]
        s += np.sum(y)
    return s


@tried
def a_row_of_an_earlier_turn(x):
    now = np.outer(x, x)
    s = 0.0
    for t in range(3):
        y = x * 2.0
        if t > 0:
            y = now[t - 1]
        now[0] *= x
        s += np.sum(y * t)
    return s


@tried
def a_row_from_then_on(x):
    now = np.outer(x, x)
    s = 0.0
    y = x * 1.0
    for t in range(3):
        if t > 0:
            y = now[t]
        s += np.sum(y * t)
        now[2] *= x
    return s


@tried
def one_of_two_read(x):
    a = x * 1.0
    b = x * 2.0
    s = 0.0
    for t in range(3):
        y = a if t % 2 else b
        a *= x
        s += np.sum(y * y) * t
    return s


@tried
def one_of_two_written(x):
    a = x * 1.0
    b = x * 2.0
    s = 0.0
    for t in range(3):
        s += np.sum(a * b)
        y = a if t % 2 else b
        y *= x
    return s


@tried
def appended_and_written_in_the_next_turn(x):
    u = x * 1.0
    hist = []
    for k in range(3):
        u[0] *= x[1]
        u = u * 1.5
        hist.append(u)
    return np.sum(hist[0] * hist[1] + hist[2])


@tried
def appended_before_it_is_replaced(x):
    u = x * 1.0
    hist = []
    for k in range(3):
        hist.append(u)
        u = u * 1.5
        u[0] *= x[1]
    return np.sum(hist[0] * hist[1] + hist[2])


@tried
def appended_and_sometimes_replaced(x):
    u = x * 1.0
    hist = []
    for k in range(4):
        hist.append(u)
        if k % 2:
            u = u * 1.5
        u[0] *= x[1]
    return np.sum(hist[0] * hist[1] + hist[2] * hist[3])


@tried
def swapped_and_written(x):
    u = x * 1.0
    v = x * 2.0
    for k in range(4):
        u, v = v, u
        u *= v
    return np.sum(u * v)


@tried
def one_of_two_after_the_loop(x):
    u = x * 1.0
    v = x * 2.0
    w = u
    for k in range(4):
        w = v if k % 2 else u
        w *= x
    return np.sum(u * v * w)


@tried
def a_row_carried(x):
    m = np.outer(x, x)
    r = m[0]
    for k in range(3):
        m[k] = m[k] + r * x
        r = m[k]
    return np.sum(m * m)


@tried
def a_row_carried_and_written_elsewhere(x):
    m = np.outer(x, x)
    r = m[0]
    for k in range(3):
        m[0] = m[k] + r * x
        m[1] += np.sin(r)
        r = m[k]
    return np.sum(m * m)


@tried
def two_items_by_turns(x):
    q = [x * k for k in range(1, 6)]
    i = 0
    while i < 3:
        a = q[i]
        b = q[i + 1]
        a, b = b, a
        a *= b
        i += 1
    return sum(np.sum(r * r) for r in q)


@tried
def the_best_of_tuples(x):
    best = (x[0], x * 1.0)
    for k in range(3):
        c = x * k
        if k % 2:
            best = (x[1] * k, c)
        c *= x
    return np.sum(best[1]) * best[0]


@tried
def chosen_by_a_try(x):
    a = x * 1.0
    try:
        b = a
        b[0] *= 2
    except ValueError:
        b = x
    a[0] *= x[1]
    return np.sum(b * b)


@tried
def named_in_a_with(x):
    a = x * 1.0
    with np.errstate(all="ignore"):
        b = a
        b[0] *= x[2]
    a[0] *= x[1]
    return np.sum(b * b)


@tried
def the_last_or_none(x):
    a = x * 1.0
    b = None
    for k in range(3):
        if b is not None:
            b *= x
        b = a
        a = a * x[0]
    return np.sum(a * b)


@tried
def the_sum_of_the_last(x):
    a = x * 1.0
    prev = a
    for k in range(3):
        a = a * x[0]
        a += prev
        prev = a
        a[0] *= x[1]
    return np.sum(a * prev)


@tried
def the_last_but_one(x):
    a = x * 1.0
    prev = a
    for k in range(3):
        new = a * x[0] + prev
        prev = a
        a = new
        a[0] *= x[1]
    return np.sum(a * prev)


def pick(a, b, c):
    for k in range(3):
        if c[0] > k:
            a = b
    return a


@tried
def one_of_two_lists(x):
    a = [x[0], x[1] * 2]
    b = [x[1], x[2]]
    c = pick(a, b, x)
    c[0] = c[0] * x[2]
    return a[0] * a[1] + b[0] * b[1]


@tried
def one_of_two_arrays_of_a_helper(x):
    a = x * 1
    b = x * 2
    c = pick(a, b, x)
    c[0] = c[0] * x[2]
    return np.sum(a * b)


def first(q):
    for r in q:
        if r[0] > 0.5:
            return r
    return q[0]


@tried
def the_first_of_a_display(x):
    q = [x * 1, x * 2, x * 3]
    first(q)[:] *= x
    return np.sum(q[0] * q[1] * q[2])


@tried
def the_first_of_a_list(x):
    q = []
    for k in range(len(x)):
        q.append(x * (k + 1))
    r = first(q)
    r *= x
    return np.sum(q[0] * q[1] * q[2])


def maybe(q, k):
    for i, r in enumerate(q):
        if i == k:
            return r
    return None


@tried
def an_item_or_none(x):
    q = []
    for k in range(len(x)):
        q.append(x * (k + 1))
    r = maybe(q, 1)
    if r is not None:
        r *= x
    return np.sum(q[0] * q[1] * q[2])


def pair(q):
    return q[0], q[-1]


@tried
def a_pair_of_items(x):
    q = []
    for k in range(len(x)):
        q.append(x * (k + 1))
    a, b = pair(q)
    a *= b
    return np.sum(q[0] * q[1] * q[2])


def get(d, k):
    return d[k]


@tried
def an_item_of_a_dict(x):
    d = {"a": x * 1, "b": x * 2}
    v = get(d, "a")
    v += get(d, "b")
    return np.sum(d["a"] * d["b"])


def swap(q, i, j):
    q[i], q[j] = q[j], q[i]


@tried
def swapped_by_a_helper(x):
    q = []
    for k in range(len(x)):
        q.append(x * (k + 1))
    a = q[0]
    swap(q, 0, 2)
    a *= x
    q[0] *= x
    return np.sum(q[0] * q[1] + q[2])


class Node:
    def __init__(s, v):
        s.v = v
        s.next = None


@tried
def linked_nodes(x):
    a = Node(x * 1)
    b = Node(x * 2)
    a.next = b
    n = a
    while n is not None:
        n.v = n.v * x
        n = n.next
    return np.sum(a.v * b.v)


@tried
def a_node_behind_a_node(x):
    a = Node(x * 1)
    b = Node(x * 2)
    a.next = b
    a.next.v *= x
    return np.sum(a.v * b.v)


def visit(q, out):
    for r in q:
        out.append(r)


@tried
def moved_by_a_helper(x):
    q = [x * 1, x * 2]
    out = []
    visit(q, out)
    out[1] *= x
    return np.sum(q[0] * q[1])


@tried
def moved_by_a_helper_and_written_before(x):
    q = [x * 1, x * 2]
    out = []
    visit(q, out)
    for r in q:
        r *= x
    return np.sum(out[0] * out[1])


def group(q):
    return {"big": [r for r in q if r[0] > 0.5], "small": [r for r in q if r[0] <= 0.5]}


@tried
def grouped_by_a_helper(x):
    q = [x * 1, x * 2, x * 3]
    g = group(q)
    for r in g["big"]:
        r *= x
    return sum(np.sum(r * r) for r in q)


@tried
def a_heap(x):
    import heapq

    q = [(x[k], k) for k in range(3)]
    heapq.heapify(q)
    a, _ = heapq.heappop(q)
    return a * a


@tried
def rows_of_a_column(x):
    q = [x[:1], x[1:]]
    z = np.concatenate(q)
    z *= 2
    v = x * 1
    w = v.reshape(3, 1)
    for r in w:
        r *= x[0]
    return np.sum(z * v)


X = np.array([0.3, 0.7, 1.1])


@pytest.mark.parametrize("f", tried, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(f):
    check(f, X)
