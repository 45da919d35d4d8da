"""The arguments whose types a derivative is compiled for: from ``--args``, or from defaults and annotations."""
from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..transforms.arguments import bind
from ..transforms.compiling import example_arguments
from .errors import TargetError

__all__ = ["Given", "given_arguments", "values_of"]

#: Positional and keyword arguments; None if ``--args`` was omitted.
Given = tuple[tuple[Any, ...], dict[str, Any]] | None


def given_arguments(text: str | None, names: Mapping[str, Any]) -> Given:
    """Evaluate an argument list such as ``np.ones(3), 2.0, mode='a'`` with the names of the module."""
    if text is None:
        return None
    space = {"np": np, "numpy": np, **names, "_take": lambda *args, **kwargs: (args, kwargs)}
    try:
        return eval(f"_take({text})", space)  # type: ignore[no-any-return]
    except Exception as error:
        raise TargetError(f"--args {text!r} cannot be evaluated: {type(error).__name__}: {error}") from error


def values_of(f: Any, signature: inspect.Signature, given: Given) -> dict[str, Any]:
    """Return the arguments by name: from ``--args``, else examples from defaults and annotations, else unknown values."""
    if given is None:
        return example_arguments(signature)
    try:
        return bind(f, signature, *given)
    except TypeError as error:
        raise TargetError(str(error)) from error


