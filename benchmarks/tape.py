"""The tape beside PyTorch's eager mode and HIPS autograd: chains of small operations, forward and backward, and the memory of backward."""
from __future__ import annotations

import importlib
import importlib.util
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad

from . import tape_networks
from .tape_networks import chain, in_manner_of_torch
from .tape_operations import report
from .timing import compare


def with_hips_autograd(array: Any) -> Callable[[], Any]:
    """The same, as a function that returns its gradient."""
    anp, grad = importlib.import_module("autograd.numpy"), importlib.import_module("autograd").grad
    gradient = grad(lambda x: anp.sum(chain(x, x, anp.sin)))
    return lambda: gradient(array)


def perceptron(torch: Any, layers: int = 100, width: int = 512, batch: int = 512) -> None:
    """One forward and backward pass through a network of many layers."""
    rng = np.random.default_rng(0)
    weights = [torch.tensor(rng.standard_normal((width, width)) / width ** 0.5, requires_grad=True) for _ in range(layers)]
    h = torch.tensor(rng.standard_normal((batch, width)))
    for w in weights:
        h = torch.tanh(h @ w)
    h.sum().backward()


def growth(name: str) -> int:
    """By how many kilobytes a process grows at most that runs `perceptron` on a library."""
    torch = importlib.import_module(name)
    perceptron(torch, layers=2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    perceptron(torch)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


def growth_in_process(name: str) -> int:
    """The same, in a process of its own."""
    code = f"from benchmarks.tape import growth; print(growth({name!r}))"
    return int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def main() -> bool:
    """Prints the ratios of times and of memory, for the libraries that are installed; whether the limits hold."""
    array = np.random.default_rng(0).standard_normal(10)
    ours = in_manner_of_torch(transgrad, array)
    rows: list[tuple[str, float, float]] = []
    if importlib.util.find_spec("torch"):
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        times = compare([in_manner_of_torch(torch, array), ours], clock=time.process_time)
        rows += [("chain of small operations, over PyTorch eager", times[1], 1.0)]
        rows += [("growth of memory, 100 layers, over PyTorch", growth_in_process("transgrad") / growth_in_process("torch"), 1.1)]
    if importlib.util.find_spec("autograd"):
        rows += [("chain of small operations, over HIPS autograd", compare([with_hips_autograd(array), ours])[1], 0.4)]
    if importlib.util.find_spec("torch"):
        report()
        tape_networks.report()
        tape_networks.report_programs()
    print("forward and backward on the tape")
    for name, ratio, limit in rows:
        print(f"  {name:46} {ratio:5.2f}   (limit {limit:.2f})")
    return all(ratio <= limit for _, ratio, limit in rows)
