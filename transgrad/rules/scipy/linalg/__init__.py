"""scipy.linalg, by family."""
from . import (  # noqa: F401
    banded,
    equations,
    factors,
    functions,
    indefinite,
    orthogonal,
    pencils,
    similarity,
    solving,
    spectra,
    structured,
    subspaces,
    triangular_forms,
    types,
)
