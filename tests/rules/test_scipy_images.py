"""scipy.ndimage: transposes by inner products in every mode and order, and what is done where elements are equal."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.ndimage as nd

import transgrad as tg
from transgrad.rules.scipy.ndimage import splines

MODES = ("constant", "grid-constant", "nearest", "mirror", "reflect", "grid-mirror", "wrap", "grid-wrap")
SHAPES = ((1,), (2,), (5,), (60,), (4, 3), (3, 4, 2))


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("mode", MODES)
def test_spline_filters_transposed(mode: str, order: int) -> None:
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        x, g = rng.normal(size=(2, *shape))
        for axis in range(len(shape)):
            left = np.sum(g * nd.spline_filter1d(x, order, axis, mode=mode))
            np.testing.assert_allclose(left, np.sum(x * splines.spline_back(g, order, axis, mode)), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("prefilter", (True, False))
@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("mode", MODES)
def test_interpolation_transposed(mode: str, order: int, prefilter: bool) -> None:
    """Also far outside of the image, and once differentiated; the values are SciPy's."""
    rng = np.random.default_rng(1)
    for shape in SHAPES:
        x, g = rng.normal(size=shape), rng.normal(size=60)
        places = np.stack([np.concatenate([rng.uniform(-20.0, 20.0, 30), rng.uniform(-1.0, n, 30)]) for n in shape])
        flat = (0,) * len(shape)
        y = splines.sampled(x, places, order, mode, 0.3, prefilter, flat)
        np.testing.assert_allclose(y, nd.map_coordinates(x, places, order=order, mode=mode, cval=0.3, prefilter=prefilter),
                                   rtol=1e-10, atol=1e-10)
        for bend in (flat, (1, *flat[1:]), (2,) * len(shape)):
            left = np.sum(g * splines.sampled(x, places, order, mode, 0.0, prefilter, bend))
            right = np.sum(x * splines.unsampled(g, places, x, order, mode, prefilter, bend))
            np.testing.assert_allclose(left, right, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("f", "want"), [
    (lambda x: nd.maximum_filter(x, 3)[2], [0, 1, 0, 0, 0]),            # the first of the equal elements of a window
    (lambda x: nd.minimum_filter(x, 3)[3], [0, 0, 0, 0, 1]),
    (lambda x: nd.median_filter(x, 3)[2], [0, 1, 0, 0, 0]),
    (lambda x: nd.grey_dilation(x, structure=np.zeros(3))[2], [0, 1, 0, 0, 0]),
    (lambda x: nd.maximum(x, np.array([1, 1, 1, 2, 2]), [1])[0], [0, 1, 0, 0, 0]),
    (lambda x: nd.maximum(x), [0, 1, 0, 0, 0]),
    (lambda x: nd.median(x), [0, 1, 0, 0, 0]),
    (lambda x: nd.minimum_filter(x, 3, mode="constant", cval=-5.0)[0], [0, 0, 0, 0, 0]),        # the constant outside is chosen
])
def test_ties(f: Callable[[Any], Any], want: list[int]) -> None:
    x = np.array([1.0, 2.0, 2.0, 2.0, 0.5])
    np.testing.assert_array_equal(tg.grad(f)(x), want)


def test_slopes_at_elements() -> None:
    """Of straight lines the slope to the right, at the last element that to the left."""
    x = np.array([1.0, 3.0, 2.0])
    slope = tg.grad(lambda at: np.sum(nd.map_coordinates(x, at, order=1)))(np.array([[0.0, 1.0, 2.0]]))
    np.testing.assert_allclose(slope, [[2.0, -1.0, -1.0]])


def test_gradient_of_what_is_flat() -> None:
    assert not np.any(tg.grad(lambda x: np.sum(nd.gaussian_gradient_magnitude(x, 1.0)))(np.ones((4, 5))))


def test_output_is_refused() -> None:
    out = np.empty((4, 5))
    with pytest.raises(tg.UnsupportedCall, match="output="):
        tg.grad(lambda x: np.sum(nd.median_filter(x, 3, output=out)), fallback="error")(np.ones((4, 5)))
