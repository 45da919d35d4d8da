"""What of a difference between two runs is a fault, and what neither library promises."""
from __future__ import annotations

import math
from typing import Any

from tests.conformance.compare import differences

__all__ = ["beyond_comparison", "judged"]

#: beyond this a float64 is the quotient of a number and a rounding error
HUGE = 1e15
SINGLE = 5e-5
#: what PyTorch cannot do, and transgrad can: a program is compared up to there
LIMITS = {"detached in-place", "INTERNAL ASSERT FAILED"}


def beyond_comparison(line: str, program: list[str], wanted: dict[str, Any], seen: dict[str, Any]) -> bool:
    """Whether a program is compared up to this step only: PyTorch has met one of its limits, or the step goes through the graph of a
    gradient, where each library saves what its own formulas read."""
    phrases = set(wanted.get("phrases", ()))
    if phrases & LIMITS:
        return True
    through_gradient = any("Second" in before or "create_graph" in before for before in program)
    return through_gradient and ("grad(" in line or "backward(" in line) and "modified by an inplace operation" in phrases and "error" not in seen


def judged(wanted: dict[str, Any], seen: dict[str, Any], place: str, program: list[str]) -> list[str]:
    """The differences of two steps, or of all Tensors after them; through single precision to its digits."""
    if "nference tensor" in wanted.get("phrases", ()) and "error" in seen:
        return []       # it cannot be saved, and does not fit: PyTorch tries the first first
    single = any("float32" in line or "float()" in line for line in program)
    return differences(wanted, settled(wanted, seen), place, least=SINGLE if single else 0.0)


def settled(wanted: Any, seen: Any, pairs: bool = False) -> Any:
    """``seen`` with the numbers of ``wanted`` where these mean the same: complex numbers that are not finite, of whose parts each
    library's arithmetic has its own, and numbers too large to mean anything."""
    if isinstance(wanted, dict) and isinstance(seen, dict):
        pairs = str(wanted.get("tensor", "")).startswith("complex")
        return {key: settled(wanted[key], value, pairs and key == "data") if key in wanted else value for key, value in seen.items()}
    if not isinstance(wanted, list) or not isinstance(seen, list) or len(wanted) != len(seen):
        huge = isinstance(wanted, float) and isinstance(seen, float) and min(abs(wanted), abs(seen)) > HUGE and wanted * seen > 0
        return wanted if huge else seen
    if pairs and len(wanted) == 2 and all(isinstance(part, float) for part in wanted + seen):
        return wanted if not all(map(math.isfinite, wanted)) and not all(map(math.isfinite, seen)) else seen
    return [settled(w, s, pairs) for w, s in zip(wanted, seen)]
