"""scipy.spatial and scipy.spatial.distance."""
from . import distances, shapes  # noqa: F401
