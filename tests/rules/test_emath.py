"""``np.emath``: inside and outside of the domains, on the branch cuts too."""
import numpy as np
import pytest

import transgrad as tg
from transgrad.transforms.fallback import TapedVariant

FUNCTIONS = {
    "sqrt": np.emath.sqrt, "log": np.emath.log, "log2": np.emath.log2, "log10": np.emath.log10, "arcsin": np.emath.arcsin,
    "arccos": np.emath.arccos, "arctanh": np.emath.arctanh, "logn": lambda x: np.emath.logn(2.0, x),
    "power": lambda x: np.emath.power(x, 2.5), "cube": lambda x: np.emath.power(x, 3), "inverse square": lambda x: np.emath.power(x, -2),
}
pytestmark = pytest.mark.filterwarnings("ignore::transgrad.errors.TapeFallbackWarning")


@pytest.mark.parametrize("x", [0.3, -0.4, 1.7, -2.3, np.array([0.3, 0.4]), np.array([-0.3, 1.4])], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name, x):
    def f(x):
        z = FUNCTIONS[name](x)
        return np.sum(np.real(z) * 1.3 + np.imag(z) * 0.7)
    step = 1e-6
    slopes = [(f(x + step * e) - f(x - step * e)) / (2 * step) for e in (np.eye(2) if np.ndim(x) else [1.0])]
    want = np.array(slopes).reshape(np.shape(x))
    derivative = tg.grad(f)
    np.testing.assert_allclose(derivative(x), want, rtol=1e-6)
    np.testing.assert_allclose(TapedVariant(derivative, {}, tg.UnsupportedSyntax("for the test")).call_with({"x": x}), want, rtol=1e-6)
    np.testing.assert_allclose(tg.jvp(f, (x,), (np.ones_like(x) if np.ndim(x) else 1.0,))[1], np.sum(want), rtol=1e-6)


@pytest.mark.parametrize("z", [1.7 + 0.0j, -2.3 + 0.0j, 1.7 - 1e-9j, -2.3 - 1e-9j, 0.4 - 0.3j])
@pytest.mark.parametrize("fn, slope", [(np.arcsin, lambda y: 1 / np.cos(y)), (np.arccos, lambda y: -1 / np.sin(y))])
def test_sides_of_the_branch_cut(fn, slope, z):
    got = tg.grad(lambda t: np.real(fn(z + t) * 1j))(0.0)
    assert got == pytest.approx(np.real(slope(fn(z)) * 1j))
