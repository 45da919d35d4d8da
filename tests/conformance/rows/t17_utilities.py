"""T17: checkpointing, training loops without modules, and how Tensors print."""
from __future__ import annotations

import copy
import pickle

from ..collect import each
from ..observe import prints, raises


@each(
    "torch.tensor(1.0)", "torch.tensor([1.0, 2.5])", "torch.tensor([1, 2])", "torch.tensor([True, False])",
    "torch.tensor([[1.0, 2.0], [3.0, 4.0]])", "torch.tensor([1.0], requires_grad=True)", "torch.tensor([1.0], requires_grad=True) * 2",
    "torch.tensor([1.0], dtype=torch.float64)", "torch.tensor([1], dtype=torch.int32)", "torch.tensor([])", "torch.zeros(0, 3)",
    "torch.tensor([1e-8, 1.0])", "torch.tensor([1e10, 1.0])", "torch.tensor([123456.0, 0.001])",
    "torch.tensor([float('nan'), float('inf'), 1.0])", "torch.tensor([1 + 2j])", "torch.tensor(2.5, dtype=torch.float16)",
    "torch.arange(1100.0)", "torch.arange(2000).reshape(40, 50)", "torch.tensor([1.0, 2.0, 3.0])", "torch.tensor([0.5, 100.25])",
    "torch.tensor([-1.0, 1.0])", "torch.ones(2, 2, 2)", "torch.tensor([1.0]).exp()", "torch.tensor([[1.0]], requires_grad=True).sum()",
    "torch.tensor([1.5], dtype=torch.bfloat16)", "torch.arange(30.0)", "torch.tensor(True)", "torch.tensor(3)",
    "torch.tensor([0.1, 0.22, 0.333])", "torch.zeros(3)", "torch.tensor([1e-4])", "torch.tensor([1e5, 1e-5])",
    "torch.tensor([1.0 + 0.5j, -2.25j], dtype=torch.complex128)", "torch.tensor([1.0], requires_grad=True).view(1)", "torch.empty(2, 0)",
    "torch.tensor([1000000.0])", "torch.tensor([0.00012345])", "torch.float32", "torch.zeros(1).shape", "torch.Size([2])",
    "torch.zeros(1).device", "torch.zeros(2, 3).size()", "torch.sort(torch.tensor([2.0, 1.0]))", "torch.tensor([2.0, 1.0]).max(0)",
    "torch.linalg.eigh(torch.eye(2))", "torch.nn.functional.one_hot(torch.tensor([1]))",
    "torch.tensor([1.0], requires_grad=True).unbind()[0]", "(torch.tensor([1.0, 2.0], requires_grad=True) * 2).grad_fn.name()",
    "torch.randn(2, requires_grad=True).clone().add_(1).zero_()", "torch.arange(4).view(2, 2)", "torch.tensor([255], dtype=torch.uint8)",
    "torch.full((3,), -0.0)", "torch.tensor([[1, 20], [300, 4]])", "torch.arange(10000.0).reshape(100, 100)",
)
def printed(torch, text):
    return prints(lambda: print(eval(text, {"torch": torch})))


OPTIONS = "precision=2", "threshold=3", "edgeitems=1, threshold=3", "linewidth=20", "sci_mode=True", "sci_mode=False"
PROFILES = "short", "full", "default"


@each(*(f"torch.set_printoptions({option})" for option in OPTIONS), *(f"torch.set_printoptions(profile={name!r})" for name in PROFILES))
def print_options(torch, text):
    eval(text, {"torch": torch})
    try:
        return prints(lambda: print(torch.arange(9.0) / 7, torch.tensor([1e-6, 1.0])))
    finally:
        torch.set_printoptions(profile="default", sci_mode=None)


def formatting(torch):
    t = torch.tensor(1.23456)
    return (
        f"{t:.2f}",
        f"{t.item():.3f}",
        "{}".format(torch.tensor([1.0])),
        str(torch.tensor([1, 2])),
        "%.2f" % t,
        f"{torch.tensor(3)}",
        f"{torch.tensor(3):d}",
    )


