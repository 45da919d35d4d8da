"""Contractions of two arrays are products of matrices, and what they were by ``np.einsum``."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(5)
LENGTHS = {"b": 3, "h": 2, "i": 4, "j": 5, "k": 6, "d": 3}
PRODUCTS = [
    "ij,jk->ik", "ij,kj->ik", "ji,jk->ki", "ij,jk", "hid,hjd->hij", "hij,hjd->hid", "ihd,jhd->hij", "bihd,bjhd->bhij", "hij,hik->hkj",
    "bij,jk->bik", "bij,bik->jk", "bij,bik->kj", "bhi,bhk->ik", "...ij,jk->...ik",
    "...id,...jd->...ij", "jk,bij->bik",
    "hid,jhd->ihj", "hij,jhd->ihd",
]
#: products themselves, some of whose cotangents are none
VECTORS = ["ij,j->i", "ij,i->j", "j,ij->i", "bij,j->bi", "i,i->", "i,i"]
OTHERS = ["ij,ij->ij", "ij,ij->", "i,j->ij", "bij,bj->bi", "ij,jk->", "ij,jk->i", "ii,ij->j", "bij,bji->b", "bij,ibk->jk", "bhi,hbk->ik"]


def operands(subscripts, dtype=float):
    def numbers(labels):
        shape = [LENGTHS[c] for c in labels.replace("...", "bh")]
        x = RNG.normal(size=shape)
        return (x + 1j * RNG.normal(size=shape) if dtype is complex else x).astype(dtype)
    terms = subscripts.split("->")[0].split(",")
    if terms[1:] == ["jk"] and terms[0].startswith("..."):
        return numbers(terms[0]), numbers("jk")
    return tuple(map(numbers, terms))


def by(subscripts):
    def f(a, b):
        return np.sum(np.sin(np.einsum(subscripts, a, b)))
    return f


def code(text):
    return "\n".join(line for line in text.splitlines() if "#" not in line)


@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("subscripts", PRODUCTS + VECTORS + OTHERS)
def test_gradients(subscripts, dtype):
    a, b = operands(subscripts, dtype)
    got = tg.value_and_grad(by(subscripts), (0, 1), fallback="error")
    value, slopes = got(a, b)
    expected, wanted = tg.value_and_grad(by(subscripts), (0, 1), fallback="error", optimize=False)(a, b)
    near = {"rtol": 1e-12, "atol": 1e-13} if dtype is float else {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(value, expected, **near)
    for p, q in zip(slopes, wanted):
        assert p.dtype == q.dtype and p.shape == q.shape
        np.testing.assert_allclose(p, q, **near)
    if subscripts in PRODUCTS:
        assert "einsum" not in code(got.source)


@pytest.mark.parametrize("subscripts", PRODUCTS + VECTORS)
def test_second_derivatives_and_complex_numbers(subscripts):
    a, b = operands(subscripts)
    v, w = operands(subscripts)
    f = by(subscripts)
    for p, q in zip(tg.hvp(f, (a, b), (v, w)), tg.hvp(f, (a, b), (v, w), optimize=False)):
        np.testing.assert_allclose(p, q, rtol=1e-11, atol=1e-12)
    a, b = operands(subscripts, complex)

    def g(a, b):
        return np.sum(np.abs(np.einsum(subscripts, a, b)) ** 2)
    for p, q in zip(tg.grad(g, (0, 1))(a, b), tg.grad(g, (0, 1), optimize=False)(a, b)):
        np.testing.assert_allclose(p, q, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("subscripts, shapes", [
    ("ij,jk->ik", ((2, 1), (3, 4))), ("hid,hjd->hij", ((1, 2, 3), (4, 5, 3))), ("hid,hjd->hij", ((2, 2, 1), (2, 5, 3))),
    ("ij,jk->ik", ((0, 3), (3, 2))), ("ij,jk->ik", ((2, 0), (0, 3))), ("bij,bik->jk", ((0, 2, 3), (0, 2, 4))),
    ("bij,bik->jk", ((2, 3, 0), (2, 3, 4))), ("bij,bik->jk", ((1, 3, 2), (2, 3, 4))), ("ij,jk->ik", ((1, 1), (1, 1)))])
def test_lengths_that_are_stretched_or_nothing(subscripts, shapes):
    a, b = (RNG.normal(size=s) for s in shapes)
    f = by(subscripts)
    assert tg.value_and_grad(f, fallback="error")(a, b)[0] == pytest.approx(f(a, b), rel=1e-12)
    for p, q in zip(tg.grad(f, (0, 1), fallback="error")(a, b), tg.grad(f, (0, 1), fallback="error", optimize=False)(a, b)):
        np.testing.assert_allclose(p, q, rtol=1e-12)


def test_the_text_of_attention():
    def attention(q, k, v):
        scores = np.einsum("hid,hjd->hij", q, k)
        w = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return np.sum(np.einsum("hij,hjd->hid", w / w.sum(axis=-1, keepdims=True), v) ** 2)

    args = [RNG.normal(size=(2, 4, 3)) for _ in range(3)]
    gradient = tg.grad(attention, (0, 1, 2), fallback="error")
    gradient(*args)
    text = code(gradient.source)
    assert "q @ k.mT" in text and "scores_bar.mT @ q" in text and "einsum" not in text
    plain = tg.grad(attention, (0, 1, 2), fallback="error", optimize={"products": False})
    for p, q in zip(plain(*args), gradient(*args)):
        np.testing.assert_allclose(p, q, rtol=1e-10, atol=1e-13)
    assert "einsum" in code(plain.source)


def test_subscripts_that_do_not_fit_raise_what_numpy_raises():
    def f(a, b):
        return np.sum(np.einsum("ij->ji", a, b))
    for call in (f, tg.grad(f)):
        with pytest.raises(ValueError):
            call(np.ones((2, 3)), np.ones((2, 3)))


def test_matrices_that_do_not_fit_are_refused():
    gradient = tg.grad(by("ij,jk->ik"), fallback="error")
    gradient(np.ones((2, 3)), np.ones((3, 4)))
    with pytest.raises(ValueError):
        gradient(np.ones((2, 3)), np.ones((4, 4)))
