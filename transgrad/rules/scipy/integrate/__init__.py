"""scipy.integrate: of samples, of functions, of differential equations."""
from . import functions, initial_values, samples  # noqa: F401
