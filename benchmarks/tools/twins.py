"""A function's text run in another world: with another module called ``np``, its helpers taken along."""
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from ..workload import Cannot, Rewritten, Workload

__all__ = ["Left", "function_for", "twin"]


class Left(Exception):
    """Why a tool is left out of a row."""


def twin(f: Callable[..., Any], numpy: Any = None, wrap: Callable[..., Any] = lambda f: f, outer: bool = True) -> Callable[..., Any]:
    """A copy of ``f`` for which ``np`` is another module; the helpers of its module that it calls are copied and wrapped too."""
    space = dict(f.__globals__)
    for name in f.__code__.co_names:
        helper = space.get(name)
        if isinstance(helper, types.FunctionType) and helper.__module__ == f.__module__:
            space[name] = twin(helper, numpy, wrap)
    if numpy is not None:
        space["np"] = numpy
    made = types.FunctionType(f.__code__, space, f.__name__, f.__defaults__, f.__closure__)
    return wrap(made) if outer else made


def function_for(workload: Workload, tool: str, numpy: Any) -> Callable[..., Any]:
    """The function of a workload as a tool takes it."""
    how = workload.peers.get(tool, Cannot("no version for it"))
    if isinstance(how, Cannot):
        raise Left(how.reason)
    if isinstance(how, Rewritten):
        return how.make()
    return twin(workload.primal, numpy)
