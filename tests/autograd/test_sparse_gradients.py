"""Sparse gradients on their way through other operations: they are those of dense look-ups, or refused with the name of the node."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as torch

ELEMENTWISE = ("x.log1p()", "x / w", "2 / x", "x.sqrt()", "x.log()", "x.atan2(w)", "x.hypot(w)", "x * w", "x.exp()", "x.reciprocal()", "x.pow(w)", "x.tanh()",
               "x.log2()", "x.asinh()", "x.abs()", "x.sigmoid()", "x.rsqrt()", "x.atan()", "x.erfinv()", "x.addcdiv(x, w)", "x.addcmul(x, w)", "x.sinc()",
               "torch.logaddexp(x, w)", "x.lgamma()", "x.expm1()", "x.square()", "x.tan()", "x.erf()", "x.frac()", "x.lerp(w, 0.5)", "x.neg()", "x.round()",
               "x - w", "w - x", "x.double()", "x.clone()", "(x * 1).mul_(w)", "(x * 1).log_()", "x.sign()", "x.cosh()", "x.acos()", "x.log10()", "x.exp2()")
MOVES = ("x.T", "x.t()", "x.transpose(0, 1)", "x.permute(1, 0)", "x.swapaxes(0, -1)", "x.movedim(0, -1)", "x @ x.T", "x.mm(w.T)", "w @ x.T")
BROADCAST = ("x * v", "x / v", "v / x", "v + x", "x.pow(v)", "x.maximum(v)", "torch.where(x > 0, x, v)", "x.lerp(v, 0.5)", "x.matmul(v)")
REFUSED = ("x.flip(0)", "x.cumsum(0)", "x.softmax(0)", "x.unfold(0, 2, 1)", "x.sort(0)[0]", "x.tril()", "x.reshape(-1)", "x.norm(dim=0)", "x.var(0)", "x.prod(0)",
           "x.logsumexp(0)", "(x * 1).view(-1).mul_(2.0)", "x.clamp(0, 0.4)", "x[:, 1:]")


def gradients(text, shape, sparse):
    """Those of ``x``, ``w`` and ``v`` from a look-up in what the text makes of them, in which one row is read twice."""
    random = np.random.default_rng(0)
    x, w, v = (torch.tensor(random.uniform(low, low + 0.5, size), requires_grad=True) for low, size in ((0.2, shape), (0.7, shape), (0.7, 3)))
    y = eval(text, {"torch": torch, "x": x, "w": w, "v": v})
    z = y.gather(0, torch.tensor(random.integers(0, y.shape[0], y.shape)), sparse_grad=sparse)
    (z * z).sum().backward()
    return [None if leaf.grad is None else leaf.grad.to_dense().numpy() for leaf in (x, w, v)]


@pytest.mark.parametrize("shape", [(3,), (2, 3), (3, 3), (1, 3), (3, 1)], ids=str)
@pytest.mark.parametrize("text", [*ELEMENTWISE, *MOVES, *BROADCAST, *REFUSED])
def test_right_or_refused(text, shape):
    """Whatever the shapes are: the one of what is stored may by chance fit that of a dense factor."""
    try:
        found = gradients(text, shape, True)
    except (RuntimeError, IndexError):
        return      # also of the operation, on this shape; what has to work is `test_works`
    for a, b in zip(found, gradients(text, shape, False)):
        assert (a is None) == (b is None)
        if a is not None and not np.isnan(b).any():     # nothing is stored where 0 is multiplied by what is no number
            np.testing.assert_allclose(a, b, 1e-12)


@pytest.mark.parametrize("text", [*ELEMENTWISE, *MOVES])
def test_works(text):
    for a, b in zip(gradients(text, (2, 3), True), gradients(text, (2, 3), False)):
        assert (a is None) == (b is None)
        assert a is None or np.allclose(a, b, 1e-12)


def test_squeezed():
    for a, b in zip(gradients("x.squeeze()", (1, 3), True), gradients("x.squeeze()", (1, 3), False)):
        assert (a is None) == (b is None)
        assert a is None or np.allclose(a, b, 1e-12)


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    with pytest.raises((NotImplementedError, RuntimeError)) as caught:
        gradients(text, (2, 3), True)
    if "Backward0" in str(caught.value) or "CopySlices" in str(caught.value):
        assert "cannot go on with a sparse gradient" in str(caught.value) and "sparse_grad=True" in str(caught.value)


def test_quotients_of_sparse_tensors():
    sparse = torch.ones(3, dtype=torch.float64).to_sparse()
    assert (sparse / 2).to_dense().tolist() == [0.5, 0.5, 0.5]
    with pytest.raises(RuntimeError, match="Sparse division requires a scalar or zero-dim dense tensor divisor"):
        sparse / torch.ones(3)
    with pytest.raises(RuntimeError, match="Sparse division"):
        sparse // torch.ones(3)
