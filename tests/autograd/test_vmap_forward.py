"""Forward mode inside `vmap`, which PyTorch does not have: that it is the loop over examples."""
import numpy as np
import pytest

import transgrad as tg
from transgrad.autograd import forward_ad as fw

R = np.random.default_rng(0)
POINT = tg.tensor([0.5, 1.0, 2.0], dtype=tg.float64)
POINTS, DIRECTIONS, FACTORS = (tg.tensor(R.standard_normal((4, 3))) for _ in range(3))


def push(x, t, y):
    with fw.dual_level():
        z = fw.make_dual(x, t)
        return fw.unpack_dual((z.sin() * y).sum() * y + z * z[0])


def twice(x, t, y):
    """The derivative along ``t`` of the one along ones."""
    with fw.dual_level():
        outer = fw.make_dual(x, t)
        with fw.dual_level():
            inner = fw.unpack_dual((fw.make_dual(outer, tg.ones_like(outer)) ** 3 * y).sum()).tangent
        return fw.unpack_dual(inner)


def same(found, examples):
    assert tg.allclose(found.primal, tg.stack([e.primal for e in examples]))
    assert tg.allclose(found.tangent, tg.stack([e.tangent for e in examples]))


@pytest.mark.parametrize("f", [push, twice])
@pytest.mark.parametrize("mapped", [(0, 0, 0), (None, 0, None), (None, 0, 0), (0, None, None), (0, None, 0), (0, 0, None)])
def test_it_is_the_loop(f, mapped):
    batch = [all_ if dim == 0 else all_[0] for all_, dim in zip((POINTS, DIRECTIONS, FACTORS), mapped)]
    examples = [f(*(b[k] if dim == 0 else b for b, dim in zip(batch, mapped))) for k in range(4)]
    same(tg.vmap(f, in_dims=mapped)(*batch), examples)


def test_two_vmaps():
    y = FACTORS[0]
    expected = tg.stack([tg.stack([push(x, t, y).tangent for t in DIRECTIONS]) for x in POINTS])
    inner = tg.vmap(lambda x: tg.vmap(lambda t: push(x, t, y).tangent, in_dims=0)(DIRECTIONS), in_dims=0)(POINTS)
    outer = tg.vmap(lambda t: tg.vmap(lambda x: push(x, t, y).tangent, in_dims=0)(POINTS), in_dims=0)(DIRECTIONS)
    assert tg.allclose(inner, expected) and tg.allclose(outer.transpose(0, 1), expected)
