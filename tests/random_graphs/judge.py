"""What of a difference between two runs is a fault, and what neither library promises."""
from __future__ import annotations

import re
from typing import Any

from tests.conformance.compare import differences

__all__ = ["beyond_comparison", "judged"]

#: beyond this a float64 is the quotient of a number and a rounding error
HUGE = 1e15
SINGLE = 5e-5
#: what PyTorch cannot do, and transgrad can: a program is compared up to there
LIMITS = {"detached in-place", "INTERNAL ASSERT FAILED", "Expected isFloatingType", "_will_engine_execute_node"}


def beyond_comparison(line: str, program: list[str], wanted: dict[str, Any], seen: dict[str, Any], run: Any) -> bool:
    """Whether a program is compared up to this step only.

    PyTorch has met one of its limits; or there are complex numbers that are not finite, of whose parts each library's arithmetic has its
    own; or gradients are asked for after a write that a version counter of that memory has not counted (through ``.data``), when they
    depend on what each formula saves; or for the gradients of products of numbers that are not finite, which PyTorch divides by one
    another, or for factors of matrices with such; or numbers are so large that a sine of them has no correct digit; or the step goes through the graph of a gradient, where each library saves what its own formulas read.
    """
    phrases = set(wanted.get("phrases", ()))
    backward = "grad(" in line or "backward(" in line
    quotients = any("prod(" in step for step in program)
    if phrases & LIMITS or not run.finite("c") or not run.bounded() or "linalg" in line and not run.finite():
        return True
    if backward and (run.unseen or quotients and not run.finite()):
        return True
    return backward and _through_gradient(program) and "modified by an inplace operation" in phrases and "error" not in seen


def _through_gradient(program: list[str]) -> bool:
    return any("Second" in line or "create_graph" in line for line in program)


def judged(wanted: dict[str, Any], seen: dict[str, Any], place: str, program: list[str]) -> list[str]:
    """The differences of two steps, or of all Tensors after them; through single precision to its digits."""
    if "nference tensor" in wanted.get("phrases", ()) and "error" in seen:
        return []       # it cannot be saved, and does not fit: PyTorch tries the first first
    if _through_gradient(program) and any("prod(" in line for line in program):
        # torch's first derivative of a product is made of its result, ours of the other factors: a hook on the result sees which
        wanted, seen = {**wanted, "log": []}, {**seen, "log": []}
    if any("multi_grad_hook" in line and "any" not in line for line in program) and re.search(r"\bt\d+\.backward\(|(?:backward|grad)\(\[?t\d+,", program[-1]):
        wanted, seen = {**wanted, "log": []}, {**seen, "log": []}       # PyTorch does not count the root itself among those it waits for
    single = any("float32" in line or "float()" in line for line in program)
    return differences(wanted, settled(wanted, seen), place, least=SINGLE if single else 0.0)


def settled(wanted: Any, seen: Any) -> Any:
    """``seen`` with the numbers of ``wanted`` where both are too large to mean anything."""
    if isinstance(wanted, dict) and isinstance(seen, dict):
        return {key: settled(wanted[key], value) if key in wanted else value for key, value in seen.items()}
    if not isinstance(wanted, list) or not isinstance(seen, list) or len(wanted) != len(seen):
        huge = isinstance(wanted, float) and isinstance(seen, float) and min(abs(wanted), abs(seen)) > HUGE and wanted * seen > 0
        return wanted if huge else seen
    return [settled(w, s) for w, s in zip(wanted, seen)]
