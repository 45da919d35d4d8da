"""scipy.interpolate, by family."""
from . import curves, grids, polynomials, scattered, splines, views  # noqa: F401
