"""Tangents and cotangents are made to fit the values they belong to, or refused."""
from __future__ import annotations

import numpy as np
import pytest

from transgrad.transforms.seeds import fit, is_active


def test_numbers_and_arrays_take_the_type_of_the_value():
    assert type(fit(np.float32(2), 1.0, "t")) is float
    assert type(fit(1, np.float32(1), "t")) is np.float32
    assert fit([1, 2], np.ones(2, np.float32), "t").dtype == np.float32
    assert type(fit(2.0, 1j, "t")) is complex


def test_structure():
    value = {"w": np.ones(2), "b": (1.0, 2.0)}
    given = {"b": (3, 4), "w": np.arange(2)}
    fitted = fit(given, value, "t")
    assert fitted["b"] == (3.0, 4.0) and fitted["w"].dtype == float


def test_what_carries_no_derivative_is_left_alone():
    assert fit(None, 3, "t") is None and fit("x", "y", "t") == "x"
    assert not is_active(3) and not is_active(np.arange(2)) and is_active(1.0) and is_active(np.ones(2))


@pytest.mark.parametrize("given, value, error, message", [
    (np.ones(3), np.ones(2), ValueError, r"the tangent of x has shape \(3,\) where its value has shape \(2,\)"),
    (1.0, np.ones(2), ValueError, "shape"),
    (1j, 1.0, TypeError, "complex"),
    (None, 1.0, TypeError, "None"),
    ("x", 1.0, TypeError, "str"),
    ([1.0], (1.0,), ValueError, "structure"),
    ({"a": 1.0}, {"b": 1.0}, ValueError, "structure"),
])
def test_refused(given, value, error, message):
    with pytest.raises(error, match=message):
        fit(given, value, "the tangent of x")
