"""Factors of matrices of which only running tells whether they are square."""
from typing import Any

__all__ = ["of_square"]


def of_square(u: Any, vh: Any) -> Any:
    """``u``, the left singular vectors, where ``vh`` are as many; NotImplementedError where one of both has been filled up."""
    if u.shape[-1] != vh.shape[-2]:
        raise NotImplementedError("the vectors that svd adds with full_matrices=True, as the matrix is not square, have no derivative: "
                                  "pass full_matrices=False")
    return u
