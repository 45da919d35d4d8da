"""The tape beside PyTorch's eager mode and HIPS autograd: chains of small operations, forward and backward, and the memory of backward."""
from __future__ import annotations

import importlib
import importlib.util
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad

from .timing import compare

LENGTH = 100


def chain(y: Any, x: Any, sin: Callable[[Any], Any]) -> Any:
    """As many operations as `LENGTH`: by a number, by a tensor, and of one argument."""
    for _ in range(LENGTH // 4):
        y = y * 1.01
        y = y + x
        y = sin(y)
        y = y * x
    return y


def in_manner_of_torch(torch: Any, array: Any) -> Callable[[], Any]:
    """One forward and backward pass of the chain."""
    x = torch.tensor(array, requires_grad=True)

    def run() -> None:
        chain(x, x, torch.sin).sum().backward()
    return run


def with_hips_autograd(array: Any) -> Callable[[], Any]:
    """The same, as a function that returns its gradient."""
    anp, grad = importlib.import_module("autograd.numpy"), importlib.import_module("autograd").grad
    gradient = grad(lambda x: anp.sum(chain(x, x, anp.sin)))
    return lambda: gradient(array)


def perceptron(torch: Any, layers: int = 100, width: int = 256, batch: int = 256) -> Callable[[], Any]:
    """One forward and backward pass through a network of many layers."""
    rng = np.random.default_rng(0)
    weights = [torch.tensor(rng.standard_normal((width, width)) / width ** 0.5, requires_grad=True) for _ in range(layers)]
    x = torch.tensor(rng.standard_normal((batch, width)))

    def run() -> None:
        h = x
        for w in weights:
            h = torch.tanh(h @ w)
        h.sum().backward()
        for w in weights:
            w.grad = None
    return run


def peak(run: Callable[[], Any]) -> int:
    """The bytes that NumPy holds at most while ``run`` runs for the second time."""
    run()
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def main() -> bool:
    """Prints the ratios to PyTorch and to HIPS autograd, and the peak over what has to be kept; whether the limits hold."""
    good = True
    array = np.random.default_rng(0).standard_normal(10)
    ours = in_manner_of_torch(transgrad, array)
    print("forward and backward of a chain of small operations, over")
    if importlib.util.find_spec("torch"):
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        ratio = compare([in_manner_of_torch(torch, array), ours])[1]
        good = good and ratio <= 1.0
        print(f"  PyTorch eager      {ratio:5.2f}   (limit 1.00)")
    if importlib.util.find_spec("autograd"):
        ratio = compare([with_hips_autograd(array), ours])[1]
        good = good and ratio <= 0.4
        print(f"  HIPS autograd      {ratio:5.2f}   (limit 0.40)")
    kept = 100 * 256 * 256 * 8 * 2        # a result and a gradient for each layer
    ratio = peak(perceptron(transgrad)) / kept
    good = good and ratio <= 1.1
    print(f"peak memory of a network's backward, over its results and gradients: {ratio:.2f}   (limit 1.10)")
    return good
