"""contextlib.ExitStack."""
from __future__ import annotations

import contextlib

from ..registry import Program


class Res:
    def __init__(self, log, c):
        self.log, self.c = log, c
    def __enter__(self):
        self.log.append(self.c)
        return self
    def __exit__(self, kind, error, trace):
        self.log.append(-0.5 * self.c if kind is None else -self.c)
        return kind is ValueError
def nested_stack(x):
    log = []
    with contextlib.ExitStack() as stack:
        a = stack.enter_context(Res(log, x))
        b = stack.enter_context(Res(log, x * x))
        stack.callback(log.append, 3.0 * x)
        total = a.c * b.c
    return total + sum(v * (k + 1) for k, v in enumerate(log))
def stack_loop(x, n):
    log = []
    with contextlib.ExitStack() as stack:
        for k in range(n):
            stack.enter_context(Res(log, x * (k + 1)))
    return sum(v * (k + 1) for k, v in enumerate(log))
def stack_swallows(x):
    log = []
    total = x
    with contextlib.ExitStack() as stack:
        stack.enter_context(Res(log, x))
        total += 1.0
        if x > 0.2:
            raise ValueError(x)
        total *= 5.0
    return total + log[-1] * 3.0
PROGRAMS = [Program(nested_stack,(0.6,)),Program(stack_loop,(0.6,), given=lambda: [4]),Program(stack_swallows,(0.6,)),Program(stack_swallows,(0.1,))]
