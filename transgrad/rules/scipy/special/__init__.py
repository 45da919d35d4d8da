"""scipy.special, by family."""
from . import (  # noqa: F401
    airy,
    bessel,
    distributions,
    elliptic,
    errors,
    gamma,
    hypergeometric,
    incomplete,
    logistic,
    orders,
    pairs,
    polynomials,
    simple,
    softmax,
    spherical,
)
