"""Operations whose derivatives the user writes."""
from .base import Function, InplaceFunction
from .context import FunctionCtx
from .node import BackwardCFunction
from .once import once_differentiable

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]

_ContextMethodMixin = FunctionCtx       # its first name
