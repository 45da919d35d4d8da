"""What the functions and distributions of scipy.stats are to a derivative."""
from __future__ import annotations

from .namespace import Namespace

_CONTINUOUS = """
    anglit arcsine beta betaprime burr12 cauchy chi chi2 cosine erlang expon exponnorm f fisk gamma genextreme gengamma gennorm genpareto
    gibrat gompertz gumbel_l gumbel_r halfcauchy halflogistic halfnorm hypsecant invgamma invgauss laplace levy loggamma logistic lognorm
    loguniform lomax maxwell moyal nakagami norm pareto powerlaw rayleigh reciprocal rice semicircular skewnorm t triang truncnorm uniform
    weibull_max weibull_min
"""
_DISCRETE = "bernoulli binom geom nbinom planck poisson"
_MASSES = "betabinom dlaplace logser zipf"
_OBJECT = "figures of a distribution (moments, fits, intervals) have no derivative here; its densities and distribution functions have"
_DRAWS = "rvs"
_FITS = "generic_moment support vecentropy expect nnlf fit fit_loc_scale interval moment entropy mean median std var stats random_state"


def _distribution(name: str, differentiable: str, others: str = "") -> Namespace:
    """The methods of one distribution."""
    return Namespace(f"scipy.stats.{name}", differentiable=f"{differentiable} freeze", random=_DRAWS,
                     missing={_OBJECT: f"{_FITS} {others}"})


NAMESPACES = (
    Namespace(
        "scipy.stats",
        differentiable=f"""
            boxcox_llf entropy gmean gstd gzscore hmean kurtosis moment pmean sem skew variation zmap zscore
            {_CONTINUOUS} {_DISCRETE} {_MASSES} vonmises
        """,
        handled="dirichlet multivariate_normal multivariate_t",
        constant="percentileofscore rankdata tiecorrect",
        structural="BootstrapMethod MonteCarloMethod PermutationMethod rv_continuous rv_discrete",
        random="""
            bootstrap monte_carlo_test multinomial multivariate_hypergeom ortho_group permutation_test random_correlation random_table
            special_ortho_group uniform_direction unitary_group dirichlet_multinomial
        """,
        missing={
            "no derivative of the densities of this distribution has been written": """
                alpha argus betanbinom boltzmann bradford burr crystalball dgamma dpareto_lognorm dweibull exponpow exponweib
                fatiguelife foldcauchy foldnorm gausshyper genexpon genhalflogistic genhyperbolic geninvgauss genlogistic
                halfgennorm hypergeom invweibull irwinhall jf_skew_t johnsonsb johnsonsu kappa3 kappa4 ksone kstwo kstwobign
                landau laplace_asymmetric levy_l levy_stable loglaplace mielke ncf nchypergeom_fisher nchypergeom_wallenius nct
                ncx2 nhypergeom norminvgauss pearson3 poisson_binom powerlognorm powernorm randint rdist recipinvgauss
                rel_breitwigner skellam skewcauchy studentized_range trapezoid truncexpon truncpareto truncweibull_min
                tukeylambda vonmises_line wald wrapcauchy yulesimon zipfian
            """,
            "no derivative of this density has been written":
                "invwishart matrix_normal matrix_t normal_inverse_gamma vonmises_fisher wishart",
            "the new distribution objects are not followed: use the distributions in lower case":
                "Binomial Covariance Logistic Mixture Normal Uniform abs exp log make_distribution order_statistic truncate",
            "no derivative of this statistic has been written; write it with NumPy":
                """bayes_mvs boxcox boxcox_normmax chatterjeexi circmean circstd circvar describe differential_entropy directional_stats
                expectile gaussian_kde iqr kstat kstatvar linregress lmoment median_abs_deviation mvsdist obrientransform pearsonr
                pointbiserialr ppcc_max quantile scoreatpercentile siegelslopes sigmaclip sobol_indices theilslopes tmax tmean tmin trim1
                trim_mean trimboth tsem tstd tvar wasserstein_distance wasserstein_distance_nd energy_distance yeojohnson yeojohnson_llf
                yeojohnson_normmax power_divergence spearmanr spearmanrho somersd kendalltau weightedtau binned_statistic
                binned_statistic_2d binned_statistic_dd cumfreq mode relfreq""",
        },
        refused={
            "it tests a hypothesis: the statistic may have a derivative, which is not followed": """
                alexandergovern anderson anderson_ksamp ansari barnard_exact bartlett binomtest boschloo_exact brunnermunzel bws_test
                chi2_contingency chisquare combine_pvalues cramervonmises cramervonmises_2samp dunnett epps_singleton_2samp f_oneway
                false_discovery_control fisher_exact fligner friedmanchisquare goodness_of_fit jarque_bera kruskal ks_1samp ks_2samp kstest
                kurtosistest levene logrank mannwhitneyu median_test mood multiscale_graphcorr normaltest page_trend_test
                poisson_means_test power quantile_test ranksums shapiro skewtest ttest_1samp ttest_ind ttest_ind_from_stats ttest_rel
                tukey_hsd wilcoxon
            """,
            "it makes an object that the compiler does not look into": "CensoredData ecdf fit rv_histogram",
            "it draws": "boxcox_normplot ppcc_plot probplot yeojohnson_normplot",
            "it runs SciPy's own tests": "test",
        },
    ),
    *(_distribution(name, "cdf isf logcdf logpdf logsf pdf ppf sf") for name in _CONTINUOUS.split()),
    *(_distribution(name, "cdf logcdf logpmf logsf pmf sf", "isf ppf") for name in _DISCRETE.split()),
    *(_distribution(name, "logpmf pmf", "cdf isf logcdf logsf ppf sf") for name in _MASSES.split()),
    _distribution("vonmises", "logpdf pdf", "cdf isf logcdf logsf ppf sf"),
)
