"""torch's names of the nodes of NumPy's functions."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..names import node_name

_NAMES: dict[Any, str] = {
    np.arcsin: "AsinBackward0", np.arccos: "AcosBackward0", np.arctan: "AtanBackward0", np.arcsinh: "AsinhBackward0",
    np.arccosh: "AcoshBackward0", np.arctanh: "AtanhBackward0", np.arctan2: "Atan2Backward0", np.deg2rad: "Deg2RadBackward0",
    np.rad2deg: "Rad2DegBackward0", np.conjugate: "ConjBackward0", np.square: "PowBackward0", np.rint: "RoundBackward0",
    np.amax: "AmaxBackward0", np.amin: "AminBackward0", np.max: "MaxBackward1", np.min: "MinBackward1", np.prod: "ProdBackward0",
    np.linalg.det: "LinalgDetBackward0", np.linalg.slogdet: "LinalgSlogdetBackward0", np.linalg.inv: "LinalgInvExBackward0",
    np.linalg.pinv: "LinalgPinvBackward0", np.linalg.solve: "LinalgSolveExBackward0", np.linalg.svd: "LinalgSvdBackward0",
    np.linalg.svdvals: "LinalgSvdBackward0", np.linalg.qr: "LinalgQrBackward0", np.linalg.lstsq: "LinalgLstsqBackward0",
    np.linalg.vector_norm: "LinalgVectorNormBackward0", np.linalg.norm: "LinalgVectorNormBackward0", np.cross: "LinalgCrossBackward0",
    np.fft.fft: "FftC2CBackward0", np.fft.ifft: "FftC2CBackward0", np.fft.fftn: "FftC2CBackward0", np.fft.ifftn: "FftC2CBackward0",
    np.fft.fft2: "FftC2CBackward0", np.fft.ifft2: "FftC2CBackward0", np.fft.rfft: "FftR2CBackward0", np.fft.rfftn: "FftR2CBackward0",
    np.fft.rfft2: "FftR2CBackward0", np.fft.irfft: "FftC2RBackward0", np.fft.hfft: "FftC2RBackward0", np.fft.ihfft: "ConjBackward0",
    np.nan_to_num: "NanToNumBackward0", np.expm1: "Expm1Backward0", np.log1p: "Log1PBackward0", np.unique: "Unique2Backward0",
    np.inner: "ViewBackward0", np.tensordot: "ViewBackward0", np.kron: "UnsafeViewBackward0", np.einsum: "ViewBackward0",
}
for _fn, _name in _NAMES.items():
    node_name(_fn, _name)
for _fn, _name in ((np.std, "StdBackward0"), (np.var, "VarBackward0")):
    node_name(_fn, _name, ddof="correction")
