"""One random program on both libraries, compared step by step."""
from __future__ import annotations

import contextlib
import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.conformance.observe import as_array, builtin, is_tensor, numbers, plain

from .functions import current, functions
from .generate import lines
from .judge import beyond_comparison, judged

PHRASES = (
    "modified by an inplace operation", "a second time", "a leaf Variable that requires grad", "a view of a leaf Variable",
    "multiple views", "no_grad mode", "inference mode", "nference tensor", "does not require grad",
    "you can only change requires_grad flags", "Can't detach views", "can't retain_grad", "cannot register a hook",
    "not have been used in the graph", "appears to not have been used", "single memory location", "Mismatch in shape",
    "post accumulate grad hooks cannot be registered", "InferenceMode", "custom", "detached in-place", "INTERNAL ASSERT FAILED",
    "Expected isFloatingType", "_will_engine_execute_node", "invalid gradient at index",
)


#: what a line writes to
TARGET = re.compile(r"(?:^|: )(t\d+)(?:\[.*\] (?:[-+*/]|\*\*)?= |\[.*\]\.\w+_\(| (?:[-+*/]|\*\*)= |(?:\.\w+(?:\([^()]*\))?)?\.\w+_\()")


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
        self.scope: dict[str, Any] = {"torch": torch, "note": self.note, **functions(torch)}

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

    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: tuple(value.shape) for name, value in self.scope.items() if name[0] == "t" and is_tensor(value)}

    def values(self) -> list[Any]:
        return [value for name, value in self.scope.items() if name[0] == "t" and is_tensor(value)]

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The memory of the Tensors by name; that nothing is asked of a Tensor but its numbers leaves its history as it is."""
        return {name: as_array(value.detach()) for name, value in self.scope.items() if name[0] == "t" and is_tensor(value)}

    def finite(self, kind: str = "fc") -> bool:
        """Whether all numbers of these kinds of dtypes are finite."""
        arrays = [as_array(t) for t in self.values()]
        return all(np.isfinite(a).all() for a in arrays if a.dtype.kind in kind)

    def bounded(self) -> bool:
        """Whether the numbers that are finite have digits that a periodic function can tell from one another."""
        arrays = [as_array(t) for t in self.values()]
        return all(np.max(np.abs(a), initial=0, where=np.isfinite(a)) < (1e9 if a.dtype.itemsize // (1 + (a.dtype.kind == "c")) > 4 else 30)
                   for a in arrays if a.dtype.kind in "fc")

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


def graph(node: Any, limit: int = 40) -> list[str]:
    """The nodes behind a Tensor in order of a walk, with the edges between them."""
    order: list[Any] = [node] if node is not None else []
    text = []
    for at in order:
        edges = []
        for parent, number in () if at.name() == "SecondBackward" else at.next_functions:
            if parent is None:
                edges.append("-")
                continue
            known = next((i for i, n in enumerate(order) if n is parent), None)
            if known is None:
                known = len(order)
                order.append(parent)
            edges.append(f"{known}:{number}")
        text.append(f"{at.name()}({', '.join(edges)})")
        if len(text) == limit:
            break
    return text


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
        found = compared(expected, actual, wanted, seen, program, bool(seed % 2))
        if found:
            return Outcome(program, found)
        try:
            line = generator.send(None if "error" in wanted else expected.shapes())
        except StopIteration:
            line = ""
    return Outcome(program, judged(expected.tensors(), actual.tensors(), "end", program))


def compared(expected: Run, actual: Run, wanted: dict[str, Any], seen: dict[str, Any], program: list[str], watched: bool) -> list[str]:
    """The differences after a step: in what it did, in the numbers, and (``watched``) in all that can be asked of the Tensors.

    Where there are none both hold the same bits afterwards: each step starts from the same numbers, so that no rounding of an earlier
    one decides on which side of a jump, of a branch cut or of zero a later one is.
    """
    found = judged(wanted, seen, "step", program)
    differing = []
    if not found:
        ours = actual.arrays()
        pairs = [(name, a, ours[name]) for name, a in expected.arrays().items() if name in ours]
        differing = [(name, a, b) for name, a, b in pairs if a.tobytes() != b.tobytes()]
        found = judged({n: described(a) for n, a, _ in differing}, {n: described(b) for n, _, b in differing}, "", program)
    if not found and watched:
        found = judged(expected.tensors(), actual.tensors(), "", program)
    if not found:
        for _, a, b in differing:
            if b.flags.writeable:       # else it is a view of one element, whose owner is written to
                b[...] = a
    return found


def described(a: Any) -> dict[str, Any]:
    return {"tensor": f"{a.dtype} {a.shape}", "data": numbers(a)}


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
        found = compared(expected, actual, wanted, seen, program, watched)
        if found:
            return found
    return judged(expected.tensors(), actual.tensors(), "end", program)
