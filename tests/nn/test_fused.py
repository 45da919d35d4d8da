"""Operations that are one node: derivatives of all kinds, special values, and the same results as the operations they consist of."""
from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import transgrad as torch
from transgrad.autograd import gradcheck, gradgradcheck
from transgrad.autograd.selecting import where

F = torch.nn.functional


def leaf(*shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape), requires_grad=True)


NORMS = {
    "layer": (lambda x, w, b: F.layer_norm(x, (4,), w, b), (2, 3, 4), 4),
    "layer-2d": (lambda x, w, b: F.layer_norm(x, (3, 1), w.reshape(3, 1), b.reshape(3, 1)), (2, 3, 1), 3),
    "batch": (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), (3, 2, 4), 2),
    "one-channel": (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), (3, 1, 2), 1),
    "group": (lambda x, w, b: F.group_norm(x, 2, w, b), (2, 4, 3), 4),
}


@pytest.mark.parametrize("name", NORMS)
def test_normalization(name):
    f, shape, n = NORMS[name]
    given = leaf(*shape), leaf(n, seed=1), leaf(n, seed=2)
    assert gradcheck(f, given, check_forward_ad=True)
    assert gradgradcheck(f, given)
    assert gradcheck(lambda x: f(x, given[1].detach(), given[2].detach()), given[:1])


def test_normalization_per_example():
    """Under vmap the operations it consists of run: the same numbers."""
    x, w, b = leaf(5, 2, 4), leaf(4, seed=1), leaf(4, seed=2)
    each = torch.func.vmap(lambda row: F.layer_norm(row, (4,), w, b))(x)
    assert torch.allclose(each, F.layer_norm(x, (4,), w, b))


@pytest.mark.parametrize("options", [{}, {"stride": 1}, {"stride": 1, "padding": 1, "dilation": 2}, {"ceil_mode": True}])
def test_max_pool(options):
    x = leaf(2, 2, 5, 5)
    assert gradcheck(lambda x: F.max_pool2d(x, 2, **options), (x,), check_forward_ad=True)
    assert gradgradcheck(lambda x: F.max_pool2d(x, 2, **options).pow(2), (x,))
    values, places = F.max_pool2d(x, 2, return_indices=True, **options)
    assert torch.equal(x.detach().flatten(2).gather(2, places.flatten(2)), values.detach().flatten(2))


def test_max_pool_of_nan():
    x = torch.tensor([[[1.0, float("nan"), 3.0, float("nan"), 2.0, 5.0]]])
    values, places = F.max_pool1d(x, 3, return_indices=True)
    assert places.tolist() == [[[1, 3]]]
    assert np.isnan(values.numpy()).all()


def test_gelu_in_single_precision():
    x = np.linspace(-12, 12, 20001)
    found = F.gelu(torch.tensor(x.astype(np.float32)))
    assert np.max(np.abs(found.numpy() - x * scipy.special.ndtr(x)) / np.maximum(1, np.abs(x))) < 5e-7
    given = torch.tensor(x.astype(np.float32), requires_grad=True)
    F.gelu(given).sum().backward()
    slope = scipy.special.ndtr(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    assert np.max(np.abs(given.grad.numpy() - slope)) < 2e-6


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int64, np.complex128])
@pytest.mark.parametrize("pair", ["array, 0", "0, array", "array, -0.0", "array, array", "array, 2", "array, nan", "row, array"])
def test_selection_by_bits(dtype, pair):
    rng = np.random.default_rng(0)
    mask = rng.uniform(size=(40, 30)) < 0.5
    kind = np.dtype(dtype)
    array, other = rng.normal(size=(2, 40, 30)).astype(dtype) if kind.kind != "i" else rng.integers(-9, 9, (2, 40, 30))
    if kind.kind == "f":
        array[0, :5] = np.nan, np.inf, -np.inf, -0.0, 0.0
    values = {"array": array, "0": 0.0, "-0.0": -0.0, "2": 2, "nan": float("nan"), "row": other[:1]}
    a, b = (values[word] for word in pair.split(", "))
    b = other if pair == "array, array" else b
    want, found = np.where(mask, a, b), where(mask, a, b)
    assert found.dtype == want.dtype and found.shape == want.shape
    assert np.array_equal(found, want, equal_nan=found.dtype.kind in "fc")
    if kind.kind == "f":
        assert np.array_equal(np.signbit(found), np.signbit(want))


