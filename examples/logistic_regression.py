"""Logistic regression on the Wisconsin breast-cancer data that ship with scikit-learn."""
from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy.optimize import minimize

import transgrad as tg


def log_loss(theta, x, y, ridge):
    """Mean negative log-likelihood with a ridge penalty; the last entry of theta is the intercept."""
    weights, intercept = theta[:-1], theta[-1]
    score = x @ weights + intercept
    return np.mean(np.logaddexp(0.0, score) - y * score) + 0.5 * ridge * np.sum(weights ** 2)


def load() -> tuple[Any, Any, Any, Any]:
    """Standardised features and labels, for training and for testing."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split
    x, y = load_breast_cancer(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(x, y.astype(float), test_size=0.3, random_state=0, stratify=y)
    mean, spread = x_train.mean(axis=0), x_train.std(axis=0)
    return (x_train - mean) / spread, y_train, (x_test - mean) / spread, y_test


def accuracy(theta: Any, x: Any, y: Any) -> float:
    """Share of samples on the right side."""
    return float(np.mean((x @ theta[:-1] + theta[-1] > 0.0) == (y > 0.5)))


def fit(x: Any, y: Any, ridge: float, iterations: int = 200) -> Any:
    """The result of the optimiser."""
    start = np.zeros(x.shape[1] + 1)
    return minimize(tg.value_and_grad(log_loss), start, args=(x, y, ridge), jac=True, method="L-BFGS-B", options={"maxiter": iterations})


def main(argv: list[str] | None = None) -> int:
    """Fits and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ridge", type=float, default=1e-2)
    parser.add_argument("--iterations", type=int, default=200, help="iterations of the optimiser, at most")
    options = parser.parse_args(argv)

    x, y, x_test, y_test = load()
    print(tg.value_and_grad(log_loss).source_for(np.zeros(x.shape[1] + 1), x, y, options.ridge))
    found = fit(x, y, options.ridge, options.iterations)
    print(f"loss before {log_loss(np.zeros(x.shape[1] + 1), x, y, options.ridge):.4f}, after {found.fun:.4f} ({found.nit} iterations)")
    print(f"accuracy    training {accuracy(found.x, x, y):.3f}, test {accuracy(found.x, x_test, y_test):.3f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
