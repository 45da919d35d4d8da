"""What the reverse of a loop computes of what is kept, and what it adds up, is computed of all turns at once: the same derivatives."""
from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transgrad as tg
from transgrad.passes.loops.reverse_loops import vectorize_local_derivatives
from transgrad.testing import check_grad

RNG = np.random.default_rng(61)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def gated(w, b, xs, h):
    """A slope and the adjoints of two rows of one array."""
    for t in range(len(xs)):
        h = h * sigmoid(xs[t] * w[0]) + np.tanh(h * w[1])
    return np.sum(h)


def layered(w, b, xs, h):
    """Layers in each turn, each with a row of the weights and a state of its own."""
    now = np.stack([h, 0.5 * h, h + 1.0])
    total = 0.0
    for t in range(len(xs) - 1):
        x = xs[t] * 1.0
        for k in range(len(w)):
            now[k] = now[k] * sigmoid(now[k] * w[k] + x) + np.tanh(x * b[k])
            x = np.tanh(now[k])
        total += np.sum(x * xs[t + 1])
    return total


def parts(w, b, xs, h):
    """Neighbouring parts of vectors, which become rows of a matrix."""
    n = xs.shape[1]
    v = b.reshape(-1)[:3 * n]
    for t in range(len(xs)):
        keep = sigmoid(xs[t] * v[:n] + h)
        new = sigmoid(h * v[n:2 * n] + xs[t])
        h = h * keep + new * np.tanh(h * v[2 * n:])
    return np.sum(h ** 2)


def written_in_place(w, b, xs, h):
    """The state is written to, so what is kept of it are copies."""
    h = h.copy()
    for t in range(len(xs)):
        h *= np.tanh(np.sin(h) * w[0])
        h += sigmoid(np.cos(h) * w[1]) * xs[t]
    return np.sum(h)


def weights_written(w, b, xs, h):
    """What is added to is read and written to by the turns as well."""
    w = w * 1.0
    for t in range(len(xs)):
        h = np.tanh(h * w[0] + np.tanh(xs[t] * w[1]))
        w[1] = w[1] * h
    return np.sum(h) + np.sum(w)


def through_a_view(w, b, xs, h):
    first = w[0]
    for t in range(len(xs)):
        h = np.tanh(np.tanh(h * first) * w[1] + xs[t] * w[0])
    return np.sum(h)


def stops_early(w, b, xs, h):
    for t in range(len(xs)):
        h = np.tanh(np.tanh(h * w[0]) + xs[t] * w[1])
        if h[0] > 0.5:
            break
    return np.sum(h ** 2)


def skips(w, b, xs, h):
    for t in range(len(xs)):
        if t % 3 == 1:
            continue
        h = np.tanh(np.tanh(h * w[0]) + xs[t] * w[1])
    return np.sum(h ** 2)


def branches(w, b, xs, h):
    for t in range(len(xs)):
        g = np.tanh(h * w[0])
        if np.sum(g) > 0.0:
            h = np.tanh(g * w[1] + xs[t])
        else:
            h = np.sin(np.exp(g) * w[2])
        h = np.tanh(h * g)
    return np.sum(h)


def until(w, b, xs, h):
    t = 0
    while t < len(xs):
        h = np.tanh(np.tanh(h * w[0]) + xs[t] * w[1])
        t += 1
    return np.sum(h)


def ever_more_turns(w, b, xs, h):
    """The inner loop turns as often as the outer one has."""
    for t in range(len(xs)):
        for k in range(t):
            h = np.tanh(np.tanh(h * w[0]) + xs[k] * w[1])
    return np.sum(h)


def by_the_outer_turn(w, b, xs, h):
    """Each turn of the outer loop adds to a row of its own."""
    for k in range(len(w)):
        for t in range(len(xs)):
            h = np.tanh(sigmoid(h * w[k]) + xs[t] * b[k])
    return np.sum(h)


def slices(w, b, xs, h):
    for t in range(len(xs)):
        g = np.tanh(np.tanh(h[1:] * w[0, 1:]) + xs[t, 1:] * w[1, :-1])
        h = np.concatenate((g, h[:1]))
    return np.sum(h)


def two_sums_of_one(w, b, xs, h):
    """Added and taken away, of one array, by one loop in another."""
    for _ in range(2):
        for t in range(len(xs)):
            h = np.tanh(h * w[0]) - np.sin(h * w[1]) - w[2] * b[0]
    return np.sum(h)


