"""Classes defined inside the function whose instances are values at run time."""
from __future__ import annotations

import math

from ..registry import Program


def local_particles(x, n):
    drag = 0.1 * x
    class Particle:
        count = 0
        def __init__(self, p, v):
            self.p, self.v = p, v
        @property
        def energy(self):
            return 0.5 * self.v ** 2 + math.cos(self.p)
        @staticmethod
        def damp(v):
            return v * (1.0 - drag)
        def step(self, dt):
            self.v = self.damp(self.v) - dt * math.sin(self.p)
            self.p += dt * self.v
            return self
    ps = []
    for k in range(n):
        ps.append(Particle(0.3 * k + x, x * x))
    for _ in range(3):
        for p in ps:
            p.step(0.1)
    drag_after = sum([p.energy for p in ps])
    return drag_after + max(ps, key=lambda p: p.energy).p
def local_stack(x, n):
    class Node:
        def __init__(self, value, below):
            self.value, self.below = value, below
    top = None
    for k in range(n):
        top = Node(x * (k + 1), top)
    total, w = 0.0, 1.0
    while top is not None:
        total += w * math.sin(top.value)
        w *= 0.5
        top = top.below
    return total
def appended_through_instances(x, n):
    log = []
    class Probe:
        def __init__(self, gain):
            self.gain, self.log = gain, log
        def read(self, v):
            self.log.append(self.gain * v * v)
    probes = []
    for k in range(n):
        probes.append(Probe(0.5 + k))
    for p in probes:
        p.read(x)
    return sum(log) * len(log)
PROGRAMS = [Program(local_particles,(0.6,),given=lambda:[3]),Program(local_stack,(0.6,),given=lambda:[4]),Program(appended_through_instances,(0.7,),given=lambda:[3])]
