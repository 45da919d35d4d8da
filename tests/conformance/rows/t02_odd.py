"""T2 to T6: odd calls of the engine, of nodes, hooks and Functions, each of which was different once."""
from __future__ import annotations

import numpy as np

from ..collect import each
from ..functions import leaf, made
from ..observe import raises, warns


@each("[1.0, 2.0]", "np.ones(2)", "1.0", "[torch.ones(2), None]", "(torch.ones(2), torch.ones(2))")
def what_is_no_gradient(torch, text):
    """A surplus of gradients is an error, where PyTorch takes no notice of it."""
    x = leaf(torch)
    given = eval(text, {"torch": torch, "np": np})
    return raises(lambda: (x * 2).backward(given)), raises(lambda: torch.autograd.grad(x * 2, x, given))


@each("'a'", "[1.0]", "[x.sum(), 1.0]", "[x.sum(), None]", "[None]", "3.0", "None")
def what_is_no_output(torch, text):
    x = leaf(torch)
    given = eval(text, {"x": x})
    return raises(lambda: torch.autograd.backward(given)), raises(lambda: torch.autograd.grad(given, x)), x


def an_unused_input_of_a_batch_of_vectors(torch):
    x, w = leaf(torch), leaf(torch, 3.0, 4.0)
    found = torch.autograd.grad(x * 2, (x, w), torch.eye(2), is_grads_batched=True, materialize_grads=True)
    return [g.detach() for g in found], raises(lambda: torch.autograd.grad(x.sum(), x, torch.ones(()), is_grads_batched=True))


def a_gradient_whose_elements_share_memory(torch):
    x = torch.ones(2, 3, requires_grad=True)
    x.grad = torch.zeros(1, 3).expand(2, 3)
    return raises(lambda: (x * 2).sum().backward(), "single memory location"), x.grad


@each("1", "'a'", "None", "0.0", "True", "False")
def flags_that_are_none(torch, text):
    x = leaf(torch)
    return raises(lambda: x.requires_grad_(eval(text))), x.requires_grad


def a_decorated_class(torch):
    def decorated():
        @torch.no_grad()
        class Made:
            def __init__(self):
                self.mode = torch.is_grad_enabled()
        return Made().mode
    return warns(decorated, "Decorating classes is deprecated")


@each("a.resize_(2)", "a.resize_(4)", "a.resize_as_(torch.ones(2))", "a.set_(torch.ones(3))", "a.t_()", "a.detach().resize_(2)")
def versions_of_changes_of_shape(torch, text):
    a = torch.ones(3)
    eval(text, {"torch": torch, "a": a})
    return a._version, raises(lambda: torch.autograd.graph.increment_version(3))


@each("x * 2", "x * 2.5", "2 * x", "x / 2", "2 / x", "x * True", "x * (1 + 2j)", "x.mul(3)", "x.double() * 2.5", "x.half() * 2", "x + 2", "x ** 2", "x.add(x, alpha=2)")
def numbers_are_saved_as_tensors(torch, text):
    node = eval(text, {"x": leaf(torch)}).grad_fn
    return [[name, getattr(node, name)] for name in dir(node) if name.startswith("_saved_")], [n for n in dir(node) if n.startswith("_raw_saved_o")]


@each("torch.ones(2)", "torch.ones(3)", "", "None", "torch.ones(2), torch.ones(2)", "3", "None, None")
def nodes_called(torch, text):
    x, m = leaf(torch), torch.ones(2, 2, requires_grad=True)
    given = eval(f"({text}{',' * bool(text)})", {"torch": torch})
    nodes = (x * 2).grad_fn, m.unbind()[0].grad_fn, x.sum().grad_fn.next_functions[0][0]
    found = [raises(lambda n=n: n(*given)) for n in nodes]
    return found, x.grad, raises(torch.autograd.graph.Node, "abstract class")


@each("torch.ones(2)", "1.0", "(torch.ones(2),)", "(None,)", "[torch.ones(2)]", "(torch.ones(3),)", "(1.0,)", "()", "{}")
def what_hooks_of_nodes_return(torch, text):
    """A tuple, or nothing."""
    seen = []
    for register in ("register_hook", "register_prehook"):
        x = leaf(torch)
        y = x.exp()
        getattr(y.grad_fn, register)(lambda *grads: eval(text, {"torch": torch}))
        seen.append([raises(lambda y=y: (y * 1).sum().backward()), x.grad])
    return seen


def pack_hooks_see_the_history_of_the_results_of_functions(torch):
    seen = []

    def forward(ctx, a):
        result = a.exp()
        ctx.save_for_backward(a, result)
        return result
    exp = made(torch, forward=forward, backward=lambda ctx, g: g * ctx.saved_tensors[1])
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append([t.grad_fn, t.requires_grad]) or t, lambda t: t):
        y = exp.apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return seen, torch.autograd.grad(g.sum(), x)


@each("3", "[a]", "None", "'a'", "a * 1", "a")
def marks_of_what_is_no_tensor(torch, text):
    def forward(ctx, a):
        ctx.mark_non_differentiable(eval(text, {"a": a}))
        return a * 1
    return raises(lambda: made(torch, forward=forward, backward=lambda ctx, g: g).apply(leaf(torch)))


@each("a[0], 3", "a[0], a.long()[1]", "a[0]", "a[0], a[1]", "3, a[1:]")
def views_among_the_results_of_functions(torch, text):
    """Where one of them has a derivative, a write is refused because a Function has made it; else because there are several."""
    split = made(torch, forward=lambda ctx, a: eval(text, {"a": a}), backward=lambda ctx, *g: torch.ones(2))
    found = split.apply(leaf(torch) * 1)
    found = next(f for f in (found if isinstance(found, tuple) else [found]) if f is not None and not isinstance(f, int))
    several = text.count("a[") > 1 and "long" not in text
    return raises(lambda: found.mul_(2), "multiple views" if several else "inside a custom Function")
