"""np.s_ and np.index_exp: the index that is written in them."""
import numpy as np
import pytest

import transgrad as tg

M = np.arange(12.0).reshape(3, 4)
PROGRAMS = {
    "slice": lambda m: np.sum(m[np.s_[1:]] ** 2),
    "slices": lambda m: np.sum(m[np.s_[1:, ::2]] ** 2),
    "tuple": lambda m: np.sum(m[np.index_exp[1:]] ** 2),
    "tuples": lambda m: np.sum(m[np.index_exp[..., 2]] ** 2),
}


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_a_pullback_is_of_the_array_as_it_was(f):
    m = M.copy()
    _, pullback = tg.vjp(f, m)
    m[...] = np.nan
    want = tg.grad(f, fallback="error")(M)
    np.testing.assert_allclose(pullback(1.0)[0], want)
    step = 1e-6 * np.ones(M.shape)
    assert (f(M + step) - f(M - step)) / 2e-6 == pytest.approx(want.sum(), rel=1e-6)
