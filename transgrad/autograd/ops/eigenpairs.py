"""Some eigenvalues of a symmetric matrix, or of a pair of them."""
from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .linalg import LINALG
from .table import op


@op(method=False)
def lobpcg(A: Tensor, k: int | None = None, B: Tensor | None = None, X: Tensor | None = None, n: int | None = None,
           iK: Tensor | None = None, niter: int | None = None, tol: float | None = None, largest: bool | None = None,
           method: str | None = None, tracker: Any = None, ortho_iparams: Any = None, ortho_fparams: Any = None,
           ortho_bparams: Any = None) -> tuple[Tensor, Tensor]:
    """The ``k`` largest (or smallest) eigenvalues of ``A x = λ B x`` and their vectors, from the decomposition of the whole matrix.

    What steers PyTorch's iteration (``X iK niter tol method tracker``) has no effect: nothing is approximated.

    Raises
    ------
    ValueError
        If the matrix is smaller than three times the number of eigenvalues.
    """
    count = (1 if X is None else X.shape[-1]) if k is None else k
    size = A.shape[-1]
    if size < 3 * count:
        raise ValueError(f"LPBPCG algorithm is not applicable when the number of A rows (={size}) is smaller than 3 x the number of "
                         "requested "
                         f"eigenpairs (={count})")
    dense = A.to_dense() if A.is_sparse else A
    factor = None if B is None else LINALG["cholesky"](B.to_dense() if B.is_sparse else B)
    if factor is not None:      # the problem of L⁻¹ A L⁻ᴴ
        half = LINALG["solve_triangular"](factor, dense, upper=False)
        dense = LINALG["solve_triangular"](factor, half.mH, upper=False).mH
    values, vectors = LINALG["eigh"](dense)
    if largest is None or largest:
        values, vectors = values.flip(-1), vectors.flip(-1)
    values, vectors = values[..., :count], vectors[..., :count]
    return values, vectors if factor is None else LINALG["solve_triangular"](factor.mH, vectors, upper=True)
