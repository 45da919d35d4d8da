"""The functions that are tried: where they are, what they are given, and how their result becomes one number."""
from __future__ import annotations

import numpy as np

from . import (
    air_and_vectors,
    engineering,
    fields,
    functions_to_minimise,
    further_fields,
    geometry,
    ground_and_sky,
    models,
    natural_sciences,
    noise_and_motion,
)
from .entry import Entry
from .entry import entry as _e

__all__ = ["ENTRIES", "Entry"]


_X = np.array([0.6, -0.8, 1.7, 0.35])
_Y = np.array([0.3, 1.9, -0.2, 1.1])
_CASH = np.array([-100.0, 39.0, 59.0, 55.0, 20.0])
_SPD = np.array([[2.0, 0.3], [0.3, 1.5]])
_F = np.array([[1.0, 0.1], [0.0, 1.0]])
_H = np.array([[1.0, 0.5]])
_ANGLES = np.array([0.3, 1.2, 2.1, 0.9])
_LAB = np.array([40.0, 20.0, -15.0])
_U = np.linspace(0.0, 10.0, 11)
_T, _P = 320.0, 2.0e5

ENTRIES: tuple[Entry, ...] = (
    # Finance
    _e("numpy_financial:fv", 0.05, 10.0, -100.0, -250.0),
    _e("numpy_financial:pv", 0.05, 10.0, -100.0, 15692.93),
    _e("numpy_financial:pmt", 0.075, 15.0, 200000.0),
    _e("numpy_financial:nper", 0.007, -150.0, 8000.0),
    _e("numpy_financial:ipmt", 0.01, 3, 24, 2500.0, reduce="np.sum(r)", wrt=(0, 3)),
    _e("numpy_financial:ppmt", 0.01, 3, 24, 2500.0, reduce="np.sum(r)", wrt=(0, 3)),
    _e("numpy_financial:rate", 10, 0.0, -3500.0, 10000.0, wrt=(2, 3), step=1e-2),
    _e("numpy_financial:npv", 0.08, _CASH),
    _e("numpy_financial:irr", _CASH, step=1e-2),
    _e("numpy_financial:mirr", _CASH, 0.1, 0.12),
    _e("vollib.black_scholes:black_scholes", "c", 100.0, 90.0, 0.5, 0.01, 0.2),
    # Test functions of optimisation
    *(_e(f"opfunu.utils.operator:{name}", _X) for name in (
        "griewank_func", "rosenbrock_func", "rastrigin_func", "ackley_func", "sphere_func", "elliptic_func",
        "bent_cigar_func", "discus_func", "different_powers_func", "happy_cat_func", "hgbat_func", "zakharov_func", "levy_func",
        "schwefel_12_func", "expanded_schaffer_f6_func", "schaffer_f7_func", "lunacek_bi_rastrigin_func", "modified_schwefel_func",
        "grie_rosen_cec_func", "inverse_hilbert_func",
    )),
    _e("opfunu.utils.operator:lennard_jones_func", np.array([0.0, 0.1, 0.2, 1.1, 0.3, -0.2, 0.4, 1.3, 0.9])),
    _e("opfunu.name_based:Beale().evaluate", np.array([1.2, 0.4])),
    _e("opfunu.name_based:Michalewicz().evaluate", np.array([1.2, 0.4])),
    # Filtering
    _e("filterpy.kalman:predict", _X[:2], _SPD, _F, 0.01 * np.eye(2), reduce="np.sum(r[0]) + np.sum(r[1] ** 2)"),
    _e("filterpy.kalman:update", _X[:2], _SPD, np.array([0.7]), np.array([[0.4]]), _H, reduce="np.sum(r[0]) + np.sum(r[1] ** 2)"),
    _e("filterpy.stats:gaussian", 1.2, 0.7, 1.9),
    _e("filterpy.stats:mahalanobis", _X[:2], _Y[:2], _SPD),
    _e("filterpy.stats:multivariate_multiply", _X[:2], _SPD, _Y[:2], 2.0 * _SPD, reduce="np.sum(r[0]) + np.sum(r[1] ** 2)"),
    _e("filterpy.stats:mul", 1.2, 0.7, 1.9, 0.4, reduce="r[0] * r[1]"),
    _e("filterpy.common:Q_discrete_white_noise", 3, 0.7, 1.4, reduce="np.sum(r ** 2)"),
    _e("filterpy.common:Q_continuous_white_noise", 2, 0.7, 1.4, reduce="np.sum(r ** 2)"),
    _e("filterpy.kalman:MerweScaledSigmaPoints(2, .1, 2., 1.).sigma_points", _X[:2], _SPD, reduce="np.sum(r ** 2)"),
    # Fluid mechanics and heat transfer
    _e("fluids.core:Reynolds", 2.5, 0.25, 1.1613, 1.9e-5, step=1e-7, reduce="r * 1e-5"),
    _e("fluids.core:gravity", 55.0, 1e4, wrt=(0,)),
    _e("fluids.friction:Clamond", 1e5, 1e-4, wrt=(0,), step=10.0, reduce="r * 1e3"),
    _e("fluids.friction:Colebrook", 1e5, 1e-4, wrt=(0,), step=10.0, reduce="r * 1e3"),
    _e("fluids.friction:friction_factor", 2.9e5, 1e-3, wrt=(0,), step=10.0, reduce="r * 1e3"),
    _e("fluids.two_phase_voidage:Xu_Fang_voidage", 0.4, 800.0, 2.5, 1.0, 0.3),
    _e("fluids.two_phase_voidage:Rouhani_1", 0.4, 800.0, 2.5, 0.02, 1.0, 0.3),
    _e("fluids.two_phase_voidage:Lockhart_Martinelli_Xtt", 0.12, 915.0, 2.67, 180e-6, 14e-6, wrt=(0, 1, 2)),
    _e("fluids.drag:Barati", 200.0),
    _e("fluids.drag:Rouse", 200.0),
    _e("fluids.fittings:contraction_sharp", 0.5, 0.4),
    _e("fluids.compressible:isentropic_work_compression", 300.0, 1.4, 1.0, None, 1e5, 5e5, 0.78, wrt=(0, 1, 2)),
    _e("ht.conv_internal:turbulent_Gnielinski", 1e5, 1.2, 0.0185, step=1e-5, wrt=(1, 2)),
    _e("ht.conv_external:Nu_cylinder_Churchill_Bernstein", 6071.0, 0.7),
    _e("ht.hx:effectiveness_from_NTU", 5.0, 0.7, "counterflow"),
    _e("ht.core:LMTD", 100.0, 60.0, 30.0, 40.2),
    _e("ht.conduction:R_cylinder", 0.9, 1.0, 20.0, 10.0, reduce="r * 1e3"),
    # Chemistry
    _e("chemicals.vapor_pressure:Antoine", 100.0, 8.7687, 395.744, -6.469),
    _e("chemicals.vapor_pressure:Lee_Kesler", 347.2, 617.1, 36e5, 0.299, wrt=(0, 1, 3), reduce="r * 1e-4"),
    _e("chemicals.heat_capacity:Poling", 300.0, 3.539, -0.261e-3, 0.007e-5, 0.157e-8, -0.099e-11, wrt=(0, 1)),
    _e("chemicals.rachford_rice:flash_inner_loop", [0.5, 0.3, 0.2], [1.685, 0.742, 0.532], wrt=(0, 1), reduce="r[0]"),
    _e("chemicals.viscosity:Letsou_Stiel", 400.0, 46.07, 516.25, 6.383e6, 0.6371, wrt=(0, 1, 2, 4), reduce="r * 1e4"),
    _e("chemicals.interface:Brock_Bird", 293.15, 404.75, 633.0, 4530000.0, wrt=(0, 1, 2), reduce="r * 1e3"),
    _e("chemicals.volume:Rackett", 272.03889, 369.83, 4248000.0, 0.2763, wrt=(0, 1, 3), reduce="r * 1e4"),
    _e("chemicals.iapws:iapws95_Psat", 400.0, reduce="r * 1e-5"),
    # Sun and weather
    _e("pvlib.irradiance:aoi", 20.0, 180.0, 35.0, 150.0),
    _e("pvlib.irradiance:haydavies", 30.0, 180.0, 120.0, 700.0, 1366.0, 40.0, 160.0),
    _e("pvlib.irradiance:perez", 30.0, 180.0, 120.0, 700.0, 1366.0, 40.0, 160.0, 1.3),
    _e("pvlib.pvsystem:calcparams_desoto", 800.0, 45.0, 0.0045, 1.5, 8.2, 1e-9, 300.0, 0.3, wrt=(0, 1), reduce="r[0] + r[3]"),
    _e("pvlib.singlediode:bishop88", 0.5, 8.0, 1e-9, 0.3, 300.0, 1.5, wrt=(0, 1, 3), reduce="r[2]"),
    _e("pvlib.atmosphere:get_relative_airmass", 50.0, "kastenyoung1989"),
    _e("pvlib.atmosphere:alt2pres", 1200.0, reduce="r * 1e-3"),
    _e("pvlib.temperature:sapm_cell", 800.0, 20.0, 3.0, -3.47, -0.0594, 3.0),
    _e("pvlib.iam:physical", 40.0),
    _e("pvlib.solarposition:solar_zenith_analytical", 0.7, 0.3, 0.2),
    _e("pvlib.pvsystem:pvwatts_losses", 2.0, 3.0, 1.0),
    # Colour
    _e("colour.models:XYZ_to_Lab", np.array([0.2065, 0.1220, 0.0514]), reduce="np.sum(r * np.array([1.0, 2.0, 3.0]))"),
    _e("colour.models:XYZ_to_xyY", np.array([0.2065, 0.1220, 0.0514]), reduce="np.sum(r ** 2)"),
    _e("colour.models:XYZ_to_Oklab", np.array([0.2065, 0.1220, 0.0514]), reduce="np.sum(r ** 2)"),
    _e("colour.models:eotf_sRGB", np.array([0.2, 0.5, 0.02]), reduce="np.sum(r ** 2)"),
    _e("colour.difference:delta_E_CIE2000", _LAB, _LAB + np.array([3.0, -7.0, 4.0])),
    _e("colour.difference:delta_E_CIE1994", _LAB, _LAB + np.array([3.0, -7.0, 4.0])),
    _e("colour.temperature:CCT_to_uv_Krystek1985", 6504.0, reduce="np.sum(r) * 1e3", step=1.0),
    # Economics
    _e("quantecon:gini_coefficient", np.array([1.0, 2.5, 0.7, 4.0])),
    _e("quantecon:lorenz_curve", np.array([1.0, 2.5, 0.7, 4.0]), reduce="np.sum(r[1])"),
    _e("quantecon:shorrocks_index", np.array([[0.7, 0.3], [0.4, 0.6]])),
    _e("quantecon:solve_discrete_lyapunov", 0.3 * _SPD, _SPD, reduce="np.sum(r)"),
    _e("quantecon:solve_discrete_riccati", _F, np.array([[0.0], [0.1]]), _SPD, np.array([[1.0]]), wrt=(0, 2), reduce="np.sum(r)"),
    _e("quantecon:var_quadratic_sum", 0.4 * _SPD, _SPD, np.eye(2), 0.9, _X[:2], wrt=(0, 1, 4)),
    # Statistics
    _e("pingouin:circ_mean", _ANGLES),
    _e("pingouin:circ_r", _ANGLES),
    _e("pingouin:circ_corrcc", _ANGLES, _ANGLES[::-1] * 0.9, reduce="r[0]"),
    _e("pingouin:compute_effsize", _X, _Y),
    _e("pingouin:convert_effsize", 0.45, "cohen", "pointbiserialr"),
    _e("pingouin:compute_effsize_from_t", 2.3, 20, 22),
    # Fuzzy logic
    _e("skfuzzy:gaussmf", _U, 5.0, 1.7, reduce="np.sum(r ** 2)", wrt=(1, 2)),
    _e("skfuzzy:gbellmf", _U, 2.2, 1.5, 4.9, reduce="np.sum(r ** 2)", wrt=(1, 2, 3)),
    _e("skfuzzy:sigmf", _U, 5.0, 0.7, reduce="np.sum(r ** 2)"),
    _e("skfuzzy:trapmf", _U, np.array([1.2, 3.3, 5.4, 8.6]), reduce="np.sum(r ** 2)", wrt=(1,)),
    _e("skfuzzy:smf", _U, 1.3, 8.9, reduce="np.sum(r ** 2)", wrt=(1, 2)),
    _e("skfuzzy:centroid", _U, np.exp(-(_U - 4.0) ** 2)),
    # Geodesy
    _e("geographiclib.geodesic:Geodesic.WGS84.Inverse", 40.6, -73.8, 51.6, -0.5, reduce='r["s12"] * 1e-5'),
    _e("geographiclib.geodesic:Geodesic.WGS84.Direct", 40.6, -73.8, 45.0, 1e6, wrt=(0, 1, 2), reduce='r["lat2"] + r["lon2"]'),
    _e("geographiclib.geomath:Math.atan2d", 0.7, 1.1),
)
ENTRIES += natural_sciences.ENTRIES + geometry.ENTRIES + functions_to_minimise.ENTRIES + models.ENTRIES + fields.ENTRIES + engineering.ENTRIES
ENTRIES += further_fields.ENTRIES + ground_and_sky.ENTRIES + air_and_vectors.ENTRIES + noise_and_motion.ENTRIES
