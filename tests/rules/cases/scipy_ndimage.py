"""scipy.ndimage."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from transgrad.rules.installed import at_least, installed

from .forms import Case, case, cplx, distinct, positive, real

_MODES = ("reflect", "constant", "nearest", "mirror", "wrap")


def cases() -> Iterator[Case]:
    import scipy.ndimage as nd
    yield from correlations(nd)
    yield from smoothing(nd)
    yield from ranks(nd)
    yield from morphology(nd)
    yield from resampling(nd)
    yield from fourier(nd)
    yield from measurements(nd)
    yield from functions(nd)


def correlations(nd: Any) -> Iterator[Case]:
    from transgrad.rules.scipy.ndimage import correlation
    for fn in (nd.convolve, nd.correlate):
        for mode in _MODES:
            yield case(fn, real(5, 6), real(3, 2), mode=mode)
        yield case(fn, real(6), real(3), mode="constant", cval=1)
        yield case(fn, real(5, 6), real(3, 2), origin=(1, 0))
        if at_least("scipy", 1, 15):
            yield case(fn, real(3, 4, 5), real(3), axes=1)
            yield case(fn, real(3, 4, 5), real(3, 2), axes=(2, 0), origin=-1)
        yield case(fn, real(3, 4), [[1.0, 2.0], [0.0, -1.0]], fixed=(1,))
        yield case(fn, cplx(5), cplx(3))
        yield case(fn, real(2, 3), real(7, 6))
        yield case(fn, real(0, 3), real(2, 2))
    for fn in (nd.convolve1d, nd.correlate1d):
        yield from (case(fn, real(5, 6), real(n), axis=a) for n in (2, 3) for a in (0, -1))
        yield case(fn, cplx(5), cplx(3), origin=1)
        yield case(fn, real(5), [1, 0, -1])
    yield case(correlation.correlate_back, real(4, 5), real(3, 2), "mirror")
    yield case(correlation.correlate1d_back, real(4, 5), real(3), 0)
    yield case(correlation.correlate_masks, real(4, 5), real(4, 5), real(3, 2), "mirror")
    yield case(correlation.correlate1d_masks, real(4, 5), real(4, 5), real(3), 0)


def smoothing(nd: Any) -> Iterator[Case]:
    yield from (case(nd.uniform_filter1d, real(5, 6), n, axis=0) for n in (2, 3))
    yield case(nd.uniform_filter, real(5, 6), 3)
    yield case(nd.uniform_filter, real(5, 6), (3, 2), mode=("nearest", "wrap"), origin=(1, 0))
    yield case(nd.uniform_filter, real(4, 5, 3), 2, axes=(0, 2))
    yield from (case(nd.gaussian_filter1d, real(9), 0.9, order=k) for k in range(5))
    yield case(nd.gaussian_filter1d, real(9), 0.9, radius=2)
    yield case(nd.gaussian_filter, real(9, 8), 0.9, mode="nearest")
    yield case(nd.gaussian_filter, real(6, 7), np.array([0.8, 1.3]), order=(1, 0), mode=("wrap", "mirror"), truncate=3)
    yield case(nd.gaussian_filter, real(4, 5, 6), 0.7, axes=(1, 2), radius=(1, 2))
    yield from (case(fn, real(4, 5), axis=0) for fn in (nd.sobel, nd.prewitt))
    yield case(nd.sobel, real(4, 5), mode=("wrap", "nearest"))
    yield case(nd.laplace, real(4, 5))
    if at_least("scipy", 1, 15):
        yield case(nd.laplace, real(4, 5, 3), axes=(0, 2), mode="nearest")
    yield case(nd.gaussian_laplace, real(7, 8), 0.8)
    yield case(nd.gaussian_laplace, real(5, 4), np.array([0.8, 1.1]), mode="wrap", truncate=2)
    yield case(nd.gaussian_gradient_magnitude, real(6, 7), 0.8)
    yield case(nd.gaussian_gradient_magnitude, real(6, 7), np.array([0.8, 1.1]), mode=("wrap", "nearest"))


CROSS = np.array([[False, True, False], [True, True, True], [False, True, True]])


def ranks(nd: Any) -> Iterator[Case]:
    for fn in (nd.minimum_filter, nd.maximum_filter, nd.median_filter):
        for mode in _MODES:
            yield case(fn, distinct(5, 6), 3, mode=mode, cval=-9)
        yield case(fn, distinct(5, 6), (2, 3), origin=(0, 1))
        yield case(fn, distinct(5, 6), footprint=CROSS)
        yield case(fn, distinct(3, 4, 3), 2, axes=(0, 2))
        yield case(fn, distinct(7), 3)
        yield case(fn, distinct(6).astype(np.float32), 3)
    for fn in (nd.minimum_filter1d, nd.maximum_filter1d):
        yield case(fn, distinct(5, 6), 3, axis=0)
        yield case(fn, distinct(5, 6), 4, origin=1, mode="constant", cval=1)
    for rank in (0, 2, -1):
        yield case(nd.rank_filter, distinct(5, 4), rank, 2)
        yield case(nd.rank_filter, distinct(5, 4), rank, footprint=CROSS)
    yield from (case(nd.percentile_filter, distinct(5, 4), q, 3, fixed=(1,)) for q in (0, 35, -20, 100))


def morphology(nd: Any) -> Iterator[Case]:
    bump = np.array([[0.1, -0.2, 0.15], [0.3, 0.4, 0.05]])
    for fn in (nd.grey_erosion, nd.grey_dilation, nd.grey_opening, nd.grey_closing, nd.morphological_gradient, nd.morphological_laplace,
               nd.white_tophat, nd.black_tophat):
        yield case(fn, distinct(5, 6), 3)
        yield case(fn, distinct(5, 6), (2, 3), mode="nearest")
        yield case(fn, distinct(5, 6), footprint=CROSS)
    for fn in (nd.grey_erosion, nd.grey_dilation, nd.grey_opening, nd.morphological_gradient):
        yield case(fn, distinct(5, 6), structure=bump)
    yield case(nd.grey_erosion, distinct(3, 4, 2), structure=bump, axes=(0, 1))


def resampling(nd: Any) -> Iterator[Case]:
    from transgrad.rules.scipy.ndimage import splines
    places = np.array([[0.3, 2.6, 1.2], [0.4, 1.7, 3.3]])
    away = np.array([-7.3, -1.2, 0.4, 2.7, 4.2, 11.6])[None]
    for order in range(6):
        yield case(nd.map_coordinates, real(4, 5), places, order=order)
        yield case(nd.map_coordinates, real(4, 5), places, order=order, prefilter=False)
        yield from (case(nd.map_coordinates, real(5), away, order=order, mode=m, cval=0)
                    for m in (*_MODES, "grid-constant", "grid-mirror", "grid-wrap"))
    yield case(nd.map_coordinates, cplx(4, 5), places)
    yield case(nd.map_coordinates, real(4, 5).astype(np.float32), places)
    yield from (case(nd.spline_filter, real(4, 5), order, mode=m) for order in (2, 3, 4, 5) for m in ("mirror", "reflect", "grid-wrap"))
    yield case(nd.spline_filter1d, real(60), 5)
    yield case(nd.spline_filter1d, real(3, 4), 2, 0)
    turn = np.array([[0.91, 0.32], [-0.23, 1.07]])
    yield case(nd.affine_transform, real(4, 5), turn, np.array([0.13, -0.21]))
    yield case(nd.affine_transform, real(4, 5), turn, 0.13, output_shape=(3, 4), order=2, mode="nearest")
    yield case(nd.affine_transform, real(4, 5), np.array([0.7, 0.83]), np.array([0.1, 0.3]))
    yield case(nd.affine_transform, real(4, 5), np.array([[0.91, 0.32, 0.17], [-0.23, 1.07, 0.43]]), mode="wrap")
    yield case(nd.affine_transform, real(4, 5), np.array([[0.9, 0.3, 0.1], [-0.2, 1.1, 0.4], [0.0, 0.0, 1.0]]), fixed=(1,))
    yield case(nd.shift, real(4, 5), 0.37)
    yield case(nd.shift, real(4, 5), np.array([0.37, -1.21]), order=1, mode="wrap")
    yield case(nd.zoom, real(4, 5), 1.7, fixed=(1,))
    yield case(nd.zoom, real(4, 5), (2, 1), order=1, grid_mode=True, mode="nearest")
    yield case(nd.zoom, real(4, 5), 1.7, prefilter=False, mode="mirror", fixed=(1,))
    yield case(nd.rotate, real(4, 5), 23.0, reshape=False, mode="nearest")
    yield case(nd.rotate, real(4, 5), 23.0, order=2, mode="reflect")
    yield case(nd.rotate, real(3, 4, 2), 40.0, axes=(0, 1), reshape=False, order=1, mode="nearest")
    yield case(nd.geometric_transform, real(4, 5), moved)
    yield case(nd.geometric_transform, real(4, 5), moved, (3,), mode="nearest", extra_arguments=(0.4,), extra_keywords={"stretch": 1})
    yield case(splines.sampled, real(4, 5), places, 3, "mirror", 0, True, (1, 0))
    yield case(splines.unsampled, real(3), places, np.zeros((4, 5)), 3, "mirror", True, (1, 0), fixed=(2,))
    yield case(splines.spline_back, real(60), 3)


def moved(at: Any, by: float = 0.3, stretch: float = 0.7) -> Any:
    return (stretch * at[0] + by, at[-1] * 0.8 + 0.1 * at[0])


def fourier(nd: Any) -> Iterator[Case]:
    for fn, width in ((nd.fourier_gaussian, 1.3), (nd.fourier_uniform, 2.5), (nd.fourier_ellipsoid, 2.5), (nd.fourier_shift, 0.7)):
        yield case(fn, cplx(5), width)
        yield case(fn, cplx(4, 5), np.array([width, 0.8 * width]))
        yield case(fn, cplx(4, 3), width, 5)
        yield case(fn, real(4, 5), width)
    yield case(nd.fourier_ellipsoid, cplx(3, 4, 2), np.array([1.3, 2.0, 1.1]))


LABELS = np.array([[1, 1, 0, 2, 2], [1, 3, 3, 2, 0], [0, 3, 3, 3, 1]])


def measurements(nd: Any) -> Iterator[Case]:
    for fn in (nd.mean, nd.sum, nd.sum_labels, nd.variance, nd.standard_deviation, nd.minimum, nd.maximum, nd.median):
        x = distinct(3, 5)
        yield case(fn, x)
        yield case(fn, x, LABELS)
        yield case(fn, x, LABELS, 2)
        yield case(fn, x, LABELS, [3, 1, 2, 3])
        yield case(fn, x, LABELS, np.array([[3, 1]]))
        yield case(fn, distinct(5), LABELS, [2, 1])
    yield case(nd.extrema, distinct(3, 5))
    yield case(nd.extrema, distinct(3, 5), LABELS, 3)
    yield case(nd.center_of_mass, positive(3, 5))
    yield case(nd.center_of_mass, positive(3, 5), LABELS, 3)
    yield case(nd.center_of_mass, positive(3, 5), LABELS, [3, 1])
    yield case(nd.labeled_comprehension, real(3, 5), LABELS, [3, 1, 7], np.prod, float, 0)
    yield case(nd.labeled_comprehension, real(3, 5), LABELS, None, np.prod, float, 0)
    yield case(nd.labeled_comprehension, real(3, 5), LABELS, [3, 2], by_place, float, 0, pass_positions=True)
    spots = np.array([[0, 1, 1, 1, 0], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]])
    yield case(nd.distance_transform_edt, spots, np.array([0.7, 1.2]))
    yield case(nd.distance_transform_edt, spots, 0.7, return_indices=True)
    yield case(nd.distance_transform_bf, spots, "euclidean", np.array([0.7, 1.2]))


def by_place(values: Any, positions: Any) -> Any:
    return np.sum(values * positions)


def spread(window: Any, power: float = 2.0) -> Any:
    return np.sum((window - np.mean(window)) ** power)


def second_difference(input: Any, axis: Any, output: Any, mode: Any, cval: Any) -> Any:
    from scipy.ndimage import correlate1d
    return correlate1d(input, np.array([1.0, -2.0, 1.0]), axis, output, mode, cval, 0)


def halves(line: Any, out: Any) -> None:
    out[:] = 0.5 * line[:-2] ** 2 + line[2:]


def functions(nd: Any) -> Iterator[Case]:
    yield case(nd.generic_filter, real(3, 4), spread, 2)
    yield case(nd.generic_filter, real(3, 4), spread, footprint=CROSS, mode="constant", extra_keywords={"power": 4})
    yield case(nd.generic_filter1d, real(3, 5), halves, 3)
    yield case(nd.generic_filter1d, real(3, 5), halves, 3, axis=0, mode="constant", cval=1)
    yield case(nd.generic_laplace, real(4, 5), second_difference)
    yield case(nd.generic_gradient_magnitude, real(4, 5), nd.sobel, mode="nearest")
    if hasattr(nd, "vectorized_filter"):
        yield case(installed("scipy.ndimage.vectorized_filter"), real(4, 5), np.prod, size=(2, 3))
        yield case(installed("scipy.ndimage.vectorized_filter"), real(4, 5), np.mean, footprint=CROSS, mode="wrap")
