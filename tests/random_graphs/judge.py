"""What of a difference between two runs is a fault, and what neither library promises."""
from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from tests.conformance.compare import differences

__all__ = ["beyond_comparison", "excused", "judged"]

#: the relative difference that is left to rounding, by what a program is computed in: PyTorch rounds each step of a formula to 16 bits
DIGITS = {("float32", "float()", "complex64"): 5e-5, ("torch.float16",): 2.5e-2, ("bfloat16",): 0.2}
#: what PyTorch cannot do, and transgrad can: a program is compared up to there
LIMITS = {"detached in-place", "INTERNAL ASSERT FAILED", "Expected isFloatingType", "_will_engine_execute_node"}


def beyond_comparison(line: str, program: list[str], wanted: dict[str, Any], seen: dict[str, Any], run: Any) -> bool:
    """Whether a program is compared up to this step only.

    PyTorch has met one of its limits; or a matrix with numbers that are not finite is to be factored, of which LAPACK's answer depends on
    how it was built; or gradients of products are asked for with factors that are not finite, which PyTorch divides by one another
    (``test_limits`` has JAX as the judge of that); or sums are written where elements share memory, which is deprecated there; or the step goes through the graph of a gradient, where each library saves what its own
    formulas read.
    """
    phrases = set(wanted.get("phrases", ()))
    if phrases & LIMITS or "linalg" in line and not run.finite_operands or run.divides_infinities or run.overlaps:
        return True
    backward = "grad(" in line or "backward(" in line
    return backward and _through_gradient(program) and "modified by an inplace operation" in phrases and "error" not in seen


def excused(found: list[str], program: list[str], run: Any) -> bool:
    """Whether the differences are of gradients alone, in a program whose hooks change the gradient of a product that is differentiated again.

    PyTorch makes the factors' gradients of the product, so that their own derivatives pass the hook once more.
    """
    return bool(found) and run.bent and _through_gradient(program) and all(".grad." in line or ".log" in line for line in found)


def _through_gradient(program: list[str]) -> bool:
    return any("Second" in line or "create_graph" in line for line in program)


def judged(wanted: dict[str, Any], seen: dict[str, Any], place: str, program: list[str], unheard: Collection[str] = ()) -> list[str]:
    """The differences of two steps, or of all Tensors after them; through single precision to its digits.

    What the hooks in ``unheard`` noted is left out.
    """
    if "nference tensor" in wanted.get("phrases", ()) and "error" in seen:
        return []       # it cannot be saved, and does not fit: PyTorch tries the first first
    if "log" in wanted:
        wanted, seen = ({**step, "log": [entry for entry in step["log"] if entry[0] not in unheard]} for step in (wanted, seen))
    least = max((digits for words, digits in DIGITS.items() if any(word in line for word in words for line in program)), default=0.0)
    return differences(wanted, settled(wanted, seen), place, least=least)


def settled(wanted: Any, seen: Any, pairs: bool = False) -> Any:
    """``seen`` with the numbers of ``wanted`` where both are complex and not finite: of whose parts each library's arithmetic has its own."""
    if isinstance(wanted, dict) and isinstance(seen, dict):
        pairs = str(wanted.get("tensor", "")).startswith("complex")
        return {key: settled(wanted[key], value, pairs) if key in wanted else value for key, value in seen.items()}
    if not isinstance(wanted, list) or not isinstance(seen, list) or len(wanted) != len(seen):
        return seen
    if pairs and len(wanted) == 2 and all(isinstance(part, float) for part in (*wanted, *seen)):
        return wanted if not (all(map(math.isfinite, wanted)) or all(map(math.isfinite, seen))) else seen
    return [settled(w, s, pairs) for w, s in zip(wanted, seen)]
