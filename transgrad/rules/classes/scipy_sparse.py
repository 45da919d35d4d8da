"""Classification of the functions of scipy.sparse: the elements of a matrix are differentiable, their indices are constant."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (
    Namespace(
        "scipy.sparse",
        differentiable="""
            block_array block_diag bmat bsr_array bsr_matrix coo_array coo_matrix csc_array csc_matrix csr_array csr_matrix dia_array
            dia_matrix diags diags_array dok_array dok_matrix find hstack kron kronsum lil_array lil_matrix
            matrix_transpose permute_dims spdiags swapaxes tril
            triu vstack
        """,
        structural="""
            get_index_dtype issparse isspmatrix isspmatrix_bsr isspmatrix_coo isspmatrix_csc isspmatrix_csr isspmatrix_dia
            isspmatrix_dok isspmatrix_lil safely_cast_index_arrays eye eye_array identity sparray spmatrix
        """,
        random="rand random random_array",
        missing={"differentiated sparse matrices have two dimensions: use dense arrays for more": "expand_dims"},
        refused={"it reads or writes files": "load_npz save_npz", "it runs SciPy's own tests": "test"},
    ),
    Namespace(
        "scipy.sparse.linalg",
        differentiable="""
            bicg bicgstab cg cgs eigs eigsh expm expm_multiply factorized gcrotmk gmres inv lgmres lsmr lsqr matrix_power minres norm qmr
            splu spsolve spsolve_triangular svds tfqmr
        """,
        structural="is_sptriangular spbandwidth use_solver",
        missing={
            "its iteration has no rule: use eigsh": "lobpcg",
        },
        refused={
            "it makes an object that the compiler does not look into": "LaplacianNd LinearOperator SuperLU aslinearoperator",
            "it approximates by leaving out; the system itself has a derivative through splu and spsolve": "spilu",
            "it estimates by a search, and chooses where; the norm itself has a derivative through scipy.sparse.linalg.norm": "onenormest",
            "it is given an operator, not a matrix: use expm_multiply, or scipy.linalg.funm of the dense matrix": "funm_multiply_krylov",
            "it runs SciPy's own tests": "test",
        },
    ),
)
