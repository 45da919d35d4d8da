"""A differentiated value that travels through something without derivatives: the derivative is right or refused, in every mode."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.transforms.arguments import bind
from transgrad.transforms.fallback import TapedVariant

from .programs import PROGRAMS

V, D = np.array([0.7, -1.3]), np.array([0.3, 0.8])
#: Where the documentation announces a refusal: text, bytes, bits, files, structured arrays, exact numbers.
REFUSED = frozenset((
    "array_module", "as_decimal", "as_fraction", "buffer_of_array", "bytes_join", "evaluated", "exception_text", "integer_ratio", "json_list",
    "json_text", "object_array_back", "object_pickled", "pickled", "record_array", "saved_and_loaded", "string_io", "struct_packed", "structured",
    "structured_row", "text_and_float", "text_formatted", "text_from_string", "text_hex", "text_joined_split", "text_matched", "text_percent",
    "to_bytes", "view_as_bytes", "view_as_integers", "written_as_text",
))


def oracle(f: Callable[[Any], Any]) -> tuple[float, np.ndarray, np.ndarray]:
    """Value, gradient and Hessian by differences."""
    def value(*steps: Any) -> float:
        return float(f(V + sum(steps)))
    h = 1e-3
    e = np.eye(2) * h
    gradient = [(8 * (value(s) - value(-s)) - (value(2 * s) - value(-2 * s))) / (12 * h) for s in e]
    hessian = [[(value(a, b) - value(a, -b) - value(-a, b) + value(-a, -b)) / (4 * h * h) for a in e] for b in e]
    return value(np.zeros(2)), np.array(gradient), np.array(hessian)


def by_tape(f: Callable[[Any], Any]) -> Any:
    derivative = tg.grad(f)
    values = bind(f, derivative.__signature__, (V.copy(),), {})
    return TapedVariant(derivative, {}, tg.UnsupportedSyntax("for the test")).call_with(values)


def twice(f: Callable[[Any], Any]) -> Any:
    """What the first call finds changes what the second one runs."""
    gradient = tg.grad(f)
    first = gradient(V.copy())
    np.testing.assert_array_equal(gradient(V.copy()), first)
    return first


MODES: dict[str, Callable[[Any], tuple[Any, Callable[[Any, Any, Any], Any]]]] = {
    "value_and_grad": lambda f: (np.hstack(tg.value_and_grad(f)(V.copy())), lambda y, g, h: np.hstack([y, g])),
    "grad": lambda f: (twice(f), lambda y, g, h: g),
    "jvp": lambda f: (np.hstack(tg.jvp(f, (V.copy(),), (D,))), lambda y, g, h: [y, g @ D]),
    "vjp": lambda f: (tg.vjp(f, V.copy())[1](2.0)[0], lambda y, g, h: 2 * g),
    "hvp": lambda f: (tg.hvp(f, (V.copy(),), (D,))[0], lambda y, g, h: h @ D),
    "tape": lambda f: (by_tape(f), lambda y, g, h: g),
}


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_right_or_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRANSGRAD_STRICT", "0")      # a refusal of the compiler may be an answer of the tape
    f = PROGRAMS[name]
    expected = oracle(f)
    for mode, run in MODES.items():
        if name in REFUSED:
            with pytest.raises(tg.TransgradError):
                run(f)
            continue
        found, wanted = run(f)
        np.testing.assert_allclose(found, wanted(*expected), rtol=1e-4 if mode == "hvp" else 1e-6, atol=1e-4 if mode == "hvp" else 1e-7,
                                   err_msg=mode)


def test_text_may_be_written() -> None:
    lines: list[str] = []

    def f(v: Any) -> Any:
        lines.append(f"{v[0]:.3f}")
        print(v[0], str(v), repr(v))
        return v[0] * float("1.5") if len(lines[-1]) > 1 else v[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(tg.grad(f)(V), [1.5, 0.0])
    assert lines[-1] == "0.700"


def test_what_an_exception_says_may_be_looked_at() -> None:
    def f(v: Any) -> Any:
        try:
            if v[0] > 0:
                raise ValueError(v[0])
        except ValueError as err:
            print(err)
            return v[1] * (2.0 if isinstance(err, ValueError) else 3.0)
        return v[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(tg.grad(f)(V), [0.0, 2.0])


CACHE: dict[Any, Any] = {}


def remembered(x: Any) -> Any:
    if x not in CACHE:
        CACHE[x] = x ** 3
    return CACHE[x]


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_what_an_earlier_call_has_left_in_a_cache() -> None:
    gradient = tg.grad(lambda x: remembered(x) * 1.0)
    CACHE.clear()
    for x in (2.0, 2.0, 3.0, 2.0, 2.0):
        try:
            np.testing.assert_allclose(gradient(x), 3 * x ** 2)
        except (tg.UnsupportedCall, tg.UnsupportedSyntax) as error:     # the key that it left behind is no differentiated one
            assert "call function again" in str(error) or "keys of a dict" in str(error)
    CACHE.clear()
    remembered(5.0)     # a plain key: whether it is the differentiated one is not decided
    with pytest.raises((tg.TransgradError, TypeError), match="keys of a dict"):
        gradient(5.0)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_later_calls_with_other_types() -> None:
    def f(x: Any) -> Any:
        return sum({x}) if np.ndim(x) == 0 else np.sum(x)
    gradient = tg.grad(f)
    for _ in range(2):
        np.testing.assert_allclose(gradient(2.0), 1.0)
        np.testing.assert_allclose(gradient(np.ones(3)), np.ones(3))
        np.testing.assert_allclose(gradient(np.float64(2.0)), 1.0)
