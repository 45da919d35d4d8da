"""Optimizers for Tensors with ``.grad``, and for nested structures of NumPy arrays with gradients of the same structure."""
from typing import TYPE_CHECKING

from ..absent import refusing
from . import lr_scheduler
from .first_order import SGD, Adagrad, Adam, AdamW, RMSprop
from .lbfgs import LBFGS
from .optimizer import Optimizer

__all__ = ["LBFGS", "SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]


def __dir__() -> list[str]:
    return sorted(__all__)


if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.optim")
