"""Functions as values at run time: closures, bound methods and partials in containers."""
from __future__ import annotations

import functools
import heapq
import math

from ..registry import Program


class Sim:
    def __init__(self):
        self.t, self.q, self.n = 0.0, [], 0
    def after(self, dt, what, *args):
        heapq.heappush(self.q, (self.t + dt, self.n, what))
        self.n += 1
    def go(self, end):
        while self.q and self.q[0][0] <= end:
            self.t, _, what = heapq.heappop(self.q)
            what()

def pulses(a, period):
    sim = Sim()
    total = [0.0]
    def pulse():
        total[0] += a * math.exp(-sim.t)
        sim.after(period, pulse)
    def decay():
        total[0] *= 0.9
        sim.after(0.5, decay)
    sim.after(0.1, pulse)
    sim.after(0.25, decay)
    sim.go(3.0)
    return total[0]

class Signal:
    def __init__(self):
        self.slots = []
    def connect(self, slot):
        self.slots.append(slot)
    def disconnect(self, slot):
        self.slots.remove(slot)
    def emit(self, v):
        for s in list(self.slots):
            s(v)

class Gauge:
    def __init__(self, gain):
        self.gain, self.value = gain, 0.0
    def update(self, v):
        self.value += self.gain * v
class Peak:
    def __init__(self):
        self.top = 0.0
    def seen(self, v):
        if v > self.top:
            self.top = v

def slots(a, b):
    s, g, p, h = Signal(), Gauge(a), Peak(), Gauge(2.0 * b)
    s.connect(g.update); s.connect(p.seen); s.connect(h.update)
    for k in range(4):
        s.emit(b * math.sin(k + 1.0))
        if k == 1:
            s.disconnect(g.update)
    return g.value * p.top + h.value

def undo_stack(x, y):
    state = {"v": x}
    undo = []
    def push(delta):
        old = state["v"]
        undo.append(lambda: state.update(v=old * 0.9))
        state["v"] = old * delta + 1.0
    k = 0
    while state["v"] < 8.0 and k < 6:
        push(y)
        k += 1
    while len(undo) > 1:
        undo.pop()()
    return state["v"] ** 2 + k

class Tape:
    def __init__(self):
        self.ops = []
class Var:
    def __init__(self, tape, v):
        self.tape, self.v, self.g = tape, v, 0.0
    def mul(self, o):
        out = Var(self.tape, self.v * o.v)
        def back():
            self.g += o.v * out.g
            o.g += self.v * out.g
        self.tape.ops.append(back)
        return out
    def sin(self):
        out = Var(self.tape, math.sin(self.v))
        self.tape.ops.append(lambda: setattr(self, "g", self.g + math.cos(self.v) * out.g))
        return out

def tape_of_closures(a, b):
    t = Tape()
    x, y = Var(t, a), Var(t, b)
    z = x.mul(y).sin().mul(x)
    for _ in range(2):
        z = z.mul(y)
    z.g = 1.0
    for op in reversed(t.ops):
        op()
    return x.g * y.g + z.v

def late_binding(a, b):
    fs = []
    for k in range(3):
        w = a * k + b
        fs.append(lambda v: v * w)
    total = 0.0
    i = 0
    while i < len(fs):
        total += fs[i](a + i)
        i += 1
    return total

def counter_nonlocal(a, n=4):
    calls = 0.0
    def hit():
        nonlocal calls
        calls += a
        return calls
    jobs = []
    for _ in range(n):
        jobs.append(hit)
    out = 0.0
    while jobs:
        out = out * 0.5 + jobs.pop()()
    return out + calls

def partials(a, b):
    q = []
    def add(x, y, scale=1.0):
        return (x + y) * scale
    for k in range(3):
        q.append(functools.partial(add, a * k, scale=b))
        q.append(math.sin)
    total = 0.0
    while q:
        total = total * 0.7 + q.pop(0)(a + b)
    return total

PROGRAMS = [Program(pulses, (0.7, 0.31)), Program(slots, (0.6, 1.3)), Program(undo_stack, (0.5, 1.7)), Program(tape_of_closures, (0.6, 1.1)),
     Program(late_binding, (0.4, 0.3)), Program(counter_nonlocal, (0.4,)), Program(partials, (0.4, 0.9))]
