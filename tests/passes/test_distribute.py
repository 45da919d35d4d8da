"""What the turns of a loop compute and hand to no other turn is computed of all turns at once: the same values, derivatives and errors."""
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transgrad as tg
from tests.random_programs.oracle import compile_text
from transgrad.passes.loops.distribution import driver, plan
from transgrad.testing import check_grad

RNG = np.random.default_rng(53)


def softmax_layer(w, v, xs, h):
    """A recurrence, with a projection before it and a loss behind it."""
    total = 0.0
    for t in range(len(xs) - 1):
        h = np.tanh(np.exp(0.1 * xs[t] * w[0]) + h * v[1])
        y = h * w[2] + v[0]
        total += np.sum(xs[t + 1] * (y - np.log(np.sum(np.exp(y)) + 2.0)))
    return -total / (len(xs) - 1)


def matrices(w, v, xs, h):
    total = 0.0
    for t in range(len(xs)):
        h = np.tanh(xs[t] @ w + v @ h)
        total += np.sum((h @ v - 0.5) ** 2)
    return total


def over_rows(w, v, xs, h):
    total = 1.5
    for x in xs:
        h = np.sin(h) * w[0] + x
        e = np.exp(np.cos(h * w[1]) - x)
        total = total - np.max(e) * np.mean(e)
    return total


def projected_rows(w, v, xs, h):
    total = 0.0
    for x in xs:
        p = np.exp(np.sin(x * w[0]))
        h = np.tanh(h * p)
        total += np.sum(np.exp(np.sin(h * p)) * x)
    return total * h[0]


def ahead_and_behind(w, v, xs, h):
    """What is computed ahead is read behind, and by the turns only in what is made of it."""
    total, other = 0.0, 1.0
    for t in range(1, len(xs) - 1):
        a = np.tanh(xs[t])
        h = np.tanh(w[0] + h)
        other -= np.sum(np.sin(v[t % 2] * a))
        total += np.sum(a)
        total = total + np.sum(np.sin(w[1]))
    return total * other + np.sum(h)


def from_the_second(w, v, xs, h):
    total = 0.0
    for t in range(1, len(xs)):
        h = h * np.exp(-np.sin(xs[t - 1] * w[0])) + np.cos(xs[t]) * w[1]
        total += np.sum(np.exp(np.sin(h) - 0.5) * xs[t])
    return total + np.sum(h)


def vectors_added_up(w, v, xs, h):
    total = np.zeros(len(h))
    for t in range(len(xs)):
        h = np.tanh(h * w[0] + xs[t])
        total = total + np.exp(np.sin(h * w[1])) * xs[t]
    return np.sum(total ** 2)


def several_sums(w, v, xs, h):
    a, b = 0.0, 1.0
    for t in range(len(xs)):
        h = np.tanh(h * w[0] + xs[t])
        y = np.exp(np.sin(h * w[1]) + 0.5)
        a += np.sum(y * y)
        b -= np.sum(np.sqrt(y + 2.0))
    return a * b


def inner_loop(w, v, xs, h):
    now = np.stack([h, h + 1.0])
    total = 0.0
    for t in range(len(xs) - 1):
        x = np.sin(xs[t] * w[0])
        for k in range(2):
            now[k] = np.tanh(now[k] * v[k] + x)
            x = now[k]
        y = np.exp(x * w[1]) + w[2]
        total += np.sum(xs[t + 1] * np.log(y + 2.0))
    return total


def written_between(w, v, xs, h):
    """What is read behind is written to before the turn ends."""
    total = 0.0
    h = h.copy()
    for t in range(len(xs)):
        h *= np.tanh(xs[t] * w[0])
        y = np.exp(np.sin(h * w[1]) * 0.5)
        total += np.sum(y * y)
        h += w[2]
    return total


def array_written_by_turns(w, v, xs, h):
    """The rows that are read are written to by other turns."""
    xs = xs * 1.0
    total = 0.0
    for t in range(len(xs) - 1):
        y = np.exp(np.sin(xs[t] * w[0]) * 0.5)
        xs[t + 1] = xs[t + 1] + np.tanh(y)
        total += np.sum(np.exp(np.sin(y * w[1])) * xs[t])
    return total


