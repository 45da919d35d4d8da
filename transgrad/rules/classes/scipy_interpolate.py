"""What the functions and classes of scipy.interpolate are to a derivative."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.interpolate",
    differentiable="""
        Akima1DInterpolator CubicHermiteSpline CubicSpline PchipInterpolator interp1d make_interp_spline pchip pchip_interpolate
    """,
    missing={
        "in one dimension CubicSpline, PchipInterpolator, Akima1DInterpolator, interp1d and make_interp_spline have a derivative":
            """AAA BPoly BSpline BarycentricInterpolator FloaterHormannInterpolator InterpolatedUnivariateSpline KroghInterpolator
            LSQUnivariateSpline PPoly UnivariateSpline approximate_taylor_polynomial barycentric_interpolate krogh_interpolate lagrange
            make_lsq_spline make_smoothing_spline make_splprep make_splrep pade""",
        "no derivative of interpolation in several dimensions has been written: index the grid, or use scipy.ndimage.map_coordinates":
            """BivariateSpline CloughTocher2DInterpolator LSQBivariateSpline LSQSphereBivariateSpline LinearNDInterpolator NdBSpline NdPPoly
            NearestNDInterpolator RBFInterpolator Rbf RectBivariateSpline RectSphereBivariateSpline RegularGridInterpolator
            SmoothBivariateSpline SmoothSphereBivariateSpline griddata interpn""",
        "FITPACK's functions have no derivative here; use CubicSpline or make_interp_spline":
            "bisplev bisplrep insert spalde splantider splder splev splint splprep splrep sproot",
    },
    refused={
        "SciPy has removed it": "interp2d",
        "it looks for knots": "generate_knots",
        "it runs SciPy's own tests": "test",
    },
),)
