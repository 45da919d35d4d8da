"""What several arguments of ``max`` and ``min`` have in common is shared evenly, of Python's numbers and of NumPy's."""
import numpy as np
import pytest

import transgrad as tg

CHOICES = {
    "the same": lambda u: max(u, u),
    "by another way": lambda u: max(u, u * 1.0),
    "smallest": lambda u: min(u, abs(u)),
    "three": lambda u: max(u, abs(u), u * 1.0),
    "three smallest": lambda u: min(u, 2.0 * u, u * 1.0),
    "of a list": lambda u: max([u, abs(u), u * 1.0]),
    "of an array": lambda u: np.max(np.stack([u, u * 1.0])),
    "element by element": lambda u: np.maximum(u, u * 1.0),
    "without NaN": lambda u: np.fmin(u, u * 1.0),
}
GIVEN = {"float": (lambda x: x, 0.7), "scalar": (lambda x: x[1], np.array([0.3, 0.7])), "numpy": (lambda x: x, np.float64(0.7))}


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("choice", CHOICES)
def test_ties(choice: str, given: str) -> None:
    part, x = GIVEN[given]

    def f(x):
        return CHOICES[choice](part(x)) ** 2
    along = np.ones_like(x) if isinstance(x, np.ndarray) else 1.0
    for options in ({}, {"optimize": False}):
        assert np.sum(tg.grad(f, **options)(x)) == pytest.approx(1.4)
        assert tg.jvp(f, (x,), (along,), **options)[1] == pytest.approx(1.4)
        assert np.sum(tg.vjp(f, x, **options)[1](1.0)[0]) == pytest.approx(1.4)
    rows = np.stack([x, 2.0 * x])
    np.testing.assert_allclose(np.sum(tg.vmap(tg.grad(f))(rows).reshape(2, -1), axis=1), [1.4, 2.8])
