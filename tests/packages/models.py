"""Statistical models, control, tensors, optimal transport, meshes, astronomy: functions of packages that keep state in objects."""
from __future__ import annotations

import numpy as np

from .entry import Entry, entry

__all__ = ["ENTRIES"]

_RNG = np.random.default_rng(0)
_X = _RNG.normal(size=(4, 2))
_Y = _RNG.normal(size=(3, 2))
_V = np.array([0.3, -0.7, 1.2])
_A, _B = np.array([[0.0, 1.0], [0.0, -0.1]]), np.array([[0.0], [1.0]])
_T = _RNG.normal(size=(2, 3, 4))
_TRIANGLES = _RNG.normal(size=(4, 3, 3))
_COST = _RNG.uniform(0.2, 1.0, size=(5, 6))
_P, _Q = np.full(5, 0.2), np.full(6, 1 / 6)
_SPD = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.0]])
_DATA = "[0, 1, 1, 0], [[1, .2, .3], [1, .5, -.4], [1, -.6, .1], [1, .9, .8]]"

ENTRIES: tuple[Entry, ...] = (
    *(entry(f"statsmodels.api:{model}({_DATA}).loglike", _V) for model in ("Logit", "Probit", "Poisson", "OLS")),
    entry(f"statsmodels.api:GLM({_DATA}, family=families.Binomial()).loglike", _V),
    entry("statsmodels.genmod.families:Binomial().deviance", np.array([0.0, 1.0, 1.0]), np.array([0.3, 0.6, 0.8]), wrt=(1,)),
    entry("statsmodels.genmod.families:Gamma().loglike", np.array([0.5, 1.0, 2.0]), np.array([0.3, 0.6, 0.8]), wrt=(1,)),
    entry("statsmodels.robust.norms:HuberT().rho", _V * 2, reduce="np.sum(r)"),
    entry("statsmodels.robust.scale:mad", _X[:, 0]),
    entry("statsmodels.tsa.stattools:acf", _RNG.normal(size=20), reduce="np.sum(r[1:4])"),
    entry("sklearn.metrics:mean_squared_error", np.arange(4.0), _X[:, 0], wrt=(1,)),
    entry("sklearn.metrics:r2_score", np.arange(4.0), _X[:, 0], wrt=(1,)),
    entry("sklearn.gaussian_process.kernels:RBF(1.3)", _X, reduce="np.sum(r)"),
    entry("sklearn.gaussian_process.kernels:Matern(1.3, nu=1.5)", _X, _Y, wrt=(0, 1), reduce="np.sum(r)"),
    entry("control:lqr", _A, _B, np.eye(2), np.eye(1), wrt=(0, 1), reduce="np.sum(r[0])"),
    entry("control:care", _A, _B, np.eye(2), wrt=(0, 1), reduce="np.sum(r[0])"),
    entry("control:ctrb", _A, _B, reduce="np.sum(r**2)"),
    entry("tensorly:unfold", _T, 1, wrt=(0,), reduce="np.sum(r**2)"),
    entry("tensorly:tenalg.khatri_rao", [_X, _Y], wrt=(0,), reduce="np.sum(r**2)"),
    entry("tensorly:tenalg.mode_dot", _T, _RNG.normal(size=(5, 3)), 1, wrt=(0, 1), reduce="np.sum(r**2)"),
    entry("ot:sinkhorn2", _P, _Q, _COST, 0.5, wrt=(2,)),
    entry("ot:dist", _X, _Y, reduce="np.sum(r)"),
    entry("ot:wasserstein_1d", _X[:, 0], _X[:, 1]),
    entry("trimesh.triangles:area", _TRIANGLES, reduce="np.sum(r)"),
    entry("trimesh.triangles:mass_properties", _TRIANGLES, reduce="np.sum(r['inertia'])", step=1e-5),
    entry("trimesh.transformations:euler_matrix", 0.1, 0.2, 0.3, reduce="np.sum(r*np.arange(16.).reshape(4,4))"),
    entry("spatialmath.base:trexp", np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), reduce="np.sum(r*np.arange(16.).reshape(4,4))"),
    entry("spatialmath.base:rpy2r", 0.1, 0.2, 0.3, reduce="np.sum(r*np.arange(9.).reshape(3,3))"),
    entry("pyriemann.utils.base:logm", _SPD, reduce="np.sum(r)"),
    entry("pyriemann.utils.distance:distance_logeuclid", _SPD, np.eye(3), wrt=(0,)),
    entry("astropy.modeling.models:Gaussian1D(1.2, 0.1, 0.9)", _V, reduce="np.sum(r)"),
    entry("astropy.modeling.models:Sersic1D.evaluate", np.array([0.3, 0.6]), 1.2, 0.7, 2.1, reduce="np.sum(r)"),
    entry("astropy.cosmology:FlatLambdaCDM(70.0, 0.3).efunc", np.array([0.3, 0.5]), reduce="np.sum(r)"),
    entry("astropy.coordinates:angular_separation", 0.1, 0.2, 0.5, 0.6),
    entry("astropy.stats:mad_std", _X[:, 1]),
    entry("astropy.stats:biweight_location", _RNG.normal(size=9)),
    entry("skyfield.functions:to_spherical", _V, reduce="r[0]+2*r[1]+3*r[2]"),
)
