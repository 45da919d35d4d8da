"""What the functions of scipy.sparse are to a derivative: sparse matrices are constant."""
from __future__ import annotations

from .namespace import Namespace

_CONSTANT = "sparse matrices are constant: what is stored in them is not differentiated"
_SOLVERS = "use spsolve, which has a derivative by the right-hand side"

NAMESPACES = (
    Namespace(
        "scipy.sparse",
        structural="""
            find get_index_dtype issparse isspmatrix isspmatrix_bsr isspmatrix_coo isspmatrix_csc isspmatrix_csr isspmatrix_dia
            isspmatrix_dok isspmatrix_lil safely_cast_index_arrays eye eye_array identity
        """,
        random="rand random random_array",
        missing={_CONSTANT: """
            block_array block_diag bmat bsr_array bsr_matrix coo_array coo_matrix csc_array csc_matrix csr_array csr_matrix dia_array
            dia_matrix diags diags_array dok_array dok_matrix expand_dims hstack kron kronsum lil_array lil_matrix permute_dims sparray
            spdiags spmatrix swapaxes tril triu vstack
        """},
        refused={"it reads or writes files": "load_npz save_npz"},
    ),
    Namespace(
        "scipy.sparse.linalg",
        differentiable="spsolve",
        structural="is_sptriangular spbandwidth use_solver",
        missing={
            _SOLVERS: """
                bicg bicgstab cg cgs factorized gcrotmk gmres lgmres lsmr lsqr minres qmr spilu splu spsolve_triangular tfqmr
            """,
            _CONSTANT: "eigs eigsh expm expm_multiply funm_multiply_krylov inv lobpcg matrix_power norm onenormest svds",
        },
        refused={
            "it makes an object that the compiler does not look into": "LaplacianNd LinearOperator SuperLU aslinearoperator",
            "it runs SciPy's own tests": "test",
        },
    ),
)
