"""Explain that a function has no rule: its class, the reason, and how to provide a rule."""
from __future__ import annotations

import types
from typing import Any

import numpy as np

from ..ir.numpy_signatures import library_signature
from .classes import classify

__all__ = ["name_of", "reason", "remedy"]


def name_of(fn: Any) -> str:
    """The name of a function as it is imported.

    Examples
    --------
    >>> import numpy as np
    >>> name_of(np.linalg.svd)
    'numpy.linalg.svd'
    """
    entry = classify(fn)
    if entry is not None:
        return entry.path.removeprefix("builtins.")
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or type(fn).__name__
    module = getattr(fn, "__module__", None) or ""
    return name if module in ("", "builtins", "__main__") or "<" in name else f"{module}.{name}"


def reason(fn: Any, name: str | None = None) -> str:
    """The reason why a function cannot be differentiated, with its class; ``name`` is the user's name for it."""
    entry = classify(fn)
    name = name or name_of(fn)
    if entry is None and isinstance(fn, type) and isinstance(fn.__new__, types.FunctionType):
        return f"{name} has no derivative rule: the class defines __new__, which is not compiled"
    if entry is None and isinstance(fn, type) and issubclass(fn, np.ndarray):
        return f"{name} has no derivative rule: its instances are arrays of a class of their own, which are not compiled"
    if entry is None and isinstance(fn, type) and any(isinstance(part, types.FunctionType) for part in vars(fn).values()):
        return (f"{name} has no derivative rule: the source of the class is not known (exec() created it in a namespace that has no "
                f"__name__, or its module has no file)")
    if entry is None:
        return f"{name} has no derivative rule: it is compiled code that the table of rules does not know"
    if entry.kind == "missing":
        return f"{name} has no derivative rule (class: not differentiable here): {entry.reason}"
    if entry.kind == "refused":
        return f"{name} has no derivative rule (class: nothing to differentiate): {entry.reason}"
    if entry.kind == "random":
        return f"{name} has no derivative rule (class: random): a draw is a constant, and these parameters do not merely move or stretch it"
    return f"{name} has no derivative rule for such a call (class: {entry.kind})"


def remedy(fn: Any) -> str:
    """How to give a function a rule."""
    text = name_of(fn).replace("numpy.", "np.", 1)
    arguments = _arguments(fn)
    return (f"give it a rule, for example '@tg.rule({text})' above 'def _(g, y, {', '.join(arguments)}): return ...' with the cotangent of "
            f"{' and of '.join(arguments[:2])} for the cotangent g of the result y; or wrap the argument in tg.stop_gradient")


def _arguments(fn: Any) -> list[str]:
    try:
        parameters = library_signature(fn).parameters.values()
    except (TypeError, ValueError):
        return ["x"]
    found = [p.name for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [n for n in found if n != "self"] or ["x"]
