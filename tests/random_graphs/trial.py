"""One random program on both libraries, compared step by step."""
from __future__ import annotations

import contextlib
import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.conformance.observe import as_array, builtin, is_tensor, plain

from .generate import lines
from .judge import beyond_comparison, judged

PHRASES = (
    "modified by an inplace operation", "a second time", "a leaf Variable that requires grad", "a view of a leaf Variable",
    "multiple views", "no_grad mode", "inference mode", "nference tensor", "does not require grad",
    "you can only change requires_grad flags", "Can't detach views", "can't retain_grad", "cannot register a hook",
    "not have been used in the graph", "appears to not have been used", "single memory location", "Mismatch in shape",
    "post accumulate grad hooks cannot be registered", "InferenceMode", "custom", "detached in-place", "INTERNAL ASSERT FAILED",
    "Expected isFloatingType",
)


#: what a line writes to
TARGET = re.compile(r"(?:^|: )(t\d+)(?:\[.*\] [-+*]?= |\[.*\]\.\w+_\(| [-+*]= |\.\w+_\()")


@dataclass
class Outcome:
    """A program as far as it was compared, its first difference, and whether it was cut where neither library is the measure."""

    program: list[str]
    differences: list[str]
    cut: bool = False


class Run:
    """A program's names on one library, and what its hooks have seen."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.log: list[Any] = []
        self.foreign: set[str] = set()
        self.unseen = False         # whether memory was written to behind a version counter, through `.data`
        self.scope: dict[str, Any] = {"torch": torch, "note": self.note, "current": current, **functions(torch)}

    def note(self, name: str, *gradients: Any) -> None:
        self.log.append([name, *(None if g is None else plain(g.detach()) for g in gradients)])

    def step(self, line: str) -> dict[str, Any]:
        """Run a line: whether it ran, else the kind of error and its known phrases."""
        self.log.clear()
        self.bring_up_to_date(line)
        made = re.search(r"(?:^|: )(t\d+) = (.*)", line)
        if made and ("inference_mode" in line or self.foreign & set(re.findall(r"\w+", made[2]))):
            self.foreign.add(made[1])
        sharing = self.sharing_with(TARGET.search(line))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(line, self.scope)
            self.unseen |= len({t._version > version for t, version in sharing}) > 1
        except Exception as error:
            return {"error": builtin(type(error)), "phrases": [p for p in PHRASES if p in str(error)], "log": list(self.log)}
        return {"log": list(self.log)}

    def bring_up_to_date(self, line: str) -> None:
        """Ask what is written to for its history: PyTorch takes a view of stale history for a leaf."""
        target = TARGET.search(line)
        if target:
            with contextlib.suppress(RuntimeError, KeyError):
                current(self.scope[target[1]])

    def sharing_with(self, target: re.Match[str] | None) -> list[tuple[Any, int]]:
        """The Tensors that share memory with the one that is written to, and their versions."""
        if target is None or target[1] not in self.scope or self.scope[target[1]].is_inference():
            return []
        memory = as_array(self.scope[target[1]].detach())
        return [(t, t._version) for t in self.values() if not t.is_inference() and np.may_share_memory(as_array(t.detach()), memory)]

    def values(self) -> list[Any]:
        return [value for name, value in self.scope.items() if name[0] == "t" and is_tensor(value)]

    def finite(self, kind: str = "fc") -> bool:
        """Whether all numbers of these kinds of dtypes are finite."""
        arrays = [as_array(t) for t in self.values()]
        return all(np.isfinite(a).all() for a in arrays if a.dtype.kind in kind)

    def tensors(self) -> dict[str, Any]:
        """All that can be seen of the Tensors, with the graphs behind them.

        Versions of what was made of inference tensors are left out: in PyTorch they tell how a kernel resized its result.
        """
        seen = {}
        for name, value in self.scope.items():
            if name[0] == "t" and is_tensor(value):
                try:
                    seen[name] = plain(value) | {"graph": graph(value.grad_fn)}
                    if name in self.foreign:
                        seen[name].pop("version", None)
                except RuntimeError as error:
                    seen[name] = {"error": builtin(type(error)), "phrases": [p for p in PHRASES if p in str(error)]}
        return seen


def current(t: Any) -> Any:
    """The Tensor with its history brought up to date: PyTorch 2.13 crashes when a hook is put on a view whose base was written to since."""
    return t if t.grad_fn is None else t


def graph(node: Any, limit: int = 40) -> list[str]:
    """The nodes behind a Tensor in order of a walk, with the edges between them."""
    order: list[Any] = [node] if node is not None else []
    text = []
    for current in order:
        edges = []
        for parent, number in () if current.name() == "SecondBackward" else current.next_functions:
            if parent is None:
                edges.append("-")
                continue
            known = next((i for i, n in enumerate(order) if n is parent), None)
            if known is None:
                known = len(order)
                order.append(parent)
            edges.append(f"{known}:{number}")
        text.append(f"{current.name()}({', '.join(edges)})")
        if len(text) == limit:
            break
    return text


def functions(torch: Any) -> dict[str, Any]:
    """Custom Functions: a product, one that returns its input, one that returns a view."""

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * g * x

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    class Viewed(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return g * 0.5

    class Second(torch.autograd.Function):
        """Marks where the graph of a gradient begins, whose nodes are each library's own; it requires grad if the input does."""

        @staticmethod
        def forward(ctx, gradient, x):
            return gradient.clone(memory_format=torch.contiguous_format)

        @staticmethod
        def backward(ctx, g):
            return g if ctx.needs_input_grad[0] else None, torch.zeros_like(g)

    def tangent(x, f):
        """The tangent of ``f`` at ``x``, zeros where there is none."""
        with torch.autograd.forward_ad.dual_level():
            direction = torch.linspace(-1, 1.3, x.numel(), dtype=torch.float64).reshape(x.shape).to(x.dtype)
            y = f(torch.autograd.forward_ad.make_dual(x.detach().clone(), direction))
            found = torch.autograd.forward_ad.unpack_dual(y).tangent
            return torch.zeros_like(y.detach()) if found is None else found.detach().clone()

    def written(y, write):
        write(y)
        return y

    return {"tangent": tangent, "written": written, "Square": Square, "Same": Same, "Viewed": Viewed, "Second": Second}


