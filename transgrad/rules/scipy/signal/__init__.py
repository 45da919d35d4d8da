"""scipy.signal, by family."""
from . import (  # noqa: F401
    conversion,
    convolution,
    design,
    filters,
    fir,
    peaks,
    resampling,
    residues,
    responses,
    smoothing,
    spectra,
    spline_filters,
    splines,
    systems,
    waveforms,
    windows,
)
