"""Names of older PyTorch: they do what they did, and warn with today's spelling."""
from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import transgrad as tg
from transgrad.autograd import Variable
from transgrad.autograd.deprecated import OldNameWarning
from transgrad.autograd.state import STATE

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.autograd.deprecated.OldNameWarning")


@pytest.fixture(autouse=True)
def no_volatile_tensors_left() -> Iterator[None]:
    """With the last of them operations go their usual way again."""
    yield
    gc.collect()
    assert not STATE.volatile


def test_documented_hook_example() -> None:
    v = Variable(tg.Tensor([0, 0, 0]), requires_grad=True)
    h = v.register_hook(lambda grad: grad * 2)
    v.backward(tg.Tensor([1, 1, 1]))
    assert v.grad.data.tolist() == [2.0, 2.0, 2.0]
    h.remove()


def test_variable_is_a_tensor_on_the_same_memory() -> None:
    t = tg.zeros(2)
    v = Variable(t, requires_grad=True)
    assert type(v) is tg.Tensor and isinstance(v, Variable) and isinstance(t, Variable) and not isinstance(1, Variable)
    assert v is not t and v.data_ptr() == t.data_ptr() and not t.requires_grad and v.is_leaf
    assert Variable(v * 2).grad_fn is None
    assert Variable().shape == (0,)


def test_variable_refuses() -> None:
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got list"):
        Variable([1.0])  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="floating point and complex"):
        Variable(tg.tensor([1]), requires_grad=True)
    with pytest.raises(RuntimeError, match="cannot be volatile"):
        Variable(tg.ones(2), requires_grad=True, volatile=True)


@pytest.mark.parametrize("category", [DeprecationWarning, FutureWarning, UserWarning])
@pytest.mark.parametrize("use, today", [
    (lambda x: x.creator, "grad_fn"),
    (lambda x: x.grad_fn.previous_functions, "next_functions"),
    (lambda x: x.grad_fn.num_inputs, "next_functions"),
    (lambda x: x.grad_fn.num_outputs, "result"),
    (lambda x: x.volatile, "no_grad"),
    (lambda x: Variable(x.data, volatile=True), "no_grad"),
    (lambda x: x.sum().backward(retain_variables=True), "retain_graph"),
    (lambda x: tg.autograd.backward(x.sum(), retain_variables=False), "retain_graph"),
    (lambda x: tg.autograd.backward(x, grad_variables=tg.ones(2)), "grad_tensors"),
    (lambda x: tg.full((2,), 0.5).bernoulli().reinforce(1.0), "log_prob"),
    (lambda x: tg.autograd.function.FunctionCtx().mark_shared_storage((x, x)), "automatically tracked"),
    (lambda x: tg.autograd.gradcheck(tg.sin, tg.ones(1, dtype=tg.float64, requires_grad=True), check_sparse_nnz=False), "masked"),
])
def test_each_warns_of_today_s_name_at_the_user_s_line(use: object, today: str, category: type[Warning]) -> None:
    x = tg.ones(2, requires_grad=True) * 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", category)
        use(x)  # type: ignore[operator]
    [warning] = [w for w in caught if w.category is OldNameWarning]
    assert today in str(warning.message) and warning.filename == __file__


def test_creator_and_previous_functions() -> None:
    x, y = tg.ones(2, requires_grad=True), tg.ones(2)
    z = x * y
    assert z.creator is z.grad_fn and x.creator is None
    assert z.creator.previous_functions == z.grad_fn.next_functions
    assert (z.creator.num_inputs, z.creator.num_outputs) == (2, 1)


def test_retain_variables_keeps_the_graph() -> None:
    x = tg.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.backward(retain_variables=True)
    tg.autograd.backward([y], [None], retain_variables=True)
    y.backward()
    assert x.grad.tolist() == [6.0, 6.0]
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        y.backward()


def test_one_volatile_input_is_enough() -> None:
    w = tg.ones(2, requires_grad=True)
    v = Variable(tg.ones(2), volatile=True)
    for result in (v * w, w * v, tg.cat([w, v]), (v * 2).exp() + w, np.multiply(v, w), v.detach() * w, v[:1] * w[:1]):
        assert result.volatile and not result.requires_grad and result.grad_fn is None
    assert (w * 2).requires_grad and not (w * 2).volatile


def test_volatile_reaches_custom_functions_and_writes() -> None:
    class Sum(tg.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):  # type: ignore[no-untyped-def]
            return a + b

        @staticmethod
        def backward(ctx, g):  # type: ignore[no-untyped-def]
            return g, g

    w, v = tg.ones(2, requires_grad=True), Variable(tg.ones(2), volatile=True)
    assert not Sum.apply(w, v).requires_grad
    y = w * 2
    y += v
    assert y.volatile and not y.requires_grad


