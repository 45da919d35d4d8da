"""T14: backward from many threads."""
from __future__ import annotations

import threading

from ..observe import raises


def _run(count, target):
    """Run ``target(i)`` in threads of their own; the errors they raise."""
    errors = []

    def guarded(i):
        try:
            target(i)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(20)
    return errors, any(t.is_alive() for t in threads)


def separate_graphs(torch):
    """The documents' training function in ten threads."""
    results = {}

    def train(i):
        x = torch.ones(5, 5, requires_grad=True)
        y = (x + 3) * (x + 4) * 0.5
        y.sum().backward()
        results[i] = x.grad

    errors, hang = _run(10, train)
    return len(errors), hang, [bool((results[i] == 4.5).all()) for i in range(10)]


def shared_leaf(torch):
    """Sums into one gradient: right, since each thread adds all of its contribution."""
    x = torch.ones(4, dtype=torch.float64, requires_grad=True)
    errors, hang = _run(8, lambda i: [(x * (i + 1)).sum().backward() for _ in range(20)])
    return len(errors), hang, x.grad


def shared_graph_with_grad(torch):
    x = torch.ones(4, dtype=torch.float64, requires_grad=True)
    y = x.exp()
    found = {}
    errors, hang = _run(8, lambda i: found.__setitem__(i, torch.autograd.grad((y * (i + 1)).sum(), x, retain_graph=True)[0] / (i + 1)))
    return len(errors), hang, [found[i] for i in range(8)], x.grad


def shared_graph_freed(torch):
    """Without retain_graph one thread may find the buffers freed: then it gets the error of a second backward."""
    x = torch.ones(4, requires_grad=True)
    y = x.exp()
    errors, hang = _run(4, lambda i: (y * 2).sum().backward())
    return hang, all("a second time" in str(e) for e in errors), len(errors) < 4


def same_root_many_times(torch):
    x = torch.ones(4, dtype=torch.float64, requires_grad=True)
    y = (x * x).sum()
    errors, hang = _run(8, lambda i: y.backward(retain_graph=True))
    return len(errors), hang, x.grad


def grad_mode_is_per_thread(torch):
    seen = []
    with torch.no_grad():
        _run(2, lambda i: seen.append(torch.is_grad_enabled()))
    torch.set_grad_enabled(False)
    _run(1, lambda i: (torch.set_grad_enabled(True), seen.append(torch.is_grad_enabled())))
    inside = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    return seen, inside


def inference_and_anomaly_per_thread(torch):
    seen = []
    with torch.inference_mode():
        _run(1, lambda i: seen.append((torch.is_inference_mode_enabled(), torch.ones(1).is_inference())))
    return seen


def hooks_run_in_the_calling_thread(torch):
    seen = []
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: seen.append(threading.get_ident()))
    ids = []
    _run(1, lambda i: (ids.append(threading.get_ident()), y.sum().backward()))
    return seen == ids


def custom_functions_in_threads(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    found = {}

    def target(i):
        x = torch.full((3,), float(i), requires_grad=True)
        Square.apply(x).sum().backward()
        found[i] = x.grad

    errors, hang = _run(6, target)
    return len(errors), hang, [found[i] for i in range(6)]


def an_error_in_one_thread_leaves_the_others(torch):
    found = {}

    def target(i):
        x = torch.ones(2, requires_grad=True)
        y = x * i
        if i == 2:
            y.register_hook(lambda g: 1 / 0)
        y.sum().backward()
        found[i] = x.grad

    errors, hang = _run(4, target)
    return [type(e).__name__ for e in errors], hang, found


def backward_within_a_hook(torch):
    """A backward pass inside another one."""
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    y = x * 3

    def hook(g):
        with torch.enable_grad():
            (w * w).sum().backward()

    y.register_hook(hook)
    y.sum().backward()
    return x, w


def deep_reentrance(torch):
    class Nest(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            return x * 1

        @staticmethod
        def backward(ctx, g):
            if ctx.depth:
                with torch.enable_grad():
                    t = torch.ones(1, requires_grad=True)
                    Nest.apply(t, ctx.depth - 1).sum().backward()
            return g, None

    x = torch.ones(1, requires_grad=True)
    return raises(lambda: Nest.apply(x, 20).sum().backward()), x


def forward_levels_in_threads(torch):
    fw = torch.autograd.forward_ad
    found = {}

    def target(i):
        x = torch.ones(2, requires_grad=True)
        found[i] = torch.autograd.functional.jacobian(lambda t: t * i, x)

    errors, hang = _run(3, target)
    with fw.dual_level():
        y = fw.unpack_dual(fw.make_dual(torch.ones(1), torch.ones(1)) * 2).tangent
    return len(errors), hang, [found[i] for i in range(3)], y
