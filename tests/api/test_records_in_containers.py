"""Tuples and dicts in lists and dicts, beside text and numbers: every mode, against differences."""
import numpy as np
import pytest

import transgrad as tg


def list_of_pairs(x):
    log = []
    for k in range(3):
        log.append((k, {"x": x, "y": x * 2}))
        x = x * 2
    return x + log[-1][1]["x"] * log[0][1]["y"]


def with_text(x):
    log = []
    for k in range(3):
        log.append((f"row {k}", {"x": x, "y": x * x, "text": "a"}))
        x = x * 2
    return x + log[-1][1]["x"] * log[0][1]["y"]


def dict_of_pairs(x):
    log = {}
    for k in range(3):
        log[k] = (k, {"x": x, "y": x * 2})
        x = x * 2
    log[1] = ("again", log[0][1])
    return x + log[2][1]["x"] * log[0][1]["y"]


def nested(x):
    log = []
    for k in range(3):
        log.append({"k": k, "p": {"x": x, "y": x * 2, "t": ("a", x)}})
        x = x * 2
    return x + log[-1]["p"]["x"] * log[0]["p"]["y"] * log[1]["p"]["t"][1]


def text_first(x):
    rows = []
    for k in range(4):
        rows.append((f"{k:.2f}", x * k))
    return sum(v * v for _, v in rows)


def popped(x):
    log = [{"x": x, "n": 1}, {"x": x * x, "n": 2}]
    last = log.pop()
    log.append({"x": last["x"] * log[0]["x"], "n": last["n"]})
    return log[-1]["x"] * last["x"]


def popped_pairs(x):
    table = {}
    for k in range(3):
        table[k] = ("t", {"x": x * k, "n": k})
    label, row = table.pop(2)
    table[2] = (label, {"x": row["x"] * x, "n": row["n"]})
    stack = [(k, {"v": x * x, "w": {"u": x}}) for k in range(3)]
    n, d = stack.pop(0)
    return table[2][1]["x"] * row["x"] + n + d["v"] * d["w"]["u"] + stack[0][1]["v"]


def slope(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


@pytest.mark.parametrize("f", [list_of_pairs, with_text, dict_of_pairs, nested, text_first, popped, popped_pairs])
def test_against_differences(f):
    x = 1.25
    first = pytest.approx(slope(f, x, 1e-5), rel=1e-6)
    second = pytest.approx(slope(lambda x: slope(f, x, 1e-3), x, 1e-3), rel=1e-4, abs=1e-4)
    assert tg.grad(f, fallback="error")(x) == first
    assert tg.jvp(f, (x,), (1.0,), fallback="error")[1] == first
    assert tg.linearize(f, x)[1](1.0) == first
    assert tg.jacfwd(f)(x) == first
    assert tg.hessian(f)(x) == second
    assert tg.grad(tg.grad(f))(x) == second
    assert tg.hvp(f, (x,), (1.0,))[0] == second
    np.testing.assert_allclose(tg.vmap(tg.grad(f))(np.array([x, x])), [tg.grad(f)(x)] * 2)
