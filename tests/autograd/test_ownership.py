"""No gradient shares memory with anything else, whichever backward was the first of the process."""
from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import transgrad as torch
from transgrad.autograd.ownership import owned_entries


def test_the_first_backward_of_a_process_has_no_influence():
    code = """
import transgrad as torch
x, y = torch.ones(2, requires_grad=True), torch.ones(2)
(x + y).backward(torch.ones(2))
a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
for _ in range(2):
    ((a + b) ** 2).sum().backward()
assert a.grad.tolist() == b.grad.tolist() == [8.0, 8.0], (a.grad, b.grad)
assert a.grad.numpy() is not b.grad.numpy()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


class Handed(torch.autograd.Function):
    """A function whose backward returns one array for both inputs, and keeps it."""

    kept: list = []

    @staticmethod
    def forward(ctx, a, b):
        return a + b

    @staticmethod
    def backward(ctx, g):
        made = g * 1
        Handed.kept.append(made)
        return made, made


PROGRAMS = {
    "sum": lambda a, b: a + b, "difference": lambda a, b: a - b, "product": lambda a, b: a * b, "quotient": lambda a, b: a / b,
    "same": lambda a, b: a + a + b, "matmul": lambda a, b: a @ b, "transpose": lambda a, b: a.t() + b, "view": lambda a, b: a.view(4) * b.view(4),
    "select": lambda a, b: a[0] + b[1], "cat": lambda a, b: torch.cat([a, b]), "stack": lambda a, b: torch.stack([a, b]),
    "where": lambda a, b: torch.where(a > 0, a, b), "maximum": lambda a, b: torch.maximum(a, b), "clone": lambda a, b: a.clone() + b.clone(),
    "linear": lambda a, b: torch.nn.functional.linear(a, b), "lerp": lambda a, b: a.lerp(b, 0.5), "custom": lambda a, b: Handed.apply(a, b),
    "retained": lambda a, b: (a * b).add(a), "in place": lambda a, b: a.clone().mul_(b).add_(a), "to": lambda a, b: a.to(torch.float64) + b,
    "addmm": lambda a, b: torch.addmm(a, a, b), "exp": lambda a, b: a.exp() + b, "relu": lambda a, b: (a + b).relu(),
    "written view": lambda a, b: _written(a, b), "checkpointed": lambda a, b: torch.utils.checkpoint.checkpoint(
        lambda u, v: u * v + u, a, b, use_reentrant=False),
}


def _written(a, b):
    z = torch.zeros(2, 2)
    z[0] = a[0]
    z[1] = b[1] * a[1]
    return z


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("hooked", [False, True])
def test_gradients_share_memory_with_nothing_and_add_up(name, hooked):
    program = PROGRAMS[name]
    a, b = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), torch.tensor([[2.0, -1.0], [0.5, 3.0]], requires_grad=True)
    seen, outputs = [], []
    if hooked:
        a.register_hook(seen.append)
    y = program(a, b)
    gradient = torch.ones_like(y).detach()
    y.backward(gradient)
    once = [None if t.grad is None else t.grad.numpy().copy() for t in (a, b)]
    outputs.append(y)
    for _ in range(2):
        y = program(a, b)
        outputs.append(y)
        y.backward(gradient)
    grads = [t.grad.numpy() for t in (a, b) if t.grad is not None]
    others = [a.detach().numpy(), b.detach().numpy(), gradient.numpy(), *(o.detach().numpy() for o in outputs),
              *(s.numpy() for s in seen), *(k.numpy() for k in Handed.kept)]
    for g in grads:
        assert not any(np.shares_memory(g, o) for o in others)
    assert len(grads) < 2 or not np.shares_memory(*grads)
    for t, g in zip((a, b), once):
        assert (t.grad is None) == (g is None)
        if g is not None:
            np.testing.assert_allclose(t.grad.numpy(), 3 * g)
    assert gradient.numpy().tolist() == np.ones(gradient.shape).tolist()


def kept_elsewhere(g, y, a, b):
    made = g * b
    _STORE[0] = made
    return made, a * g


def same_twice(g, y, a, b):
    made = g * b
    return made, made


def a_view_of_another(g, y, a, b):
    made = g * b
    return made, np.reshape(made, -1)


def renamed(g, y, a, b):
    made = g * b
    other = made
    return made, other


def one_of_two(g, y, a, b):
    made = g * b
    return made, made if a is None else -made


def computed_from_another(g, y, a, b):
    made = g / b
    return made, -made * y


def by_branches(g, y, a, b):
    if a.ndim == 1:
        return g * b, g
    return g @ b, g * a


def with_buffer(g, y, a, b):
    return np.multiply(g, b, out=a), np.multiply(g, b)


_STORE = [None]


@pytest.mark.parametrize("rule, owned", [
    (kept_elsewhere, (False, True)), (same_twice, (False, False)), (a_view_of_another, (False, False)), (renamed, (False, False)),
    (one_of_two, (False, False)), (computed_from_another, (True, True)), (by_branches, (True, False)), (with_buffer, (False, True)),
], ids=lambda x: getattr(x, "__name__", ""))
def test_only_newly_allocated_entries_are_owned(rule, owned):
    assert owned_entries(rule, (True, True)) == owned
