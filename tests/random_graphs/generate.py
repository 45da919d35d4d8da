"""A random program, line by line: the next line depends on which lines ran."""
from __future__ import annotations

import random
import re
from collections.abc import Generator

from . import operations as new
from . import statements as change
from .values import State

MAKERS = [
    (new.leaf, 6),
    (new.unary, 16),
    (new.binary, 16),
    (new.three, 4),
    (new.reduction, 6),
    (new.product, 3),
    (new.join, 4),
    (new.function, 4),
    (new.gathered, 4),
    (new.view, 26),
    (new.gradient, 5),
    (new.tangent, 4),
]
CHANGERS = [
    (change.inplace, 18),
    (change.assignment, 10),
    (change.shape_inplace, 2),
    (change.flags, 7),
    (change.hook, 9),
    (change.backward, 16),
]
DTYPES = (("float64",),) * 5 + (("float32",), ("float64", "float32"), ("complex128", "float64"), ("complex128",))
SECTIONS = (
    *[""] * 24,
    "with torch.no_grad(): ",
    "with torch.enable_grad(): ",
    "with torch.inference_mode(): ",
    "with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t): ",
    "with torch.autograd.graph.saved_tensors_hooks(lambda t: (t.tolist(), t.dtype), lambda p: torch.tensor(p[0], dtype=p[1])): ",
    "with torch.no_grad(): ",
)


def lines(seed: int, length: int = 24) -> Generator[str, bool, None]:
    """Lines of the program with this seed; sent whether the last one ran."""
    s = State(random.Random(seed))
    s.dtypes = s.random.choice(DTYPES)
    for _ in range(2):
        ran = yield from _make(s, new.leaf, "")
    while length:
        kind, weights = zip(*MAKERS, *CHANGERS)
        step = s.random.choices(kind, weights)[0]
        section = s.random.choice(SECTIONS)
        if step is change.backward and "inference" in section:      # gradients made there cannot be added to later
            section = ""
        if step in dict(MAKERS):
            ran = yield from _make(s, step, section)
        else:
            text = step(s)
            ran = text is not None
            if text is not None:
                done = yield section + text
                if not done and s.handles and text.startswith(f"{s.handles[-1]} = "):
                    s.handles.pop()
        length -= bool(ran)


def _make(s: State, step, section: str) -> Generator[str, bool, bool]:
    s.untracked = "inference" in section
    made = step(s)
    if made is None:
        return False
    name, text, shape = made
    if (yield f"{section}{name} = {text}"):
        s.shapes[name] = shape
        if "inference" in section or s.frozen & set(re.findall(r"\w+", text)):
            s.frozen.add(name)
    return True
