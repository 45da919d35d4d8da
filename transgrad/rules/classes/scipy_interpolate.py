"""What the functions and classes of scipy.interpolate are to a derivative."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.interpolate",
    differentiable="""
        Akima1DInterpolator BPoly BSpline BarycentricInterpolator CubicHermiteSpline CubicSpline FloaterHormannInterpolator
        InterpolatedUnivariateSpline KroghInterpolator LSQUnivariateSpline LinearNDInterpolator NdBSpline NearestNDInterpolator PPoly
        PchipInterpolator RBFInterpolator RectBivariateSpline RegularGridInterpolator UnivariateSpline barycentric_interpolate bisplev
        griddata interp1d interpn krogh_interpolate make_interp_spline make_lsq_spline make_smoothing_spline make_splprep make_splrep
        pchip pchip_interpolate spalde splantider splder splev splint splprep splrep sproot
    """,
    missing={
        "its knots are chosen by a search for a smoothness: use RectBivariateSpline with s=0":
            """LSQBivariateSpline LSQSphereBivariateSpline RectSphereBivariateSpline SmoothBivariateSpline SmoothSphereBivariateSpline
            bisplrep""",
        "its slopes are the solution of an iteration over the triangles, which is broken off: use LinearNDInterpolator or RBFInterpolator":
            "CloughTocher2DInterpolator",
        "its points of support are chosen one after the other by where the error is largest: use FloaterHormannInterpolator": "AAA",
        "it returns a np.poly1d, which has no derivative here: use KroghInterpolator, or numpy.polyfit":
            "approximate_taylor_polynomial lagrange pade",
        "of several dimensions only data on a grid are followed: use RegularGridInterpolator, RectBivariateSpline or NdBSpline": "NdPPoly",
        "it is an older form of RBFInterpolator, which has a derivative": "Rbf",
        "a knot that is inserted changes the form of a spline and not its values: evaluate the spline itself": "insert",
    },
    structural="BivariateSpline",
    refused={
        "SciPy has removed it": "interp2d",
        "it looks for knots": "generate_knots",
        "it runs SciPy's own tests": "test",
    },
),)