def test_volatile_as_an_attribute() -> None:
    v = tg.ones(2)
    v.volatile = True
    w = tg.ones(2, requires_grad=True)
    assert not (v * w).requires_grad
    v.volatile = False
    assert (v * w).requires_grad
    with pytest.raises(RuntimeError, match="leaf"):
        (w * 2).volatile = True


def test_without_volatile_tensors_nothing_is_looked_for() -> None:
    assert STATE.plain
    v = Variable(tg.ones(1), volatile=True)
    w = v * 2
    del v
    assert not STATE.plain
    del w
    assert STATE.plain


def log_probability(name: str, sample: np.ndarray, *parameters: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """Of each draw, written down from the distributions."""
    if name == "bernoulli":
        p, = parameters
        return np.where(sample == 1, np.log(p), np.log(1 - p))
    if name == "normal":
        mean, std = parameters
        return -((sample - mean) ** 2) / (2 * std**2) - np.log(std)
    weights, = parameters
    return np.log(np.take_along_axis(weights, sample.astype(int), -1))


def draw(name: str, *parameters: tg.Tensor) -> tg.Tensor:
    if name == "normal":
        return tg.normal(*parameters)
    if name == "bernoulli":
        return parameters[0].bernoulli()
    return parameters[0].multinomial(2, replacement=True)


@pytest.mark.parametrize("name, parameters", [
    ("bernoulli", [[0.2, 0.9, 0.5]]),
    ("multinomial", [[0.2, 0.5, 0.3]]),
    ("multinomial", [[[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]]),
    ("normal", [[0.5, -1.0], [1.0, 2.0]]),
    ("normal", [[0.5, -1.0], [1.5]]),
])
def test_reinforce_sends_the_score(name: str, parameters: list[list[float]]) -> None:
    """Minus the reward times the derivative of the log-probability, by finite differences."""
    tg.manual_seed(0)
    given = [tg.tensor(p, dtype=tg.float64, requires_grad=True) for p in parameters]
    sample = draw(name, *given)
    rewards = tg.linspace(-1, 2, sample.numel(), dtype=tg.float64).reshape(sample.shape)
    sample.reinforce(rewards)
    tg.autograd.backward([sample], [None])
    values, step = [np.array(p) for p in parameters], 1e-6
    for k, tensor in enumerate(given):
        expected = np.zeros_like(values[k])
        for place in np.ndindex(expected.shape):
            sums = []
            for sign in (1, -1):
                moved = [value.copy() for value in values]
                moved[k][place] += sign * step
                sums.append((-rewards.numpy() * log_probability(name, sample.detach().numpy(), *moved)).sum())
            expected[place] = (sums[0] - sums[1]) / (2 * step)
        np.testing.assert_allclose(tensor.grad.numpy(), expected, rtol=1e-6, atol=1e-8)


def test_policy_learns() -> None:
    """An old program: a softmax policy of three actions, of which the last is rewarded."""
    tg.manual_seed(1)
    logits = Variable(tg.zeros(3), requires_grad=True)
    for _ in range(200):
        action = tg.softmax(logits, 0).multinomial(1)
        action.reinforce(tg.Tensor([1.0 if action.data[0] == 2 else 0.0]))
        action.backward()
        logits.data -= 0.5 * logits.grad.data
        logits.grad.data.zero_()
    assert tg.softmax(logits, 0)[2].item() > 0.9


def test_reinforce_beside_a_loss() -> None:
    p = tg.tensor([0.5, 0.5], dtype=tg.float64, requires_grad=True)
    sample = p.bernoulli()
    sample.reinforce(2.0)
    loss = (p ** 2).sum() + (sample * 3).sum()
    tg.autograd.backward([loss, sample], [tg.ones((), dtype=tg.float64), None])
    scores = np.where(sample.detach().numpy() == 1, 2.0, -2.0)
    np.testing.assert_allclose(p.grad.numpy(), 1.0 - 2.0 * scores)


def test_reinforce_refuses() -> None:
    with pytest.raises(RuntimeError, match="only called on outputs of stochastic functions"):
        (tg.ones(2, requires_grad=True) * 2).reinforce(1.0)
    sample = tg.full((2,), 0.5, requires_grad=True).bernoulli()
    with pytest.raises(RuntimeError, match="must have the shape of the sample"):
        sample.reinforce(tg.ones(3))


def test_reinforce_without_gradients_does_nothing() -> None:
    sample = tg.full((2,), 0.5).bernoulli()
    sample.reinforce(1.0)
    assert not sample.requires_grad
