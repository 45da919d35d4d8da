"""scipy.stats: distributions through variable and parameters, statistics of samples."""
from . import continuous, derived, discrete, frozen, limits, mixed, more_continuous, multivariate, samples  # noqa: F401
