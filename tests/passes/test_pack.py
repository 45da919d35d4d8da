"""Operations on neighbouring parts of a vector are one operation on a matrix: the same derivatives, from fewer operations."""
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transgrad as tg
from tests.random_programs.oracle import compile_text
from transgrad.passes.vectorize import slp_vectorize
from transgrad.testing import check_grad

RNG = np.random.default_rng(31)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def gates(w, b, x, h):
    n = len(x)
    forget = sigmoid(x * w[:n] + b[:n])
    keep = sigmoid(h * w[n:2 * n] + b[n:2 * n])
    out = sigmoid(x * w[2 * n:3 * n] + b[2 * n:3 * n])
    change = np.tanh(h * w[3 * n:] + b[3 * n:])
    return np.sum(out * np.tanh(x * forget + keep * change))


def in_a_loop(w, b, x, h):
    n = len(x)
    state = np.stack([h, x])
    for k in range(3):
        a = sigmoid(-x * w[:n] + b[:n])
        c = sigmoid(-state[0] * w[n:2 * n] + b[n:2 * n])
        state[1] = state[1] * a + c
        state[0] = np.tanh(state[1]) * k
        x = state[0]
    return np.sum(state) + np.sum(w) * np.sum(b[2 * n:])


def longer_parts(w, b, x, h):
    n = len(x)
    first, second = np.exp(-np.sin(w[:2 * n]) * b[:2 * n]), np.exp(-np.sin(w[2 * n:]) * b[2 * n:])
    return np.sum(first * second) + np.sum(x * h)


def squares(w, b, x, h):
    n = len(x)
    p, q = w[:n] - x, w[n:2 * n] - x
    r, s = (np.exp(b[:n]) - 0.5) ** 2 * np.cos(p), (np.exp(b[n:2 * n]) - 0.5) ** 2 * np.cos(q)
    return np.sum(np.sqrt(1.0 + r * r) + np.sqrt(1.0 + s * s)) + np.sum(x)


def written_between(w, b, x, h):
    n = len(x)
    y = x * 1.0
    p = np.exp(np.sin(y * w[:n] + b[:n]))
    y *= 2.0
    q = np.exp(np.sin(y * w[n:2 * n] + b[n:2 * n]))
    return np.sum(p * q + h)


def written_afterwards(w, b, x, h):
    n = len(x)
    p = np.exp(np.sin(x * w[:n] + b[:n]))
    q = np.exp(np.sin(h * w[n:2 * n] + b[n:2 * n]))
    p += q
    q *= p
    return np.sum(p * q)


def each_from_the_other(w, b, x, h):
    n = len(x)
    p = np.exp(np.sin(x * w[:n] + b[:n]))
    q = np.exp(np.sin(p * w[n:2 * n] + b[n:2 * n]))
    return np.sum(np.sin(q * w[2 * n:3 * n] + b[2 * n:3 * n]))


def rows_read_again(w, b, x, h):
    n = len(x)
    p, q = np.exp(np.sin(w[:n])), np.exp(np.sin(w[n:2 * n]))
    r, s = np.cos(w[:n] + 1.0) * b[:n] * p, np.cos(w[n:2 * n] + 1.0) * b[n:2 * n] * q
    return np.sum(p * q + r * s * x)


def parts_written_to(w, b, x, h):
    n = len(x)
    v = w * b
    p = np.exp(np.sin(x * v[:n] + v[n:2 * n]))
    v[:n] = h
    q = np.exp(np.sin(h * v[:n] + v[n:2 * n]))
    return np.sum(p * q)


def in_branches(w, b, x, h):
    n = len(x)
    if x[0] < 10:
        p, q = np.exp(np.sin(np.cos(w[:n] - 0.5))), np.exp(np.sin(np.cos(w[n:2 * n] - 0.5)))
        r = p * q
    else:
        r = w[:n] * x + w[n:2 * n] * h
    return np.sum(r * b[:n])


CASES = [gates, in_a_loop, longer_parts, squares, written_between, written_afterwards, each_from_the_other, parts_written_to, in_branches,
         rows_read_again]


