"""Functions whose lowering rests on facts from outside of the types of their arguments."""
import numpy as np

RATE = 0.5
WEIGHTS = np.array([1.0, 2.0])
METHODS = {"mean": np.mean, "sum": np.sum}


def uses_globals(x):
    return METHODS["mean"](x * WEIGHTS) * RATE


def along(x, axis):
    return np.cumsum(x, axis=axis)


class Counter:
    def __init__(self):
        self.calls = 0
        self.scale = 2.0
        self.last = None

    def step(self, x):
        self.calls += 1
        for _ in range(3):
            self.scale = self.scale * x
        if self.last is not None:
            return self.last
        self.last = self.scale + x
        return self.last * peek(self)


def peek(counter):
    return counter.scale


def trimmed(x):
    return x[1:] * x[:-1]


def helper(x):
    return trimmed(x).sum()


def calls_helper(x, y):
    return helper(x) + helper(y)


def options(x, config):
    if config["mode"] == "double":
        x = x * 2
    config["mode"] = "single"
    if config["mode"] == "double":
        x = x * 100
    return x
