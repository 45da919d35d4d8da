"""scipy.optimize, by family."""
from . import constrained, definitions, searches, solutions  # noqa: F401
