"""Classification of the functions of numpy.random and of the methods of its generators."""
from __future__ import annotations

from .namespace import Namespace

_SETTINGS = "the state of a generator is not a number"
_LEGACY = """
    beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric laplace logistic lognormal
    logseries multinomial multivariate_normal negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson
    power rand randint randn random random_integers random_sample rayleigh shuffle standard_cauchy standard_exponential
    standard_gamma standard_normal standard_t tomaxint triangular uniform vonmises wald weibull zipf
"""

NAMESPACES = (
    Namespace("numpy.random", random=f"{_LEGACY} ranf sample", structural="""
        BitGenerator Generator MT19937 PCG64 PCG64DXSM Philox RandomState SFC64 SeedSequence default_rng get_bit_generator get_state seed
        set_bit_generator set_state
    """, refused={"it runs NumPy's own tests": "test"}),
    Namespace("numpy.random.RandomState", random=_LEGACY, refused={_SETTINGS: "get_state seed set_state"}),
    Namespace("numpy.random.Generator", random=f"{_LEGACY} integers multivariate_hypergeometric permuted",
              refused={_SETTINGS: "bit_generator spawn"}),
)
