"""scipy.integrate: of samples, of functions, of differential equations."""
from . import adaptive, definitions, functions, initial_values, samples  # noqa: F401
