"""scipy.fft, by family."""
from . import hankel, transforms  # noqa: F401