def weights_written(w, v, xs, h):
    w = w * 1.0
    total = 0.0
    for t in range(len(xs)):
        h = np.tanh(h * w[0] + xs[t])
        total += np.sum(np.exp(np.sin(h * w[1])) * w[2])
        w[2] = w[2] * 0.9
    return total


def sum_that_is_read(w, v, xs, h):
    total = 0.0
    for t in range(len(xs)):
        h = np.tanh(h * w[0] + 0.01 * total)
        total += np.sum(np.exp(np.sin(h * w[1])) * xs[t])
    return total


def two_rows_apart(w, v, xs, h):
    """Rows from both ends, of which only some are there in the order of the turns."""
    total = 0.0
    for t in range(len(xs)):
        h = np.tanh(np.exp(np.sin(xs[t - 1] * w[0])) + h)
        total += np.sum(np.exp(np.sin(h * w[1])) * xs[-t - 1])
    return total


def with_a_break(w, v, xs, h):
    total = 0.0
    for t in range(len(xs)):
        h = np.tanh(np.exp(np.sin(xs[t] * w[0])) + h)
        if t == 5:
            break
        total += np.sum(np.exp(np.sin(h * w[1])) * xs[t])
    return total


def in_a_branch(w, v, xs, h):
    total = 0.0
    for t in range(len(xs)):
        h = np.tanh(np.exp(np.sin(xs[t] * w[0])) + h)
        if t % 2:
            total += np.sum(np.exp(np.sin(h * w[1])) * xs[t])
    return total


def kept_in_a_list(w, v, xs, h):
    kept = []
    total = 0.0
    for t in range(len(xs)):
        p = np.exp(np.sin(xs[t] * w[0]))
        h = np.tanh(p + h)
        kept.append(p)
        total += np.sum(np.exp(np.sin(h * w[1])) * xs[t])
    return total + np.sum(kept[2] * kept[-1])


def of_growing_length(w, v, xs, h):
    """What is kept would be as long as the number of the turn."""
    total = 0.0
    for t in range(len(xs)):
        h = np.tanh(h * w[0] + xs[t])
        z = np.sum(xs[:t + 1], axis=1) * h[0]
        total += np.sum(np.exp(np.sin(z) * 0.1) * 2.0 + 1.0)
    return total


def nested(w, v, xs, h):
    total = 0.0
    for s in range(2):
        part = 0.0
        for t in range(len(xs)):
            h = np.tanh(np.exp(np.sin(xs[t] * w[0])) + h * w[s])
            part += np.sum(np.exp(np.sin(h * w[1])) * xs[t])
        total += part ** 2
    return total


TAKEN = [softmax_layer, matrices, over_rows, projected_rows, from_the_second, vectors_added_up, several_sums, inner_loop, kept_in_a_list, nested]
LEFT = [array_written_by_turns, sum_that_is_read, with_a_break, of_growing_length]
OTHERS = [ahead_and_behind, written_between, weights_written, two_rows_apart, in_a_branch]


def arguments(n=4, turns=9, rng=RNG):
    return rng.normal(size=(n, n)), rng.normal(size=(n, n)), rng.normal(size=(turns, n)), rng.normal(size=n)


def same(found, want, **how):
    for a, b in zip(found, want, strict=True):
        np.testing.assert_allclose(a, b, **{"rtol": 1e-11, "atol": 1e-12, **how})


def body(d):
    return d.source.split('."""\n')[1]


def loops_call(d):
    """How often the loops of a text call elementary functions."""
    lines = body(d).splitlines()
    return sum(line.count("np.exp(") for line in lines if line.startswith("        "))


@pytest.mark.parametrize("f", [*TAKEN, *LEFT, *OTHERS])
def test_gradients_are_those_of_differences(f):
    args = tuple(0.5 * a for a in arguments())
    check_grad(f, args)
    want = tg.value_and_grad(f, (0, 1, 2, 3), fallback="error", optimize=False)(*args)
    for options in ({}, {"optimize": {"distribute": False}}, {"optimize": {"stored": False}}, {"optimize": {"simplify": False}},
                    {"optimize": {"pack": False, "terms": False}}):
        found = tg.value_and_grad(f, (0, 1, 2, 3), fallback="error", **options)(*args)
        same([found[0], *found[1]], [want[0], *want[1]])


