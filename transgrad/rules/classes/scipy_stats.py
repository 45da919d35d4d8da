"""Classification of the functions and distributions of scipy.stats."""
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
_NO_DENSITY = "SciPy computes the density piecewise or by an integral: use the distribution function, which has a derivative"


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
            alexandergovern anderson bartlett bayes_mvs binned_statistic binned_statistic_2d binned_statistic_dd binomtest boxcox boxcox_llf
            boxcox_normmax chi2_contingency chisquare circmean circstd circvar combine_pvalues cramervonmises cumfreq describe
            differential_entropy directional_stats energy_distance entropy epps_singleton_2samp expectile f_oneway false_discovery_control
            gaussian_kde gmean gstd gzscore hmean iqr jarque_bera ks_1samp kstat kstatvar kstest kurtosis kurtosistest levene linregress
            lmoment median_abs_deviation mode moment mvsdist normaltest obrientransform pearsonr pmean pointbiserialr power_divergence
            quantile quantile_test relfreq rv_histogram scoreatpercentile sem siegelslopes sigmaclip skew skewtest theilslopes tmax tmean
            tmin trim1 trim_mean trimboth tsem tstd ttest_1samp ttest_ind ttest_ind_from_stats ttest_rel tukey_hsd tvar variation
            wasserstein_distance wasserstein_distance_nd yeojohnson yeojohnson_llf yeojohnson_normmax zmap zscore
            Binomial Logistic Mixture Normal Uniform
            {_CONTINUOUS} {_WITHOUT_DENSITY} {_DISCRETE}
        """,
        handled="""dirichlet dirichlet_multinomial invwishart matrix_normal matrix_t multinomial multivariate_normal multivariate_t
            normal_inverse_gamma poisson_binom vonmises_fisher wishart""",
        constant="""
            percentileofscore rankdata tiecorrect chatterjeexi kendalltau somersd spearmanr spearmanrho weightedtau anderson_ksamp ansari
            brunnermunzel bws_test cramervonmises_2samp fligner friedmanchisquare kruskal ks_2samp logrank mannwhitneyu median_test mood
            page_trend_test ranksums wilcoxon
        """,
        structural="BootstrapMethod CensoredData MonteCarloMethod PermutationMethod rv_continuous rv_discrete",
        random="""
            bootstrap dunnett goodness_of_fit monte_carlo_test multiscale_graphcorr multivariate_hypergeom ortho_group permutation_test
            power random_correlation random_table special_ortho_group uniform_direction unitary_group
        """,
        missing={
            "its definition depends on the order of the sample: use scipy.stats.quantile": "estimated_cdf",
            "pass the matrix itself to multivariate_normal": "Covariance",
            "transformed random variables are not supported: use Normal, Uniform, Logistic or Binomial":
                "abs exp log order_statistic truncate",
            "the class that it makes is not supported: use the distribution in lower case": "make_distribution",
            "it is the solution of an optimization: minimize nnlf of the distribution with scipy.optimize, whose solution has a derivative":
                "fit",
            "it is a maximum of correlations over a family of distributions: minimize one minus scipy.stats.pearsonr of the sorted "
            "sample and the quantiles (ppf) with scipy.optimize.minimize_scalar, whose solution has a derivative": "ppcc_max",
            "its weights and its probability are polynomials that SciPy does not expose: use skewtest, kurtosistest or anderson":
                "shapiro",
            "the set of extreme tables depends on the parameters: sum the products of scipy.stats.poisson.pmf over your tables":
                "poisson_means_test",
            "it draws the points where it evaluates the function: evaluate it at your own points, and compare variances with numpy.var":
                "sobol_indices",
        },
        refused={
            "its table holds how often something was seen, which are whole numbers": "barnard_exact boschloo_exact fisher_exact",
            "its result is a step function, whose derivative is zero": "ecdf",
            "it makes a picture; the points in it are the sorted sample and the quantiles (ppf) of a distribution":
                "boxcox_normplot ppcc_plot probplot yeojohnson_normplot",
            "newer versions of SciPy lack it: use what its documentation names in its place":
                "find_repeats rvs_ratio_uniforms trapz",
            "it runs SciPy's own tests": "test",
        },
    ),
    *map(_continuous, _CONTINUOUS.split()),
    *(_continuous(name, density=False) for name in _WITHOUT_DENSITY.split()),
    *map(_discrete, _DISCRETE.split()),
)
