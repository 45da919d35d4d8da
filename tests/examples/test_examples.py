"""The examples do their jobs, in small settings, and their gradients agree with differences."""
from __future__ import annotations

import importlib

import numpy as np
import pytest

import transgrad as tg

pytest.importorskip("scipy")
pytest.importorskip("sklearn")


def example(name):
    return importlib.import_module(f"examples.{name}")


def close_to_differences(f, x, *args, tolerance=1e-6):
    gradient = tg.grad(f, fallback="error")(x, *args)
    step = 1e-6
    for k in np.random.default_rng(0).permutation(x.size)[:6]:
        e = np.zeros_like(x)
        e.flat[k] = step
        expected = (f(x + e, *args) - f(x - e, *args)) / (2 * step)
        np.testing.assert_allclose(gradient.flat[k], expected, rtol=tolerance, atol=tolerance)


def test_lotka_volterra(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    lotka_volterra = example("lotka_volterra")
    years, observed = lotka_volterra.load()
    assert years[0] == 1900 and years[-1] == 1920 and observed.shape == (21, 2)
    close_to_differences(lotka_volterra.misfit, np.log([1.0, 0.05, 0.02, 1.0, 30.0, 4.0]), observed, 2, tolerance=1e-5)
    assert lotka_volterra.main(["--substeps", "4", "--plot", str(tmp_path / "plots" / "fit.png")]) == 0
    printed = capsys.readouterr().out
    assert "def value_and_grad_misfit(theta, observed, substeps)" in printed
    after = float(printed.split("cost after the fit")[1].split()[0])
    assert after < 2.1
    assert (tmp_path / "plots" / "fit.png").read_bytes().startswith(b"\x89PNG")


def test_fitted_rates_are_those_of_the_literature():
    lotka_volterra = example("lotka_volterra")
    p, z0, before, after = lotka_volterra.fit(lotka_volterra.load()[1], substeps=5)
    np.testing.assert_allclose(p, [0.54, 0.027, 0.024, 0.80], rtol=0.03)
    assert after < before / 20


def test_logistic_regression(capsys):
    logistic_regression = example("logistic_regression")
    x, y, _, _ = logistic_regression.load()
    close_to_differences(logistic_regression.log_loss, np.linspace(-0.1, 0.1, x.shape[1] + 1), x, y, 1e-2)
    assert logistic_regression.main([]) == 0
    assert float(capsys.readouterr().out.rsplit("test", 1)[1]) > 0.94


def test_kalman_filter(capsys):
    kalman_filter = example("kalman_filter")
    y = kalman_filter.load()
    assert y.shape == (100, 1) and y.mean() == pytest.approx(919.35)
    close_to_differences(kalman_filter.cost, np.array([9.0, 8.0]), y[:20])
    assert kalman_filter.main([]) == 0
    printed = capsys.readouterr().out
    noise = float(printed.split("observation noise")[1].split()[0])
    drive = float(printed.split("level's steps")[1].split()[0])
    assert noise == pytest.approx(14957, rel=0.01) and drive == pytest.approx(1675, rel=0.01)


def test_digits_network(capsys):
    digits_network = example("digits_network")
    x, labels, _, _ = digits_network.load()
    start = digits_network.initial(8)
    gradient = tg.grad(digits_network.loss, fallback="error")(start, x[:20], labels[:20], 1e-3)
    assert {k: v.shape for k, v in gradient.items()} == {k: v.shape for k, v in start.items()}
    for name in start:
        moved = [{**start, name: start[name] + h * np.ones_like(start[name])} for h in (1e-6, -1e-6)]
        expected = (digits_network.loss(moved[0], x[:20], labels[:20], 1e-3) - digits_network.loss(moved[1], x[:20], labels[:20], 1e-3)) / 2e-6
        np.testing.assert_allclose(np.sum(gradient[name]), expected, rtol=1e-5, atol=1e-8)
    assert digits_network.main(["--epochs", "30", "--hidden", "24"]) == 0
    assert float(capsys.readouterr().out.rsplit("test", 1)[1]) > 0.93


def test_heat_control(capsys):
    heat_control = example("heat_control")
    close_to_differences(heat_control.cost, np.linspace(0.0, 3.0, 12), *heat_control.problem(9, 12))
    assert heat_control.main(["--points", "21", "--steps", "100"]) == 0
    printed = capsys.readouterr().out
    before, after = (float(printed.split(word)[1].split()[0].rstrip(",")) for word in ("before", "after"))
    assert after < before / 20
