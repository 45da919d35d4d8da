"""Placeholder."""
from typing import Any
def normalise(ctx, fn, args, kwargs, node, spelling): return NotImplemented
def ufunc_call(ctx, func, args, kwargs, node): raise NotImplementedError
