"""Properties of peaks, whose positions are constant."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition


def bases_of(x: Any, peaks: Any, wlen: Any) -> Any:
    """Where the lowest points beside peaks are."""
    _, left, right = sg.peak_prominences(x, peaks, wlen)
    return np.stack((left, right))


def crossings(x: Any, peaks: Any, rel_height: Any, wlen: Any) -> Any:
    """Between which samples a signal crosses the height at which peaks are measured."""
    left, right = sg.peak_widths(x, peaks, rel_height, None, wlen)[2:]
    return np.stack((np.floor(left).astype(int), np.ceil(right).astype(int)))


constant(bases_of, crossings)
SHAPES.update(dict.fromkeys((bases_of, crossings), lambda *args: Arr("int64", (ANY, ANY))))


@definition(sg.peak_prominences)
def peak_prominences(x: Any, peaks: Any, wlen: Any = None) -> Any:
    """The places of the bases are constant."""
    at = bases_of(x, peaks, wlen)
    return x[peaks] - np.maximum(x[at[0]], x[at[1]]), at[0], at[1]


@definition(sg.peak_widths)
def peak_widths(x: Any, peaks: Any, rel_height: Any = 0.5, prominence_data: Any = None, wlen: Any = None) -> Any:
    """The samples between which the height is crossed are constant."""
    at = bases_of(x, peaks, wlen)
    height = x[peaks] - rel_height * (x[peaks] - np.maximum(x[at[0]], x[at[1]]))
    near = crossings(x, peaks, rel_height, wlen)
    left, right = near[0], near[1]
    inner, outer = x[np.minimum(left + 1, x.shape[0] - 1)], x[right - 1]
    first = np.where(x[left] < height, left + (height - x[left]) / np.where(inner == x[left], 1.0, inner - x[left]), left)
    last = np.where(x[right] < height, right - (height - x[right]) / np.where(outer == x[right], 1.0, outer - x[right]), right)
    return last - first, height, first, last


def places_of_peaks(x: Any, height: Any, threshold: Any, distance: Any, prominence: Any, width: Any, wlen: Any, rel_height: Any,
                    plateau_size: Any) -> Any:
    """Where peaks are."""
    return sg.find_peaks(x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size)[0]


constant(places_of_peaks)
SHAPES[places_of_peaks] = lambda *args: Arr("int64", (ANY,))


@definition(sg.find_peaks)
def find_peaks(x: Any, height: Any = None, threshold: Any = None, distance: Any = None, prominence: Any = None, width: Any = None,
               wlen: Any = None, rel_height: Any = 0.5, plateau_size: Any = None) -> Any:
    """The places are constant; heights, thresholds, prominences and widths have a derivative."""
    at = places_of_peaks(x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size)
    said = {}
    if height is not None:
        said["peak_heights"] = x[at]
    if threshold is not None:
        said["left_thresholds"], said["right_thresholds"] = x[at] - x[at - 1], x[at] - x[at + 1]
    if prominence is not None or width is not None:
        said["prominences"], said["left_bases"], said["right_bases"] = peak_prominences(x, at, wlen)
    if width is not None:
        said["widths"], said["width_heights"], said["left_ips"], said["right_ips"] = peak_widths(x, at, rel_height, None, wlen)
    return at, said
