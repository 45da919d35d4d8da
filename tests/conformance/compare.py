"""The differences between two observations, with the place of each."""
from __future__ import annotations

import math
from typing import Any

TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5, "complex64": 2e-5}


def differences(expected: Any, actual: Any, place: str = "", tolerance: float = 1e-7) -> list[str]:
    """One line for each place where ``actual`` is not what was expected; floats agree within their dtype's tolerance."""
    if isinstance(expected, dict) and expected.get("unsupported"):
        return []
    if isinstance(expected, dict) and isinstance(actual, dict):
        kind = str(expected.get("tensor") or expected.get("sparse") or "").split(" ")[0]
        tolerance = TOLERANCE.get(kind, 1e-7 if kind else tolerance)
        found = []
        for key in [*expected, *(k for k in actual if k not in expected)]:
            if key not in actual:
                found.append(f"{place}.{key}: {short(expected[key])} is missing")
            elif key not in expected:
                found.append(f"{place}.{key}: {short(actual[key])} is too much")
            else:
                found += differences(expected[key], actual[key], f"{place}.{key}", tolerance)
        return found
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return [f"{place}: {len(actual)} items, expected {len(expected)}: {short(actual)} / {short(expected)}"]
        return [line for i, (e, a) in enumerate(zip(expected, actual)) for line in differences(e, a, f"{place}[{i}]", tolerance)]
    return [] if same(expected, actual, tolerance) else [f"{place}: {short(actual)}, expected {short(expected)}"]


def same(expected: Any, actual: Any, tolerance: float) -> bool:
    if isinstance(expected, float) and isinstance(actual, float):
        if math.isnan(expected) or math.isinf(expected):
            return str(expected) == str(actual)
        return abs(expected - actual) <= tolerance * (1 + abs(expected))
    return type(expected) is type(actual) and expected == actual


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 160 else text[:157] + "…"


def missing_words(observation: Any) -> list[str]:
    """The words that a case expects of a message, and that the message does not have."""
    if isinstance(observation, dict):
        own = [f"{observation['lacks']} not in {observation.get('message', '')!r}"] if "lacks" in observation else []
        own += [observation["failed"]] if "failed" in observation else []
        return own + [line for item in observation.values() for line in missing_words(item)]
    if isinstance(observation, list):
        return [line for item in observation for line in missing_words(item)]
    return []
