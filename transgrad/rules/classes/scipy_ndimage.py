"""Classification of the functions of scipy.ndimage."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.ndimage",
    differentiable="""
        affine_transform black_tophat center_of_mass convolve convolve1d correlate correlate1d distance_transform_bf distance_transform_edt
        extrema fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform gaussian_filter gaussian_filter1d
        gaussian_gradient_magnitude gaussian_laplace generic_filter generic_filter1d generic_gradient_magnitude generic_laplace
        geometric_transform grey_closing grey_dilation grey_erosion grey_opening labeled_comprehension laplace map_coordinates maximum
        maximum_filter maximum_filter1d mean median median_filter minimum minimum_filter minimum_filter1d morphological_gradient
        morphological_laplace percentile_filter prewitt rank_filter rotate shift sobel spline_filter spline_filter1d standard_deviation
        sum sum_labels uniform_filter uniform_filter1d variance vectorized_filter white_tophat zoom
    """,
    constant="""
        binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss binary_opening binary_propagation
        distance_transform_cdt find_objects generate_binary_structure histogram
        iterate_structure label maximum_position minimum_position value_indices watershed_ift
    """,
    refused={"it runs SciPy's own tests": "test"},
),)
