"""scipy.stats: distributions through variable and parameters, statistics of samples."""
from . import continuous, discrete, frozen, multivariate, samples  # noqa: F401
