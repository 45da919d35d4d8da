"""Air and wind, colours and small spheres, vectors and turns, ratings, swarms, rivers and options."""
from __future__ import annotations

import numpy as np

from .entry import Entry, entry

__all__ = ["ENTRIES"]

_RNG = np.random.default_rng(3)
_A, _B = np.array([1.0, 2.0, -0.5]), np.array([0.3, -1.0, 2.0])
_ONE, _OTHER = np.array([0.1, 0.2, -0.3, 0.9]) / np.sqrt(0.95), np.array([0.5, 0.5, 0.5, 0.5])
_HEIGHTS = np.array([5200.0, 15000.0, 25000.0])
_LAB, _OTHERS = np.array([50.0, 30.0, -20.0]), np.array([[40.0, 20.0, 10.0], [60.0, -20.0, 30.0]])
_SWARM = _RNG.uniform(0.2, 0.8, size=(3, 2))
_MEASURED, _SIMULATED = np.array([1.0, 2.0, 4.0, 3.0, 5.0]), np.array([1.2, 2.5, 3.1, 3.3, 4.4])
_OF_NINE = "np.sum(r * np.arange(9.).reshape(3, 3))"


def _psychrolib(name: str, *args: float, **how: float) -> Entry:
    return entry(f"psychrolib:(SetUnitSystem(SI), {name})[1]", *args, **how)      # type: ignore[arg-type]


ENTRIES: tuple[Entry, ...] = (
    _psychrolib("GetSatVapPres", 25.0, step=1e-2),
    _psychrolib("GetTDewPointFromVapPres", 25.0, 1500.0, step=1e-2),
    _psychrolib("GetHumRatioFromTWetBulb", 25.0, 18.0, 101325.0, step=1e-2),
    _psychrolib("GetMoistAirVolume", 25.0, 0.01, 101325.0),
    _psychrolib("GetStationPressure", 101325.0, 1200.0, 15.0, step=1e-2),
    *(entry(f"ambiance:(lambda h: Atmosphere(h).{name})", _HEIGHTS, reduce=f"np.sum(r) * {scale}", step=1.0) for name, scale in (
        ("pressure", 1e-3), ("speed_of_sound", 1.0), ("dynamic_viscosity", 1e5))),
    entry("windpowerlib.wind_speed:logarithmic_profile", 5.0, 10.0, 100.0, 0.15),
    entry("windpowerlib.wind_speed:hellman", 5.0, 10.0, 100.0, 0.15),
    entry("windpowerlib.density:barometric", 101325.0, 0.0, 100.0, 280.0, wrt=(0, 3), step=1e-2),
    entry("colormath.color_diff_matrix:delta_e_cie2000", _LAB, _OTHERS, wrt=(0,), reduce="np.sum(r)"),
    entry("colormath.color_diff_matrix:delta_e_cmc", _LAB, _OTHERS, wrt=(0,), reduce="np.sum(r)"),
    entry("miepython.mie_nojit:(lambda x: _single_sphere_py(1.5 - .01j, x, 0, True)[0])", 3.0),
    entry("miepython.mie_nojit:(lambda x: _small_sphere_py(1.5 - .01j, x)[0])", 0.05),
    entry("ezdxf.math._vector:(lambda x, y: Vec3(x, y, 1.).cross(Vec3(y, x, 2.)).magnitude)", 0.4, 0.7),
    entry("ezdxf.math._vector:(lambda x, y: Vec3(x, y, 1.).angle_between(Vec3(.3, .2, .9)))", 0.4, 0.7),
    entry("ezdxf.math._matrix44:(lambda a: Matrix44.axis_rotate((1., 2., 3.), a).transform(Vec3(1., 2., 3.)).x)", 0.4),
    entry("pyrr.quaternion:slerp", _ONE, _OTHER, 0.3, reduce="np.sum(r * np.arange(4.))"),
    entry("pyrr.quaternion:apply_to_vector", _ONE, _A, reduce="np.sum(r)"),
    entry("pyrr.matrix33:create_from_quaternion", _ONE, reduce=_OF_NINE),
    entry("pyrr.matrix44:(lambda eye: create_look_at(eye, [0., 0., 0.], [0., 1., 0.]))", _A,
          reduce="np.sum(r * np.arange(16.).reshape(4, 4))"),
    entry("ikpy.utils.geometry:rpy_matrix", 0.4, 0.7, 0.3, reduce=_OF_NINE),
    entry("ikpy.utils.geometry:axis_rotation_matrix", [0.6, 0.0, 0.8], 0.4, wrt=(1,), reduce=_OF_NINE),
    entry("vector:(lambda x, y: obj(px=x, py=y, pz=1., E=3.).mass)", 0.3, 0.4),
    entry("vector:(lambda a: obj(x=1., y=.4, z=2.).rotateX(a).theta)", 0.4),
    entry("pylorentz:(lambda e, x: Momentum4(e, x, .3, .4).m)", 3.0, 0.2),
    entry("pylorentz:(lambda e, eta: Momentum4.e_eta_phi_pt(e, eta, .3, .4).p_z)", 3.0, 0.2),
    entry("trueskill.mathematics:(lambda m, s: (Gaussian(m, s) * Gaussian(1., 2.)).mu)", 1.2, 0.7),
    *(entry(f"pyswarms.utils.functions.single_obj:{name}", _SWARM, reduce="np.sum(r)") for name in (
        "ackley", "beale", "goldstein", "himmelblau", "rastrigin", "rosenbrock")),
    *(entry(f"spotpy.objectivefunctions:{name}", _MEASURED, _SIMULATED) for name in (
        "nashsutcliffe", "kge", "agreementindex", "decomposed_mse", "rrmse")),
    *(entry(f"pyfinance.options:(lambda s, v: BSM(S0=s, K=100., T=1., r=.04, sigma=v).{name}())", 105.0, 0.2, step=1e-3)
      for name in ("value", "delta", "vega")),
    entry("commpy.filters:(lambda a: rrcosfilter(21, a, 1., 4.)[1])", 0.35, reduce="np.sum(r)"),
    entry("commpy.utilities:euclid_dist", _A, _B),
)
