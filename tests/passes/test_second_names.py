"""One object in several containers: what is written to it there is seen everywhere."""
import numpy as np
import pytest

from .by_differences import check

FUNCTIONS = []


def tried(f):
    FUNCTIONS.append(f)
    return f


@tried
def t1(x):
    s = x * 1.0
    t = x * 2.0
    for p, r in [(s, t), (t, s)]:
        p += r * r
    return np.sum(s * t)


@tried
def t2(x):
    s = x * 1.0
    t = x * 2.0
    pairs = [(s, t), (t, s)]
    p, r = pairs[1]
    p *= r
    return np.sum(s * t * t)


@tried
def t3(x):
    s = x * 1.0
    t = x * 2.0
    pairs = [(s, x[0]), (t, x[1])]
    for p, c in pairs:
        p *= c
    return np.sum(s * t * t) + pairs[0][1] * pairs[1][1]


@tried
def t4(x):
    pairs = [(x * k, x[0] * k) for k in range(1, 4)]
    for p, c in pairs:
        p *= c
    return sum(np.sum(p * p) * c for p, c in pairs)


@tried
def t5(x):
    pairs = {"a": (x * 1.0, x[0]), "b": (x * 2.0, x[1])}
    for k in pairs:
        p, c = pairs[k]
        p *= c
    return sum(np.sum(p * p) * c for p, c in pairs.values())


@tried
def t6(x):
    q = [x * 1.0, x * 2.0]
    acc = [r for r in q]
    q[0] *= x
    return np.sum(acc[0] * acc[1])


@tried
def t7(x):
    q = [x * 1.0, x * 2.0]
    acc = []
    for r in q:
        acc.append(r)
    acc[0] *= x
    return np.sum(q[0] * q[1])


@tried
def t8(x):
    q = [x * 1.0, x * 2.0]
    acc = [q[i] for i in (1, 0)]
    acc[0] *= x
    return np.sum(q[0] * q[1] ** 2)


@tried
def t9(x):
    q = [x * k for k in range(5)]
    best = []
    for r in q:
        if r[0] > 0.4:
            best.append(r)
    for r in q:
        r += x * x
    return sum(np.sum(b * b) for b in best)


@tried
def t10(x):
    q = {k: x * k for k in range(5)}
    best = {}
    for k, r in q.items():
        if k % 2:
            best[k] = r
    for r in q.values():
        r += x * x
    return sum(np.sum(b * b) for b in best.values())


@tried
def t11(x):
    q = [x * k for k in range(1, 5)]
    grid = [[q[i], q[i + 1]] for i in range(3)]
    for row in grid:
        row[0] += row[1] * row[1]
    return sum(np.sum(b * b) for b in q)


@tried
def t12(x):
    q = [x * k for k in range(1, 5)]
    last = q[0]
    for r in q:
        if r[0] > 0.5:
            last = r
    last *= x
    return sum(np.sum(b * b) for b in q)


@tried
def t13(x):
    q = [x * k for k in range(1, 5)]
    top = None
    for r in q:
        if top is None or r[0] > top[0]:
            top = r
    q[3] += x
    return np.sum(top * top)


@tried
def t14(x):
    q = [x * k for k in range(1, 5)]
    a = q[1:3]
    for r in a:
        r *= x
    return sum(np.sum(b * b) for b in q)


@tried
def t15(x):
    q = [x * k for k in range(1, 5)]
    a = q[::-1] + q[:1]
    for r in a:
        r *= x
    return sum(np.sum(b * b) for b in q)


@tried
def t16(x):
    q = [(i, x * i) for i in range(1, 4)]
    d = dict(q)
    d[2] *= x
    return sum(np.sum(v * v) for i, v in q)


@tried
def t17(x):
    s = x * 1.0
    t = x * 2.0
    u, v = (s, t) if x[0] > 0 else (t, s)
    u *= v
    return np.sum(s * t)


@tried
def t18(x):
    s = x * 1.0
    t = x * 2.0
    for _ in range(3):
        s, t = t, s
        s += t * t
    return np.sum(s * t)


@tried
def t19(x):
    st = (x * 1.0, x * 2.0)
    for _ in range(3):
        st = (st[1], st[0])
        st[0][:] += st[1] ** 2
    return np.sum(st[0] * st[1])


@tried
def t20(x):
    nodes = [{"v": x * 1.0, "w": x[0]}, {"v": x * 2.0, "w": x[1]}]
    for n in nodes:
        n["v"] += n["w"] * x
    return sum(np.sum(n["v"] ** 2) * n["w"] for n in nodes)


@tried
def t21(x):
    nodes = [{"v": x * 1.0, "w": x[0]}, {"v": x * 2.0, "w": x[1]}]
    order = sorted(nodes, key=lambda n: -n["w"])
    for n in order:
        n["v"] += n["w"] * x
    return sum(np.sum(n["v"] ** 2) * n["w"] for n in nodes)


@tried
def t22(x):
    q = [x * k for k in range(1, 5)]
    it = zip(q, q[1:])
    for a, b in list(it):
        b += a * a
    return sum(np.sum(b * b) for b in q)


@tried
def t23(x):
    q = [x * k for k in range(1, 5)]
    for i, (a, b) in enumerate(zip(q, q[1:])):
        b += a * a * i
    return sum(np.sum(b * b) for b in q)


@tried
def t24(x):
    q = [x * k for k in range(1, 5)]
    pairs = list(zip(q, q[1:]))
    for a, b in pairs:
        b += a * a
    return sum(np.sum(b * b) for b in q)


@tried
def t25(x):
    q = [x * k for k in range(1, 5)]
    pairs = list(enumerate(q))
    for i, b in pairs:
        b *= x * i
    return sum(np.sum(b * b) for b in q)


@tried
def t26(x):
    q = [x * k for k in range(1, 5)]
    a = list(filter(lambda r: r[0] > 0.5, q))
    for b in a:
        b *= x
    return sum(np.sum(b * b) for b in q)


@tried
def t27(x):
    q = [x * k for k in range(1, 5)]
    mid = min(q, key=lambda r: abs(r[0] - 0.6))
    mid *= x
    return sum(np.sum(b * b) for b in q)


@tried
def t28(x):
    stack = [x * 1.0]
    while len(stack) < 4:
        top = stack[-1]
        stack.append(top)
        if len(stack) == 3:
            stack.append(top * 2)
    stack[0] *= x
    return sum(np.sum(b * b) for b in stack)


X = np.array([0.3, 0.7, 1.1])


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(f):
    check(f, X)
