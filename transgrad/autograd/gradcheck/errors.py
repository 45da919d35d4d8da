"""The errors of failed checks."""
from __future__ import annotations

from typing import Any

__all__ = ["BATCHED", "FAST_ONLY", "GradcheckError", "NONDETERMINISTIC", "UNDEFINED", "mismatch"]


class GradcheckError(RuntimeError):
    """A derivative is wrong; with ``raise_exception=False`` the check returns False instead."""


NONDETERMINISTIC = ("Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different "
                    "values, although analytical gradient matches numerical gradient. The tolerance for nondeterminism was {tolerance}. "
                    "Where the function is meant to be nondeterministic, pass a larger `nondet_tol`.")

UNDEFINED = ("Expected all input grads to be undefined or zero when all output grads are undefined or zero. A backward has to take None "
             "for a gradient that is missing; `check_undefined_grad=False` leaves this check out.")

BATCHED = ("gradcheck or gradgradcheck failed while testing batched gradient computation, the derivative under vmap; `{option}=False` "
           "leaves this check out.")

FAST_ONLY = "Fast gradcheck failed but element-wise differences are small: the check might pass with `fast_mode=False`."


def mismatch(numerical: Any, analytical: Any, output: int, source: int, *, forward: bool, part: str | None) -> str:
    """Both Jacobians, one below the other; ``part`` is set where only the real or the imaginary part of complex values was looked at."""
    considering = "" if part is None else f"While considering the {part} part of complex {'inputs' if forward else 'outputs'} only, "
    mode = "computed with forward mode " if forward else ""
    return (f"{considering}Jacobian {mode}mismatch for output {output} with respect to input {source},\n"
            f"numerical:{numerical}\nanalytical:{analytical}\n")
