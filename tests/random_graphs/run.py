"""A random program on one library: its names, what its hooks see, and all that can be observed after each step."""
from __future__ import annotations

import contextlib
import re
import sys
import warnings
from typing import Any

import numpy as np
from ml_dtypes import bfloat16

from tests.conformance.observe import as_array, builtin, is_tensor, name_of, plain

from .functions import current, functions

PHRASES = (
    "modified by an inplace operation", "a second time", "a leaf Variable that requires grad", "a view of a leaf Variable",
    "multiple views", "no_grad mode", "inference mode", "nference tensor", "does not require grad",
    "you can only change requires_grad flags", "Can't detach views", "can't retain_grad", "cannot register a hook",
    "not have been used in the graph", "appears to not have been used", "single memory location", "Mismatch in shape",
    "post accumulate grad hooks cannot be registered", "InferenceMode", "custom Function", "detached in-place", "INTERNAL ASSERT FAILED",
    "Inplace update to inference tensor", "Expected isFloatingType", "_will_engine_execute_node", "invalid gradient at index",
    "functions with out=",
)


#: where derivatives are taken
DERIVES = re.compile(r"grad\(|backward\(|functional\.|func\.|tangent\(")
#: the Tensor that a backward pass starts from, where it is one alone
ROOT = re.compile(r"\b(t\d+)\.backward\(|(?:backward|grad)\((t\d+),|(?:backward|grad)\(\[[\w.]*get_gradient_edge\(current\((t\d+)\)")
#: how PyTorch says that it has no kernel of an operation for a sparse gradient
LACKS = re.compile(r"SparseCPU|[Ss]parse (tensors|division|coordinate)|layout being Sparse|memory format option|supported by strided")
#: the largest finite numbers
LARGEST = {"float16": 65504.0, **dict.fromkeys(("float32", "complex64", "bfloat16"), 3.4e38), "float64": 1.79e308}
#: what a line writes to
TARGET = re.compile(r"(?:^|: )(t\d+)(?:\[.*\] (?:[-+*/]|\*\*)?= |\[.*\]\.\w+_\(| (?:[-+*/]|\*\*)= |(?:\.\w+(?:\([^()]*\))?)?\.\w+_\()")


