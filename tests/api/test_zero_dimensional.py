"""Arrays without dimensions, and NumPy's numbers: indexed, reshaped, written to."""
import numpy as np
import pytest

import transgrad as tg


def doubled_in_place(a):
    b = a.copy()
    b[()] = b * 2
    return b


PROGRAMS = [
    lambda a: a[()] ** 2,
    lambda a: a[...] * a,
    lambda a: (a[None] * a.reshape(1))[0],
    lambda a: a.ravel()[0] * a.item(),
    lambda a: a.astype(float) * a.sum(),
    lambda a: a.flatten()[0] * a.T,
    lambda a: a.tolist() ** 2,
    lambda a: doubled_in_place(a) * a / 2,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_the_square_of_an_array_without_dimensions(f):
    a = np.array(1.5)
    for g in (tg.grad(f), tg.jacfwd(f), tg.jacrev(f), lambda a: tg.vjp(f, a)[1](1.0)[0], lambda a: tg.jvp(f, (a,), (np.array(1.0),))[1],
              lambda a: tg.linearize(f, a)[1](np.array(1.0))):
        assert g(a) == pytest.approx(3.0)
    for h in (tg.hessian(f), tg.grad(tg.grad(f)), lambda a: tg.hvp(f, (a,), (np.array(1.0),))[0]):
        assert h(a) == pytest.approx(2.0)
    assert a == 1.5


@pytest.mark.parametrize("f", PROGRAMS[:-1])
def test_a_number_of_numpys(f):
    a = np.float64(1.5)
    assert tg.jacfwd(f)(a) == pytest.approx(3.0)
    assert tg.hessian(f)(a) == pytest.approx(2.0)
    np.testing.assert_allclose(tg.vmap(tg.grad(f))(np.array([1.5, -2.0])), [3.0, -4.0])


def test_two_arrays_without_dimensions():
    j = tg.jacfwd(lambda a, b: a[()] * b.reshape(1)[0], argnums=(0, 1))(np.array(2.0), np.array(3.0, np.float32))
    assert j == (3.0, 2.0)


def test_a_number_is_not_written_to():
    """The examples of a vector are numbers: what is written to is neither a batch of them nor the caller's array."""
    x = np.array([1.5, 2.0])
    for f in (tg.vmap(doubled_in_place), tg.vmap(tg.grad(doubled_in_place))):
        with pytest.raises(TypeError, match="does not support item assignment"):
            f(x)
        np.testing.assert_array_equal(x, [1.5, 2.0])
