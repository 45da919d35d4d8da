"""Classification of the functions of scipy.integrate."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.integrate",
    differentiable="""
        cubature cumulative_simpson cumulative_trapezoid dblquad fixed_quad nquad nsum quad quad_vec romb simpson solve_bvp tanhsinh tplquad
        trapezoid
    """,
    handled="odeint solve_ivp",
    constant="lebedev_rule newton_cotes",
    refused={
        "it makes an object that the compiler does not look into; use solve_ivp":
            "BDF DOP853 DenseOutput LSODA OdeSolution OdeSolver RK23 RK45 Radau complex_ode ode",
        "its places are drawn at random: draw them with scipy.stats.qmc, and average with numpy.mean": "qmc_quad",
        "newer versions of SciPy lack it: use what its documentation names in its place":
            "cumtrapz quadrature romberg simps trapz",
        "it runs SciPy's own tests": "test",
    },
),)
