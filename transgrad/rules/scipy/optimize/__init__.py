"""scipy.optimize, by family."""
from . import definitions, searches, solutions  # noqa: F401
