"""scipy.interpolate, by family."""
from . import curves, grids, polynomials, scattered, splines  # noqa: F401
