"""Iterators whose items are taken one by one."""
from __future__ import annotations

import heapq
import itertools
import math

import numpy as np

from ..registry import Program


def smoother(alpha):
    level = yield
    while True:
        x = yield level
        level = alpha * x + (1 - alpha) * level

def primed(alpha, xs):
    g = smoother(alpha)
    next(g)
    g.send(xs[0])
    out = 0.0
    for x in xs[1:]:
        out += g.send(x) ** 2
    return out

def leapfrog(q, p, h):
    p = p - 0.5 * h * math.sin(q)
    while True:
        q = q + h * p
        yield q, p
        p = p - h * math.sin(q)

def two_steppers(a, b):
    one, two = leapfrog(a, b, 0.1), leapfrog(b, a, 0.2)
    e = 0.0
    for _ in range(4):
        q, p = next(one)
        r, s = next(two)
        e += q * s - p * r
    return e + next(one)[0]

def countdown(n, x):
    while n > 0:
        yield x * n
        n -= 1
    return x ** 2

def exhausted_default(x):
    g = countdown(3, x)
    total = next(g, 0.0)
    for v in g:
        total = total * 0.5 + v
    return total + next(g, 10.0 * x)

def result_of_stop(x):
    g = countdown(2, x)
    total = 0.0
    try:
        while True:
            total += next(g)
    except StopIteration as stop:
        total += 3.0 * stop.value
    return total

def interleave(a, b):
    active = [countdown(2, a), countdown(4, b), countdown(1, a * b)]
    total, w = 0.0, 1.0
    while active:
        g = active.pop(0)
        v = next(g, None)
        if v is not None:
            total += w * v
            w *= 0.9
            active.append(g)
    return total

class Process:
    def __init__(self, rate):
        self.rate, self.level = rate, 1.0
    def run(self, env):
        for k in range(3):
            self.level += self.rate * env["now"]
            yield 0.5 + 0.1 * k
        self.level *= 2.0

def simulated(a, b):
    env = {"now": 0.0}
    ps = [Process(a), Process(b)]
    queue = []
    for i, p in enumerate(ps):
        heapq.heappush(queue, (0.1 * i, i, p.run(env)))
    while queue:
        t, i, g = heapq.heappop(queue)
        env["now"] = t
        try:
            d = next(g)
        except StopIteration:
            continue
        heapq.heappush(queue, (t + d * a, i, g))
    return ps[0].level * ps[1].level + env["now"]

def chunks(xs, n):
    it = iter(xs)
    while True:
        part = list(itertools.islice(it, n))
        if not part:
            return
        yield part

def chunk_sums(xs):
    return sum(sum(c) ** 2 for c in chunks(xs * xs, 2))

def grouped(xs):
    total = 0.0
    for k, g in itertools.groupby(xs, key=lambda v: int(v)):
        total += (k + 1) * math.prod(g)
    return total

def lookahead(xs):
    g = (x * x for x in xs)
    prev = next(g)
    total = 0.0
    for cur in g:
        total += prev * cur
        prev = cur
    return total

def two_loops(n, a):
    for i in range(n):
        for j in range(i + 1):
            if j == 2:
                break
            got = yield a * i + j
            if got is not None:
                a = got * a
        else:
            yield -a

def nested_loops(a, c):
    g = two_loops(4, a)
    total = next(g)
    k = 0
    while True:
        try:
            v = g.send(c if k == 2 else None)
        except StopIteration:
            break
        total = 0.9 * total + v
        k += 1
    return total

PROGRAMS = [Program(f, x) for f, x in [(primed, (0.3, np.array([0.5, 1.5, -0.3, 2.0]))), (two_steppers, (0.4, 0.7)), (exhausted_default, (0.6,)),
     (result_of_stop, (0.7,)), (interleave, (0.4, 0.9)), (simulated, (0.6, 0.8)), (chunk_sums, (np.array([0.5, 1.0, 1.5, 2.0, 0.3]),)),
     (grouped, (np.array([0.5, 0.7, 1.5, 1.2, 0.3]),)), (lookahead, (np.array([0.5, 0.7, 1.5, 1.2, 0.3]),)), (nested_loops, (0.5, 1.3))]]
