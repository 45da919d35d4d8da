"""Makes a callable of a module's text, with the text where tracebacks, pdb and inspect look for it."""
from __future__ import annotations

import builtins
import hashlib
from collections.abc import Callable
from typing import Any

from .text import Module, show

__all__ = ["load"]


def load(module: Module, *, filename_hint: str | None = None) -> Callable[..., Any]:
    """Runs a module's text.

    Parameters
    ----------
    module : Module
        What `emit` wrote.
    filename_hint : str, optional
        What the file is called in tracebacks (the entry's name by default); the same text has the same file name in
        every process.

    Returns
    -------
    callable
        The function ``module.entry``.
    """
    digest = hashlib.sha256(module.text.encode()).hexdigest()[:12]
    filename = f"<transgrad {filename_hint or module.entry} {digest}>"
    show(filename, module.text)
    scope: dict[str, Any] = {"__name__": f"transgrad.emitted.{module.entry}", "__builtins__": builtins, **module.names}
    module.code = compile(module.text, filename, "exec")
    exec(module.code, scope)
    fn: Callable[..., Any] = scope[module.entry]
    return fn
