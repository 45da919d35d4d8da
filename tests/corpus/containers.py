"""Containers: displays, comprehensions, list and dict methods, slicing, unpacking in calls."""
from __future__ import annotations

from collections import OrderedDict, defaultdict, deque

import numpy as np

from .registry import case

X = np.array([0.5, -0.3, 1.2, 0.9])


@case(args=(X, 0.1), wrt=(0, 1))
def list_of_states(x0, dt):
    states = [x0]
    for _ in range(5):
        states.append(states[-1] + dt * np.sin(states[-1]))
    return np.sum(states[-1] ** 2) + np.sum(states[2])


@case(args=(X,))
def list_comprehension(x):
    squares = [v * v for v in x]
    big = [v for v in squares if v > 0.2]
    return sum(squares) * len(big) + sum(big)


@case(args=(X,))
def nested_comprehension(x):
    table = [[a * b for b in x] for a in x]
    flat = [v for row in table for v in row]
    return sum(flat) + table[1][2] * flat[3]


@case(args=(X,))
def array_from_list(x):
    rows = []
    for k in range(3):
        rows.append([x[k], x[k + 1] ** 2])
    m = np.array(rows)
    s = np.stack([x * k for k in range(3)])
    return np.sum(m[:, 0] * m[:, 1]) + np.sum(s[2] ** 2)


@case(args=(0.3, 1.4), wrt=(0, 1))
def list_methods(a, b):
    xs = [a, b]
    xs.extend([a * b, 2.0])
    xs.insert(1, a + b)
    last = xs.pop()
    first = xs.pop(0)
    xs.append(first * last)
    xs.reverse()
    xs[1] = xs[1] ** 2
    xs += [b]
    return sum(x * k for k, x in enumerate(xs))


@case(args=(X,))
def list_slices(x):
    v = list(x)
    w = v[1:] + v[:1]
    v[:2] = [v[2], v[3]]
    return sum(p * q for p, q in zip(v, w))


@case(args=(1.2, 0.4), wrt=(0, 1))
def dict_state(x, v):
    state = {"x": x, "v": v}
    for _ in range(3):
        state["v"] = state["v"] - 0.1 * state["x"]
        state["x"] += 0.1 * state["v"]
    state.update(energy=0.5 * (state["x"] ** 2 + state["v"] ** 2))
    return state["energy"] + state.get("missing", 0.0) + state.get("x", 0.0)


@case(args=({"w": np.array([[0.2, -0.4], [0.6, 0.1]]), "b": np.array([0.3, -0.2])}, np.array([1.0, 2.0])), wrt=(0, 1))
def dict_parameters(params, x):
    h = np.tanh(params["w"] @ x + params["b"])
    return np.sum(h ** 2)


@case(args=([{"w": np.eye(2) * 0.5, "b": np.zeros(2)}, {"w": np.ones((1, 2)) * 0.3, "b": np.array([0.1])}], np.array([0.7, -0.2])), wrt=(0,))
def list_of_layers(layers, x):
    for layer in layers[:-1]:
        x = np.tanh(layer["w"] @ x + layer["b"])
    out = layers[-1]["w"] @ x + layers[-1]["b"]
    return out[0] ** 2


@case(args=(X,))
def dict_comprehension(x):
    names = ["a", "b", "c", "d"]
    d = {n: v ** 2 for n, v in zip(names, x)}
    e = {k: v * 2 for k, v in d.items() if k != "b"}
    return d["a"] * e["d"] + sum(e.values())


@case(args=(X,))
def generator_expressions(x):
    total = sum(v * v for v in x)
    biggest = max(abs(v) for v in x)
    ok = all(abs(v) < 10 for v in x) and any(v < 0 for v in x)
    return total * biggest if ok else total


@case(args=(0.7, 1.3), wrt=(0, 1))
def unpacked_in_calls(a, b):
    def f(x, y, z=1.0, *, w=2.0):
        return x * y + z ** w
    args = (a, b)
    options = {"w": 3.0, "z": a}
    pair = [b, a]
    return f(*args, **options) + f(*pair) + max(*args)


@case(args=(1.1,))
def memo_table(x):
    memo = {0: 1.0, 1: x}

    def legendre(n):
        if n not in memo:
            memo[n] = ((2 * n - 1) * x * legendre(n - 1) - (n - 1) * legendre(n - 2)) / n
        return memo[n]
    return legendre(4) + legendre(3)


@case(args=(X,))
def stack_machine(x):
    stack = []
    for v, op in zip(x, ["push", "push", "mul", "push"]):
        if op == "push":
            stack.append(v)
        else:
            b = stack.pop()
            a = stack.pop()
            stack.append(a * b + v)
    result = 0.0
    while stack:
        result = result * 2.0 + stack.pop()
    return result


@case(args=(X, 0.5), wrt=(0, 1))
def deque_window(x, w):
    window = deque(maxlen=2)
    total = 0.0
    for v in x:
        window.append(v)
        total += w * sum(window) ** 2
    return total


@case(args=(X,))
def grouped(x):
    groups = defaultdict(list)
    for k, v in enumerate(x):
        groups[k % 2].append(v)
    return sum(groups[0]) * sum(groups[1])


@case(args=(0.3, 0.6), wrt=(0, 1))
def sets_and_tuples(a, b):
    chosen = {1, 3}
    points = [(a, 1), (b, 2), (a * b, 3)]
    total = 0.0
    for value, tag in points:
        if tag in chosen:
            total += value
    t = (a,) + (b,) * 2
    return total * t[-1] + sum(t[1:]) + len(t)


@case(args=(X,))
def sorted_by_key(x):
    pairs = sorted(zip(x, range(4)), key=lambda p: -p[0])
    return sum(v * (rank + 1) for rank, (v, _) in enumerate(pairs))


@case(args=(X,))
def aliased_lists(x):
    rows = [x.copy(), x * 2.0]
    first = rows[0]
    first[1] = 5.0 * x[0]
    both = [first, rows[0], rows[1]]
    both[1][0] += x[3]
    return np.sum(rows[0] * rows[1]) + np.sum(both[0] ** 2)


@case(args=(OrderedDict(k1=0.4, k2=1.9),))
def ordered_parameters(p):
    k1, k2 = p.values()
    keys = list(p)
    return k1 * np.exp(-k2) + p[keys[1]] + len(p)


@case(args=(0.4,))
def list_of_lists_grid(x):
    n = 4
    t = [[0.0] * n for _ in range(n)]
    for i in range(n):
        t[i][0] = x * i
        t[0][i] = x ** 2
    for i in range(1, n):
        for j in range(1, n):
            t[i][j] = 0.5 * (t[i - 1][j] + t[i][j - 1]) + x * t[i - 1][j - 1]
    return t[n - 1][n - 1]
