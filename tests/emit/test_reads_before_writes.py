"""What is read stays before the statement that writes to it, however the text is put together."""
from __future__ import annotations

import itertools
import textwrap

import numpy as np
import pytest

from tests.passes.by_differences import MODES
from tests.random_programs.oracle import compile_text

#: what is read, without a name of its own, and how it is used afterwards
READ = {
    "list": ("q = [a[0], x[1]]", "q[0] * q[1]"),
    "tuple": ("q = a[0], x[1]", "q[0] ** 2 + q[1]"),
    "dict": ("q = {'k': a[0]}", "q['k'] ** 2"),
    "run through": ("q = [a[0], x[1]]", "sum(u * u for u in q)"),
    "object": ("q = Box(a[0])", "q.v ** 2"),
    "argument": ("q = kept(a[0])", "q() ** 2"),
    "sum": ("q = [np.sum(a)]", "q[0] ** 2"),
    "expression": ("q = [a[0] * x[2] + np.sin(a[1])]", "q[0] ** 2"),
    "items of a list": ("q = [b[0]]", "q[0] ** 2"),
    "length": ("q = [len(b)]", "q[0] * x[1]"),
}
WRITE = {"array": "a[0] = x[1] * 2.0", "whole": "a *= x[2]", "list": "b[0] = x[1]; b.append(x[2])", "helper": "written(a, x[1])"}
AROUND = {
    "at once": "{write}",
    "if": "if x[1] > 0.5:\n    {write}",
    "else": "if x[1] > 5.0:\n    x = x * 1.0\nelse:\n    {write}",
    "nested if": "if x[1] > 0.5:\n    if x[2] > 0.5:\n        {write}",
    "for": "for _ in range(2):\n    {write}",
    "while": "n = 0\nwhile n < x[1]:\n    n += 1\n    {write}",
    "break": "for k in range(3):\n    if k > x[1]:\n        break\n    {write}",
    "behind a break": "for k in range(3):\n    if k > x[1]:\n        {write}\n        break\n    a = a * 1.0",
    "continue": "for k in range(3):\n    if k < x[1]:\n        continue\n    {write}",
    "else of a loop": "for k in range(3):\n    if k > 5.0 * x[1]:\n        break\nelse:\n    {write}",
    "return": "if x[1] > 5.0:\n    return x[0]\n{write}",
    "return in a loop": "for k in range(2):\n    if k > 5.0 * x[1]:\n        return x[0]\n    {write}",
    "try": "try:\n    {write}\nexcept ValueError:\n    pass",
    "handler": "try:\n    if x[1] > 0.5:\n        raise ValueError\nexcept ValueError:\n    {write}",
    "with": "with np.errstate(all='ignore'):\n    {write}",
}
TEXT = """
class Box:
    def __init__(self, v):
        self.v = v


def kept(v):
    return lambda: v


def written(a, v):
    a[0] = v


def program(x):
    a = x * x[0]
    b = [x[0] * x[1]]
    b.append(x[2])
    {read}
{around}
    return {use} + np.sum(a) * 0.5 + b[0]
"""


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("read, write", list(itertools.product(READ, WRITE)))
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_reads_before_writes(read: str, write: str, around: str) -> None:
    written = WRITE[write]
    lines = AROUND[around].splitlines()
    for k, line in enumerate(lines):        # each of several statements, where they stand
        indent = line[:len(line) - len(line.lstrip())]
        lines[k] = line.replace("{write}", written.replace("; ", "\n" + indent))
    text = TEXT.format(read=READ[read][0], use=READ[read][1], around=textwrap.indent("\n".join(lines), "    "))
    f = compile_text(text, "program", {"np": np, "__name__": "written"})
    for mode in ("reverse", "forward"):
        MODES[mode](f, np.array([0.31, 0.73, 1.13]))
