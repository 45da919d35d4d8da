"""T5: hooks of tensors and nodes, and their order."""
from __future__ import annotations

from ..observe import raises


def _x(torch):
    return torch.tensor([1.0, 2.0], requires_grad=True)


def on_a_leaf(torch):
    x, seen = _x(torch), []
    handle = x.register_hook(lambda g: seen.append(g.tolist()))
    (x * 2).sum().backward()
    handle.remove()
    (x * 3).sum().backward()
    return seen, x


def on_a_non_leaf(torch):
    x, seen = _x(torch), []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.clone()))
    (y * y).sum().backward()
    return seen, x


def replaces_the_gradient(torch):
    x = _x(torch)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    y.sum().backward()
    return x


def several_in_order(torch):
    x, log = _x(torch), []
    y = x * 1
    y.register_hook(lambda g: log.append(("a", g.tolist())) or g * 2)
    h = y.register_hook(lambda g: log.append(("b", g.tolist())))
    y.register_hook(lambda g: log.append(("c", g.tolist())) or g + 1)
    y.sum().backward(retain_graph=True)
    h.remove()
    h.remove()
    y.sum().backward()
    return log, x


def called_once_for_all_contributions(torch):
    x, seen = _x(torch), []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.tolist()))
    (y.sum() + (y * 3).sum() + y.exp().sum() * 0).backward()
    return seen


def retain_grad(torch):
    x = _x(torch)
    y = x * 2
    before = y.retains_grad
    y.retain_grad()
    y.retain_grad()
    (y * y).sum().backward(retain_graph=True)
    first = y.grad.clone()
    (y * y).sum().backward()
    x.retain_grad()
    return (
        before,
        y,
        first,
        x,
        x.retains_grad,
        raises(lambda: torch.ones(1).retain_grad(), "can't retain_grad on Tensor that has requires_grad=False"),
    )


def retain_grad_sees_the_hooked_gradient(torch):
    x = _x(torch)
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    return y, x


def retain_grad_moves_along_with_inplace(torch):
    """A hook stays on the old node, the retained gradient is that of the new value."""
    x, log = _x(torch), []
    y = x * 2
    y.register_hook(lambda g: log.append(g.tolist()))
    y.retain_grad()
    y.mul_(5)
    y.register_hook(lambda g: log.append(g.tolist()) or g * 2)
    y.sum().backward()
    return log, y, x


def order_of_all_kinds(torch):
    x, log = _x(torch), []
    y = x * 2
    node = y.grad_fn
    node.register_hook(lambda gi, go: log.append(("post", len(gi), len(go))))
    node.register_prehook(lambda go: log.append(("pre", go[0].tolist())))
    y.register_hook(lambda g: log.append(("tensor", g.tolist())) or g * 3)
    y.retain_grad()
    x.register_hook(lambda g: log.append(("leaf", g.tolist())))
    x.register_post_accumulate_grad_hook(lambda t: log.append(("accumulated", t.grad.tolist())))
    y.sum().backward()
    return log, y, x


def node_posthook_replaces(torch):
    x = _x(torch)
    y = x * 2
    y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: tuple(g * 7 if g is not None else None for g in grad_inputs))
    y.sum().backward()
    return x


def node_prehook_replaces(torch):
    x = _x(torch)
    y = x * 2
    y.grad_fn.register_prehook(lambda grad_outputs: (grad_outputs[0] * 7,))
    y.sum().backward()
    return x


def node_hook_arguments(torch):
    x, w, seen = _x(torch), torch.ones(2), []
    y = x * w
    y.grad_fn.register_hook(
        lambda gi, go: seen.append((type(gi).__name__, [g is None for g in gi], type(go).__name__, [g.tolist() for g in go]))
    )
    y.grad_fn.register_prehook(lambda go: seen.append((type(go).__name__, len(go))))
    y.sum().backward()
    return seen


def node_hook_handles(torch):
    x, log = _x(torch), []
    y = x * 2
    a = y.grad_fn.register_hook(lambda gi, go: log.append("a"))
    y.grad_fn.register_hook(lambda gi, go: log.append("b"))
    y.sum().backward(retain_graph=True)
    a.remove()
    y.sum().backward()
    with y.grad_fn.register_prehook(lambda go: log.append("pre")):
        pass
    return log


def node_hook_of_wrong_length(torch):
    x = _x(torch)
    y = x * 2
    y.grad_fn.register_hook(lambda gi, go: (gi[0],) * 5)
    z = x * 3
    z.grad_fn.register_prehook(lambda go: ())
    return raises(y.sum().backward, "hook"), raises(z.sum().backward, "hook")


def hooks_of_accumulation(torch):
    x, log = _x(torch), []
    node = (x * 1).grad_fn.next_functions[0][0]
    node.register_prehook(lambda go: log.append(("pre", go[0].tolist())))
    node.register_hook(lambda gi, go: log.append(("post", len(gi), go[0].tolist(), x.grad.tolist())))
    x.register_hook(lambda g: log.append(("tensor", g.tolist())))
    (x * 2).sum().backward()
    return log


def post_accumulate_hook(torch):
    x, log = _x(torch), []

    def step(p):
        log.append(p.grad.tolist())
        with torch.no_grad():
            p -= 0.1 * p.grad
        p.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * x).sum().backward()
    (x * x).sum().backward()
    handle.remove()
    (x * x).sum().backward()
    return (
        log,
        x,
        raises(
            lambda: (x * 1).register_post_accumulate_grad_hook(step), "post accumulate grad hooks cannot be registered on non-leaf tensors"
        ),
    )


