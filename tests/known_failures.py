"""Tests that fail at present, with the reason: defects that are known and not yet fixed. Nothing else may be listed here.

A key is the name of a test, or of one of its cases. A listed test that passes is reported as ``XPASS``: remove it from the list.
"""
from __future__ import annotations

__all__ = ["KNOWN_FAILURES"]

_COMPLEX = "a float to the power of a negative base: the result is complex, and the derivative is not refused at compile time"
_LISTS = "a list of a derivative may be one of several: it runs on the tape"

KNOWN_FAILURES: dict[str, str] = {
    "tests/corpus/test_other_inputs.py::test_value_and_gradient[branches-isinstance_float]": _COMPLEX,
    "tests/corpus/test_other_inputs.py::test_value_and_gradient[functions-table_of_functions]": _COMPLEX,
    "tests/passes/test_truth_of_containers.py::test_a_list_that_is_an_argument": "the structure of an argument that the function changes",
    "tests/rules/test_definitions.py::test_gradient[scipy_distributions-scipy.stats._distn_infrastructure.rv_continuous.expect("
    "args=[1.7], scale=1.2)]": "the tangent of an integral over an infinite range is NaN",
    "tests/rules/test_family.py::test_family[differences-scipy_distributions]": "the same",
    "tests/rules/test_scipy.py::test_frozen_figures": "the same",
    "tests/rules/test_on_ir.py::test_no_type_is_unknown": "sqrtm and logm are complex or real by their values",
    "tests/rules/test_rarer_forms.py::test_ravel_in_the_order_of_memory": "the gradient of ravel in the order of memory of a strided view",
    "tests/rules/test_scipy_interpolate.py::test_gradient[bisplev]": _LISTS,
    "tests/rules/test_scipy_interpolate.py::test_gradient[splder]": _LISTS,
    "tests/rules/test_scipy_interpolate.py::test_gradient[splprep]": _LISTS,
    "tests/rules/test_scipy_interpolate.py::test_gradient[splrep]": _LISTS,
    "tests/rules/test_scipy_objects.py::test_object_that_nothing_stands_for_is_refused_at_the_users_line[turned-o0]":
        "a recursion error instead of a refusal",
    "tests/rules/test_uses.py::test_use[scipy_stats-cramer]": "cramer_probability has no forward derivative",
}
