"""Types that are told from the types of the arguments alone."""
import numpy as np
import pytest

import transgrad as tg
from transgrad.ir.infer import Typed, infer
from transgrad.ir.types import ANY, BIG, ONE, Arr, Dim, ListT, TupleT

N, M = Dim(False, ("x", 0)), Dim(False, ("w", 1))


def joined(parts, **kwargs):
    return infer(np.concatenate, [Typed(parts)], {k: type("Known", (), {"value": v, "type": None})() for k, v in kwargs.items()})


def vectors(*dims):
    return TupleT(tuple(Arr("float64", (d,)) for d in dims))


def test_arrays_longer_than_one_make_one_that_is():
    assert joined(vectors(N, M)) == Arr("float64", (BIG,))
    assert joined(ListT(Arr("float64", (BIG,)))) == Arr("float64", (BIG,))
    assert joined(TupleT((Arr("float64", (N, M)), Arr("float64", (N, BIG)))), axis=1).dims[1] == BIG


@pytest.mark.parametrize("dims", [(N, ANY), (ANY, ANY)])
def test_one_of_unknown_length_may_be_all_there_is(dims):
    assert joined(vectors(*dims)).dims[0].one is None


def test_what_stand_ins_tell_stays():
    assert joined(vectors(N, ONE)).dims[0] == Dim(False, ("x", 0), 1)


def cells(w, x, n):
    h = np.zeros(w.shape[0])
    total = 0.0
    for _ in range(n):
        xh = np.concatenate([x, h])
        h = np.tanh(w @ xh)
        total = total + np.sum(h * h)
    return total


def test_recurrent_cells_of_any_size():
    """Also of no input, and of one state, by one derivative."""
    rng = np.random.default_rng(0)
    gradient = tg.grad(cells, (0, 1), fallback="error")
    for states, inputs in ((5, 3), (5, 0), (1, 3), (5, 1), (1, 0), (1, 1), (2, 2)):
        w, x = rng.normal(size=(states, states + inputs)), rng.normal(size=inputs)
        for got, want in zip(gradient(w, x, 4), tg.grad(cells, (0, 1), fallback="error", optimize=False)(w, x, 4)):
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
    gradient(rng.normal(size=(5, 8)), rng.normal(size=3), 4)
    text = gradient.source_for(rng.normal(size=(5, 8)), rng.normal(size=3), 4)
    assert "unbroadcast" not in text and "np.outer" not in text


@pytest.mark.parametrize("sizes", [(5, 3), (3, 5), (4, 4)])
@pytest.mark.parametrize("f, size", [
    (lambda a, b, w: np.sum(w * np.convolve(a, b, mode="same")), max),
    (lambda a, b, w: np.sum(w * np.polyadd(a, b)), max),
    (lambda a, b, w: np.sum(w * np.diagonal(np.outer(a, b))), min),
    (lambda a, b, w: np.sum(w * np.linalg.svd(np.outer(a, b) + np.eye(len(a), len(b)), compute_uv=False)), min),
], ids=["convolve", "polyadd", "diagonal", "svd"])
def test_the_longer_or_the_shorter_of_two_arguments(f, size, sizes):
    """A result as long as the longer argument is not as long as the second, whichever that is."""
    from transgrad.testing import check_grad
    a, b = (np.linspace(1.0, 2.0, n) ** 2 for n in sizes)
    check_grad(f, (a, b, np.arange(1.0, size(sizes) + 1.0)), argnums=(0, 1))
