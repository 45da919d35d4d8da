"""What the functions of scipy.integrate are to a derivative."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.integrate",
    differentiable="""
        cumulative_simpson cumulative_trapezoid dblquad fixed_quad nquad quad quad_vec romb simpson tanhsinh tplquad trapezoid
    """,
    handled="odeint solve_ivp",
    constant="lebedev_rule newton_cotes",
    missing={
        "its integrand takes many places at once, and where they are follows from the integrand: write it with nquad": "cubature",
        "where it stops follows from the terms: sum as many terms as are needed with numpy.sum": "nsum",
        "it is solved on a mesh that it chooses: give the collocation equations on that mesh to scipy.optimize.fsolve": "solve_bvp",
    },
    refused={
        "it makes an object that the compiler does not look into; use solve_ivp":
            "BDF DOP853 DenseOutput LSODA OdeSolution OdeSolver RK23 RK45 Radau complex_ode ode",
        "its places are drawn at random: draw them with scipy.stats.qmc, and average with numpy.mean": "qmc_quad",
        "it runs SciPy's own tests": "test",
    },
),)
