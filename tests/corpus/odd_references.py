"""Odd programs around references: arrays and containers that data choose, that share memory, and that containers hold."""
from __future__ import annotations

import numpy as np

from .registry import case

X = np.array([0.6, 1.3, 0.8, 1.7])


@case(args=(X,))
def either_array_written(x):
    a = x.copy()
    b = x ** 2
    c = a if x[0] > 0.5 else b
    c[1] = x[2] * 3
    return np.sum(a) * np.sum(b)


@case(args=(X,))
def rebind_in_loop(x):
    u = x.copy()
    v = np.zeros(4)
    for k in range(4):
        w = u if k % 2 else v
        w[k] += x[k] ** 2
    return np.sum(u * v + u)


@case(args=(X,))
def diag_view_no_write(x):
    m = np.zeros((4, 4))
    m[0] = x
    m[1] = x ** 2
    d = np.diag(m)
    return np.sum(d ** 2) + np.trace(m)


@case(args=(X,))
def split_views(x):
    a = x * 1.0
    p, q = np.split(a, 2)
    p[0] = x[3] * 2
    q *= p
    return np.sum(a ** 2)


@case(args=(X,))
def rows_written(x):
    m = np.outer(x, x)
    for row in m:
        row *= x[0]
        row[1] = row[0] * 2
    return np.sum(m ** 2)


@case(args=(X,))
def rows_enumerated(x):
    m = np.outer(x, x)
    for k, row in enumerate(m[1:]):
        row[k] += x[k] ** 2
    for row, s in zip(m.T, x):
        row -= s
    return np.sum(m ** 3)


@case(args=(X,))
def list_of_arrays_alias(x):
    rows = [x.copy() for _ in range(3)]
    for k, r in enumerate(rows):
        r[k] = x[0] * k
    rows[1] += rows[0]
    return sum(np.sum(r ** 2) for r in rows)


@case(args=(X,))
def list_repeat_alias(x):
    row = x.copy()
    rows = [row] * 3
    rows[0][1] = x[0] * 4
    return sum(np.sum(r ** 2) for r in rows)


@case(args=(X,))
def dict_array_values_mutated(x):
    d = {"a": x.copy(), "b": x ** 2}
    for k, v in d.items():
        v[0] = v[1] * 2
    for v in d.values():
        v *= x
    d["a"] = d["b"] * d["a"]
    return np.sum(d["a"]) + np.sum(d["b"] ** 2)


@case(args=(X,))
def closure_array_mutated(x):
    buf = np.zeros(4)
    def put(k):
        buf[k] = x[k] ** 2 + buf.sum()
    def total():
        return np.sum(buf * x)
    s = 0.0
    for k in range(4):
        put(k)
        s += total()
    return s


def swap_in_place(a, b):
    tmp = a.copy()
    a[:] = b
    b[:] = tmp


@case(args=(X,))
def helper_swaps(x):
    a, b = x * 2, np.sin(x)
    swap_in_place(a, b)
    a[0] = b[1]
    return np.sum(a * b * np.array([1.0, 2, 3, 4]))


def middle(v):
    return v[1:-1]


@case(args=(X,))
def helper_returns_view(x):
    a = x.copy()
    m = middle(a)
    m *= 3.0
    return np.sum(a ** 2)


def fill_rec(a, k):
    if k >= len(a):
        return 0.0
    a[k] = a[k] * a[k - 1]
    return a[k] + fill_rec(a, k + 1)


@case(args=(X,))
def recursion_in_place(x):
    a = x.copy()
    return fill_rec(a, 1) * a[3]


@case(args=(X,))
def scalars_from_arrays_kept(x):
    a = x.copy()
    s = a[0]
    a[0] = 5.0
    t = a[1:2]
    a[1] = 7.0
    return s * 2 + t[0] * x[2] + np.sum(a * x)


@case(args=(X,))
def loop_over_copy_write(x):
    a = x.copy()
    for k, t in enumerate(a):
        a[(k + 1) % 4] += t * 0.5
    return np.sum(a ** 2)


@case(args=(X,))
def dict_of_lists(x):
    groups = {}
    for k, t in enumerate(x):
        if k % 2 not in groups:
            groups[k % 2] = []
        groups[k % 2].append(t * t)
    return sum(sum(g) * k for k, g in groups.items()) + len(groups[0]) * groups[1][0]


@case(args=(X,))
def nested_list_update(x):
    grid = [[0.0] * 3 for _ in range(2)]
    for i in range(2):
        for j in range(3):
            grid[i][j] = x[i] * x[j] + (grid[i][j - 1] if j else 0.0)
    grid[0], grid[1] = grid[1], grid[0]
    return sum(sum(r) for r in grid) + grid[0][2] ** 2


@case(args=(X,))
def chained_assign(x):
    a = b = x.copy()
    a[0] = x[1] * 2
    c = d = x[0] * 3
    c += 1
    return np.sum(b ** 2) + c * d


@case(args=(X,))
def param_mutated(x):
    x *= 2.0
    x[0] = x[1] * x[2]
    return np.sum(x ** 2)


