"""What of a difference between two runs is a fault, and what neither library promises."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .rounding import differ

__all__ = ["beyond_comparison", "excused", "judged"]

#: what PyTorch cannot do, and transgrad can: a program is compared up to there
LIMITS = {"detached in-place", "INTERNAL ASSERT FAILED", "Expected isFloatingType", "_will_engine_execute_node"}


def beyond_comparison(line: str, program: list[str], wanted: dict[str, Any], seen: dict[str, Any], run: Any) -> str:
    """Why a program is compared up to this step only, if it is.

    PyTorch has met one of its limits; or a matrix with numbers that are not finite is to be factored, of which LAPACK's answer depends on
    how it was built; or gradients of products are asked for that leave the range of their numbers: PyTorch divides infinite factors by one another
    (``test_limits`` has JAX as the judge of that), and which of the finite ones are multiplied first is each formula's own; or sums are
    written where elements share memory, which is deprecated there; or the step goes through the graph of a gradient, where each library
    saves what its own formulas read; or PyTorch has no kernel of an operation for a sparse gradient, and transgrad goes on.
    """
    phrases = set(wanted.get("phrases", ()))
    if phrases & LIMITS:
        return min(phrases & LIMITS)
    if "functions with out=" in phrases and "out=" not in line:     # some kernels have such calls in them (`test_limits`)
        return "a kernel that calls another one with out="
    if "single memory location" in phrases and "torch.func." in line and "error" not in seen:        # expanded primals (`test_limits`)
        return "a tangent of elements that share memory"
    if run.lacks_kernel and seen.get("error") in (None, "RuntimeError", "NotImplementedError"):
        return "no kernel for a sparse gradient"
    if "linalg" in line and not run.finite_operands:
        return "a matrix that is not finite"
    if run.leaves_the_range:
        return "a product beyond the range of its numbers"
    if run.overlaps:
        return "sums into shared memory"
    backward = "grad(" in line or "backward(" in line
    modified = "modified by an inplace operation"
    if backward and _through_gradient(program) and (modified in phrases) != (modified in seen.get("phrases", ())):
        return "what the graph of a gradient saves"
    return ""


def excused(found: list[str], program: list[str], run: Any) -> str:
    """Why the differences are no fault, if they are none: they are of gradients alone, in a program whose hooks change the gradient of a product that is differentiated again.

    PyTorch makes the factors' gradients of the product, so that their own derivatives pass the hook once more.
    """
    bent = run.bent and _through_gradient(program) and all(".grad." in line or ".log" in line for line in found)
    return "a changed gradient of a product, differentiated again" if bent else ""


def _through_gradient(program: list[str]) -> bool:
    return any("Second" in line or "create_graph" in line for line in program)


def judged(
    wanted: dict[str, Any], seen: dict[str, Any], samples: Callable[[], list[dict[str, Any]]], line: str, run: Any, wide: Callable[[], dict[str, Any]] = dict
) -> list[str]:
    """The differences of two observations that neither rounding (`rounding`) nor an overflow explains.

    What the hooks noted that ``run`` names unheard is left out. ``wide()`` is the reference's observation of the same program in single in place of
    half precision.
    """
    unheard = run.unheard
    step, ours = wanted["step"], seen["step"]
    if "error" in step and "error" in ours:
        if "nference tensor" in " ".join(step["phrases"]) or "ZeroDivisionError" in (step["error"], ours["error"]) and "1 / 0" in line:
            step = ours = {}        # it cannot be saved, and does not fit: PyTorch tries the first first
        if "Inplace update to inference tensor" in wanted["step"]["phrases"]:       # PyTorch refuses the write after it is done
            wanted, seen = wanted | {"numbers": {}, "": {}}, seen | {"numbers": {}, "": {}}
    step, ours = ({**s, "log": [entry for entry in s.get("log", ()) if entry[0] not in unheard]} for s in (step, ours))
    expected, actual = leaves(wanted | {"step": step}), leaves(seen | {"step": ours})
    cached: list[dict[str, Any]] = []

    def at(place: str, like: Any) -> list[Any]:
        if not cached:
            heard = ({**s, "step": {**s["step"], "log": [e for e in s["step"]["log"] if e[0] not in unheard]}} for s in samples())
            cached.extend(map(leaves, heard))
        return [s[place] for s in cached if place in s and np.shape(s[place]) == like.shape]

    found = [f"{place}: {short(actual[place])} is too much" for place in actual if place not in expected]
    for place, leaf in expected.items():
        if place not in actual:
            found.append(f"{place}: {short(leaf)} is missing")
            continue
        other = actual[place]
        if isinstance(leaf, np.ndarray) and isinstance(other, np.ndarray) and leaf.shape == other.shape and leaf.dtype == other.dtype:
            if leaf.tobytes() == other.tobytes():
                continue
            dtype = str(expected[place.removesuffix("data") + "tensor"]).split()[0]
            if leaf.dtype.kind in "fc" and dtype == "float16":
                leaf = without_overflow(leaf, other, lambda place=place: leaves(wide()).get(place))
            if leaf.dtype.kind in "fc" and not differ(known(leaf, other, line, run), other, dtype, lambda place=place, leaf=leaf: at(place, leaf)):
                continue
        elif type(leaf) is type(other) and not isinstance(leaf, np.ndarray) and leaf == other:
            continue
        found.append(f"{place}: {short(other)}, expected {short(leaf)}")
    return found


def without_overflow(expected: np.ndarray[Any, Any], actual: np.ndarray[Any, Any], wide: Callable[[], Any]) -> np.ndarray[Any, Any]:
    """The expected numbers, mended where an intermediate result of PyTorch's left the range of half precision.

    PyTorch rounds each step of a formula, as the two divisions of ``-g * (a / b) / b``, transgrad only the result. A finite number in place of one that
    is not is right if PyTorch finds it in single precision, where nothing overflows.
    """
    lost = ~np.isfinite(expected) & np.isfinite(actual)
    if not lost.any():
        return expected
    found = wide()
    if not isinstance(found, np.ndarray) or found.shape != actual.shape or not np.isfinite(found[lost]).all():
        return expected
    near = np.abs(found - actual) <= 2.0**-5 * np.abs(found)
    return np.where(lost & near, actual, expected)


def known(expected: np.ndarray[Any, Any], actual: np.ndarray[Any, Any], line: str, run: Any) -> np.ndarray[Any, Any]:
    """The expected numbers, mended where PyTorch's formula for ``logcumsumexp`` is known to be wrong.

    In reverse mode a gradient that is no number counts as zero.
    """
    if "LogcumsumexpBackward0" in run.behind:
        return np.where(np.isnan(actual), actual, expected)
    return expected


def leaves(observation: Any, place: str = "") -> dict[str, Any]:
    """What is not a table or a list in an observation, by place; of lists the length too."""
    if isinstance(observation, dict):
        return {at: leaf for key, value in observation.items() for at, leaf in leaves(value, f"{place}.{key}" if place else key).items()}
    if isinstance(observation, list):
        return {f"{place}.len": len(observation)} | {at: leaf for i, value in enumerate(observation) for at, leaf in leaves(value, f"{place}[{i}]").items()}
    return {place: observation}


def short(value: Any) -> str:
    text = repr(value.tolist() if isinstance(value, np.ndarray) else value)
    return text if len(text) <= 160 else text[:157] + "…"
