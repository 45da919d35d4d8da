"""Classification of the functions of scipy.linalg."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.linalg",
    differentiable="""
        block_diag cdf2rdf cho_factor cho_solve cho_solve_banded cholesky cholesky_banded circulant companion convolution_matrix coshm cosm
        det diagsvd eig eig_banded eigh eigh_tridiagonal eigvals eigvals_banded eigvalsh eigvalsh_tridiagonal expm expm_cond expm_frechet
        fiedler fiedler_companion fractional_matrix_power funm hankel hessenberg inv khatri_rao kron ldl leslie logm lstsq lu lu_factor
        lu_solve matmul_toeplitz matrix_balance norm null_space ordqz orth orthogonal_procrustes pinv pinvh polar qr qr_delete qr_insert
        qr_multiply qr_update qz rq rsf2csf schur signm sinhm sinm solve solve_banded solve_circulant solve_continuous_are
        solve_continuous_lyapunov solve_discrete_are solve_discrete_lyapunov solve_lyapunov solve_sylvester solve_toeplitz solve_triangular
        solveh_banded sqrtm subspace_angles svd svdvals tanhm tanm toeplitz
    """,
    constant="dft hadamard helmert hilbert invhilbert invpascal pascal",
    structural="bandwidth find_best_blas_type get_blas_funcs get_lapack_funcs ishermitian issymmetric",
    random="clarkson_woodruff_transform",
    missing={
        "its vectors are not unique if the blocks differ in size; use scipy.linalg.svdvals of a block, the cosines of the angles": "cossin",
    },
    refused={"it runs SciPy's own tests": "test"},
),)
