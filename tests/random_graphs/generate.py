"""A random program, line by line: the next line depends on which lines ran."""
from __future__ import annotations

import random
import re
from collections.abc import Callable, Generator
from typing import Any

from . import operations as new
from . import statements as change
from .discrete import beside, change_discrete, discrete
from .storage import sparse, storage
from .transforms import transform
from .values import State

MAKERS = [
    (new.leaf, 6),
    (new.unary, 16),
    (new.binary, 16),
    (new.three, 4),
    (new.reduction, 6),
    (new.product, 3),
    (new.matrix, 2),
    (new.join, 4),
    (new.function, 4),
    (new.gathered, 4),
    (new.view, 26),
    (new.gradient, 5),
    (new.tangent, 4),
    (transform, 3),
    (discrete, 5),
    (beside, 6),
    (sparse, 3),
]
CHANGERS = [
    (change.inplace, 18),
    (change.assignment, 10),
    (change.shape_inplace, 3),
    (change.memory, 4),
    (storage, 2),
    (change.flags, 7),
    (change.hook, 9),
    (change.backward, 16),
    (change.entrance, 4),
    (change_discrete, 4),
]
HALVES = (("float16",), ("bfloat16",), ("float16", "float32"), ("bfloat16", "float32"), ("float64", "bfloat16"), ("float16", "bfloat16"))
DTYPES = (("float64",),) * 8 + (("float32",), ("float64", "float32"), ("complex128", "float64"), ("complex128",), ("complex64", "float32")) + HALVES
PACKED = (
    "lambda t: t.clone(), lambda t: t",
    "lambda t: (t.tolist(), t.dtype), lambda p: torch.tensor(p[0], dtype=p[1])",
    "lambda t: 1 / 0, lambda t: t",
    "lambda t: t, lambda t: 1 / 0",
)
SECTIONS = (
    *[""] * 36,
    *["with torch.no_grad(): "] * 2,
    "with torch.enable_grad(): ",
    *["with torch.inference_mode(): "] * 3,
    "with torch.autograd.graph.disable_saved_tensors_hooks('off'): ",
    *[f"with torch.autograd.graph.saved_tensors_hooks({hooks}): " for hooks in PACKED],
    "with torch.autograd.graph.save_on_cpu(): ",
    "with torch.set_grad_enabled(False): ",
    "with torch.no_grad(), torch.enable_grad(): ",
    "with torch.inference_mode(False): ",
    "with torch.autograd.detect_anomaly(check_nan=False): ",
    "with torch.autograd.profiler.record_function('part'): ",
)


def lines(seed: int, length: int = 24, more: str = "") -> Generator[str, Any, None]:
    """Lines of the program with this seed; sent the shapes of all Tensors after the last one and which are no floats, or None if it did not run."""
    s = State(random.Random(seed))
    s.dtypes = s.random.choice(DTYPES)
    for _ in range(2):
        yield from _make(s, new.leaf, "")
    kinds, weights = zip(*((step, weight * (10 if step.__name__ == more else 1)) for step, weight in (*MAKERS, *CHANGERS)))
    while length:
        step = s.random.choices(kinds, weights)[0]
        section = s.random.choice(SECTIONS)
        if step in (change.backward, change.entrance) and "inference" in section:      # gradients made there cannot be added to later
            section = ""
        if "save_on_cpu" in section and step in (new.unary, new.binary):    # what is written to later: PyTorch's copysign divides by what it was
            section = ""
        if step in (transform, sparse) and section.startswith(("with torch.autograd.graph", "with torch.inference_mode()")) or \
                step in (change.memory, change.hook, storage) and "inference" in section:
            section = ""        # PyTorch's transforms take no hooks; what inference mode makes is of its kind
        if step in dict(MAKERS):
            ran = yield from _make(s, step, section)
        else:
            text = step(s)
            ran = text is not None
            if text is not None:
                s.kept |= "retain_grad()" in text or "inputs=" in text
                shapes = yield section + text
                if shapes is not None:
                    s.know(*shapes)
                elif s.handles and text.startswith(f"{s.handles[-1]} = "):
                    s.handles.pop()
        length -= bool(ran)


def _make(s: State, step: Callable[[State], str | None], section: str) -> Generator[str, Any, bool]:
    s.untracked = "inference_mode()" in section
    text = step(s)
    if text is None:
        return False
    name = s.fresh()
    shapes = yield f"{section}{name} = {text}"
    if shapes is not None:
        s.know(*shapes)
        if s.untracked or s.frozen & set(re.findall(r"\w+", text)):
            s.frozen.add(name)
    return True