@case(args=(X,))
def param_rebound(x):
    y = x
    x = x * 2
    y[0] = x[1]
    return np.sum(x * y)


def total(e):
    return sum(np.sum(d["w"] ** 2) for d in e)


@case(args=(X,))
def nested_useful(x):
    d = {"w": np.zeros(2)}
    e = [d, {"w": x[2:]}]
    d["w"][0] = x[0] * x[1]
    return total(e)


@case(args=(X,))
def item_replaced_shape(x):
    d = {"a": x[:2] * 2}
    s = np.sum(d["a"] ** 2)
    d["a"] = x * 3
    return s * np.sum(d["a"] ** 3)


@case(args=(X,))
def item_replaced_shape_list(x):
    d = [x[:2] * 2]
    s = 1.0
    for k in range(2, 4):
        s = s * np.sum(d[0] ** 2)
        d[0] = x[:k] * s
    return s * np.sum(d[0])


def touch(v, c):
    w = v[1:]
    w += c * 0.5
    v[-1] = np.sin(v[0])
    return v


@case(args=(X,))
def helper_changes_row(x):
    rows4 = [x.copy() for _ in range(3)]
    b5 = touch(rows4[2], np.sin((-0.4543 + x[1])))
    return sum(np.sum(r * r) for r in rows4)


@case(args=(X,))
def list_replaced_in_loop(x):
    ws = [x[0], x[1]]
    for i1, v2 in enumerate(x):
        ws = [np.sin(v) for v in ws]
    ws[0] += np.sin(x[2])
    return sum(ws)


@case(args=(X,))
def item_inplace(x):
    a = x * 1.0
    v = [a, x * 2]
    for k in range(2):
        v[k] += x[k]
        v[1 - k] *= x[2 + k]
    return np.sum(a * x) + np.sum(v[0] * v[1])


@case(args=(X,))
def item_inplace_dict(x):
    a = x * 1.0
    v = {"a": a, "b": x * 2}
    for k in ("a", "b", "a"):
        v[k] *= x[0]
        v[k][1] = x[3]
    return np.sum(a * x) + np.sum(v["a"] * v["b"])


@case(args=(X,))
def list_chosen_beside_views(x):
    ws = [x[3], x[2]]
    if x[0] > 0.1:
        if x[1] > 5:
            ws = ws + [x[1]]
            x = x + np.sin(np.tanh(x[3]))
    y = x * 1.0
    y[3] *= np.cos(np.sin(ws[-1]))
    b = y[::-1]
    k = 0
    while k < 2 and np.sin(x[0]) >= -0.4:
        k += 1
        b, y = y, b
        b[3] += np.sin(x[1] * y[2])
    return sum(ws) + b.mean() + np.sum(y * np.cos(y))


@case(args=(X,))
def view_and_base_swapped(x):
    y = x * 1.0
    b = y[::-1]
    k = 0
    while k < 2 and np.sin(x[0]) >= -0.4:
        k += 1
        b, y = y, b
        b[3] += np.sin(x[1] * y[2])
    return b.mean() + np.sum(y * np.cos(y))


@case(args=(X,))
def view_and_base_swapped_thrice(x):
    y = x * 1.0
    b = y[::-1]
    k = 0
    for k in range(3):
        b, y = y, b
        b[3] += np.sin(b[0] * y[2])
        y[1] *= b[1]
    return b.mean() + np.sum(y * np.cos(y))


@case(args=(np.array([0.6,1.3,0.8,1.7]), [0.3, 0.4, 0.9]), wrt=(0, 1))
def argument_list_grows(x, ws):
    for i3 in range(2):
        if i3 == 1:
            ws.insert(0, np.arctan(x[0]))
        elif i3 == 0:
            for i7 in range(1, len(x)):
                ws = ws + [x[i7]]
    return ws[0] * ws[1] + sum(ws)


@case(args=(X,))
def view_and_base_swapped_in_branch(x):
    y = x * 1.0
    b = y[::-1]
    if x[0] > 0.1:
        b, y = y, b
    b[3] += np.sin(b[0] * y[2])
    y[1] *= b[1]
    return b.mean() + np.sum(y * np.cos(y))


@case(args=(X,))
def view_carried(x):
    y = x * 1.0
    b = y
    for k in range(3):
        b = y[k:]
        b[0] = b[-1] * x[k]
        if k == 1:
            y = y[::-1]
    return np.sum(b * b) + y[0] ** 2


@case(args=(X,))
def lists_joined_beside_rows(x):
    ws = [x[3]]
    for i1 in range(2, -1, -1):
        ws = ws + [x[i1]]
    rows3 = [x.copy() for _ in range(3)]
    rows3[1][3] = np.cos(x[0])
    return sum(np.sum(r * r) for r in rows3) + sum(ws)


@case(args=(X,))
def loop_over_rebound(x):
    y = x * 1.0
    t = 0.0
    for v in y:
        y[0] += v * x[1]
        y[1:] *= np.cos(v)
        if v > 1.0:
            y = np.tanh(y)
            y[2] = v
        t = t + v * y[2]
    return t + np.sum(y * y)
