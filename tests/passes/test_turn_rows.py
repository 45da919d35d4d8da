"""What turns side by side have for their windows: it is put into the rows of its directions at once, behind what does the same with each row."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests.random_programs.oracle import compile_text
from transgrad.transforms.jacobian import all_directions

RNG = np.random.default_rng(17)
X, M, B = RNG.normal(size=11), RNG.normal(size=(5, 3, 3)) / 2, RNG.normal(size=(3, 4))
SUM = """
def program(x, m, b):
    total = np.zeros_like(b)
    for f in range(3):
        total = total + np.sin(x[2 * f + 2]) * (x[2 * f + 3] * m[f] @ b)
"""
#: what does the same with the rows of all directions, and how the rows of a product come into zeros
BEHIND = {
    "return m[3] @ total": "np.matmul(q, t, out=r[k:j])",
    "return np.dot(m[3], total)": "np.matmul(q, t, out=r[k:j])",
    "return total.T @ m[3]": "np.matmul(t, q, out=r[k:j])",
    "return total[1] @ b.T": "[:, 1], t, out=q[k:j])",
    "return m[3] @ total + x[9]": "np.matmul(q, t, out=r[k:j])",
    "return (m[3] @ total) * x[0] - x[9]": None,
    "return b[:, 0] @ total": "np.matmul(b[:, 0], t, out=q[k:j])",
    "return total @ b[0]": "np.matmul(t, b[0], out=q[k:j])",
    "return m[3, 0, :2] * (m[4] @ -total)[:2].T / 3.0": None,
    "return total * b": None,
    "return total * total": None,
    "return total / b": None,
    "return total * x[4]": None,
    "return np.sin(total)": None,
    "return b / total": None,
    "return total.sum(axis=0) * 2.0": None,
    "return np.sum(total)": None,
    "return total.T": None,
    "return np.swapaxes(total, 0, 1)": None,
    "return np.moveaxis(total, 0, 1)": None,
    "return np.expand_dims(total, 0)": None,
    "return total[0]": None,
    "return total[:, 1:3]": None,
    "return total[[2, 0, 0]]": None,
    "return total[None, :, 2]": None,
    "return total[..., b[0] > 0]": None,
    "return np.conj(total)": None,
}
#: what is no such thing: the rows are put into zeros at once
AT_ONCE = [
    "return total",
    "return total + x[1] * b",
    "return total - b * total",
    "return np.where(b > 0, total, 1.0)",
    "return np.stack([total, b])",
    "return np.max(total, axis=0)",
    "return np.flip(total)",
    "return np.cumsum(total)",
    "return total.reshape(2, 6)",
    "return m[3] @ total, total[0]",
    "if m[0, 0, 0] > -9.0:\n        total = m[3] @ total\n    return total",
    "for k in range(2):\n        total = m[k] @ total\n    return total",
    "for k in range(2):\n        b = b + m[k] @ total\n    return b",
]
#: what is written to
WRITTEN = [
    "total *= x[3]\n    return m[3] @ total",
    "total[0] = x[3]\n    return m[3] @ total",
    "part = total[1:]\n    part[0] = x[8]\n    return m[3] @ total",
    "found = total.T\n    found[1] *= x[2]\n    return found",
    "found = m[3] @ total\n    found[1] += x[2]\n    return found",
]
_ROWS = r"np\.reshape\((\w+), \(6, \*\1\.shape\[2:\]\)\)\[\w+ - \w+:\w+ - \w+\]"
_AT_ONCE = re.compile(rf"total_dot = np\.zeros\(\(n_batch, \*b\.shape\)\)\n    total_dot\[\w+:\w+\] = {_ROWS}\n")
#: what is computed for one direction after the other, of which there may be none among these rows
ONE_BY_ONE = "return np.sum(total, axis=0, where=b > 0)"
ALL = [*BEHIND, *AT_ONCE, *WRITTEN, ONE_BY_ONE]


def program(rest: str) -> Callable[..., Any]:
    f: Callable[..., Any] = compile_text(SUM + f"    {rest}\n", "program", {"np": np, "__name__": "written"})
    return f


def parts(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


def differences(f: Callable[..., Any], x: Any, m: Any, b: Any) -> list[Any]:
    eps = 1e-6
    columns = [[(p - q) / (2 * eps) for p, q in zip(parts(f(x + eps * e, m, b)), parts(f(x - eps * e, m, b)))] for e in np.eye(len(x))]
    return [np.stack(c, axis=-1) for c in zip(*columns)]


def sweep(f: Callable[..., Any], **options: Any) -> str:
    """The text of the sweep for many directions."""
    text = tg.jacfwd(f, fallback="error", **options).source_for(X, M, B)
    return text[text.index("def jvp_program_batched("):text.index("def jacfwd_program(")]


@pytest.mark.parametrize("rest", ALL)
@pytest.mark.parametrize("step", [1, 2, 3, 5, 11])
def test_the_jacobian_is_right(rest: str, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where only some of the rows, or none of them, are among those of one call."""
    f = program(rest)
    monkeypatch.setattr(all_directions, "_NUMBERS", (step - 1) * (len(X) + 1))
    df = tg.jacfwd(f, fallback="error")
    found = parts(df(X, M, B))
    assert f"step = {(step - 1) * 12} // (n + 1) + 1" in df.source
    for a, b in zip(found, differences(f, X, M, B)):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)
    for a, b in zip(found, parts(tg.jacfwd(f, optimize=False)(X, M, B))):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("rest", ALL)
