"""What the functions of scipy.linalg are to a derivative."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.linalg",
    differentiable="""
        block_diag cho_factor cho_solve cholesky circulant companion convolution_matrix coshm cosm det diagsvd eig eigh
        eigh_tridiagonal eigvals eigvalsh eigvalsh_tridiagonal expm expm_frechet fiedler fractional_matrix_power hankel inv khatri_rao
        kron leslie logm lstsq lu lu_factor lu_solve matmul_toeplitz norm orthogonal_procrustes pinv pinvh polar qr sinhm sinm solve
        solve_banded solve_circulant solve_continuous_are solve_continuous_lyapunov solve_discrete_are solve_discrete_lyapunov
        solve_lyapunov solve_sylvester solve_toeplitz solve_triangular solveh_banded sqrtm svd svdvals tanhm tanm toeplitz
    """,
    constant="dft hadamard helmert hilbert invhilbert invpascal pascal",
    structural="bandwidth find_best_blas_type get_blas_funcs get_lapack_funcs ishermitian issymmetric",
    random="clarkson_woodruff_transform",
    missing={
        "its basis is one of many, chosen by the library; use a projection made with pinv": "null_space orth",
        "no derivative of this factorization has been written; cholesky, lu, qr, eigh, eig and svd have one":
            "cdf2rdf cossin hessenberg ldl ordqz qz rq rsf2csf schur qr_delete qr_insert qr_multiply qr_update matrix_balance",
        "banded matrices have a derivative through solve_banded and solveh_banded only":
            "cho_solve_banded cholesky_banded eig_banded eigvals_banded",
        "no derivative of this one has been written": "expm_cond fiedler_companion signm subspace_angles",
        "the function of a matrix is given as a Python function; the named ones (expm, logm, sqrtm, sinm ...) have a derivative": "funm",
    },
    refused={"it runs SciPy's own tests": "test"},
),)
