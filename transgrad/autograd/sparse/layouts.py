"""How a Tensor's elements are kept."""
from __future__ import annotations

__all__ = ["layout", "sparse_coo", "strided"]


class layout:
    """``torch.strided`` or ``torch.sparse_coo``."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"


strided = layout("strided")
sparse_coo = layout("sparse_coo")