@pytest.mark.parametrize("f", TAKEN)
def test_nothing_is_left_of_what_is_taken_out(f):
    """Also where no other pass removes what nothing reads."""
    args = tuple(0.5 * a for a in arguments())
    want = tg.grad(f, (0, 1, 2, 3), fallback="error")(*args)
    same(tg.jacfwd(f, (0, 1, 2, 3), fallback="error", optimize={"simplify": False})(*args), want)


@pytest.mark.parametrize("f", TAKEN)
def test_what_is_taken_out(f):
    args = arguments()
    d, plain = (tg.grad(f, (0, 1, 2, 3), fallback="error", optimize={"lengths": False, **without}) for without in ({}, {"distribute": False}))
    d(*args), plain(*args)
    assert body(d) != body(plain)
    assert f in (matrices, nested) or loops_call(d) < loops_call(plain)


@pytest.mark.parametrize("f", LEFT)
def test_what_is_not(f):
    args = arguments()
    d, plain = tg.grad(f, (0, 1, 2, 3), fallback="error"), tg.grad(f, (0, 1, 2, 3), fallback="error", optimize={"distribute": False})
    d(*args), plain(*args)
    assert body(d) == body(plain)


@pytest.mark.parametrize("f", [*TAKEN, *OTHERS])
def test_whatever_can_be_taken_out(f, monkeypatch):
    monkeypatch.setattr(plan, "_WORTH", 1)
    monkeypatch.setattr(plan, "_KEEP", 0)
    args = tuple(0.5 * a for a in arguments())
    found = tg.value_and_grad(f, (0, 1, 2, 3), fallback="error")(*args)
    want = tg.value_and_grad(f, (0, 1, 2, 3), fallback="error", optimize=False)(*args)
    same([found[0], *found[1]], [want[0], *want[1]])


@pytest.mark.parametrize("f", TAKEN)
def test_forward_and_other_transformations(f):
    args, dots = tuple(0.5 * a for a in arguments()), arguments()
    plain = {"fallback": "error", "optimize": False}
    for a, b in zip(tg.jvp(f, args, dots, fallback="error"), tg.jvp(f, args, dots, **plain)):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)
    same(tg.hvp(f, args, dots, fallback="error"), tg.hvp(f, args, dots, **plain), rtol=1e-9)
    y, pull = tg.vjp(f, *args)
    same([y, *pull(1.0)], [f(*args), *tg.grad(f, (0, 1, 2, 3), **plain)(*args)])
    many = tuple(np.stack([a, 0.5 * a]) for a in args)
    want = [tg.grad(f, (0, 3), **plain)(*(m[k] for m in many)) for k in (0, 1)]
    same(tg.vmap(tg.grad(f, (0, 3)))(*many), [np.stack(pair) for pair in zip(*want)])


@pytest.mark.parametrize("f", [softmax_layer, matrices, over_rows, from_the_second, inner_loop])
def test_other_lengths(f):
    d, plain = tg.grad(f, (0, 1, 2, 3), fallback="error"), tg.grad(f, (0, 1, 2, 3), optimize=False)
    for turns, n in ((9, 4), (30, 4), (12, 7), (2, 4), (1, 4), (9, 3), (400, 4)):
        args = tuple(0.5 * a for a in arguments(n, turns))
        if turns > 1 or f not in (softmax_layer,):
            same(d(*args), plain(*args), rtol=1e-9)


def test_no_turn_at_all():
    d = tg.value_and_grad(matrices, (0, 1, 2, 3), fallback="error")
    for turns in (9, 0, 1):
        args = arguments(4, turns)
        same(np.concatenate([np.ravel(x) for x in (d(*args)[0], *d(*args)[1])]),
             np.concatenate([np.ravel(x) for x in (lambda v: (v[0], *v[1]))(tg.value_and_grad(matrices, (0, 1, 2, 3), optimize=False)(*args))]))


