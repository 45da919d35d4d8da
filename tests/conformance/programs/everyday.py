"""Whole programs: everyday steps of training, with what the documents offer around them."""
from __future__ import annotations

import math
import os
import tempfile
import uuid


def per_sample_gradients(torch):
    """Gradients of each sample, by `vmap` over `grad`."""
    w = torch.tensor([[0.5, -0.3], [0.2, 0.8]])
    x, y = torch.tensor([[1.0, 2.0], [0.0, -1.0], [3.0, 1.0]]), torch.tensor([1.0, 0.0, 1.0])

    def loss(w, x, y):
        return (torch.tanh(x @ w).sum() - y) ** 2
    mapped = (None, 0, 0)
    return torch.func.vmap(torch.func.grad(loss), in_dims=mapped)(w, x, y), torch.func.vmap(torch.func.grad_and_value(loss), mapped)(w, x, y)


def saved_tensors_on_disk(torch):
    """Files are written in the forward pass, and gone once the graph is."""
    folder = tempfile.mkdtemp()

    class File:
        def __init__(self):
            self.name = os.path.join(folder, uuid.uuid4().hex)

        def __del__(self):
            os.remove(self.name)

    def pack(t):
        file = File()
        torch.save(t, file.name)
        return file
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda file: torch.load(file.name)):
        y = (x * x).exp()
    during = len(os.listdir(folder))
    y.sum().backward()
    del y
    return x.grad, during, len(os.listdir(folder))


def spectral_norm_by_power_iteration(torch):
    w, u = torch.tensor([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]], requires_grad=True), torch.ones(2) / math.sqrt(2)
    with torch.no_grad():
        for _ in range(50):
            v = torch.mv(w.t(), u)
            v = v / v.norm()
            u = torch.mv(w, v)
            u = u / u.norm()
    sigma = torch.dot(u, torch.mv(w, v))
    (w / sigma).sum().backward()
    return sigma, w.grad, torch.linalg.matrix_norm(w.detach(), 2)


def averages_of_weights(torch):
    """Moving averages beside the weights, all in place."""
    p = torch.tensor([1.0, 2.0], requires_grad=True)
    mean = p.detach().clone()
    for _ in range(3):
        (p * p).sum().backward()
        with torch.no_grad():
            p.sub_(p.grad, alpha=0.1)
            mean.lerp_(p, 0.5)
            p.grad = None
    return p, mean, p._version


def gradients_of_a_tangent(torch):
    """Reverse mode over forward mode."""
    fw, x = torch.autograd.forward_ad, torch.tensor([1.0, 2.0], requires_grad=True)
    with fw.dual_level():
        d = fw.make_dual(x, torch.tensor([1.0, 0.0]))
        tangent = fw.unpack_dual(d.sin() * d).tangent
        return tangent, torch.autograd.grad(tangent.sum(), x)
