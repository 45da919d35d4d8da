"""scipy.interpolate, by family."""
from . import curves, expansions, grids, polynomials, scattered, splines, surfaces, triangles, views  # noqa: F401