def trial(seed: int, reference: Any, ours: Any) -> Outcome:
    """The program of a seed up to its first difference, and that difference; half of the programs are looked at only at their end."""
    expected, actual = Run(reference), Run(ours)
    program: list[str] = []
    generator = lines(seed)
    line = next(generator)
    while line:
        program.append(line)
        wanted, seen = expected.step(line), actual.step(line)
        if beyond_comparison(line, program, wanted, seen, expected):
            return Outcome(program, [], cut=True)
        found = judged(wanted, seen, "step", program)
        if seed % 2 and not found:
            found = judged(expected.tensors(), actual.tensors(), "", program)
        if found:
            return Outcome(program, found)
        try:
            line = generator.send("error" not in wanted)
        except StopIteration:
            line = ""
    return Outcome(program, judged(expected.tensors(), actual.tensors(), "end", program))


def shrink(program: list[str], reference: Any, ours: Any, watched: bool) -> list[str]:
    """A shorter program that still differs: lines are left out one at a time."""
    at = len(program) - 2
    while at >= 0:
        shorter = program[:at] + program[at + 1 :]
        if replay(shorter, reference, ours, watched):
            program = shorter
        at -= 1
    return program


def replay(program: list[str], reference: Any, ours: Any, watched: bool) -> list[str]:
    """The first difference of these lines, names that are missing left aside."""
    expected, actual = Run(reference), Run(ours)
    for line in program:
        wanted, seen = expected.step(line), actual.step(line)
        if wanted.get("error") == "NameError" or beyond_comparison(line, program, wanted, seen, expected):
            return []
        found = judged(wanted, seen, "step", program)
        if watched and not found:
            found = judged(expected.tensors(), actual.tensors(), "", program)
        if found:
            return found
    return judged(expected.tensors(), actual.tensors(), "end", program)
