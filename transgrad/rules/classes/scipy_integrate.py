"""What the functions of scipy.integrate are to a derivative."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.integrate",
    differentiable="cumulative_trapezoid quad quad_vec romb simpson trapezoid",
    handled="odeint solve_ivp",
    constant="lebedev_rule newton_cotes",
    missing={
        "write it with cumulative_trapezoid": "cumulative_simpson",
        "write it with quad or quad_vec, one inside the other": "cubature dblquad fixed_quad nquad tanhsinh tplquad",
        "no derivative of this one has been written": "nsum qmc_quad solve_bvp",
    },
    refused={
        "it makes an object that the compiler does not look into; use solve_ivp":
            "BDF DOP853 DenseOutput LSODA OdeSolution OdeSolver RK23 RK45 Radau complex_ode ode",
        "it runs SciPy's own tests": "test",
    },
),)