def checkpoint(torch):
    runs = []

    def block(x, w):
        runs.append(torch.is_grad_enabled())
        return (x * w).exp()

    x, w = torch.tensor([0.5, 1.0], requires_grad=True), torch.tensor([2.0, 3.0], requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(block, x, w, use_reentrant=False)
    before = len(runs)
    y.sum().backward()
    return y.detach(), before, runs, x, w


def checkpoint_reentrant(torch):
    runs = []

    def block(x, w):
        runs.append(torch.is_grad_enabled())
        return (x * w).exp()

    x, w = torch.tensor([0.5, 1.0], requires_grad=True), torch.tensor([2.0, 3.0], requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(block, x, w, use_reentrant=True)
    name = y.grad_fn.name()
    y.sum().backward()
    return y.detach(), name, runs, x, w


def checkpoint_saves_nothing_inside(torch):
    packed = []
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(1) or t, lambda t: t):
        plain = x.exp().sin().cos()
        count = len(packed)
        y = torch.utils.checkpoint.checkpoint(lambda t: t.exp().sin().cos(), x, use_reentrant=False)
    y.sum().backward()
    plain.sum().backward()
    return count, len(packed) == count, x


def checkpoint_with_keywords_and_several_outputs(torch):
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    a, b = torch.utils.checkpoint.checkpoint(
        lambda t, scale=1: (t.exp() * scale, t.sin()), x, use_reentrant=False, scale=3, preserve_rng_state=True
    )
    (a + b).sum().backward()
    return x


def checkpoint_repeats_random_numbers(torch):
    x = torch.ones(4, requires_grad=True)
    masks = []

    def block(t):
        mask = torch.rand(4)
        masks.append(mask)
        return (t * mask).exp()

    torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False).sum().backward()
    return len(masks), bool((masks[0] == masks[1]).all())


def checkpoint_double_backward(torch):
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(lambda t: t**3, x, use_reentrant=False)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return g.detach(), torch.autograd.grad(g.sum(), x)


def checkpoint_of_what_does_not_require_grad(torch):
    y = torch.utils.checkpoint.checkpoint(lambda t: t * 2, torch.ones(2), use_reentrant=False)
    w = torch.ones(2, requires_grad=True)
    z = torch.utils.checkpoint.checkpoint(lambda t: t * w, torch.ones(2), use_reentrant=False)
    z.sum().backward()
    return y, z.detach(), w


def checkpoint_that_changes_its_mind(torch):
    """The recomputation must save what the first run saved."""
    calls = []
    x = torch.ones(2, requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(lambda t: calls.append(1) or (t.exp() if len(calls) == 1 else t * 2), x, use_reentrant=False)
    return raises(
        y.sum().backward, "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation."
    )


def checkpoint_sequential(torch):
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    functions = [torch.sin, torch.exp, lambda t: t * 2, torch.cos]
    y = torch.utils.checkpoint.checkpoint_sequential(functions, 2, x, use_reentrant=False)
    y.sum().backward()
    return y.detach(), x


def a_training_loop(torch):
    w, b = torch.zeros(2, requires_grad=True), torch.zeros(1, requires_grad=True)
    x = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5], [-2.0, 1.0]])
    target = x @ torch.tensor([1.5, -0.5]) + 0.25
    losses = []
    for _ in range(20):
        loss = ((x @ w + b - target) ** 2).mean()
        for p in (w, b):
            p.grad = None
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p -= 0.1 * p.grad
        losses.append(loss.item())
    return losses, w, b


def a_training_loop_that_zeroes(torch):
    p = torch.tensor([1.0, -2.0], requires_grad=True)
    velocity = torch.zeros(2)
    for _ in range(10):
        (p**2).sum().backward()
        with torch.no_grad():
            velocity.mul_(0.9).add_(p.grad)
            p.sub_(velocity, alpha=0.05)
            p.grad.zero_()
    return p, velocity


def a_deep_copy_shares_memory_as_the_tensors_did(torch):
    base = torch.zeros(4)
    several = copy.deepcopy([base, base[:2], base.view(2, 2).t()])
    several[1].add_(1)
    reverse = copy.deepcopy([base[2:], base])
    reverse[0].fill_(7)
    return several, reverse, base, several[2].stride(), copy.deepcopy(torch.ones(3).expand(2, 3)).stride()


def attributes_are_copied_with_a_tensor(torch):
    x = torch.ones(2, requires_grad=True)
    x.note = [1]
    deep, shallow = copy.deepcopy(x), copy.copy(x)
    return deep.note, deep.note is x.note, shallow.note, deep.requires_grad, pickle.loads(pickle.dumps(x)).note
