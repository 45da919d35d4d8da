"""Properties of water and air, coordinates on the Earth, astronomy, shapes of spectral lines."""
from __future__ import annotations

import numpy as np

from .entry import Entry, entry

__all__ = ["ENTRIES"]

_POINTS = np.linspace(-2.0, 2.0, 9)

ENTRIES: tuple[Entry, ...] = (
    entry('iapws.iapws97:_Region1', 400.0, 10.0, reduce="r['h'] + r['s'] + r['v']*1e3"),
    entry('iapws.iapws97:_Region2', 600.0, 1.0, reduce="r['h'] + r['cp']"),
    entry("iapws.iapws97:_PSat_T", 400.0),
    entry("iapws.iapws97:_TSat_P", 1.5),
    entry("iapws.iapws97:_Backward1_T_Ph", 10.0, 1000.0),
    entry("iapws._iapws:_Viscosity", 900.0, 400.0),
    entry("iapws._iapws:_ThCond", 900.0, 400.0),
    entry("iapws._iapws:_Tension", 400.0),
    entry("iapws._iapws:_Dielectric", 900.0, 400.0),
    entry("iapws._iapws:_Kw", 900.0, 400.0),
    entry("seawater:dens", np.array([34.5, 35.0, 34.0]), np.array([10.0, 15.0, 4.0]), np.array([0.0, 100.0, 500.0]), reduce="np.sum(r)"),
    entry("seawater:svel", np.array([34.5, 35.0]), np.array([10.0, 15.0]), np.array([0.0, 100.0]), reduce="np.sum(r)"),
    entry("seawater:cp", np.array([34.5, 35.0]), np.array([10.0, 15.0]), np.array([1.0, 100.0]), reduce="np.sum(r)"),
    entry("seawater:ptmp", np.array([34.5, 35.0]), np.array([10.0, 15.0]), np.array([10.0, 100.0]), reduce="np.sum(r)"),
    entry("seawater:salt", np.array([0.9, 1.1]), np.array([10.0, 15.0]), np.array([10.0, 100.0]), reduce="np.sum(r)"),
    entry("seawater:dpth", np.array([100.0, 500.0]), np.array([40.0, 30.0]), reduce="np.sum(r)"),
    entry("seawater:satO2", np.array([34.5, 35.0]), np.array([10.0, 15.0]), reduce="np.sum(r)"),
    entry("pymap3d:geodetic2ecef", 42.0, -82.0, 200.0, reduce="r[0]*1e-6+r[1]*2e-6+r[2]*3e-6"),
    entry("pymap3d:ecef2geodetic", 660000.0, -4700000.0, 4247000.0, reduce="r[0]+2*r[1]+r[2]*1e-3", step=10.0),
    entry("pymap3d:geodetic2enu", 42.1, -82.1, 200.0, 42.0, -82.0, 100.0, reduce="r[0]+2*r[1]+r[2]"),
    entry("pymap3d:aer2geodetic", 33.0, 70.0, 1000.0, 42.0, -82.0, 200.0, reduce="r[0]+2*r[1]+r[2]*1e-3"),
    entry("pymap3d:enu2aer", 186.0, 286.0, 939.0, reduce="r[0]+2*r[1]+r[2]*1e-3", step=0.01),
    entry("pymap3d.vincenty:vdist", 10.0, 20.0, 15.0, 25.0, reduce="r[0]*1e-5+r[1]"),
    entry("pymap3d.vincenty:vreckon", 10.0, 20.0, 3000.0, 38.0, reduce="r[0]+r[1]", step=0.01),
    entry("pymap3d.sidereal:greenwichsrt", 2455000.5),
    entry("pymap3d.rcurve:meridian", 42.0),
    entry("pymap3d.latitude:geodetic2isometric", 42.0),
    entry("pymap3d.latitude:geodetic2authalic", 42.0),
    entry("utm:from_latlon", 42.0, -82.0, reduce="r[0]*1e-5+r[1]*1e-5"),
    entry("utm:to_latlon", 340000.0, 5710000.0, 32, "U", wrt=(0, 1), reduce="r[0]+r[1]", step=10.0),
    entry("haversine:haversine", (45.7, 4.8), (48.8, 2.3), wrt=(0, 1)),
    entry("lmfit.lineshapes:gaussian", _POINTS, 1.2, 0.3, 0.8, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:lorentzian", _POINTS, 1.2, 0.3, 0.8, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:voigt", _POINTS, 1.2, 0.3, 0.8, 0.5, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:pvoigt", _POINTS, 1.2, 0.3, 0.8, 0.4, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:moffat", _POINTS, 1.2, 0.3, 0.8, 1.5, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:pearson7", _POINTS, 1.2, 0.3, 0.8, 1.5, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:breit_wigner", _POINTS, 1.2, 0.3, 0.8, 0.6, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:damped_oscillator", np.abs(_POINTS) + 0.1, 1.2, 0.9, 0.3, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:lognormal", np.abs(_POINTS) + 0.1, 1.2, 0.3, 0.8, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:students_t", _POINTS, 1.2, 0.3, 0.8, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:expgaussian", _POINTS, 1.2, 0.3, 0.8, 0.7, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:doniach", _POINTS, 1.2, 0.3, 0.8, 0.1, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:skewed_gaussian", _POINTS, 1.2, 0.3, 0.8, 0.5, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:step", _POINTS, 1.2, 0.3, 0.8, "erf", wrt=(0, 1, 2, 3), reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:rectangle", _POINTS, 1.2, -0.5, 0.8, 0.6, 0.7, "logistic", wrt=(0, 1, 2, 3, 4, 5), reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:thermal_distribution", np.abs(_POINTS) + 0.6, 1.2, 0.3, 0.8, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:powerlaw", np.abs(_POINTS) + 0.1, 1.2, 0.3, reduce="np.sum(r*r)"),
    entry("lmfit.lineshapes:split_lorentzian", _POINTS, 1.2, 0.3, 0.8, 0.5, reduce="np.sum(r*r)"),
    entry("PyAstronomy.pyasl:airtovac2", np.array([5000.0, 6000.0]), reduce="np.sum(r)", step=0.1),
    entry("PyAstronomy.pyasl:foldAt", np.array([1.2, 2.7]), 0.83, reduce="np.sum(r)"),
    entry("sgp4.propagation:gstime", 2455000.5),
)