def post_accumulate_hook_of_grad(torch):
    """``autograd.grad`` accumulates nothing and calls none."""
    x, log = _x(torch), []
    x.register_post_accumulate_grad_hook(lambda p: log.append("accumulated"))
    torch.autograd.grad((x * x).sum(), x)
    (x * x).sum().backward(inputs=[x])
    return log


def captured_inputs_and_hooks(torch):
    """``grad(inputs=)`` runs the tensor's hooks, not its node's posthooks."""
    x, log = _x(torch), []
    y = x * 2
    y.register_hook(lambda g: log.append("tensor") or g * 10)
    y.grad_fn.register_prehook(lambda go: log.append("pre"))
    y.grad_fn.register_hook(lambda gi, go: log.append("post"))
    x.register_hook(lambda g: log.append("leaf") or g + 1)
    return torch.autograd.grad(y.sum(), [y], retain_graph=True), torch.autograd.grad(y.sum(), [x]), log


def hook_on_a_tensor_without_grad(torch):
    return raises(lambda: torch.ones(2).register_hook(lambda g: g), "cannot register a hook on a tensor that doesn't require gradient")


def hook_that_returns_a_wrong_shape(torch):
    x = _x(torch)
    y = x * 2
    y.register_hook(lambda g: torch.ones(3))
    z = x * 2
    z.register_hook(lambda g: 3)
    return raises(y.sum().backward, "hook"), raises(z.sum().backward, "hook"), x.grad


def hook_that_returns_another_dtype(torch):
    x = _x(torch)
    y = x * 2
    y.register_hook(lambda g: g.double())
    return raises(y.sum().backward, "hook"), x.grad


def hook_that_raises(torch):
    x = _x(torch)
    y = x * 2

    def fail(g):
        raise ZeroDivisionError("from the hook")

    y.register_hook(fail)
    return raises(y.sum().backward, "from the hook"), x.grad


def hooks_under_create_graph(torch):
    x = _x(torch)
    y = x**3
    y.register_hook(lambda g: g * x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return g.detach(), torch.autograd.grad(g.sum(), x)


def hooks_see_detached_gradients(torch):
    x, seen = _x(torch), []
    y = x**2
    y.register_hook(lambda g: seen.append((g.requires_grad, g.grad_fn is None, torch.is_grad_enabled())))
    y.sum().backward(retain_graph=True)
    y.sum().backward(create_graph=True)
    return seen


def hook_on_an_output_of_many(torch):
    x, seen = torch.arange(4.0, requires_grad=True), []
    a, b = (x * 1).split(2)
    a.register_hook(lambda g: seen.append(("a", g.tolist())) or g * 2)
    b.register_hook(lambda g: seen.append(("b", g.tolist())) or g * 3)
    (a.sum() + b.sum()).backward()
    return seen, x


def hook_on_an_unused_output(torch):
    x, seen = torch.arange(4.0, requires_grad=True), []
    a, b = (x * 1).split(2)
    b.register_hook(lambda g: seen.append(g))
    a.sum().backward()
    return seen, x


def hook_added_during_backward(torch):
    x, log = _x(torch), []
    y = x * 2
    z = y * 3
    z.register_hook(lambda g: y.register_hook(lambda g: log.append("late")) and None)
    z.sum().backward()
    return log


def hook_on_a_root(torch):
    x, log = _x(torch), []
    y = (x * x).sum()
    y.register_hook(lambda g: log.append(g.item()) or g * 5)
    y.backward()
    return log, x


def multi_grad_hook_all(torch):
    a, b, c = (_x(torch) for _ in range(3))
    log = []
    handle = torch.autograd.graph.register_multi_grad_hook(
        (a, b, c), lambda grads: log.append([None if g is None else g.tolist() for g in grads])
    )
    (a * b).sum().backward(retain_graph=True)
    (a * b).sum().backward(inputs=(a,), retain_graph=True)
    (a * b * c).sum().backward()
    handle.remove()
    a.sum().backward()
    return log


def multi_grad_hook_any(torch):
    a, b = _x(torch), _x(torch)
    log = []
    torch.autograd.graph.register_multi_grad_hook((a, b), lambda grad: log.append(grad.tolist()), mode="any")
    (a * b).sum().backward()
    b.sum().backward()
    return log, raises(lambda: torch.autograd.graph.register_multi_grad_hook((a,), print, mode="some"), "mode")


def hook_as_a_decorator_and_handle_in_with(torch):
    x, log = _x(torch), []
    with x.register_hook(lambda g: log.append("inside")):
        (x * 2).sum().backward()
    (x * 2).sum().backward()
    return log


def hooks_are_kept_by_the_handle_only_weakly(torch):
    x = _x(torch)
    handle = x.register_hook(lambda g: g * 2)
    del handle
    (x * 2).sum().backward()
    return x


def prehook_and_tensor_hook_registered_in_any_order(torch):
    x, log = _x(torch), []
    y = x * 2
    y.grad_fn.register_prehook(lambda go: log.append("pre"))
    y.register_hook(lambda g: log.append("tensor 1"))
    y.grad_fn.register_prehook(lambda go: log.append("pre 2"))
    y.register_hook(lambda g: log.append("tensor 2"))
    y.sum().backward()
    return log


def modifying_the_gradient_in_a_hook_by_clipping(torch):
    x = _x(torch)
    x.register_hook(lambda g: g.clamp(-1, 1))
    (x * torch.tensor([5.0, -0.5])).sum().backward()
    return x


def gradients_given_by_the_user_reach_hooks(torch):
    x, seen = _x(torch), []
    v = torch.tensor([1.0, 10.0])
    y = x * 2
    y.register_hook(lambda g: seen.append((g is v, g.tolist())))
    y.backward(v)
    return seen[0][1], x
