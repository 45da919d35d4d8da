"""scipy.sparse, by family."""
from . import construction, functions, matrix, solvers, systems  # noqa: F401
