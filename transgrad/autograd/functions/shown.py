"""The names of options in torch's nodes, if they differ from those in the rules (``""``: not shown)."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..facts import second_result, shape_of, shows, sizes, strides_of
from ..names import shown_as
from . import activations, affine, extrema, factors, gamma, norms, places, reflections, shape, transforms, windows

_HIDDEN = {"n": "", "norm": "", "s": "", "axes": "dim"}
_FIELDS: dict[Any, dict[str, str]] = {
    np.linalg.det: {"a": "A"}, np.linalg.solve: {"a": "A"}, np.linalg.inv: {"y": "inverse"}, np.linalg.lstsq: {"b": "b"},
    np.linalg.svdvals: {"x": "", "y": "S"}, np.linalg.pinv: {"rcond": "", "rtol": ""},
    np.nan_to_num: {"copy": "", "nan": "", "posinf": "", "neginf": ""},
    np.inner: {"a": "", "b": ""}, np.tensordot: {"a": "", "b": "", "axes": ""}, np.kron: {"a": "", "b": ""},
    np.einsum: {"args": "", "out": "", "dtype": ""}, np.fft.ihfft: {"n": "", "norm": "", "axis": ""},
    **dict.fromkeys((np.fft.fft, np.fft.ifft, np.fft.fftn, np.fft.ifftn, np.fft.rfft, np.fft.rfftn, np.fft.irfft, np.fft.hfft,
                     transforms.fft_r2c), _HIDDEN),
    windows.as_strided: {"offset": "storage_offset", "own": ""}, windows.as_strided_: {"offset": "storage_offset", "own": ""},
    windows.unfold: {"dim": "dimension"}, windows.block_diag: {"tensors": ""}, windows.constant_pad_nd: {"value": ""},
    affine.baddbmm: {"mat1": "batch1", "mat2": "batch2"},
    places.index_reduce: {"src": "source"}, factors.slogdet: {"a": "A"}, factors.solve_vectors: {"self": "A"},
    windows.as_strided_scatter: {"offset": "storage_offset"}, gamma.polygamma: {"n": "n"}, gamma.polygamma_of: {"n": "n"},
    extrema.kthvalue: {"k": ""}, extrema.topk: {"k": "", "largest": "", "sorted": ""}, reflections.householder_product: {"self": "input"},
    shape.narrow_copy: {"end": "", "step": ""}, shape.rot90: {"axes": "dims"}, shape.tril: {"k": "diagonal"}, shape.triu: {"k": "diagonal"},
    norms.renorm: {"axes": ""}, activations.rrelu: {"slopes": "noise"}, factors.linalg_cholesky: {"y": "L"},
    factors.triangular_solve: {"left": "", "y": "solution", "a": "A"},
}
for _fn, _fields in _FIELDS.items():
    shown_as(_fn, **_fields)
shows(affine.addmm, mat1_sym_sizes=shape_of(1), mat1_sym_strides=strides_of(1), mat2_sym_sizes=shape_of(2), mat2_sym_strides=strides_of(2))
shows(extrema.topk, indices=second_result, self_sym_sizes=sizes)
shows(extrema.cummax, extrema.cummin, indices=second_result)
shows(shape.narrow_copy, shape.unsafe_view, shape.squeeze_, self_sym_sizes=sizes)
