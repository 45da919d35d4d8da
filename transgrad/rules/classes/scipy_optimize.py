"""Classification of the functions of scipy.optimize."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "scipy.optimize",
    differentiable="""
        Bounds approx_fprime bisect brenth brentq curve_fit fixed_point fsolve isotonic_regression linprog lsq_linear newton nnls ridder
        rosen rosen_der rosen_hess rosen_hess_prod toms748
    """,
    handled="""
        anderson basinhopping brent broyden1 broyden2 brute diagbroyden differential_evolution direct dual_annealing excitingmixing fmin
        fmin_bfgs fmin_cg fmin_l_bfgs_b fmin_powell fmin_slsqp fmin_tnc fminbound golden least_squares leastsq linearmixing minimize
        minimize_scalar newton_krylov root root_scalar shgo
    """,
    constant="linear_sum_assignment linprog_verbose_callback show_options",
    missing={
        "its gradient and constraint arguments are not supported: use minimize": "fmin_cobyla fmin_ncg",
    },
    structural="""
        BFGS BroydenFirst HessianUpdateStrategy InverseJacobian KrylovJacobian LbfgsInvHessProduct LinearConstraint
        NonlinearConstraint OptimizeResult RootResults SR1
    """,
    refused={
        "it is a step of a search: where it ends follows from its tries, not from an equation; minimize has a derivative":
            "bracket line_search",
        "it compares a gradient with differences; transgrad.testing.check_grad does that": "check_grad",
        "its result is discrete: pass transgrad.stop_gradient of its arguments, and evaluate the function at the result":
            "milp quadratic_assignment",
        "it runs SciPy's own tests": "test",
    },
),)
