"""What the functions of scipy.ndimage are to a derivative."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.ndimage",
    differentiable="""
        convolve convolve1d correlate correlate1d gaussian_filter gaussian_filter1d gaussian_laplace laplace map_coordinates mean prewitt
        sobel
        standard_deviation sum sum_labels uniform_filter uniform_filter1d variance
    """,
    constant="""
        binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss binary_opening binary_propagation
        distance_transform_cdt find_objects generate_binary_structure histogram
        iterate_structure label maximum_position minimum_position value_indices watershed_ift
    """,
    missing={
        "write it with gaussian_filter and NumPy": "gaussian_gradient_magnitude",
        "use map_coordinates with order=1, which has a derivative":
            "affine_transform geometric_transform rotate shift spline_filter spline_filter1d zoom",
        "no derivative of filters by rank has been written: use numpy.lib.stride_tricks.sliding_window_view and numpy.max":
            """black_tophat grey_closing grey_dilation grey_erosion grey_opening maximum_filter maximum_filter1d median_filter
            minimum_filter minimum_filter1d morphological_gradient morphological_laplace percentile_filter rank_filter white_tophat""",
        "its distances change with sampling, which has no derivative here": "distance_transform_bf distance_transform_edt",
        "use NumPy's functions, with a mask for labels": "center_of_mass extrema labeled_comprehension maximum median minimum",
        "it is linear in the spectrum, but no derivative has been written":
            "fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform",
        "the filter is given as a Python function": "generic_filter generic_filter1d generic_gradient_magnitude generic_laplace "
                                                    "vectorized_filter",
    },
    refused={"it runs SciPy's own tests": "test"},
),)