def test_where_rows_are_put(rest: str) -> None:
    text = sweep(program(rest))
    assert len(re.findall(_ROWS, text)) == 1 and "for f in" not in text
    assert bool(_AT_ONCE.search(text)) == (rest in (*AT_ONCE, WRITTEN[-1]))
    assert ("for i in range(n_batch):" in text) == (rest in (ONE_BY_ONE, "return np.flip(total)"))
    assert ("[k:j] += " in text) == (rest in WRITTEN[:4])
    product = BEHIND.get(rest)
    assert ("out=" in text) == (product is not None) and (product is None or product in text)


def test_it_reads_as_written_by_hand() -> None:
    assert sweep(program("return m[3] @ total")).strip() == """\
def jvp_program_batched(x, m, b, x_dot, first):
    check_product(m.shape[1:], b.shape)
    n_batch = len(x_dot)
    s = jvp_program_turn_batched_batched(x, m, b, np.eye(2))
    n = 2 - first
    k = max(n, 0)
    j = max(min(n + 6, n_batch), k)
    t = np.reshape(s, (6, *s.shape[2:]))[k - n:j - n]
    q = m[3]
    r = np.zeros((n_batch, len(q), t.shape[2]))
    np.matmul(q, t, out=r[k:j])
    return r"""
    assert "    q = np.zeros((n_batch, *t.shape[1:]))\n    q[k:j] = t\n" in sweep(program("return m[3] @ total"), optimize={"reuse": False})


def test_from_the_first_entry_on() -> None:
    f = compile_text(SUM.replace("2 * f + 3", "2 * f + 1").replace("2 * f + 2", "2 * f") + "    return total\n", "program", {"np": np})
    assert "n = -first\n" in sweep(f)
    np.testing.assert_allclose(tg.jacfwd(f)(X, M, B), differences(f, X, M, B)[0], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("old, new", [("2 * f", "3 * f"), ("2 * f + 3", "2 * f + 4")])
def test_rows_that_are_not_side_by_side(old: str, new: str) -> None:
    """Between the windows there are others, or they overlap."""
    f = compile_text(SUM.replace(old, new) + "    return m[3] @ total\n", "program", {"np": np})
    text = sweep(f)
    assert "for f in range(3):" in text and "_turn_batched_batched(" in text and "] += " in text
    np.testing.assert_allclose(tg.jacfwd(f)(X, M, B), differences(f, X, M, B)[0], rtol=1e-6, atol=1e-7)


def test_as_many_turns_as_a_global_says() -> None:
    space = {"np": np, "TURNS": 3}
    f = compile_text(SUM.replace("range(3)", "range(TURNS)") + "    return m[3] @ total\n", "program", space)
    df = tg.jacfwd(f)
    for space["TURNS"] in (3, 4, 2):
        np.testing.assert_allclose(df(X, M, B), differences(f, X, M, B)[0], rtol=1e-6, atol=1e-7)


def test_what_no_direction_moves_is_zero() -> None:
    """Also where it is multiplied with what is infinite; what moves is not."""
    f, m = program("return m[3] @ total"), M.copy()
    m[3] = np.inf
    with np.errstate(invalid="ignore"):
        found, plain = tg.jacfwd(f)(X, m, B), tg.jacfwd(f, optimize=False)(X, m, B)
    np.testing.assert_array_equal(found[:, :, [0, 1, 8, 9, 10]], 0.0)
    np.testing.assert_array_equal(found[:, :, 2:8], plain[:, :, 2:8])
    assert np.isnan(found).any() and np.isinf(found).any() and np.isnan(plain[:, :, 0]).any()


@pytest.mark.parametrize("rest", [rest for rest in ALL if "max" not in rest and "(2, 6)" not in rest])
def test_of_no_columns(rest: str) -> None:
    f, b = program(rest), B[:, :0]
    try:
        expected = parts(tg.jacfwd(f, optimize=False)(X, M, b))
    except (IndexError, ValueError) as error:
        with pytest.raises(type(error)):
            tg.jacfwd(f, fallback="error")(X, M, b)
        return
    for found in (tg.jacfwd(f, fallback="error")(X, M, b), (df := tg.jacfwd(f, fallback="error"))(X, M, B) is None or df(X, M, b)):
        for p, q in zip(parts(found), expected):
            assert p.shape == q.shape


@pytest.mark.parametrize("rest", ["return m[3] @ total", "return total.T @ m[3] * x[1]", "return total", "return total[0]"])
def test_derivatives_of_it(rest: str) -> None:
    """What is written into rows is differentiated as any other array that is."""
    f = program(rest)

    def squares(x: Any) -> Any:
        return np.sum(f(x, M, B) ** 2)

    with np.errstate(all="ignore"):
        h, eps = tg.jacfwd(tg.jacfwd(squares))(X), 1e-6
    np.testing.assert_allclose(h, tg.hessian(squares, fallback="error")(X), rtol=1e-8, atol=1e-8)
    g = tg.grad(squares)
    np.testing.assert_allclose(h, [(g(X + eps * e) - g(X - eps * e)) / (2 * eps) for e in np.eye(len(X))], rtol=1e-5, atol=1e-5)
    several = RNG.normal(size=(4, len(X)))
    found = tg.vmap(tg.jacfwd(lambda x: f(x, M, B)))(several)
    np.testing.assert_allclose(found, [differences(f, x, M, B)[0] for x in several], rtol=1e-6, atol=1e-7)