def broadcast(w, b, xs, h):
    for t in range(len(xs)):
        h = np.tanh(np.tanh(h * w[0, 1]) + xs[t] * w[1, 0]) * b[0]
    return np.sum(h)


def listed(w, b, xs, h):
    kept = []
    for t in range(len(xs)):
        h = np.tanh(np.tanh(h * w[0]) + xs[t] * w[1])
        kept.append(h)
    return np.sum(kept[0] * kept[-1] * kept[len(xs) // 2])


def kept_row(w, b, xs, h):
    """The rows are kept in an array that is returned from in the end."""
    out = np.zeros_like(xs)
    for t in range(len(xs)):
        h = np.tanh(np.tanh(h * w[0]) + xs[t] * w[1])
        out[t] = h * h
    return np.sum(out ** 2)


def gated_outside(w, b, xs, h):
    """What is multiplied is kept in one array, which nothing is carried in."""
    for t in range(len(xs)):
        g = np.tanh(xs[t] * w[0] + h)
        s = np.sin(np.exp(0.1 * h) * w[1])
        h = h * g + s * np.tanh(g * s)
    return np.sum(h)


def layered_joined(w, b, xs, h):
    """Two loops in each other, and a matrix that is put together of vectors in each turn."""
    m = len(w) // 1
    now = np.stack([h, 0.5 * h, h + 1.0])
    for t in range(len(xs)):
        x = xs[t]
        for k in range(m):
            z = np.array((x, now[k])) * np.array((w[k], b[k]))
            g = np.tanh(z)
            now[k] = now[k] * g[0] + np.tanh(g[1] * x)
            x = now[k] * g[1]
    return np.sum(now)


def listed_and_stacked(w, b, xs, h):
    """The function's own list becomes an array."""
    rows = []
    for t in range(len(xs)):
        g = np.tanh(xs[t] * w[0] + h)
        rows.append(g)
        h = h * g + np.tanh(g * b[0])
    return np.sum(np.array(rows) ** 2) + np.sum(h)


AHEAD = [gated, layered, parts, by_the_outer_turn, listed, slices, through_a_view]
BEHIND = [gated, layered, by_the_outer_turn, two_sums_of_one, slices]
OTHERS = [written_in_place, weights_written, stops_early, skips, branches, until, ever_more_turns, broadcast, kept_row]
ALL = list(dict.fromkeys([*AHEAD, *BEHIND, *OTHERS, gated_outside, layered_joined, listed_and_stacked]))
PLAIN = {"fallback": "error", "optimize": False}


def arguments(n=4, turns=11, rng=RNG):
    return rng.normal(size=(3, n)), rng.normal(size=(3, n)), rng.normal(size=(turns, n)), rng.normal(size=n)


def same(found, want, **how):
    for a, b in zip(found, want, strict=True):
        np.testing.assert_allclose(a, b, **{"rtol": 1e-11, "atol": 1e-12, **how})


def source(f, args, **options):
    d = tg.grad(f, (0, 1, 2, 3), fallback="error", **options)
    d(*args)
    return d.source


@pytest.mark.parametrize("f", ALL)
def test_gradients_are_those_of_differences(f):
    args = tuple(0.5 * a for a in arguments())
    check_grad(f, args)
    want = tg.value_and_grad(f, (0, 1, 2, 3), **PLAIN)(*args)
    for off in ({}, {"ahead": False}, {"behind": False}, {"pack": False, "distribute": False}, {"lists": False}, {"tuples": False}, {"placed": False},
                {"stored": False, "places": False}):
        found = tg.value_and_grad(f, (0, 1, 2, 3), fallback="error", optimize=off)(*args)
        same([found[0], *found[1]], [want[0], *want[1]])


@pytest.mark.usefixtures("rows_stay_arrays")
@pytest.mark.parametrize(("f", "name"), [*((f, "ahead") for f in AHEAD), *((f, "behind") for f in BEHIND)])
def test_what_is_taken_out(f, name):
    args = arguments()
    assert source(f, args) != source(f, args, optimize={name: False})


@pytest.mark.parametrize(("f", "name"), [(stops_early, "ahead"), (stops_early, "behind"), (until, "ahead"), (ever_more_turns, "ahead"),
                                         (ever_more_turns, "behind"), (weights_written, "behind"), (branches, "behind")])
def test_what_is_not(f, name):
    args = arguments()
    assert source(f, args) == source(f, args, optimize={name: False})


@pytest.mark.usefixtures("rows_stay_arrays")
@pytest.mark.parametrize("f", [gated_outside, listed_and_stacked])
def test_lists_that_are_arrays_from_the_start(f):
    args = tuple(0.5 * a for a in arguments())
    text = source(f, args)
    assert "np.empty((" in text and "out=" in text
    assert "np.empty((" not in source(f, args, optimize={"placed": False})
    check_grad(f, args)
    d, plain = tg.grad(f, (0, 1, 2, 3), fallback="error"), tg.grad(f, (0, 1, 2, 3), **PLAIN)
    for turns, n in ((11, 4), (40, 4), (2, 4), (1, 4), (11, 7), (11, 1), (9, 4)):
        args = tuple(0.5 * a for a in arguments(n, turns))
        same(d(*args), plain(*args), rtol=1e-9)


def test_what_is_handed_out_is_no_row_of_a_larger_array():
    def f(xs, w, h):
        kept = []
        for t in range(len(xs)):
            g = np.tanh(xs[t] * w + h)
            h = h * np.tanh(g) + g
            kept.append(g)
        return np.sum(h), kept

    xs, w, h = RNG.normal(size=(11, 4)), RNG.normal(size=4), RNG.normal(size=4)
    found, kept = tg.grad(f, (0, 1, 2), has_aux=True)(xs, w, h)
    want, plain = tg.grad(f, (0, 1, 2), has_aux=True, optimize=False)(xs, w, h)
    same([*found, *kept], [*want, *plain])
    assert all(a.base is None or a.base.size == a.size for a in (*found, *kept))


def test_gradients_by_the_items_of_a_list():
    def f(rows, w, h):
        for t in range(len(rows)):
            h = np.tanh(np.tanh(rows[t] * w[0]) + h * w[1])
        return np.sum(h)

    rows, w, h = [RNG.normal(size=4) for _ in range(12)], RNG.normal(size=(2, 4)), RNG.normal(size=4)
    found, want = tg.grad(f, (0, 1, 2))(rows, w, h), tg.grad(f, (0, 1, 2), optimize=False)(rows, w, h)
    same([*found[0], *found[1:]], [*want[0], *want[1:]])
    assert not any(np.shares_memory(a, b) for k, a in enumerate(found[0]) for b in (*found[0][k + 1:], *found[1:]))


@pytest.mark.usefixtures("rows_stay_arrays")
def test_gates_of_layers_over_time():
    """Both kinds of lists of two loops in each other, written where they belong."""
    from benchmarks.workloads.lstm import by_hand, objective
    from benchmarks.workloads.lstm import workload as lstm
    d = tg.grad(objective, (0, 1), fallback="error")
    for size in ((2, 13, 5), (3, 40, 4), (2, 9, 5), (1, 13, 5), (2, 5, 5), (2, 300, 9), (2, 13, 1)):
        args = lstm.arguments(np.random.default_rng(5), size)
        same(d(*args), by_hand(*args) if size[2] > 1 else tg.grad(objective, (0, 1), **PLAIN)(*args), rtol=1e-9)
        if size == (2, 13, 5):
            assert "np.empty((layers, n, 4, " in d.source and "np.empty((n, layers, 3, " in d.source


@pytest.mark.parametrize("f", ALL)
def test_whatever_can_be_taken_out(f, monkeypatch):
    monkeypatch.setattr(vectorize_local_derivatives, "_WORTH", 1)
    monkeypatch.setattr(vectorize_local_derivatives, "_cost", lambda op: 9)
    args = tuple(0.5 * a for a in arguments())
    same(tg.grad(f, (0, 1, 2, 3), fallback="error")(*args), tg.grad(f, (0, 1, 2, 3), **PLAIN)(*args))


@pytest.mark.parametrize("f", [f for f in ALL if f is not listed])
def test_other_lengths(f):
    d, plain = tg.grad(f, (0, 1, 2, 3), fallback="error"), tg.grad(f, (0, 1, 2, 3), **PLAIN)
    for turns, n in ((11, 4), (40, 4), (3, 4), (2, 4), (1, 4), (0, 4), (11, 7), (11, 1), (300, 4)):
        if (turns or f is not layered) and (n > 1 or f is not broadcast):
            args = tuple(0.5 * a for a in arguments(n, turns))
            same(d(*args), plain(*args), rtol=1e-9)


def test_fewer_and_more_layers():
    d, plain = tg.grad(layered, (0, 1, 2, 3), fallback="error"), tg.grad(layered, (0, 1, 2, 3), **PLAIN)
    for layers in (3, 2, 1, 0, 3):
        w, b, xs, h = arguments()
        args = w[:layers], b, xs, h
        same(d(*args), plain(*args))


def test_large_arrays_stay_in_the_loop():
    args = arguments(n=3000)
    for name in ("ahead", "behind"):
        assert source(gated, args) == source(gated, args, optimize={name: False})
    same(tg.grad(gated, (0, 1, 2, 3))(*args), tg.grad(gated, (0, 1, 2, 3), **PLAIN)(*args), rtol=1e-9)


def test_a_variant_for_few_numbers_is_none_for_many():
    d, plain = tg.grad(layered, (0, 3), fallback="error"), tg.grad(layered, (0, 3), **PLAIN)
    for n, turns in ((4, 11), (1200, 11), (4, 11)):
        args = arguments(n, turns)
        same(d(*args), plain(*args), rtol=1e-9)
    assert len(d.variants) == 2


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_other_dtypes(dtype):
    args = tuple((0.5 * a).astype(dtype) for a in arguments())
    f = (lambda w, b, xs, h: np.real(gated(w, b, xs, h))) if dtype is np.complex128 else gated
    found, want = tg.grad(f, (0, 1, 2, 3))(*args), tg.grad(f, (0, 1, 2, 3), optimize=False)(*args)
    assert [a.dtype for a in found] == [dtype] * 4
    same(found, want, rtol=1e-5 if dtype is np.float32 else 1e-11)


def test_not_a_number_stays_where_it_is():
    w, b, xs, h = arguments()
    for change in (np.nan, np.inf, -np.inf):
        xs = xs.copy()
        xs[4, 1] = change
        with np.errstate(all="ignore"):
            for f, off in ((gated, {"ahead": False, "behind": False}), (by_the_outer_turn, {"ahead": False, "behind": False}), (slices, False)):
                same(tg.grad(f, (0, 1, 2, 3))(w, b, xs, h), tg.grad(f, (0, 1, 2, 3), optimize=off)(w, b, xs, h))


@pytest.mark.parametrize("f", ALL)
def test_other_transformations(f):
    args, dots = tuple(0.5 * a for a in arguments()), arguments()
    for a, b in zip(tg.jvp(f, args, dots, fallback="error"), tg.jvp(f, args, dots, **PLAIN)):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)
    same(tg.hvp(f, args, dots, fallback="error"), tg.hvp(f, args, dots, **PLAIN), rtol=1e-9, atol=1e-10)
    y, pull = tg.vjp(f, *args)
    same([y, *pull(1.0)], [f(*args), *tg.grad(f, (0, 1, 2, 3), **PLAIN)(*args)])


def test_gradients_share_no_memory():
    """Neither with each other nor with an array of all turns."""
    args = arguments()
    for f in (gated, layered, by_the_outer_turn):
        found = tg.grad(f, (0, 1, 2, 3), fallback="error")(*args)
        for k, a in enumerate(found):
            assert a.base is None or a.base.size == a.size
            assert not any(np.shares_memory(a, b) for b in (*found[k + 1:], *args))


ELEMENTWISE = [np.tanh, np.sin, np.exp, sigmoid, np.cos, lambda x: x * x, lambda x: np.sqrt(x * x + 1.0)]


def random_turns(random):
    """Turns made of a few functions and rows, in two loops."""
    steps = [(random.choice(ELEMENTWISE), random.randint(0, 2), random.random() < 0.5) for _ in range(random.randint(1, 4))]

    def f(w, b, xs, h):
        for t in range(len(xs)):
            for k in range(len(b)):
                a = np.tanh(h * w[steps[0][1]])
                for step, row, nested in steps:
                    a = step(a * w[row] if nested else a + b[k])
                h = np.tanh(a * 0.3 + xs[t])
        return np.sum(h)

    return f, tuple(0.3 * a for a in arguments(3, 9, np.random.default_rng(random.randint(0, 2 ** 32 - 1))))


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_random_turns(random):
    f, args = random_turns(random)
    same(tg.grad(f, (0, 1, 2, 3))(*args), tg.grad(f, (0, 1, 2, 3), optimize=False)(*args), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("seed", [0, 5, 7, 12, 13])
def test_views_that_are_read_twice(seed):
    """Without a pass that sees that they are one."""
    f, args = random_turns(Random(seed))
    want = tg.grad(f, (0, 1, 2, 3), fallback="error", optimize=False)(*args)
    found = tg.grad(f, (0, 1, 2, 3), fallback="error", optimize={"simplify": False})(*args)
    for a, b in zip(found, want):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