class Run:
    """A program's names on one library, and what its hooks have seen."""

    def __init__(self, torch: Any, mode: Any = None) -> None:
        self.torch = torch
        self.mode = mode or contextlib.nullcontext()    # under which lines run
        self.log: list[Any] = []
        self.foreign: set[str] = set()
        self.on_products: set[str] = set()      # hooks on results of products: torch makes their factors' gradients of them
        self.waiting: dict[str, list[Any]] = {}     # hooks that wait for several gradients, and what for
        self.unheard: set[str] = set()      # hooks of which nothing is compared in the last line
        self.finite_operands = True         # whether the numbers of what the last line named were finite
        self.leaves_the_range = False       # whether the last line asked for gradients of products beyond their dtype's range
        self.bent = False                   # whether a hook may change the gradient of a product
        self.behind: set[str] = set()       # the kinds of nodes behind what the last line named
        self.lacks_kernel = False           # whether the last line failed because of a sparse gradient
        self.overlaps = False               # whether sums were written where elements share memory
        self.scope: dict[str, Any] = {"torch": torch, "note": self.note, **functions(torch)}

    def note(self, name: str, *gradients: Any) -> None:
        self.log.append([name, *(None if g is None else seen(g) for g in gradients)])

    def observe(self, line: str, watched: bool) -> dict[str, Any]:
        """What there is to see when the line has run: what it did, the numbers of all Tensors, and (``watched``) all that can be asked of them."""
        return {"step": self.step(line), "numbers": {name: described(a) for name, a in self.arrays().items()}, "": self.tensors() if watched else {}}

    def put(self, numbers: dict[str, np.ndarray[Any, Any]]) -> None:
        """Make the numbers of the Tensors these."""
        for name, memory in self.arrays().items():
            given = numbers.get(name)
            if given is not None and memory.shape == given.shape and memory.flags.writeable:    # else a view of one element, whose owner is written to
                memory[...] = given

    def step(self, line: str) -> dict[str, Any]:
        """Run a line: whether it ran, else the kind of error and its known phrases."""
        self.log.clear()
        self.lacks_kernel = False
        self.bring_up_to_date(line)
        self.look_at(line)
        try:
            with warnings.catch_warnings(), self.mode:
                warnings.simplefilter("ignore")
                exec(line, self.scope)
        except Exception as error:
            self.lacks_kernel = bool(DERIVES.search(line)) and LACKS.search(str(error)) is not None
            return {"error": builtin(type(error)), "phrases": [p for p in PHRASES if p in str(error)], "log": list(self.log)}
        return {"log": list(self.log)}

    def look_at(self, line: str) -> None:
        """Note what the judge has to know of a line, before it runs."""
        made = re.search(r"(?:^|: )(t\d+) = (.*)", line)
        if made and ("inference_mode" in line or self.foreign & set(re.findall(r"\w+", made[2]))):
            self.foreign.add(made[1])
        named = [self.scope[name] for name in re.findall(r"\bt\d+\b", line) if name in self.scope]
        self.finite_operands = all(map(finite, named))
        nodes = behind(named)
        self.behind = {node.name() for node in nodes}
        self.leaves_the_range = bool(DERIVES.search(line)) and ("prod(" in line and not all(map(multiplied_finite, named)) or infinite_products(nodes))
        if "note(" in line and any("prod" in node.name().lower() for node in nodes_of(named)):
            self.on_products |= set(re.findall(r"'(n\d+)'", line))
        self.bent |= "_hook(" in line and " = " in line and any("prod" in node.name().lower() for node in nodes_of(named))
        target = TARGET.search(line)
        if "lambda gs: note(" in line:
            self.waiting |= dict.fromkeys(re.findall(r"'(n\d+)'", line), [*nodes_of(named), *named])
        self.overlaps = target is not None and target[1] in self.scope and "accumulate" in line and overlaps(memory(self.scope[target[1]]))
        root = ROOT.search(line)        # PyTorch forgets it among those a hook waits for, and calls the hook too early (`test_limits`)
        roots = [self.scope[name] for name in (root.groups() if root else ()) if name in self.scope]
        roots += nodes_of(roots)
        self.unheard = self.on_products | {hook for hook, nodes in self.waiting.items() if any(n is r for n in nodes for r in roots)}

    def bring_up_to_date(self, line: str) -> None:
        """Ask what is written to for its history: PyTorch takes a view of stale history for a leaf."""
        target = TARGET.search(line)
        if target:
            with contextlib.suppress(RuntimeError, KeyError):
                current(self.scope[target[1]])

    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: tuple(value.shape) for name, value in self.scope.items() if name[0] == "t" and is_tensor(value)}

    def discrete(self) -> set[str]:
        """The names of integers and booleans."""
        return {name for name, value in self.scope.items() if name[0] == "t" and is_tensor(value) and not (value.is_floating_point() or value.is_complex())}

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The memory of the Tensors by name; that nothing is asked of a Tensor but its numbers leaves its history as it is."""
        return {name: memory(value) for name, value in self.scope.items() if name[0] == "t" and is_tensor(value)}

    def tensors(self) -> dict[str, Any]:
        """All that can be seen of the Tensors, with the graphs behind them.

        Versions of what was made of inference tensors are left out: in PyTorch they tell how a kernel resized its result.
        """
        seen = {}
        for name, value in self.scope.items():
            if name[0] == "t" and is_tensor(value):
                try:
                    seen[name] = plain(value, np.array) | {"graph": graph(value.grad_fn)}
                    if name in self.foreign:
                        seen[name].pop("version", None)
                except RuntimeError as error:
                    seen[name] = {"error": builtin(type(error)), "phrases": [p for p in PHRASES if p in str(error)]}
        return seen


def seen(gradient: Any) -> Any:
    """What a hook can see of a gradient: of one in a batch no more than its shape."""
    try:
        return plain(gradient.detach(), np.array)
    except RuntimeError:
        return list(gradient.shape)


def described(a: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The numbers of an array, and their dtype."""
    return {"tensor": f"{a.dtype} {a.shape}", "data": a.astype(np.float32) if a.dtype == bfloat16 else a.copy()}


def finite(t: Any) -> bool:
    """Whether all numbers of a Tensor are finite."""
    return bool(np.isfinite(as_array(t.detach())).all())


def memory(t: Any) -> np.ndarray[Any, Any]:
    """The elements of a Tensor, in its own memory."""
    if name_of(t.dtype) != "bfloat16":
        return as_array(t.detach())
    return t.detach().view(sys.modules[type(t).__module__.partition(".")[0]].int16).numpy().view(bfloat16)       # which NumPy does not know


def overlaps(a: np.ndarray[Any, Any]) -> bool:
    """Whether elements share memory."""
    return any(step == 0 and length > 1 for step, length in zip(a.strides, a.shape))


def nodes_of(tensors: list[Any]) -> list[Any]:
    """The nodes of those that have one; a view that may not be written to has none after it was."""
    found = []
    for t in tensors:
        with contextlib.suppress(RuntimeError):
            found += [t.grad_fn] * (t.grad_fn is not None)
    return found


def behind(roots: list[Any]) -> set[Any]:
    """The nodes behind the Tensors."""
    stack = nodes_of(roots)
    seen = set(stack)
    while stack:
        found = {parent for parent, _ in stack.pop().next_functions if parent is not None} - seen
        seen |= found
        stack += found
    return seen


def multiplied_finite(t: Any) -> bool:
    """Whether the numbers of a Tensor can be multiplied, some or all, in the range of its dtype."""
    sizes = np.maximum(abs(as_array(t.detach()).astype(complex)), 1)
    if "int" in name_of(t.dtype) or name_of(t.dtype) == "bool":
        return True
    with np.errstate(all="ignore"):
        return bool(sizes.prod() <= LARGEST.get(name_of(t.dtype), LARGEST["float64"]))      # False for what is no number


def infinite_products(nodes: set[Any]) -> bool:
    """Whether there is a product among the nodes that leaves the range of its numbers."""
    for node in nodes:
        if "prod" in node.name().lower():
            with contextlib.suppress(RuntimeError, AttributeError, ZeroDivisionError):      # it has been let go of
                if not multiplied_finite(node._saved_self):
                    return True
    return False


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
