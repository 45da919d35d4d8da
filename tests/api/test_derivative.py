"""What a derivative carries and how it behaves as a function: text, variants, methods, guards, errors."""
from __future__ import annotations

import inspect
import subprocess
import sys
import traceback

import numpy as np
import pytest

import transgrad as tg

CALLS: list[object] = []
FACTOR = 2.0


def scaled(x: float, y: float = 1.0) -> float:
    """Scales x."""
    return FACTOR * x * y


def helper(x):
    return x * x + FACTOR


def with_helper(x):
    return np.sin(helper(x))


def test_attributes():
    g = tg.grad(scaled)
    assert g.__name__ == "grad_scaled" and g.__module__ == __name__ and g.primal is scaled
    assert g.__doc__ == "Gradient of scaled with respect to x.\n\nScales x."
    assert inspect.signature(g) == inspect.signature(scaled) and g.__annotations__["x"] == "float"
    assert repr(g) == "<grad_scaled(x: 'float', y: 'float' = 1.0) -> 'float'>"
    assert tg.value_and_grad(scaled).__name__ == "value_and_grad_scaled"
    assert tg.grad(tg.grad(scaled)).__name__ == "grad_grad_scaled"


def test_nothing_runs_before_the_call():
    def f(x):
        CALLS.append("called")
        return x * 2.0
    CALLS.clear()
    g = tg.grad(f)
    g.source_for(1.0)
    assert CALLS == []
    assert g(1.0) == 2.0 and CALLS == ["called"]


def test_source_and_variants():
    g = tg.grad(lambda x: np.sum(x * x))
    assert g.variants == []
    g(np.ones(3))
    first = g.source
    g(np.ones(5))
    assert len(g.variants) == 1 and g.source == first
    g(np.ones((2, 3), np.float32))
    assert len(g.variants) == 2 and "float32[n,n]" in repr(g.variants[1])
    assert g.source == g.variants[1].source
    assert g.source_for(np.ones(2)) == first and first.startswith("def grad_")


def test_source_before_a_call_is_for_unknown_types():
    g = tg.grad(scaled)
    assert g.source.startswith("def grad_scaled(x") and '"""Gradient of scaled with respect to x."""' in g.source


def test_getsource_and_traceback():
    def f(x):
        if x < 0.0:
            raise ValueError("negative")
        return np.sqrt(x)
    g = tg.grad(f)
    assert g(4.0) == 0.25
    assert inspect.getsource(g) == g.source
    with pytest.raises(ValueError, match="negative") as caught:
        g(-1.0)
    assert 'raise ValueError("negative")' in "".join(traceback.format_exception(caught.value)).replace("'", '"')


def test_exceptions_of_the_function_reach_the_caller_unchanged():
    def f(x):
        return x[5]
    with pytest.raises(IndexError):
        tg.grad(f)(np.ones(3))


def test_ir_prints():
    g = tg.grad(scaled)
    g(1.0)
    assert str(g.ir).startswith("func")


def test_explain():
    g = tg.grad(with_helper)
    g(1.0)
    text = g.explain()
    assert "helper" in text and "active" in text and "FACTOR" in text and "taped      nothing" in text


def test_methods():
    class Model:
        factor = 3.0

        def __init__(self, shift):
            self.shift = shift

        def loss(self, w, x):
            return self.factor * (w * x + self.shift) ** 2

        slope = tg.grad(loss)

        @tg.value_and_grad(argnums=1)
        def both(self, w, x):
            return w * x * self.shift

        @staticmethod
        @tg.grad
        def square(x):
            return x * x

    m = Model(1.0)
    assert m.slope(2.0, 3.0) == 2.0 * 3.0 * 7.0 * 3.0
    assert tg.grad(m.loss)(2.0, 3.0) == m.slope(2.0, 3.0)
    assert m.both(2.0, 3.0) == (6.0, 2.0)
    assert Model.square(3.0) == 6.0
    assert Model(2.0).slope(2.0, 3.0) == 2.0 * 3.0 * 8.0 * 3.0
    assert "def grad_loss" in m.slope.source and m.slope.source_for(2.0, 3.0) == m.slope.source
    assert str(inspect.signature(m.slope)) == "(w, x)"


