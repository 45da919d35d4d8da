"""Forms of functions that are defined in Python, called with Tensors by NumPy's protocol."""
import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import numeric_grad

X = np.array([[1.0, 4.0, 2.0], [0.5, 3.0, 7.0]])


@pytest.mark.parametrize("f", [
    lambda x: np.var(x, axis=1, correction=1, keepdims=True),
    lambda x: np.std(x, axis=0, where=np.array([[True, True, False], [True, True, True]])),
    lambda x: np.concatenate((np.flip(x[1:]), x[:1])),
], ids=["var", "std", "slices"])
def test_gradient(f):
    weights = np.arange(1.0, 1.0 + np.size(f(X))).reshape(np.shape(f(X)))
    x = tg.tensor(X, requires_grad=True)
    (f(x) * tg.tensor(weights)).sum().backward()
    expected, = numeric_grad(lambda x: float(np.sum(weights * f(x))), [X])
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-6, atol=1e-8)
