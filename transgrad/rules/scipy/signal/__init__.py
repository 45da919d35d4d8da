"""scipy.signal, by family."""
from . import (  # noqa: F401
    conversion,
    convolution,
    design,
    filters,
    fir,
    resampling,
    residues,
    responses,
    smoothing,
    spectra,
    spline_filters,
    systems,
    waveforms,
    windows,
)