def test_large_arrays_stay_in_the_loop():
    args = RNG.normal(size=(3, 3000)), RNG.normal(size=(2, 3000)), RNG.normal(size=(9, 3000)), RNG.normal(size=3000)
    d, plain = (tg.grad(softmax_layer, 0, fallback="error", optimize={"distribute": on}) for on in (True, False))
    same([d(*args)], [plain(*args)])
    assert body(d) == body(plain)


def test_a_variant_for_small_arrays_is_none_for_large_ones():
    d = tg.grad(over_rows, (0, 2), fallback="error")
    for n in (4, 2000, 4):
        args = arguments(4, 9)
        args = RNG.normal(size=(2, n)), args[1], RNG.normal(size=(9, n)), RNG.normal(size=n)
        same(d(*args), tg.grad(over_rows, (0, 2), optimize=False)(*args))
    assert len(d.variants) == 2


def test_rows_that_are_not_there_raise_what_the_function_raises():
    def f(w, xs, ys, h):
        total = 0.0
        for t in range(len(xs)):
            h = np.tanh(np.exp(np.sin(xs[t] * w)) + h)
            total += np.sum(np.exp(np.sin(h * w)) * ys[t])
        return total

    d = tg.grad(f, fallback="error")
    w, xs, h = RNG.normal(size=4), RNG.normal(size=(9, 4)), RNG.normal(size=4)
    for rows in (9, 12, 8, 1):
        args = w, xs, RNG.normal(size=(rows, 4)), h
        if rows < 9:
            with pytest.raises(IndexError):
                d(*args)
        else:
            same([d(*args)], [tg.grad(f, optimize=False)(*args)])


def test_a_number_of_turns_that_is_an_argument():
    """Nothing says how many there are: the loop stays as it is."""
    def f(w, xs, n):
        h, total = np.zeros(len(w)), 0.0
        for t in range(n):
            h = np.tanh(np.exp(np.sin(xs[t] * w)) + h)
            total += np.sum(np.exp(np.sin(h * w)) * xs[t])
        return total

    d = tg.grad(f, fallback="error")
    w, xs = RNG.normal(size=4), RNG.normal(size=(9, 4))
    for n in (9, 3, 0):
        same([d(w, xs, n)], [tg.grad(f, optimize=False)(w, xs, n)])


def test_what_is_ahead_is_read_behind_alone(monkeypatch):
    def f(xs, ys, w, m, h):
        total, other = 0.0, 1.0
        for t in range(1, len(xs) - 1):
            a = np.tanh(xs[t])
            h = np.tanh(w + h)
            other -= np.sum(np.sin(ys[t] * a))
            total += np.sum(a)
            total = total + np.sum(np.sin(m))
        return total * other + np.sum(h)

    monkeypatch.setattr(plan, "_WORTH", 1)
    monkeypatch.setattr(plan, "_KEEP", 0)
    args = *RNG.normal(size=(2, 12, 3)), *RNG.normal(size=(3, 3))
    same(tg.grad(f, (0, 1, 2, 3, 4), fallback="error")(*args), tg.grad(f, (0, 1, 2, 3, 4), optimize=False)(*args))


def test_a_call_of_which_nothing_is_known_may_write():
    """What a turn reads behind such a call is not what is there behind the loop."""
    def halve(rows, t):
        rows[t] *= 0.5

    def f(w, xs, h, act):
        total = 0.0
        for t in range(len(xs)):
            h = np.tanh(h * w + xs[t])
            total += np.sum(np.exp(np.sin(h * w)) * xs[t])
            act(xs, t)
        return total

    w, xs, h = RNG.normal(size=4), RNG.normal(size=(9, 4)), RNG.normal(size=4)
    for act in (halve, lambda rows, t: None):
        want = tg.grad(f, optimize=False)(w, xs.copy(), h, act)
        same([tg.grad(f)(w, xs.copy(), h, act)], [want])


