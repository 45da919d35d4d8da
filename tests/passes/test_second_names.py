"""One object in several containers: what is written to it there is seen everywhere."""
import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


@tried
def pairs_in_a_display(x):
    s = x * 1.0
    t = x * 2.0
    for p, r in [(s, t), (t, s)]:
        p += r * r
    return np.sum(s * t)


@tried
def one_pair_by_index(x):
    s = x * 1.0
    t = x * 2.0
    pairs = [(s, t), (t, s)]
    p, r = pairs[1]
    p *= r
    return np.sum(s * t * t)


@tried
def pairs_with_numbers(x):
    s = x * 1.0
    t = x * 2.0
    pairs = [(s, x[0]), (t, x[1])]
    for p, c in pairs:
        p *= c
    return np.sum(s * t * t) + pairs[0][1] * pairs[1][1]


@tried
def pairs_by_a_comprehension(x):
    pairs = [(x * k, x[0] * k) for k in range(1, 4)]
    for p, c in pairs:
        p *= c
    return sum(np.sum(p * p) * c for p, c in pairs)


@tried
def pairs_in_a_dict(x):
    pairs = {"a": (x * 1.0, x[0]), "b": (x * 2.0, x[1])}
    for k in pairs:
        p, c = pairs[k]
        p *= c
    return sum(np.sum(p * p) * c for p, c in pairs.values())


@tried
def copied_by_a_comprehension(x):
    q = [x * 1.0, x * 2.0]
    acc = [r for r in q]
    q[0] *= x
    return np.sum(acc[0] * acc[1])


@tried
def appended_one_by_one(x):
    q = [x * 1.0, x * 2.0]
    acc = []
    for r in q:
        acc.append(r)
    acc[0] *= x
    return np.sum(q[0] * q[1])


@tried
def items_by_indices(x):
    q = [x * 1.0, x * 2.0]
    acc = [q[i] for i in (1, 0)]
    acc[0] *= x
    return np.sum(q[0] * q[1] ** 2)


@tried
def some_of_a_list(x):
    q = [x * k for k in range(5)]
    best = []
    for r in q:
        if r[0] > 0.4:
            best.append(r)
    for r in q:
        r += x * x
    return sum(np.sum(b * b) for b in best)


@tried
def some_of_a_dict(x):
    q = {k: x * k for k in range(5)}
    best = {}
    for k, r in q.items():
        if k % 2:
            best[k] = r
    for r in q.values():
        r += x * x
    return sum(np.sum(b * b) for b in best.values())


@tried
def rows_of_neighbours(x):
    q = [x * k for k in range(1, 5)]
    grid = [[q[i], q[i + 1]] for i in range(3)]
    for row in grid:
        row[0] += row[1] * row[1]
    return sum(np.sum(b * b) for b in q)


@tried
def the_last_that_is_large(x):
    q = [x * k for k in range(1, 5)]
    last = q[0]
    for r in q:
        if r[0] > 0.5:
            last = r
    last *= x
    return sum(np.sum(b * b) for b in q)


@tried
def the_largest_or_none(x):
    q = [x * k for k in range(1, 5)]
    top = None
    for r in q:
        if top is None or r[0] > top[0]:
            top = r
    q[3] += x
    return np.sum(top * top)


@tried
def a_part_of_a_list(x):
    q = [x * k for k in range(1, 5)]
    a = q[1:3]
    for r in a:
        r *= x
    return sum(np.sum(b * b) for b in q)


@tried
def a_list_turned_and_joined(x):
    q = [x * k for k in range(1, 5)]
    a = q[::-1] + q[:1]
    for r in a:
        r *= x
    return sum(np.sum(b * b) for b in q)


@tried
def a_dict_of_pairs(x):
    q = [(i, x * i) for i in range(1, 4)]
    d = dict(q)
    d[2] *= x
    return sum(np.sum(v * v) for i, v in q)


@tried
def a_choice_of_two_tuples(x):
    s = x * 1.0
    t = x * 2.0
    u, v = (s, t) if x[0] > 0 else (t, s)
    u *= v
    return np.sum(s * t)


@tried
def swapped_in_a_loop(x):
    s = x * 1.0
    t = x * 2.0
    for _ in range(3):
        s, t = t, s
        s += t * t
    return np.sum(s * t)


@tried
def a_tuple_in_a_loop(x):
    st = (x * 1.0, x * 2.0)
    for _ in range(3):
        st = (st[1], st[0])
        st[0][:] += st[1] ** 2
    return np.sum(st[0] * st[1])


@tried
def records_in_a_list(x):
    nodes = [{"v": x * 1.0, "w": x[0]}, {"v": x * 2.0, "w": x[1]}]
    for n in nodes:
        n["v"] += n["w"] * x
    return sum(np.sum(n["v"] ** 2) * n["w"] for n in nodes)


@tried
def records_in_order(x):
    nodes = [{"v": x * 1.0, "w": x[0]}, {"v": x * 2.0, "w": x[1]}]
    order = sorted(nodes, key=lambda n: -n["w"])
    for n in order:
        n["v"] += n["w"] * x
    return sum(np.sum(n["v"] ** 2) * n["w"] for n in nodes)


@tried
def a_list_of_a_zip(x):
    q = [x * k for k in range(1, 5)]
    it = zip(q, q[1:])
    for a, b in list(it):
        b += a * a
    return sum(np.sum(b * b) for b in q)


@tried
def an_enumerated_zip(x):
    q = [x * k for k in range(1, 5)]
    for i, (a, b) in enumerate(zip(q, q[1:])):
        b += a * a * i
    return sum(np.sum(b * b) for b in q)


@tried
def pairs_of_a_zip(x):
    q = [x * k for k in range(1, 5)]
    pairs = list(zip(q, q[1:]))
    for a, b in pairs:
        b += a * a
    return sum(np.sum(b * b) for b in q)


@tried
def pairs_of_an_enumerate(x):
    q = [x * k for k in range(1, 5)]
    pairs = list(enumerate(q))
    for i, b in pairs:
        b *= x * i
    return sum(np.sum(b * b) for b in q)


@tried
def a_filter(x):
    q = [x * k for k in range(1, 5)]
    a = list(filter(lambda r: r[0] > 0.5, q))
    for b in a:
        b *= x
    return sum(np.sum(b * b) for b in q)


@tried
def the_least_by_a_key(x):
    q = [x * k for k in range(1, 5)]
    mid = min(q, key=lambda r: abs(r[0] - 0.6))
    mid *= x
    return sum(np.sum(b * b) for b in q)


@tried
def a_stack_with_its_top_twice(x):
    stack = [x * 1.0]
    while len(stack) < 4:
        top = stack[-1]
        stack.append(top)
        if len(stack) == 3:
            stack.append(top * 2)
    stack[0] *= x
    return sum(np.sum(b * b) for b in stack)


X = np.array([0.3, 0.7, 1.1])


@pytest.mark.parametrize("f", tried, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_derivatives(f):
    check(f, X)
