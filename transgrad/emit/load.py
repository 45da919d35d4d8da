"""Makes a callable of generated source, which is in a file where debuggers, tracebacks and `inspect` find it."""
from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from .files import expected_file, publish
from .text import Module

__all__ = ["load"]


def load(module: Module, *, filename_hint: str | None = None) -> Callable[..., Any]:
    """Run the source of a module.

    Parameters
    ----------
    module : Module
        What `emit` wrote.
    filename_hint : str, optional
        The beginning of the file's name (the entry's name by default); the same source has the same file name in
        every process.

    Returns
    -------
    callable
        The function ``module.entry``.
    """
    filename = expected_file(filename_hint or module.entry, module.text)
    publish(filename, module.text, module.origins())
    scope: dict[str, Any] = {"__name__": f"transgrad.emitted.{module.entry}", "__file__": filename, "__builtins__": builtins}
    scope.update(module.names)
    module.code = compile(module.text, filename, "exec")
    exec(module.code, scope)
    fn: Callable[..., Any] = scope[module.entry]
    return fn
