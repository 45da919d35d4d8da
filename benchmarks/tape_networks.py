"""Layers, training steps and higher derivatives on the tape, over PyTorch eager; and the times of complete training programs."""
from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad

from .timing import compare

__all__ = ["LENGTH", "chain", "in_manner_of_torch", "report", "report_programs"]

#: the number of operations in a chain
LENGTH = 100
#: name: how one run is made for a library, and the limit of its ratio
Maker = Callable[[Any], Callable[[], Any]]


def _tensor(t: Any, *shape: int, seed: int = 0, grad: bool = False) -> Any:
    made = t.tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))
    return made.requires_grad_(grad)


def training_step(t: Any) -> Callable[[], Any]:
    """One step of a classifier, 64 x 784-128-10, with SGD."""
    net = t.nn.Sequential(t.nn.Linear(784, 128), t.nn.ReLU(), t.nn.Linear(128, 10))
    optimizer, x, labels = t.optim.SGD(net.parameters(), lr=0.01), _tensor(t, 64, 784), t.tensor(np.arange(64) % 10)

    def run() -> None:
        optimizer.zero_grad()
        t.nn.functional.cross_entropy(net(x), labels).backward()
        optimizer.step()
    return run


def images(t: Any) -> Callable[[], Any]:
    """A convolution of 8 images of 32 x 32 and three channels, and pooling."""
    x, w = _tensor(t, 8, 3, 32, 32, grad=True), _tensor(t, 16, 3, 3, 3, grad=True)
    return lambda: t.nn.functional.max_pool2d(t.nn.functional.conv2d(x, w, padding=1).relu(), 2).sum().backward()


def normalized(t: Any) -> Callable[[], Any]:
    """layer_norm and gelu of 64 x 256."""
    x, w, b = _tensor(t, 64, 256, grad=True), _tensor(t, 256, grad=True), _tensor(t, 256, grad=True)
    return lambda: t.nn.functional.gelu(t.nn.functional.layer_norm(x, (256,), w, b)).sum().backward()


def recurrent(t: Any) -> Callable[[], Any]:
    """An LSTM of 100 steps, batch 8, 32 features."""
    net, x = t.nn.LSTM(32, 32), _tensor(t, 100, 8, 32)
    return lambda: net(x)[0].sum().backward()


def gated(t: Any) -> Callable[[], Any]:
    """A GRU of 100 steps, batch 8, 32 features."""
    net, x = t.nn.GRU(32, 32), _tensor(t, 100, 8, 32)
    return lambda: net(x)[0].sum().backward()


def custom_function(t: Any) -> Callable[[], Any]:
    """A Function of the user's, ten times."""
    class Square(t.autograd.Function):      # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 2 * x * g
    x = _tensor(t, 10, grad=True)

    def run() -> None:
        y = x
        for _ in range(10):
            y = Square.apply(y)
        y.sum().backward()
    return run


def whole_jacobian(t: Any) -> Callable[[], Any]:
    """The Jacobian of a function of twenty numbers."""
    x, w = _tensor(t, 20), _tensor(t, 20, 20)
    return lambda: t.autograd.functional.jacobian(lambda x: (w @ x).tanh(), x)


def twice(t: Any) -> Callable[[], Any]:
    """The gradient of the norm of a gradient."""
    x = _tensor(t, 10, grad=True)

    def run() -> None:
        (g,) = t.autograd.grad((x.sin() * x).sum(), x, create_graph=True)
        (g * g).sum().backward()
    return run


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


def without_recording(t: Any, mode: Any = None) -> Callable[[], Any]:
    """Twenty operations on ten numbers inside no_grad, or in another mode."""
    mode = mode or t.no_grad
    x, y = _tensor(t, 10, grad=True), _tensor(t, 10)

    def run() -> None:
        with mode():
            z = x
            for _ in range(5):
                z = ((z * y) + 1.0).sin() * 0.5
    return run


ROWS: dict[str, tuple[Maker, float]] = {
    "MLP step, 64 x 784-128-10": (training_step, 1.2),
    "conv2d and pooling": (images, 1.5),
    "layer_norm and gelu": (normalized, 1.5),
    "LSTM of 100 steps": (recurrent, 1.5),
    "GRU of 100 steps": (gated, 1.5),
    "custom Functions": (custom_function, 1.5),
    "jacobian": (whole_jacobian, 1.2),
    "double backward": (twice, 1.2),
    "no_grad": (without_recording, 1.5),
    "chain of 100 operations on ten elements": (lambda t: in_manner_of_torch(t, np.linspace(0.1, 1.0, 10)), 0.7),
}


def report() -> dict[str, tuple[float, float]]:
    """Print the ratio of each row, with its limit."""
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    print("layers, steps and derivatives, over PyTorch eager")
    passes = [{name: compare([maker(torch), maker(transgrad)], rounds=25, clock=time.process_time)[1] for name, (maker, _) in ROWS.items()}
              for _ in range(3)]        # other processes slow down one pass or another
    found = {name: (statistics.median(each[name] for each in passes), limit) for name, (_, limit) in ROWS.items()}
    unrecorded = without_recording(transgrad)
    inferred = without_recording(transgrad, transgrad.inference_mode)
    times = compare([without_recording(transgrad, transgrad.enable_grad), unrecorded, inferred], clock=time.process_time)
    found |= {"no_grad, over the same recorded": (times[1], 1.0), "inference_mode, over the same recorded": (times[2], 1.0)}
    for name, (ratio, limit) in found.items():
        print(f"  {name:40} {ratio:5.2f}   (limit {limit:.2f})")
    return found


def report_programs() -> dict[str, tuple[float, float]]:
    """Print the times of the training programs of the conformance suite, in seconds for fifty steps."""
    from tests.conformance.collect import cases_of
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    print("fifty steps of training programs: seconds with PyTorch, on the tape, and the ratio")
    found = {}
    for case in cases_of("programs.networks"):
        times = []
        for library in (torch, transgrad):
            case.run(library)
            begin = time.process_time()
            case.run(library)
            times.append(time.process_time() - begin)
        found[case.name] = times[0], times[1]
        print(f"  {case.name:28} {times[0]:6.3f} {times[1]:6.3f} {times[1] / times[0]:6.2f}")
    return found
