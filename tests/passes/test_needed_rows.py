"""Of sums that loops add up, only the rows that are read are computed: the derivatives are those without, and so are the errors."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(17)
M, B, W = RNG.normal(size=(6, 4, 4)), RNG.normal(size=(4, 9)), RNG.normal(size=(6, 9))


def blended(m: Any, b: Any, w: Any) -> Any:
    total = w[0] * (m[0] @ b)
    for k in range(len(m)):
        total = total + w[k] * (m[k] @ m[0] @ b)
    return np.sin(total[:3])


def nested(m: Any, b: Any, w: Any) -> Any:
    total = np.zeros((4, 9))
    for k in range(2):
        for j in range(3):
            total = total + np.tanh(m[3 * k + j] @ b) / w[j]
    return total[1:3] * total[1:3]


def never(m: Any, b: Any, w: Any) -> Any:
    """The loop does not run."""
    total = w * 1.0
    for k in range(len(m) - 6):
        total = total + m[k] @ w
    return total[:2] * 3.0


def vectors(m: Any, b: Any, w: Any) -> Any:
    total = m[0] @ b * 2.0
    for k in range(3):
        total = (m[k] @ m[k + 1]) @ b * w[0, 0] + total
    return total[-2:]


def whole(m: Any, b: Any, w: Any) -> Any:
    """All of it is read as well."""
    total = m[0] @ b
    for k in range(3):
        total = total + m[k] @ b
    return total[:2] * np.sum(total)


def parts(m: Any, b: Any, w: Any) -> Any:
    total = m[0] @ b
    for k in range(3):
        total = total + m[k] @ b
    return total[:2] * total[2:]


def written(m: Any, b: Any, w: Any) -> Any:
    """What is read is written to, and seen through another name."""
    total = m[0] @ b
    for k in range(3):
        total = total + m[k] @ b
    head = total[:2]
    head[0] *= 2.0
    return head * total[:2]


def of_an_argument(m: Any, b: Any, w: Any) -> Any:
    """The sum may be the argument itself, which is written to afterwards."""
    total = b
    for k in range(len(m) - 6):
        total = total + m[k] @ b
    head = total[:2] * 1.0
    c = b * 2.0
    c[0] = head[1]
    return head * c[:2]


def read_in_the_loop(m: Any, b: Any, w: Any) -> Any:
    total = m[0] @ b
    for k in range(3):
        total = total + m[k] @ b * total[0]
    return total[:2]


def one_row(m: Any, b: Any, w: Any) -> Any:
    """Rows that are stretched stay as they are."""
    total = m[0] @ b
    for k in range(3):
        total = total + w[:1] * (m[k] @ b) + w[k:k + 1]
    return total[:2]


PROGRAMS = (blended, nested, never, vectors, whole, parts, written, of_an_argument, read_in_the_loop, one_row)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("transform", [tg.jacfwd, tg.jacrev])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_as_without(f: Any, transform: Any, dtype: str) -> None:
    args = [np.asarray(a, dtype) for a in (M, B, W)]
    options = {"holomorphic": True} if dtype == "complex128" else {}
    plain = transform(f, argnums=(0, 1, 2), optimize={"rows": False}, **options)(*args)
    for a, b in zip(transform(f, argnums=(0, 1, 2), **options)(*args), plain):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=2e-3 if dtype == "float32" else 1e-9, atol=2e-4 if dtype == "float32" else 1e-9)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_vjp_and_jvp(f: Any) -> None:
    d = [RNG.normal(size=a.shape) for a in (M, B, W)]
    y, t = tg.jvp(f, (M, B, W), tuple(d))
    np.testing.assert_allclose(y, f(M, B, W))
    eps = 1e-6
    up, down = ([a + s * eps * v for a, v in zip((M, B, W), d)] for s in (1, -1))
    np.testing.assert_allclose(t, (f(*up) - f(*down)) / (2 * eps), rtol=1e-5, atol=1e-5)
    y, back = tg.vjp(f, M, B, W)
    c = RNG.normal(size=y.shape)
    np.testing.assert_allclose(sum(np.sum(g * v) for g, v in zip(back(c), d)), np.sum(c * t), rtol=1e-9)


def test_the_text_computes_the_rows() -> None:
    loops = {"vectorize": False}
    assert "m[k][:3]" in tg.jacfwd(blended, optimize=loops).source_for(M, B, W)
    assert "total[:3]" not in tg.jacfwd(blended, optimize=loops).source_for(M, B, W)
    assert "total[:3]" in tg.jacfwd(blended, optimize={"rows": False, **loops}).source_for(M, B, W)
    for f in (whole, parts, written, read_in_the_loop):
        assert "@ b" in (text := tg.jacfwd(f).source_for(M, B, W)) and "[:2] @" not in text


def test_lengths_that_differ_are_still_refused() -> None:
    def uneven(m: Any, b: Any, w: Any) -> Any:
        total = m[0] @ b
        for k in range(2):
            total = total + w @ b
        return np.sum(total[:2])

    with pytest.raises(ValueError, match="broadcast"):
        tg.grad(uneven)(M, B, RNG.normal(size=(5, 4)))
