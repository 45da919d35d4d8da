"""Functions that a package calls and a package above it provides.

Packages import only those below them; see the layers in ``pyproject.toml``. Where a lower package needs something of a higher one, for
example the compiler the tape, it calls a `Service`, and `wiring` says what provides it. A provider is loaded on the first call.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Service"]


class Service:
    """A function whose implementation is provided by a higher package.

    Parameters
    ----------
    purpose : str
        A description of the function.
    """

    __slots__ = ("_function", "_load", "purpose")

    def __init__(self, purpose: str):
        self.purpose = purpose
        self._load: Callable[[], Callable[..., Any]] | None = None
        self._function: Callable[..., Any] | None = None

    def provide(self, load: Callable[[], Callable[..., Any]]) -> None:
        """Set the function that returns the implementation."""
        self._load, self._function = load, None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._function is None:
            if self._load is None:
                raise LookupError(f"nothing provides: {self.purpose}")
            self._function = self._load()
        return self._function(*args, **kwargs)


# called by ir, provided by rules
lookup_rule = Service("the rule of a function, or None")
on_python_numbers = Service("a NumPy function applied to Python numbers: an expression, or NotImplemented")
scalar_form = Service("the function that does the same as a NumPy function for arguments of some types")

# called by rules and frontend, provided by passes
reverse_of = Service("the function that computes the gradient of a function of the IR")
tangent_of_call = Service("the function that computes the tangent of a function of the IR, for a call of it")
eliminate_dead_code = Service("remove the operations of a function whose results are not needed")
prepare_callee = Service("rewrite a function that has just been lowered from a call")
check_meanwhile = Service("lower a function again whose pullbacks read values that are written to before they are called")
check_untracked = Service("refuse a function whose result has lost its derivative")

# called by rules, provided by the transformations
gradient = Service("`transgrad.grad`")
forward_jacobian = Service("`transgrad.jacfwd`")

# called by the transformations, provided by packages above them
install_calls = Service("tell the front end how calls of transformations and of functions with custom derivatives are lowered")
compare_first_use = Service("compare a derivative with differences when it is first used")
compact_html = Service("a derivative as HTML, for a notebook")
explanation_html = Service("an explanation as a table")
pattern_svg = Service("a sparsity pattern as a picture")
view_page = Service("the page that shows a function beside its derivative")

# called by the transformations and by generated code, provided by the bridge to the tape
tape_call = Service("call a function on the tape, in generated code")
tape_checked_call = Service("call a function and check the form of its result, in generated code")
tape_run = Service("a derivative computed on the tape")
tape_split = Service("value and pullback of a function on the tape")
tape_linear = Service("value and linear function of a function on the tape")
observe_calls = Service("a context in which the calls on the tape are observed")
detect_anomaly = Service("a context in which NaN in the backward pass of the tape is an error")
tape_vmap = Service("the tape's `vmap`")
solve_on_tape = Service("a root with the derivatives of its equation, on the tape")
custom_vjp_on_tape = Service("call a `custom_vjp` function as a node of the tape")
custom_jvp_on_tape = Service("call a `custom_jvp` function as a node of the tape")
custom_through_tape = Service("call a function with a custom derivative inside a function that runs on the tape")
record_primitive = Service("call a `primitive` as a node of the tape")
