"""scipy.stats: distributions through variable and parameters, statistics of samples."""
from . import (  # noqa: F401  # noqa: F401
    continuous,
    derived,
    discrete,
    estimates,
    figures_of_samples,
    frozen,
    hypotheses,
    limits,
    matrices,
    mixed,
    more_continuous,
    multivariate,
    samples,
)
