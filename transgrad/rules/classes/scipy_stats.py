"""What the functions and distributions of scipy.stats are to a derivative."""
from __future__ import annotations

from .namespace import Namespace

_CONTINUOUS = """
    alpha anglit arcsine argus beta betaprime bradford burr burr12 cauchy chi chi2 cosine crystalball dgamma dpareto_lognorm dweibull
    erlang expon exponnorm exponpow exponweib f fatiguelife fisk foldcauchy foldnorm gamma gausshyper genexpon genextreme gengamma
    genhalflogistic genhyperbolic geninvgauss genlogistic gennorm genpareto gibrat gompertz gumbel_l gumbel_r halfcauchy halfgennorm
    halflogistic halfnorm hypsecant invgamma invgauss invweibull irwinhall jf_skew_t johnsonsb johnsonsu kappa3 kappa4 kstwobign landau
    laplace laplace_asymmetric levy levy_l loggamma logistic loglaplace lognorm loguniform lomax maxwell mielke moyal nakagami ncf nct
    ncx2 norm norminvgauss pareto pearson3 powerlaw powerlognorm powernorm rayleigh rdist recipinvgauss reciprocal rel_breitwigner rice
    semicircular skewcauchy skewnorm t trapezoid triang truncexpon truncnorm truncpareto truncweibull_min tukeylambda uniform vonmises
    vonmises_line wald weibull_max weibull_min wrapcauchy
"""
_WITHOUT_DENSITY = "ksone kstwo studentized_range levy_stable"
_DISCRETE = """
    bernoulli betabinom betanbinom binom boltzmann dlaplace geom hypergeom logser nbinom nchypergeom_fisher nchypergeom_wallenius
    nhypergeom planck poisson randint skellam yulesimon zipf zipfian
"""
_OF_ALL = """
    cdf entropy expect freeze generic_moment interval isf logcdf logsf mean median moment nnlf ppf sf stats std support var vecentropy
"""
_NO_FIT = "it is the solution of an optimization: minimize nnlf, or the sum of logpdf, with scipy.optimize, whose solution has a derivative"
_NO_DENSITY = "SciPy has the density by pieces or by an integral, and nothing to make its derivative of: its distribution function has one"


def _continuous(name: str, density: bool = True) -> Namespace:
    """The methods of a continuous distribution."""
    return Namespace(f"scipy.stats.{name}", differentiable=f"{_OF_ALL} fit_loc_scale {'pdf logpdf' if density else ''}", random="rvs",
                     structural="random_state", missing={_NO_FIT: "fit"} | ({} if density else {_NO_DENSITY: "pdf logpdf"}))


def _discrete(name: str) -> Namespace:
    """The methods of a discrete distribution."""
    return Namespace(f"scipy.stats.{name}", differentiable=f"{_OF_ALL} pmf logpmf", random="rvs", structural="dist random_state")


NAMESPACES = (
    Namespace(
        "scipy.stats",
        differentiable=f"""
            boxcox boxcox_llf chisquare circmean circstd circvar combine_pvalues differential_entropy energy_distance entropy
            f_oneway gmean gstd gzscore hmean iqr jarque_bera kstat kstatvar kurtosis linregress median_abs_deviation moment
            pearsonr pmean pointbiserialr scoreatpercentile sem skew tmax tmean tmin trim_mean tsem tstd ttest_1samp ttest_ind
            ttest_ind_from_stats ttest_rel tvar variation wasserstein_distance yeojohnson yeojohnson_llf zmap zscore
            {_CONTINUOUS} {_WITHOUT_DENSITY} {_DISCRETE}
        """,
        handled="""dirichlet dirichlet_multinomial invwishart matrix_normal multinomial multivariate_normal multivariate_t
            normal_inverse_gamma wishart""",
        constant="""
            percentileofscore rankdata tiecorrect chatterjeexi kendalltau somersd spearmanr spearmanrho weightedtau ansari
            brunnermunzel cramervonmises_2samp friedmanchisquare kruskal ks_2samp mannwhitneyu mood page_trend_test ranksums
        """,
        structural="BootstrapMethod MonteCarloMethod PermutationMethod rv_continuous rv_discrete",
        random="""
            bootstrap monte_carlo_test multivariate_hypergeom ortho_group permutation_test random_correlation random_table
            special_ortho_group uniform_direction unitary_group
        """,
        missing={
            "its parameter is a vector of probabilities; use the sums of its moments, or the product of its generating function":
                "poisson_binom",
            "its density has no definition here: write it with scipy.special":
                "matrix_t vonmises_fisher",
            "the new distribution objects are not followed: use the distributions in lower case":
                "Binomial Covariance Logistic Mixture Normal Uniform abs exp log make_distribution order_statistic truncate",
            "SciPy computes it in ways that the compiler does not follow, and it has no definition here: write it with NumPy's functions":
                """bayes_mvs boxcox_normmax describe directional_stats
                expectile gaussian_kde lmoment mvsdist obrientransform
                 ppcc_max quantile siegelslopes sigmaclip sobol_indices theilslopes trim1
                 trimboth wasserstein_distance_nd
                yeojohnson_normmax power_divergence binned_statistic
                binned_statistic_2d binned_statistic_dd cumfreq mode relfreq""",
        },
        refused={
            "it tests a hypothesis: the statistic may have a derivative, which is not followed": """
                alexandergovern anderson anderson_ksamp barnard_exact bartlett binomtest boschloo_exact bws_test
                chi2_contingency cramervonmises dunnett epps_singleton_2samp
                false_discovery_control fisher_exact fligner goodness_of_fit ks_1samp kstest
                kurtosistest levene logrank median_test multiscale_graphcorr normaltest
                poisson_means_test power quantile_test shapiro skewtest
                tukey_hsd wilcoxon
            """,
            "it makes an object that the compiler does not look into": "CensoredData ecdf fit rv_histogram",
            "it draws": "boxcox_normplot ppcc_plot probplot yeojohnson_normplot",
            "it runs SciPy's own tests": "test",
        },
    ),
    *map(_continuous, _CONTINUOUS.split()),
    *(_continuous(name, density=False) for name in _WITHOUT_DENSITY.split()),
    *map(_discrete, _DISCRETE.split()),
)
