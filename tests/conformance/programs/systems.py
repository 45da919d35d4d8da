"""Programs that lean on the machinery: threads, graph surgery, profiling of a loop, modes in libraries."""
from __future__ import annotations

import threading

import numpy as np


def _data(torch, seed, *shape):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape))


def hogwild(torch):
    """Threads that train one parameter together, each with ``autograd.grad`` and a lock around the step."""
    w = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    x = _data(torch, 0, 24, 3)
    y = x @ torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    lock, errors = threading.Lock(), []

    def work(part):
        try:
            for _ in range(60):
                with lock:
                    current = w.detach().clone().requires_grad_()
                (g,) = torch.autograd.grad(((x[part] @ current - y[part]) ** 2).mean(), current)
                with lock, torch.no_grad():
                    w.sub_(g, alpha=0.05)
        except Exception as error:
            errors.append(repr(error))

    threads = [threading.Thread(target=work, args=(slice(i, None, 4),)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    return errors, (w.detach() - torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)).abs().max().item() < 0.05


def data_parallel(torch):
    """Threads with their own shares of a batch; the sum of their gradients is that of the batch."""
    w = _data(torch, 1, 3, 2).requires_grad_()
    x = _data(torch, 2, 12, 3)
    found = {}

    def work(i):
        replica = w.detach().requires_grad_()
        torch.tanh(x[i * 3 : i * 3 + 3] @ replica).pow(2).sum().backward()
        found[i] = replica.grad

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    torch.tanh(x @ w).pow(2).sum().backward()
    return torch.allclose(sum(found.values()), w.grad), w


def walking_a_graph(torch):
    """A drawing of a graph as text, as visualisers make it."""
    w, b = torch.ones(2, 3, requires_grad=True), torch.zeros(2, requires_grad=True)
    y = torch.relu(torch.ones(4, 3) @ w.t() + b).sum(1).pow(2).mean()
    lines, seen = [], set()

    def add(node):
        if node is None or node in seen:
            return
        seen.add(node)
        lines.append(f"{node.name()}" + (f" {tuple(node.variable.shape)}" if hasattr(node, "variable") else ""))
        for parent, _ in node.next_functions:
            if parent is not None:
                lines.append(f"  {node.name()} -> {parent.name()}")
                add(parent)

    add(y.grad_fn)
    return lines


def gradients_per_layer(torch):
    """Activations and their gradients recorded by hooks on every layer, as debuggers do."""
    record = {}

    def watch(name, t):
        record[name] = [t.detach().norm().item()]
        t.register_hook(lambda g: record[name].append(g.norm().item()))
        t.grad_fn.register_hook(lambda gi, go: record[name].append(sum(g is not None for g in gi)))
        return t

    x = _data(torch, 3, 4, 3)
    w = [_data(torch, 4 + i, 3, 3).requires_grad_() for i in range(3)]
    h = x
    for i, p in enumerate(w):
        h = watch(f"layer {i}", torch.tanh(h @ p))
    h.sum().backward()
    return record


def buffers_written_in_place(torch):
    """A scan that fills a preallocated buffer row by row, and is differentiated through the writes."""
    x = _data(torch, 10, 6, 2).requires_grad_()
    decay = torch.tensor([0.9, 0.5], dtype=torch.float64, requires_grad=True)
    out = torch.zeros(6, 2, dtype=torch.float64)
    out[0] = x[0]
    for t in range(1, 6):
        out[t] = decay * out[t - 1].clone() + x[t]
    out[:, 1] *= 2
    out[out < -1] = -1
    (out * torch.arange(12.0, dtype=torch.float64).view(6, 2)).sum().backward()
    return out, x, decay


def library_with_modes(torch):
    """Evaluation under no_grad and inference mode, a frozen target network, exponential averages."""
    online = _data(torch, 20, 3, 3).requires_grad_()
    target = online.detach().clone()
    x = _data(torch, 21, 4, 3)
    losses = []
    for _ in range(5):
        with torch.no_grad():
            goal = torch.tanh(x @ target)
        loss = (torch.tanh(x @ online) - goal.flip(0)).pow(2).mean()
        loss.backward()
        with torch.inference_mode():
            score = torch.tanh(x @ online).mean().item()
        with torch.no_grad():
            online -= 0.5 * online.grad
            online.grad = None
            target.mul_(0.9).add_(online, alpha=0.1)
        losses.append((loss.item(), score))
    return losses, online, target, goal.requires_grad


def fast_weights_in_place(torch):
    """Detaching, cloning and writing in the right order, as optimisers with look-ahead do."""
    p = torch.tensor([2.0, -1.0], dtype=torch.float64, requires_grad=True)
    slow, path = p.detach().clone(), []
    for i in range(12):
        loss = (p**4).sum() + p.prod()
        (g,) = torch.autograd.grad(loss, p)
        p.data.add_(g, alpha=-0.02)
        if i % 4 == 3:
            slow += 0.5 * (p.detach() - slow)
            with torch.no_grad():
                p.copy_(slow)
        path.append(p.tolist())
    return path, p._version, slow


def numpy_inside_the_graph(torch):
    """A custom Function whose forward and backward are NumPy code."""

    class Sorted(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            a = x.detach().numpy()
            order = np.argsort(a)
            ctx.order = order
            return torch.from_numpy(a[order].copy())

        @staticmethod
        def backward(ctx, g):
            out = np.zeros_like(g.numpy())
            out[ctx.order] = g.numpy()
            return torch.from_numpy(out)

    x = torch.tensor([3.0, 1.0, 2.0], dtype=torch.float64, requires_grad=True)
    y = Sorted.apply(x)
    (y * torch.tensor([1.0, 10.0, 100.0], dtype=torch.float64)).sum().backward()
    return y, x, torch.autograd.gradcheck(Sorted.apply, x)


def gradient_surgery(torch):
    """Gradients of two tasks, one projected off the other, written back as ``.grad``."""
    w = _data(torch, 30, 4).requires_grad_()
    tasks = [lambda: (w**2).sum(), lambda: -(w * torch.tensor([1.0, 2.0, -1.0, 0.5], dtype=torch.float64)).sum() + w.prod()]
    path = []
    for _ in range(5):
        a, b = (torch.autograd.grad(task(), w)[0] for task in tasks)
        dot = torch.dot(a, b)
        if dot < 0:
            a = a - dot / b.dot(b) * b
        w.grad = a + b
        with torch.no_grad():
            w.sub_(w.grad, alpha=0.05)
        path.append(dot.item())
    return path, w


def stop_gradients_and_custom_estimators(torch):
    """Straight-through by detach, and a surrogate whose value and gradient differ."""
    x = torch.tensor([0.3, 1.7, -0.6], dtype=torch.float64, requires_grad=True)
    hard = x.round()
    through = x + (hard - x).detach()
    surrogate = torch.sigmoid(5 * x)
    spike = (x > 0).double() + surrogate - surrogate.detach()
    (through.pow(2).sum() + spike.sum() * 3).backward()
    return through, spike, x
