"""Attributes of instances on the heap that an operation interrupts while they are written."""
from __future__ import annotations

import math

from ..registry import Program


class Box:
    def __init__(self, v):
        self.v, self.n, self.log = v, 0, []

    def go(self, x):
        self.n += 1
        self.v *= x
        self.v = math.log(self.v - 0.7)
        self.v += 1


def interrupted_box(x):
    box = Box(2.0)
    for _ in range(4):
        try:
            box.go(x)
        except ValueError:
            box.v = box.v + 1
    return box.v + box.n * x


def interrupted_boxes(x):
    boxes = []
    for k in range(2):
        boxes.append(Box(2.0 + k))
    for _ in range(4):
        for box in boxes:
            try:
                box.go(x)
            except ValueError:
                box.v = box.v + 1
    return sum([b.v + b.n * x for b in boxes])


PROGRAMS = [Program(interrupted_box, (0.6,)), Program(interrupted_box, (0.3,)), Program(interrupted_boxes, (0.6,)),
            Program(interrupted_boxes, (0.3,))]
