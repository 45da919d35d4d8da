"""Operations whose derivatives the user writes."""
from typing import TYPE_CHECKING

from ...absent import refusing
from .base import Function, InplaceFunction
from .context import FunctionCtx
from .node import BackwardCFunction
from .once import once_differentiable

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]

_ContextMethodMixin = FunctionCtx       # its first name

if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.autograd.function")