def test_large_masks_keep_special_values_out():
    """What is not selected has gradient 0 even where the gradient that arrives is not finite."""
    x = torch.tensor(np.linspace(-1, 1, 4000), requires_grad=True)
    g = torch.full((4000,), float("inf"), dtype=torch.float64)
    x.relu().backward(g)
    assert np.array_equal(x.grad.numpy(), np.where(x.detach().numpy() > 0, np.inf, 0.0))


def test_gradient_of_a_weight_is_not_copied():
    net = torch.nn.Linear(6, 5)
    net(torch.randn(3, 6)).sum().backward()
    grad = net.weight.grad.numpy()
    assert grad.strides == net.weight.detach().numpy().strides
    want = np.ones((3, 5), np.float32).T @ np.ones((3, 6), np.float32)
    assert grad.shape == want.shape


@pytest.mark.parametrize("shape", [(6,), (3, 6), (2, 3, 6), (2, 0, 6)])
def test_linear_of_stacks(shape):
    x, w, b = leaf(*shape), leaf(5, 6, seed=1), leaf(5, seed=2)
    assert gradcheck(F.linear, (x, w, b), check_forward_ad=True)
    assert gradgradcheck(F.linear, (x, w, b))


def test_gradients_of_each_example():
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.LayerNorm(8), torch.nn.Linear(8, 1)).double()
    params = {name: p.detach() for name, p in net.named_parameters()}
    x = leaf(5, 4).detach()

    def loss(params, row):
        return torch.func.functional_call(net, params, (row[None],)).square().sum()
    together = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(params, x)
    for k in range(5):
        for name, g in torch.func.grad(loss)(params, x[k]).items():
            assert torch.allclose(together[name][k], g)


def test_jacobian_in_batches_and_row_by_row():
    x, w = leaf(20), leaf(20, 20, seed=1)

    def f(x):
        return (w.detach() @ x).tanh(), x[:7].exp(), torch.ones(3, dtype=torch.float64)
    batched = torch.autograd.functional.jacobian(f, x)
    calls = []

    class Seen(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            calls.append(g.shape)
            return g
    each = torch.autograd.functional.jacobian(lambda x: f(Seen.apply(x)), x)
    assert len(calls) == 27 and set(calls) == {(20,)}
    for a, b in zip(batched, each):
        assert a.shape == b.shape and a.is_contiguous() and torch.allclose(a, b, rtol=1e-13)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("target", [[0, 2, 1, 1], [0, -100, 1, -100]])
def test_cross_entropy(reduction, weighted, target):
    x, weight = leaf(4, 3), torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64) if weighted else None
    y = torch.tensor(target)
    found = F.cross_entropy(x, y, weight, reduction=reduction)
    logs = x.detach().numpy() - scipy.special.logsumexp(x.detach().numpy(), axis=1, keepdims=True)
    factors = np.array([0.0 if t < 0 else 1.0 if weight is None else weight[t].item() for t in target])
    each = np.array([-logs[k, max(t, 0)] for k, t in enumerate(target)]) * factors
    want = each if reduction == "none" else each.sum() / (factors.sum() if reduction == "mean" else 1)
    assert np.allclose(found.detach().numpy(), want)
    assert gradcheck(lambda x: F.cross_entropy(x, y, weight, reduction=reduction), (x,), check_forward_ad=True)


@pytest.mark.parametrize("target, words", [
    (torch.tensor([True, False]), "Long or Byte, but got Bool"), (torch.tensor([1, 0], dtype=torch.int32), "Long or Byte, but got Int"),
    (torch.tensor([[1], [0]]), "multi-target not supported")], ids=["bool", "int32", "two-dimensions"])
def test_targets_that_are_no_classes(target, words):
    with pytest.raises(RuntimeError, match=words):
        F.cross_entropy(leaf(2, 3), target)


def test_targets_in_few_bits_and_none_at_all():
    x = leaf(2, 3)
    assert torch.equal(F.cross_entropy(x, torch.tensor([1, 0], dtype=torch.uint8)), F.cross_entropy(x, torch.tensor([1, 0])))
    assert np.isnan(F.cross_entropy(torch.zeros(0, 3), torch.zeros(0, dtype=torch.int64)).item())
