"""T2: the layout of gradients, the order of execution, and what is freed when."""
from __future__ import annotations

import gc
import weakref

from ..observe import raises


def _train(torch, p, create_graph=False):
    (p * torch.arange(float(p.numel())).reshape(p.shape)).sum().backward(create_graph=create_graph)
    return p


def contiguous_leaf(torch):
    """Rule 1: the strides of a dense leaf."""
    return _train(torch, torch.ones(2, 3, requires_grad=True))


def transposed_leaf(torch):
    """Rule 1: the strides of a dense leaf that is not row-major."""
    return _train(torch, torch.ones(3, 2).t().requires_grad_())


def permuted_leaf(torch):
    return _train(torch, torch.ones(2, 3, 4).permute(2, 0, 1).requires_grad_())


def leaf_with_gaps(torch):
    """Rule 2: row-major strides."""
    return _train(torch, torch.ones(4, 6)[:, ::2].requires_grad_())


def leaf_that_overlaps(torch):
    """Rule 2: row-major strides."""
    return _train(torch, torch.ones(3).expand(2, 3).requires_grad_())


def leaf_in_a_slice(torch):
    return _train(torch, torch.ones(4, 6)[1:3].requires_grad_())


def leaf_of_a_flip(torch):
    return _train(torch, torch.ones(2, 3).flip(0).requires_grad_())


def existing_gradient_keeps_its_strides(torch):
    """Rule 3, and the manual layout."""
    p = torch.ones(2, 3, requires_grad=True)
    p.grad = torch.zeros(3, 2).t()
    g = p.grad
    _train(torch, p)
    _train(torch, p)
    return p, p.grad is g


def existing_gradient_with_create_graph(torch):
    """Rule 4: a new tensor, which keeps the strides here."""
    p = torch.ones(2, 3, requires_grad=True)
    p.grad = torch.zeros(3, 2).t()
    g = p.grad
    _train(torch, p, create_graph=True)
    return p, p.grad is g, p.grad.stride()


def created_with_create_graph(torch):
    return _train(torch, torch.ones(3, 2).t().requires_grad_(), create_graph=True)


def set_to_none_each_time(torch):
    p = torch.ones(3, 2).t().requires_grad_()
    seen = []
    for _ in range(2):
        p.grad = None
        seen.append(_train(torch, p).grad.stride())
    return seen, p


def zeroed_in_place(torch):
    p = torch.ones(3, 2).t().requires_grad_()
    _train(torch, p)
    g = p.grad
    p.grad.zero_()
    _train(torch, p)
    return p, p.grad is g


def gradient_of_an_expanded_sum(torch):
    p = torch.ones(2, 3, requires_grad=True)
    p.sum().backward()
    return p


def gradient_of_a_transpose(torch):
    p = torch.ones(2, 3, requires_grad=True)
    (p.t() * torch.ones(3, 2)).sum().backward()
    return p


def stolen_gradient(torch):
    """A gradient that nobody else holds becomes ``.grad`` itself, one that the caller holds does not."""
    p = torch.ones(3, requires_grad=True)
    v = torch.ones(3)
    p.backward(v)
    return p.grad is v, p.grad.data_ptr() == v.data_ptr(), p


def _logged(torch, log, name):
    class Log(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *xs):
            return xs[0] * 1 if len(xs) == 1 else sum(xs)

        @staticmethod
        def backward(ctx, g):
            log.append(name)
            return (g,) * len(ctx.needs_input_grad)

    return Log.apply


def latest_made_runs_first(torch):
    log, x = [], torch.ones((), requires_grad=True)
    parts = [_logged(torch, log, n)(x) for n in "abcd"]
    (parts[2] + parts[0] + parts[3] + parts[1]).backward()
    return log


def a_node_runs_once_after_all_contributions(torch):
    log, x = [], torch.ones((), requires_grad=True)
    a = _logged(torch, log, "a")(x)
    b = _logged(torch, log, "b")(a)
    c = _logged(torch, log, "c")(a)
    d = _logged(torch, log, "d")(b, c, a)
    e = _logged(torch, log, "e")(a)
    torch.autograd.backward([e, d, b])
    return log, x


def order_over_several_roots(torch):
    log, x = [], torch.ones((), requires_grad=True)
    roots = [_logged(torch, log, n)(x) for n in "abc"]
    torch.autograd.backward([roots[1], roots[0], roots[2]])
    return log


def accumulation_runs_as_soon_as_it_can(torch):
    log = []
    x, y = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    for n, t in (("x", x), ("y", y)):
        t.register_post_accumulate_grad_hook(lambda t, n=n: log.append(n))
    a = _logged(torch, log, "a")(x)
    b = _logged(torch, log, "b")(y)
    (a + b).backward()
    return log


def only_what_the_inputs_need_runs(torch):
    log = []
    x, y = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    a, b = _logged(torch, log, "a")(x), _logged(torch, log, "b")(y)
    out = _logged(torch, log, "out")(a, b)
    torch.autograd.grad(out, [y])
    return log


def sequence_numbers_grow(torch):
    x = torch.ones(2, requires_grad=True)
    a = x * 2
    b = x * 3
    c = a + b
    n = [t.grad_fn._sequence_nr() for t in (a, b, c)]
    accumulate = a.grad_fn.next_functions[0][0]._sequence_nr()
    return n[1] - n[0], n[2] - n[1], accumulate > 2**40


def saved_values_are_freed(torch):
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    z = (y * y).sum()
    z.backward()
    return raises(lambda: y.grad_fn._saved_result, "directly access saved tensors after they have already been freed")


def nothing_leaks_without_the_collector(torch):
    """No reference cycle keeps a graph: it is gone when the last name of it is."""
    gc.disable()
    try:
        x = torch.ones(3, requires_grad=True)
        seen = []
        for make in (
            lambda: x.exp(),
            lambda: x.pow(2),
            lambda: (x * x).tanh(),
            lambda: x.softmax(0),
            lambda: x.clone().exp_(),
            lambda: x.view(3, 1).exp().sum(1),
            lambda: x.sort()[0],
        ):
            y = make()
            seen += [weakref.ref(y)]
            y.sum().backward(retain_graph=True)
            del y
        return [ref() is None for ref in seen]
    finally:
        gc.enable()


def intermediate_results_die_as_backward_goes(torch):
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    ref = weakref.ref(y)
    z = (y * 2).sum()
    del y
    alive = ref() is not None
    z.backward()
    return alive, ref() is None
