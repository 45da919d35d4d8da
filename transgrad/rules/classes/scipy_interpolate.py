"""Classification of the functions and classes of scipy.interpolate."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.interpolate",
    differentiable="""
        AAA Akima1DInterpolator approximate_taylor_polynomial barycentric_interpolate BarycentricInterpolator bisplev bisplrep
        BPoly BSpline CloughTocher2DInterpolator CubicHermiteSpline CubicSpline FloaterHormannInterpolator griddata insert
        interp1d interpn InterpolatedUnivariateSpline krogh_interpolate KroghInterpolator lagrange LinearNDInterpolator
        LSQBivariateSpline LSQSphereBivariateSpline LSQUnivariateSpline make_interp_spline make_lsq_spline make_smoothing_spline
        make_splprep make_splrep NdBSpline NdPPoly NearestNDInterpolator pade pchip pchip_interpolate PchipInterpolator PPoly
        Rbf RBFInterpolator RectBivariateSpline RegularGridInterpolator SmoothBivariateSpline spalde splantider splder splev
        splint splprep splrep sproot UnivariateSpline
    """,
    missing={
        "SciPy does not expose the conditions at the poles: use LSQSphereBivariateSpline with your own knots":
            "RectSphereBivariateSpline SmoothSphereBivariateSpline",
    },
    structural="BivariateSpline",
    refused={
        "SciPy has removed it": "interp2d",
        "it looks for knots": "generate_knots",
        "it runs SciPy's own tests": "test",
    },
),)
