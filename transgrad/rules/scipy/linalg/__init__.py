"""scipy.linalg, by family."""
from . import banded, equations, factors, functions, solving, spectra, structured, types  # noqa: F401