def arguments(n=3, many=4, rng=RNG):
    return rng.normal(size=many * n), rng.normal(size=many * n), rng.normal(size=n), rng.normal(size=n)


def packs(d):
    return "reshape(" in d.source


def same(found, want, **how):
    for a, b in zip(found, want, strict=True):
        np.testing.assert_allclose(a, b, **{"rtol": 1e-12, "atol": 1e-13, **how})


@pytest.mark.parametrize("f", CASES)
def test_gradients_are_those_of_differences(f):
    args = arguments()
    check_grad(f, args)
    want = tg.grad(f, (0, 1, 2, 3), fallback="error", optimize=False)(*args)
    same(tg.grad(f, (0, 1, 2, 3), fallback="error")(*args), want)
    same(tg.grad(f, (0, 1, 2, 3), fallback="error", optimize={"pack": False})(*args), want)


@pytest.mark.parametrize("f", [gates, in_a_loop, longer_parts, squares, in_branches, rows_read_again])
def test_what_is_packed(f):
    d = tg.grad(f, (0, 1, 2, 3), fallback="error")
    d(*arguments(3))
    assert packs(d)


@pytest.mark.parametrize("f", [written_between, each_from_the_other, parts_written_to])
def test_what_is_not(f):
    d = tg.grad(f, (0, 1, 2, 3), fallback="error")
    d(*arguments(3))
    assert not packs(d)


def test_the_text():
    d = tg.grad(longer_parts, 1, fallback="error")
    d(*arguments())
    body = d.source.split('."""\n')[1]
    assert body.startswith("""\
    check_broadcast(x.shape, h.shape)
    s = -np.sin(w.reshape(2, -1))
    t = np.exp(s * b.reshape(2, -1))
    first = t[0]
    second = t[1]
""")


def test_other_lengths():
    d, plain = tg.grad(gates, (0, 1, 2, 3)), tg.grad(gates, (0, 1, 2, 3), optimize=False)
    for n in (3, 5, 2, 1, 3, 0):
        args = arguments(n)
        same(d(*args), plain(*args))


def test_a_part_of_one_number_is_broadcast():
    """The last part is shorter, or a single number, and is not a row of a matrix then."""
    def f(w, x, h):
        n = len(x)
        return np.sum(np.exp(np.sin(x * w[:n])) * np.exp(np.sin(h * w[n:2 * n])))

    d = tg.grad(f, (0, 1, 2), fallback="error")
    for many in (8, 5, 8, 9, 5):        # n and 1; n and n, with a rest or without
        w, x, h = RNG.normal(size=many), RNG.normal(size=4), RNG.normal(size=4)
        want = tg.grad(f, (0, 1, 2), optimize=False)(w, x, h)
        same(d(w, x, h), want)


def test_lengths_that_do_not_fit_raise():
    d = tg.grad(gates, (0, 1))
    w, b, x, h = arguments()
    d(w, b, x, h)
    for bad in ((w, b, x, RNG.normal(size=2)), (w, RNG.normal(size=9), x, h), (RNG.normal(size=14), b, x, h)):
        with pytest.raises(ValueError):
            gates(*bad)
        with pytest.raises(ValueError):
            d(*bad)


def test_there_are_few_variants_for_other_lengths():
    def f(w, x):
        n = len(x)
        return np.sum(np.exp(x * w[:n]) * np.sin(w[n:2 * n]))

    d = tg.grad(f, (0, 1), fallback="error")
    for many in range(2, 12):
        w, x = RNG.normal(size=many * 3), RNG.normal(size=3)
        same(d(w, x), tg.grad(f, (0, 1), optimize=False)(w, x))
    assert 1 < len(d.variants) <= 5


def test_large_vectors_stay_apart():
    d = tg.grad(gates, (0, 1), fallback="error")
    d(*arguments(5))
    assert packs(d)
    args = arguments(3000)
    same(d(*args), tg.grad(gates, (0, 1), optimize=False)(*args))
    assert not packs(d)