def test_globals_and_closures_are_read_anew(monkeypatch):
    g = tg.grad(scaled)
    assert g(1.0) == 2.0
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 5.0)
    assert g(1.0) == 5.0

    factor = 2.0

    def f(x):
        return factor * x

    h = tg.grad(f)
    assert h(1.0) == 2.0
    factor = 7.0
    assert h(1.0) == 7.0


def test_redefined_helper(monkeypatch):
    g = tg.grad(with_helper)
    before = g(0.5)
    monkeypatch.setattr(sys.modules[__name__], "helper", lambda x: 3.0 * x)
    np.testing.assert_allclose(g(0.5), 3.0 * np.cos(1.5))
    monkeypatch.undo()
    assert g(0.5) == before


def test_options_that_are_strings_choose_variants():
    def f(x, mode="square"):
        if mode == "square":
            return x * x
        return x * x * x
    g = tg.grad(f)
    assert g(3.0) == 6.0 and g(3.0, "cube") == 27.0 and g(3.0, mode="square") == 6.0
    assert len(g.variants) == 2


def test_arguments_are_left_as_they_were():
    x = np.ones(3)
    tg.grad(lambda x: np.sum(np.exp(x)))(x)
    np.testing.assert_array_equal(x, np.ones(3))


def test_pullback_may_be_called_again_and_after_the_arguments_changed():
    x = np.array([1.0, 2.0])
    _, pullback = tg.vjp(lambda x: x * x, x)
    for _ in range(2):
        np.testing.assert_allclose(pullback(np.ones(2))[0], [2.0, 4.0])
    x[:] = 100.0
    np.testing.assert_allclose(pullback(np.ones(2))[0], [2.0, 4.0])
    out, pullback = tg.vjp(lambda x: np.exp(x), np.zeros(2))
    out[:] = 100.0
    np.testing.assert_allclose(pullback(np.ones(2))[0], [1.0, 1.0])


def test_export_stands_alone(tmp_path):
    g = tg.grad(with_helper)
    expected = g(0.7)
    path = g.export(tmp_path / "slope.py")
    code = "import sys; sys.modules['transgrad'] = None; import slope; print(repr(float(slope.grad_with_helper(0.7))))"
    printed = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert float(printed) == expected
    assert "import transgrad" not in path.read_text()


def test_export_with_arrays_and_helpers(tmp_path):
    table = np.array([1.0, 2.0, 4.0])

    def f(x):
        return np.sum(table * x ** 2)
    g = tg.grad(f)
    expected = g(np.ones(3))
    space: dict[str, object] = {}
    exec(g.export(tmp_path / "g.py").read_text(), space)
    np.testing.assert_allclose(space["grad_f"](np.ones(3)), expected)


def test_same_question_same_derivative():
    assert tg.grad(scaled) is tg.grad(scaled) and tg.grad(scaled, 1) is not tg.grad(scaled)


def test_positional_only_and_defaults_behind_star_arguments():
    def f(a, b=3.0, /, *, c=2.0):
        return a * b * c

    def g(a, b=3.0, *rest, c=2.0):
        return a * b * c + sum(rest)
    for h in (tg.grad(f), tg.grad(g)):
        assert h(1.0) == 6.0 and h(1.0, 4.0) == 8.0 and h(1.0, c=5.0) == 15.0 and h(1.0) == 6.0
    assert tg.grad(g)(1.0, 4.0, 1.0, 2.0) == 8.0
    assert tg.compile(g)(1.0, 4.0, 1.0, 2.0) == 11.0
    assert tg.jvp(g, (1.0, 4.0, 1.0), (1.0, 0.0, 1.0)) == (9.0, 9.0)


def test_explain_names_what_is_saved():
    def f(x, steps):
        pair = (x, x * x)
        for _ in range(steps):
            x = np.sin(x) * pair[1]
        return np.sum(x)
    g = tg.grad(f)
    g(np.ones(3), 2)
    text = g.explain()
    assert "saved_x: 8 bytes per element of float64[n] per iteration" in text and "active     x" in text
    h = tg.grad(lambda z: 2.0 * z)
    h(1.0)
    assert "saved      nothing" in h.explain()
