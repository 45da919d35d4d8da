"""Helpers that generated code calls where types leave a decision to run time; each needs only NumPy and its siblings."""
from .accumulate import add, add_at, add_into, gradient_like, zeros_alike, zeros_of
from .broadcast import cofactor, fit, unbroadcast
from .containers import (
    containers_of,
    inserted_at,
    items_like,
    own_items,
    put_back,
    shares_of_sum,
    sorted_like,
    split_blocks,
    split_like,
    stacked,
    sum_repeats,
    take_items,
    unsorted,
)
from .cross import cross
from .examples import axis_moved, repeated
from .factors import of_rank, of_square, of_tall
from .guards import check_broadcast, check_product
from .kinks import divisor
from .masks import kept_where, share_of_larger, share_of_smaller
from .numbers import conjugated, in_dtype_of, real_power
from .objects import attribute_of, clear_attribute, object_shadow
from .one_number import one_number
from .products import cumprod_slope, cumprod_slope_back, product_slope
from .quantiles import median_weights, quantile_weights
from .random_state import random_state, set_random_state
from .sampling import gradient_pullback
from .scatter import fold_pad, gather_written, place_diagonal, scatter, scatter_along, scatter_written
from .schedule import binomial_middle, binomial_stretch, taken
from .special import bessel_i1, digamma, trigamma
from .stretch import borrowed, fold_back, room_for, stretched
from .triangular import inverse_of_lower, lower_half, product_of_triangles
from .unchanged import unchanged
from .views import give_back, lying_as, shadow_of_view, tangent_of_view
from .weights import (
    cumprod_pullback,
    cumprod_pushforward,
    others_product,
    others_product_pullback,
    running_source,
)

__all__ = [
    "add", "add_at", "add_into", "attribute_of", "axis_moved", "bessel_i1", "binomial_middle", "binomial_stretch", "borrowed",
    "check_broadcast", "check_product", "clear_attribute", "cofactor", "conjugated", "containers_of", "cross", "cumprod_pullback",
    "cumprod_pushforward", "cumprod_slope", "cumprod_slope_back", "digamma", "divisor", "fit", "fold_back", "fold_pad",
    "gather_written", "give_back", "gradient_like", "gradient_pullback", "in_dtype_of", "inserted_at", "inverse_of_lower",
    "items_like", "kept_where", "lower_half", "lying_as", "median_weights", "object_shadow", "of_rank", "of_square", "of_tall",
    "one_number", "others_product", "others_product_pullback", "own_items", "place_diagonal", "product_of_triangles",
    "product_slope", "put_back", "quantile_weights", "random_state", "real_power", "repeated", "room_for", "running_source",
    "scatter", "scatter_along", "scatter_written", "set_random_state", "shadow_of_view", "share_of_larger", "share_of_smaller",
    "shares_of_sum", "sorted_like", "split_blocks", "split_like", "stacked", "stretched", "sum_repeats", "take_items", "taken",
    "tangent_of_view", "trigamma", "unbroadcast", "unchanged", "unsorted", "zeros_alike", "zeros_of",
]
