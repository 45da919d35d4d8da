"""scipy.ndimage, by family."""
from . import correlation, distances, filters, fourier, functions, labels, morphology, ranks, resampling, splines  # noqa: F401
