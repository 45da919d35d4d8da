"""One object under a name that branches, loops and helpers choose: what is written through one is seen through the others."""
import numpy as np
import pytest

from .by_differences import check

FUNCTIONS = []


def tried(f):
    FUNCTIONS.append(f)
    return f


@tried
def q1(x):
    now = np.outer(x, x)
    y = x * 2.0
    s = 0.0
    for k in range(3):
        now[0] = now[0] * x
        s += np.sum(y * y * k)
        y = now[0]
    return s


@tried
def q2(x):
    now = np.outer(x, x)
    y = x * 2.0
    s = 0.0
    for k in range(3):
        now[k] = now[k] * x + y
        s += np.sum(y * y * k)
        y = now[k]
    return s


@tried
def q3(x):
    now = np.outer(x, x)
    y = x * 2.0
    s = 0.0
    for k in range(3):
        now[(k + 1) % 2] = now[k % 2] * x + y
        s += np.sum(y * y * k)
        y = now[k % 2]
    return s


@tried
def q4(x):
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
def q5(x):
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
def q6(x):
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
def q7(x):
    a = x * 1.0
    b = x * 2.0
    s = 0.0
    for t in range(3):
        y = a if t % 2 else b
        a *= x
        s += np.sum(y * y) * t
    return s


@tried
def q8(x):
    a = x * 1.0
    b = x * 2.0
    s = 0.0
    for t in range(3):
        s += np.sum(a * b)
        y = a if t % 2 else b
        y *= x
    return s


@tried
def q9(x):
    u = x * 1.0
    hist = []
    for k in range(3):
        u[0] *= x[1]
        u = u * 1.5
        hist.append(u)
    return np.sum(hist[0] * hist[1] + hist[2])


@tried
def q10(x):
    u = x * 1.0
    hist = []
    for k in range(3):
        hist.append(u)
        u = u * 1.5
        u[0] *= x[1]
    return np.sum(hist[0] * hist[1] + hist[2])


@tried
def q11(x):
    u = x * 1.0
    hist = []
    for k in range(4):
        hist.append(u)
        if k % 2:
            u = u * 1.5
        u[0] *= x[1]
    return np.sum(hist[0] * hist[1] + hist[2] * hist[3])


@tried
def q12(x):
    u = x * 1.0
    v = x * 2.0
    for k in range(4):
        u, v = v, u
        u *= v
    return np.sum(u * v)


@tried
def q13(x):
    u = x * 1.0
    v = x * 2.0
    w = u
    for k in range(4):
        w = v if k % 2 else u
        w *= x
    return np.sum(u * v * w)


@tried
def q14(x):
    m = np.outer(x, x)
    r = m[0]
    for k in range(3):
        m[k] = m[k] + r * x
        r = m[k]
    return np.sum(m * m)


@tried
def q15(x):
    m = np.outer(x, x)
    r = m[0]
    for k in range(3):
        m[0] = m[k] + r * x
        m[1] += np.sin(r)
        r = m[k]
    return np.sum(m * m)


@tried
def q16(x):
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
def q17(x):
    best = (x[0], x * 1.0)
    for k in range(3):
        c = x * k
        if k % 2:
            best = (x[1] * k, c)
        c *= x
    return np.sum(best[1]) * best[0]


@tried
def q18(x):
    a = x * 1.0
    try:
        b = a
        b[0] *= 2
    except ValueError:
        b = x
    a[0] *= x[1]
    return np.sum(b * b)


@tried
def q19(x):
    a = x * 1.0
    with np.errstate(all="ignore"):
        b = a
        b[0] *= x[2]
    a[0] *= x[1]
    return np.sum(b * b)


@tried
def q20(x):
    a = x * 1.0
    b = None
    for k in range(3):
        if b is not None:
            b *= x
        b = a
        a = a * x[0]
    return np.sum(a * b)


@tried
def q21(x):
    a = x * 1.0
    prev = a
    for k in range(3):
        a = a * x[0]
        a += prev
        prev = a
        a[0] *= x[1]
    return np.sum(a * prev)


@tried
def q22(x):
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
def p1(x):
    a = [x[0], x[1] * 2]
    b = [x[1], x[2]]
    c = pick(a, b, x)
    c[0] = c[0] * x[2]
    return a[0] * a[1] + b[0] * b[1]


@tried
def p2(x):
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
def p3(x):
    q = [x * 1, x * 2, x * 3]
    first(q)[:] *= x
    return np.sum(q[0] * q[1] * q[2])


@tried
def p4(x):
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
def p5(x):
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
def p6(x):
    q = []
    for k in range(len(x)):
        q.append(x * (k + 1))
    a, b = pair(q)
    a *= b
    return np.sum(q[0] * q[1] * q[2])


def get(d, k):
    return d[k]


@tried
def p7(x):
    d = {"a": x * 1, "b": x * 2}
    v = get(d, "a")
    v += get(d, "b")
    return np.sum(d["a"] * d["b"])


def swap(q, i, j):
    q[i], q[j] = q[j], q[i]


@tried
def p8(x):
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
def p9(x):
    a = Node(x * 1)
    b = Node(x * 2)
    a.next = b
    n = a
    while n is not None:
        n.v = n.v * x
        n = n.next
    return np.sum(a.v * b.v)


@tried
def p10(x):
    a = Node(x * 1)
    b = Node(x * 2)
    a.next = b
    a.next.v *= x
    return np.sum(a.v * b.v)


def visit(q, out):
    for r in q:
        out.append(r)


@tried
def p11(x):
    q = [x * 1, x * 2]
    out = []
    visit(q, out)
    out[1] *= x
    return np.sum(q[0] * q[1])


@tried
def p12(x):
    q = [x * 1, x * 2]
    out = []
    visit(q, out)
    for r in q:
        r *= x
    return np.sum(out[0] * out[1])


def group(q):
    return {"big": [r for r in q if r[0] > 0.5], "small": [r for r in q if r[0] <= 0.5]}


@tried
def p13(x):
    q = [x * 1, x * 2, x * 3]
    g = group(q)
    for r in g["big"]:
        r *= x
    return sum(np.sum(r * r) for r in q)


@tried
def p14(x):
    import heapq

    q = [(x[k], k) for k in range(3)]
    heapq.heapify(q)
    a, _ = heapq.heappop(q)
    return a * a


@tried
def p15(x):
    q = [x[:1], x[1:]]
    z = np.concatenate(q)
    z *= 2
    v = x * 1
    w = v.reshape(3, 1)
    for r in w:
        r *= x[0]
    return np.sum(z * v)


X = np.array([0.3, 0.7, 1.1])


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(f):
    check(f, X)
