"""What the functions of scipy.optimize are to a derivative."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.optimize",
    differentiable="bisect brenth brentq fixed_point fsolve newton ridder toms748",
    handled="least_squares minimize minimize_scalar root root_scalar",
    constant="linear_sum_assignment linprog_verbose_callback show_options",
    missing={
        "use minimize or minimize_scalar, whose solutions have a derivative":
            """basinhopping bracket brent brute differential_evolution direct dual_annealing fmin fmin_bfgs fmin_cg fmin_cobyla
            fmin_l_bfgs_b fmin_ncg fmin_powell fmin_slsqp fmin_tnc fminbound golden shgo""",
        "use root or fsolve, whose solutions have a derivative":
            "anderson broyden1 broyden2 diagbroyden excitingmixing linearmixing newton_krylov",
        "use least_squares, whose solution has a derivative": "curve_fit leastsq lsq_linear nnls",
        "the constraints that hold at the solution decide its derivative, which is not followed here":
            "isotonic_regression linprog milp quadratic_assignment",
        "no derivative of this one has been written": "rosen rosen_der rosen_hess rosen_hess_prod",
        "a difference quotient has no derivative here; use transgrad.grad": "approx_fprime check_grad",
        "it is a step of a search": "line_search",
    },
    structural="""
        BFGS Bounds BroydenFirst HessianUpdateStrategy InverseJacobian KrylovJacobian LbfgsInvHessProduct LinearConstraint
        NonlinearConstraint OptimizeResult RootResults SR1
    """,
    refused={"it runs SciPy's own tests": "test"},
),)