def test_results_are_arrays_of_their_own():
    """What is returned, or kept in a list, is not a row of a matrix."""
    def f(w, x, h):
        n = len(x)
        p, q = np.exp(np.sin(np.cos(x * w[:n]))), np.exp(np.sin(np.cos(h * w[n:])))
        return np.sum(p * q), (p, q, [p])

    args = RNG.normal(size=6), RNG.normal(size=3), RNG.normal(size=3)
    g, (p, q, (r,)) = tg.grad(f, has_aux=True, fallback="error")(*args)
    same([g, p, q, r], [tg.grad(lambda *a: f(*a)[0])(*args), *f(*args)[1][:2], f(*args)[1][0]])
    assert p.base is None and q.base is None and r.base is None


def test_other_transformations():
    args = arguments()
    dots = arguments()
    plain = {"fallback": "error", "optimize": {"pack": False}}
    same(tg.jvp(gates, args, dots, fallback="error"), tg.jvp(gates, args, dots, **plain))
    same(tg.hvp(gates, args, dots, fallback="error"), tg.hvp(gates, args, dots, **plain))
    y, pull = tg.vjp(gates, *args)
    same(pull(1.0), tg.grad(gates, (0, 1, 2, 3))(*args))
    many = tuple(np.stack([a, 2.0 * a]) for a in args)
    same(tg.vmap(tg.grad(gates, (0, 1)))(*many), [np.stack([a, b]) for a, b in zip(*(tg.grad(gates, (0, 1))(*(m[k] for m in many)) for k in (0, 1)))])
    same([tg.hessian(gates, fallback="error")(*args)], [tg.hessian(gates, **plain)(*args)], rtol=1e-10)


_OPS = ["np.sin({})", "np.exp(-{})", "{} * {}", "{} + {}", "0.5 * {}", "{} - 1.0", "sigmoid({})", "{} ** 2", "c * {}"]


@st.composite
def programs(draw):
    """Lines that compute the same for each part, for some of them, or for one from the other, in any order."""
    parts = draw(st.integers(2, 4))
    names = {k: ["x", "h", f"v[{k} * n:{k + 1} * n]", f"w[{k} * n:{k + 1} * n]"] for k in range(parts)}
    lines = []
    for number in range(draw(st.integers(3, 8))):
        op = draw(st.sampled_from(_OPS))
        picks = [draw(st.integers(0, 3)) for _ in range(op.count("{}"))]
        chosen = draw(st.lists(st.integers(0, parts - 1), min_size=1, unique=True)) if draw(st.integers(0, 5)) == 0 else range(parts)
        for k in chosen:
            pool = names[draw(st.integers(0, parts - 1)) if draw(st.integers(0, 19)) == 0 else k]
            lines.append(f"a{number}_{k} = {op.format(*(pool[-1 - p % len(pool)] for p in picks))}")
            names[k] = [*names[k], f"a{number}_{k}"]
        if draw(st.integers(0, 5)) == 0:
            lines.append(draw(st.sampled_from(["x *= 0.5", "x = x + h", "h[0] = 0.25", "c = c + 1.0"])))
    ends = [name for pool in names.values() for name in pool if name.startswith("a")]
    total = " + ".join(f"np.sum({name} * {draw(st.sampled_from(ends))})" for name in ends[-4:]) or "np.sum(x)"
    body = "".join(f"    {line}\n" for line in lines)
    return f"def program(w, v, x, h, c):\n    n = len(x)\n    x = x + 0.0\n    h = h * 1.0\n{body}    return {total}\n", parts


@given(programs())
@settings(max_examples=40, deadline=None)
def test_random_programs(program):
    text, parts = program
    f = compile_text(text, f"of parts {hash(text)}", {"np": np, "sigmoid": sigmoid})
    rng = np.random.default_rng(len(text))
    args = (*(0.3 * a for a in arguments(2, parts, rng)), 0.7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slp_vectorize, "_WORTH", 1)        # whatever can be packed is
        patch.setattr(slp_vectorize, "_GATHER", 0)
        found = tg.value_and_grad(f, (0, 1, 2, 3, 4), fallback="error")(*args)
    want = tg.value_and_grad(f, (0, 1, 2, 3, 4), fallback="error", optimize=False)(*args)
    same([found[0], *found[1]], [want[0], *want[1]], rtol=1e-9)
