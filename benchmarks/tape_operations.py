"""Common operations on ten elements, forward and backward, on the tape and with PyTorch eager: a ratio each, and their geometric mean."""
from __future__ import annotations

import importlib
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad

from .timing import compare

__all__ = ["ratios"]

Operation = Callable[[Any, Any, Any], Any]


def _written(x: Any, y: Any) -> Any:
    z = x.clone()
    z[2:5] = y[2:5]
    return z


#: of the library, a vector of ten elements and another
OPERATIONS: dict[str, Operation] = {
    "neg": lambda t, x, y: -x, "abs": lambda t, x, y: x.abs(), "exp": lambda t, x, y: x.exp(), "log": lambda t, x, y: (x * x).log(),
    "sin": lambda t, x, y: x.sin(), "tanh": lambda t, x, y: x.tanh(), "sigmoid": lambda t, x, y: x.sigmoid(),
    "relu": lambda t, x, y: x.relu(), "square": lambda t, x, y: x.square(), "x ** 3": lambda t, x, y: x ** 3,
    "clamp": lambda t, x, y: x.clamp(-1, 1), "x + y": lambda t, x, y: x + y, "x - y": lambda t, x, y: x - y,
    "x * y": lambda t, x, y: x * y, "x / y": lambda t, x, y: x / y, "x * 2": lambda t, x, y: x * 2.0,
    "broadcast": lambda t, x, y: x + y[0:1], "maximum": lambda t, x, y: t.maximum(x, y), "atan2": lambda t, x, y: t.atan2(x, y),
    "where": lambda t, x, y: t.where(x > 0, x, y), "lerp": lambda t, x, y: x.lerp(y, 0.5), "addcmul": lambda t, x, y: x.addcmul(y, y),
    "masked_fill": lambda t, x, y: x.masked_fill(x > 0, 0.0), "sum": lambda t, x, y: x.sum(), "mean": lambda t, x, y: x.mean(),
    "prod": lambda t, x, y: x.prod(), "var": lambda t, x, y: x.var(), "std": lambda t, x, y: x.std(), "amax": lambda t, x, y: x.amax(),
    "max": lambda t, x, y: x.max(), "max(0)": lambda t, x, y: x.max(0)[0], "norm": lambda t, x, y: x.norm(),
    "sum(0)": lambda t, x, y: x.view(5, 2).sum(0), "cumsum": lambda t, x, y: x.cumsum(0), "logsumexp": lambda t, x, y: x.logsumexp(0),
    "softmax": lambda t, x, y: x.softmax(0), "log_softmax": lambda t, x, y: x.log_softmax(0), "dot": lambda t, x, y: x.dot(y),
    "matrix @ matrix": lambda t, x, y: x.view(2, 5) @ y.view(5, 2), "matrix @ vector": lambda t, x, y: x.view(2, 5) @ y[:5],
    "outer": lambda t, x, y: t.outer(x, y), "einsum": lambda t, x, y: t.einsum("i,j->ij", x, y), "x[3]": lambda t, x, y: x[3],
    "x[2:7]": lambda t, x, y: x[2:7], "x[[1, 2, 3]]": lambda t, x, y: x[[1, 2, 3]], "x[x > 0]": lambda t, x, y: x[x > 0],
    "gather": lambda t, x, y: x.gather(0, t.tensor([0, 1])), "z[2:5] = y[2:5]": lambda t, x, y: _written(x, y),
    "z.add_(y)": lambda t, x, y: x.clone().add_(y), "view": lambda t, x, y: x.view(5, 2), "t": lambda t, x, y: x.view(5, 2).t(),
    "permute": lambda t, x, y: x.view(5, 2).permute(1, 0), "unsqueeze": lambda t, x, y: x.unsqueeze(0),
    "expand": lambda t, x, y: x.expand(3, 10), "flatten": lambda t, x, y: x.view(5, 2).flatten(),
    "unbind": lambda t, x, y: x.view(2, 5).unbind(0)[0], "split": lambda t, x, y: x.split(5)[0], "stack": lambda t, x, y: t.stack([x, y]),
    "chunk": lambda t, x, y: x.chunk(2)[0],
    "cat": lambda t, x, y: t.cat([x, y]), "flip": lambda t, x, y: x.flip(0), "clone": lambda t, x, y: x.clone(),
    "sort": lambda t, x, y: x.sort()[0], "tril": lambda t, x, y: x.view(5, 2).tril(), "float": lambda t, x, y: x.float(),
    "inv": lambda t, x, y: t.linalg.inv(x[:4].view(2, 2)),
}


def once(torch: Any, operation: Operation) -> Callable[[], Any]:
    """One forward and backward pass through an operation."""
    values = np.random.default_rng(0).standard_normal(10)
    x, y = torch.tensor(values, requires_grad=True), torch.tensor(values[::-1].copy(), requires_grad=True)
    gradient = torch.ones_like(operation(torch, x, y)).detach()
    return lambda: operation(torch, x, y).backward(gradient)


def ratios() -> dict[str, float]:
    """Of each operation the time on the tape over that with PyTorch, measured by turns."""
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    passes = [{name: compare([once(torch, f), once(transgrad, f)], rounds=11, clock=time.process_time)[1] for name, f in OPERATIONS.items()}
              for _ in range(3)]        # other processes slow down one pass or another
    return {name: statistics.median(each[name] for each in passes) for name in OPERATIONS}


def report() -> dict[str, float]:
    """Print the ratios, the largest first, and their geometric mean."""
    found = ratios()
    print("forward and backward of one operation on ten elements, over PyTorch eager")
    for name, ratio in sorted(found.items(), key=lambda item: -item[1]):
        print(f"  {name:20} {ratio:5.2f}")
    mean = math.exp(sum(map(math.log, found.values())) / len(found))
    print(f"  {'geometric mean':20} {mean:5.2f}   ({sum(r <= 1 for r in found.values())} of {len(found)} not above 1.00)")
    return found