def test_prints_come_in_their_order(capsys):
    def f(w, xs, h):
        total = 0.0
        for t in range(len(xs)):
            h = np.tanh(h * w + xs[t])
            print("turn", t)
            total += np.sum(np.exp(np.sin(h * w)) * xs[t])
        print("end")
        return total

    args = RNG.normal(size=4), RNG.normal(size=(9, 4)), RNG.normal(size=4)
    found = tg.grad(f, fallback="error")(*args)
    said = capsys.readouterr().out
    same([found], [tg.grad(f, optimize=False)(*args)])
    assert said == capsys.readouterr().out == "".join(f"turn {t}\n" for t in range(9)) + "end\n"


def test_nan_and_infinity():
    for bad in (np.nan, np.inf, -np.inf):
        args = [0.5 * a for a in arguments()]
        args[2][3, 1] = bad
        with np.errstate(all="ignore"):
            found = tg.value_and_grad(softmax_layer, (0, 1), fallback="error")(*args)
            want = tg.value_and_grad(softmax_layer, (0, 1), optimize=False)(*args)
        same([found[0], *found[1]], [want[0], *want[1]])


@pytest.mark.usefixtures("rows_stay_arrays")
def test_the_text():
    d = tg.grad(softmax_layer, (0, 1), fallback="error")
    d(*arguments())
    text = body(d)
    assert text[text.index("    for t in range"):].startswith("""\
    for t in range(n):
        saved_h.append(h)
        s = np.add(r[t], h * v[1], out=saved_s[t])
        h = np.tanh(s)
        h_list.append(h)
    u = np.array(h_list)
    z = w[2]
    y = u * z + v[0]
    p = np.exp(y)
""")


_OPS = ["np.sin({})", "np.exp(np.sin({}))", "{} * {}", "{} + {}", "0.5 * {}", "{} - 1.0", "np.tanh({})", "c * {}", "{} @ m", "np.sum({}) * {}",
        "np.max({}) - {}"]
_READS = ["xs[t]", "xs[t + 1]", "ys[t]", "w", "m[1]", "xs[t - 1]", "xs[-1]"]


def written(random):
    """A loop whose lines compute from what the turns carry, from rows, or from both, in any order, with writes among them."""
    lines, pool = [], ["h", "g", *_READS]
    for number in range(random.randint(3, 9)):
        op = random.choice(_OPS)
        picks = [random.choice(pool[-6:] if random.random() < 0.5 else pool) for _ in range(op.count("{}"))]
        lines.append(f"a{number} = {op.format(*picks)}")
        pool.append(f"a{number}")
        extra = random.randint(0, 11)
        some = random.choice(pool)
        if extra < 6:
            lines.append([f"h = np.tanh({some} + h)", f"total += np.sum({some})", f"other -= np.sum(np.sin({some}))", f"g = np.cos({some})",
                          f"xs[t + 1] = np.sin({some})", f"a{number} += np.cos(h)"][extra])
    last = random.choice(pool)
    body = "".join(f"        {line}\n" for line in lines)
    start = random.choice(["range(1, len(xs) - 1)", "range(len(xs) - 1)"])
    return (f"def program(xs, ys, w, m, h, c):\n    xs = xs * 1.0\n    g = h\n    total, other = 0.0, 1.0\n    for t in {start}:\n{body}"
            f"        total = total + np.sum(np.sin({last}))\n    return total * other + np.sum(h * g)\n")


def random_program(random):
    """A function, and its arguments, of which all but the last are differentiated."""
    text = written(random)
    rng = np.random.default_rng(len(text))
    args = *(0.3 * rng.normal(size=s) for s in ((5, 3), (5, 3), (3,), (3, 3), (3,))), 0.7
    return compile_text(text, f"of turns {hash(text)}", {"np": np}), args


@given(st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_random_programs(random):
    f, args = random_program(random)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "_WORTH", 1)        # whatever can be taken out is
        patch.setattr(plan, "_KEEP", 0)
        patch.setattr(driver, "_TURNS", 1)
        found = tg.value_and_grad(f, (0, 1, 2, 3, 4), fallback="error")(*args)
    want = tg.value_and_grad(f, (0, 1, 2, 3, 4), fallback="error", optimize=False)(*args)
    same([found[0], *found[1]], [want[0], *want[1]], rtol=1e-8, atol=1e-10)
