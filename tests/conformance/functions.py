"""Small leaves and custom Functions for the cases."""
from __future__ import annotations

from typing import Any


def leaf(torch: Any, *values: float) -> Any:
    """A leaf that requires grad, of these values or of 1 and 2."""
    return torch.tensor(values or (1.0, 2.0), requires_grad=True)


def made(torch: Any, **methods: Any) -> Any:
    """A Function class from plain functions."""
    return type("Made", (torch.autograd.Function,), {name: staticmethod(f) if callable(f) else f for name, f in methods.items()})
