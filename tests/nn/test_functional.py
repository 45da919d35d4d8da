"""Look-ups, affine maps, activations and losses against PyTorch's: values, gradients, kinks and errors."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

torch = pytest.importorskip("torch")

POINTS = [[-4.0, -1.0, -0.5, -0.25, 0.0, 0.25], [0.5, 1.0, 2.0, 3.0, 6.0, 25.0]]

ACTIVATIONS = [
    ("softplus", ()), ("softplus", (2.0, 5.0)), ("elu", ()), ("elu", (0.5,)), ("logsigmoid", ()), ("leaky_relu", ()), ("leaky_relu", (0.3,)), ("silu", ()),
    ("mish", ()), ("gelu", ()), ("glu", ()), ("glu", (0,)), ("hardtanh", ()), ("hardtanh", (-0.5, 2.0)), ("relu6", ()), ("hardsigmoid", ()),
    ("hardswish", ()), ("softsign", ()), ("softshrink", ()), ("tanhshrink", ()), ("softmin", (1,)), ("relu", ()), ("selu", ()), ("celu", ()),
    ("softmax", (1,)), ("log_softmax", (0,)), ("normalize", ()), ("normalize", (1.0, 0)), ("pad", ((1, 2),)), ("pad", ((1, 0, -1, 2), "constant", 3.0)),
]


def compared(of: Any, *arrays: Any) -> None:
    """Value and gradients of ``of(library, *tensors)`` on both libraries."""
    seen = []
    for library in (tg, torch):
        tensors = [library.tensor(a, dtype=library.float64, requires_grad=True) if np.asarray(a).dtype.kind == "f" else library.tensor(a) for a in arrays]
        out = of(library, *tensors)
        (out * library.linspace(1, 2, out.numel(), dtype=library.float64).reshape(out.shape)).sum().backward()
        seen.append([out.detach().numpy(), *(t.grad.numpy() for t in tensors if t.requires_grad and t.grad is not None)])
    assert len(seen[0]) == len(seen[1])
    for ours, theirs in zip(*seen):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-12)      # some of PyTorch's constants are of single precision


@pytest.mark.parametrize("name, options", ACTIVATIONS, ids=str)
def test_of_one(name: str, options: tuple[Any, ...]) -> None:
    compared(lambda library, x: getattr(library.nn.functional, name)(x, *options), POINTS)


def test_gelu_by_tanh() -> None:
    compared(lambda library, x: library.nn.functional.gelu(x, approximate="tanh"), POINTS)
    with pytest.raises(RuntimeError, match="approximate argument must be either none or tanh"):
        tg.nn.functional.gelu(tg.ones(1), approximate="erf")


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name, options", [
    ("mse_loss", {}), ("l1_loss", {}), ("huber_loss", {}), ("huber_loss", {"delta": 0.5}), ("smooth_l1_loss", {}), ("smooth_l1_loss", {"beta": 2.0}),
    ("smooth_l1_loss", {"beta": 0.0}),
])
def test_distances(name: str, options: dict[str, Any], reduction: str) -> None:
    targets = [[0.0, 0.5, -0.5, -0.25, 1.0, 0.0], [0.5, 0.0, 4.0, 2.5, 5.0, 0.0]]
    compared(lambda library, x, y: getattr(library.nn.functional, name)(x, y, reduction=reduction, **options), POINTS, targets)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_of_probabilities(reduction: str) -> None:
    p, y = [0.2, 0.5, 0.9], [0.0, 1.0, 0.25]
    compared(lambda library, x, t: library.nn.functional.binary_cross_entropy(x, t, reduction=reduction), p, y)
    compared(lambda library, x: library.nn.functional.binary_cross_entropy_with_logits(
        x, library.tensor(y, dtype=library.float64), pos_weight=library.tensor([2.0, 1.0, 0.5], dtype=library.float64), reduction=reduction), [-3.0, 0.0, 40.0])
    compared(lambda library, x: library.nn.functional.kl_div(x.log_softmax(0), library.tensor([0.0, 0.25, 0.75], dtype=library.float64), reduction=reduction), p)
    compared(lambda library, x, t: library.nn.functional.kl_div(x.log_softmax(0), t.log_softmax(0), reduction=reduction, log_target=True), p, y)


def test_mean_over_the_batch() -> None:
    compared(lambda library, x: library.nn.functional.kl_div(x.log_softmax(1), x.detach().softmax(1), reduction="batchmean"), POINTS)
    with pytest.raises(ValueError, match="is not a valid value for reduction"):
        tg.nn.functional.mse_loss(tg.ones(1), tg.ones(1), reduction="median")


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("weighted", [False, True])
def test_of_classes(reduction: str, weighted: bool) -> None:
    def options(library: Any) -> dict[str, Any]:
        weight = library.tensor([1.0, 2.0, 0.5, 1.0, 3.0, 1.0], dtype=library.float64) if weighted else None
        return {"weight": weight, "reduction": reduction}

    compared(lambda library, x, t: library.nn.functional.nll_loss(x.log_softmax(1), t, **options(library)), POINTS, [1, 4])
    compared(lambda library, x, t: library.nn.functional.cross_entropy(x, t, **options(library)), POINTS, [5, 2])
    compared(lambda library, x, t: library.nn.functional.cross_entropy(x, t, ignore_index=1, **options(library)), POINTS, [1, 4])
    compared(lambda library, x, t: library.nn.functional.cross_entropy(x[0], t[0], **options(library)), POINTS, [1, 4])
    compared(lambda library, x: library.nn.functional.cross_entropy(x, x.detach().softmax(1), label_smoothing=0.1, **options(library)), POINTS)


def test_smoothed_classes() -> None:
    compared(lambda library, x, t: library.nn.functional.cross_entropy(x, t, label_smoothing=0.2), POINTS, [1, 4])
    compared(lambda library, x, t: library.nn.functional.cross_entropy(x, t, library.arange(6, dtype=library.float64), label_smoothing=0.2), POINTS, [1, 4])


def test_affine() -> None:
    w, b = [[1.0, -1.0, 0.5, 2.0, 0.0, 1.0], [0.5, 0.25, 1.0, 1.0, -2.0, 3.0]], [0.5, -0.5]
    compared(lambda library, x, w: library.nn.functional.linear(x, w), POINTS, w)
    compared(lambda library, x, w, b: library.nn.functional.linear(x, w, b), POINTS, w, b)
    compared(lambda library, x, w, b: library.nn.functional.linear(x[0], w, b), POINTS, w, b)
    compared(lambda library, x, w, b: library.nn.functional.linear(x.reshape(2, 1, 6), w, b), POINTS, w, b)


def test_padding_refuses() -> None:
    with pytest.raises(NotImplementedError, match="Unrecognised padding mode"):
        tg.nn.functional.pad(tg.ones(2, 2), (1, 1), mode="odd")
    with pytest.raises(RuntimeError, match="Padding length"):
        tg.nn.functional.pad(tg.ones(2), (1, 1, 1, 1))


def test_one_hot() -> None:
    for count in (-1, 7):
        ours, theirs = (library.nn.functional.one_hot(library.tensor([[1, 4], [0, 2]]), count) for library in (tg, torch))
        assert ours.tolist() == theirs.tolist()
    with pytest.raises(RuntimeError, match="non-negative"):
        tg.nn.functional.one_hot(tg.tensor([-1]))
    with pytest.raises(RuntimeError, match="smaller than num_classes"):
        tg.nn.functional.one_hot(tg.tensor([3]), 3)


def test_no_other_names() -> None:
    with pytest.raises(AttributeError, match="multi_head_attention"):
        _ = tg.nn.functional.multi_head_attention


def test_parameters_are_those_of_pytorch() -> None:
    import inspect
    ours, theirs = tg.nn.functional, torch.nn.functional
    differing = []
    for name in ours.__all__:
        try:
            wanted = inspect.signature(getattr(theirs, name))
        except (TypeError, ValueError):     # written in C++
            continue
        if "args" in wanted.parameters or name in ("sigmoid", "tanh", "Tensor"):
            continue
        found = inspect.signature(getattr(ours, name))
        if [(p.name, p.default) for p in found.parameters.values()] != [(p.name, p.default) for p in wanted.parameters.values()]:
            differing.append(f"{name}{found}, not {wanted}")
    assert not differing


def test_convolutions_in_batches() -> None:
    x, w = tg.randn(4, 2, 9), tg.randn(3, 2, 3)
    each = tg.func.vmap(lambda one: tg.nn.functional.conv1d(one, w, stride=2))(x)
    np.testing.assert_allclose(each.numpy(), tg.nn.functional.conv1d(x, w, stride=2).numpy(), rtol=1e-5, atol=1e-6)
    slope = tg.func.jacrev(lambda one: tg.nn.functional.max_pool1d(tg.nn.functional.conv1d(one, w), 2).sum())(x[0])
    assert slope.shape == x[0].shape


def test_bicubic_grids_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="Hint: use mode='bilinear'"):
        tg.nn.functional.grid_sample(tg.ones(1, 1, 2, 2), tg.zeros(1, 1, 1, 2), "bicubic")


def test_packed_sequences_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="packed sequences"):
        tg.gru(tg.ones(3, 2), tg.tensor([2, 1]), tg.ones(1, 2, 2), [], False, 1, 0.0, False, False)


def test_a_gradient_through_a_small_network() -> None:
    """The losses of a few steps of a convolutional network with batch norm are those of PyTorch."""
    def losses(library: Any) -> list[float]:
        F = library.nn.functional
        rng = np.random.default_rng(0)
        w1, w2, w3 = (library.tensor(rng.normal(size=s) * 0.3, requires_grad=True) for s in ((4, 1, 3, 3), (6, 4, 3, 3), (3, 6)))
        gain, bias = (library.tensor(v, requires_grad=True) for v in (np.ones(4), np.zeros(4)))
        x, y = library.tensor(rng.normal(size=(8, 1, 10, 10))), library.tensor(rng.integers(0, 3, 8))
        mean, var, seen = library.zeros(4, dtype=library.float64), library.ones(4, dtype=library.float64), []
        for _ in range(4):
            h = F.relu(F.batch_norm(F.conv2d(x, w1, padding=1), mean, var, gain, bias, training=True), inplace=True)
            h = F.max_pool2d(F.gelu(F.conv2d(h, w2, stride=2)), 2)
            loss = F.cross_entropy(F.adaptive_avg_pool2d(h, 1).flatten(1) @ w3.t(), y, label_smoothing=0.1)
            parameters = [w1, w2, w3, gain, bias]
            for p, g in zip(parameters, library.autograd.grad(loss, parameters)):
                with library.no_grad():
                    p -= 0.5 * g
            seen.append(loss.item())
        return [*seen, *mean.tolist(), *var.tolist()]
    np.testing.assert_allclose(losses(tg), losses(torch), rtol=1e-9)
