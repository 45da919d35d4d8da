"""Tests that fail at present, with the reason: defects that are known and not yet fixed. Nothing else may be listed here.

A key is the name of a test, or of one of its cases. A listed test that passes is reported as ``XPASS``: remove it from the list.
"""
from __future__ import annotations

__all__ = ["KNOWN_FAILURES"]

_LISTS = "a list of a derivative may be one of several: it runs on the tape"

KNOWN_FAILURES: dict[str, str] = {
    "tests/passes/test_truth_of_containers.py::test_a_list_that_is_an_argument": "the structure of an argument that the function changes",
    "tests/rules/test_on_ir.py::test_no_type_is_unknown": "sqrtm and logm are complex or real by their values",
    "tests/rules/test_scipy_interpolate.py::test_gradient[bisplev]": _LISTS,
    "tests/rules/test_scipy_interpolate.py::test_gradient[splder]": _LISTS,
    "tests/rules/test_scipy_interpolate.py::test_gradient[splprep]": _LISTS,
    "tests/rules/test_scipy_interpolate.py::test_gradient[splrep]": _LISTS,
    "tests/rules/test_uses.py::test_use[scipy_stats-cramer]": "cramer_probability has no forward derivative",
}
