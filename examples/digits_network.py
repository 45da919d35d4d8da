"""A small neural network trained to convergence on scikit-learn's handwritten digits.  Its parameters are a dict of arrays,
and so is the gradient."""
from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import transgrad as tg


def scores(params, x):
    """Scores of the ten digits, a row an image."""
    hidden = np.tanh(x @ params["w1"] + params["b1"])
    return hidden @ params["w2"] + params["b2"]


def loss(params, x, labels, decay):
    """Mean cross-entropy with weight decay."""
    z = scores(params, x)
    z = z - np.max(z, axis=1, keepdims=True)
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    penalty = np.sum(params["w1"] ** 2) + np.sum(params["w2"] ** 2)
    return -np.mean(log_p[np.arange(len(labels)), labels]) + decay * penalty


def load() -> tuple[Any, Any, Any, Any]:
    """Images scaled to 0–1 and their digits, for training and for testing."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split
    x, labels = load_digits(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(x / 16.0, labels, test_size=0.25, random_state=0, stratify=labels)
    return x_train, y_train, x_test, y_test


def initial(hidden: int, seed: int = 0) -> dict[str, Any]:
    """Random weights, zero biases."""
    rng = np.random.default_rng(seed)
    return {"w1": rng.normal(size=(64, hidden)) / 8.0, "b1": np.zeros(hidden),
            "w2": rng.normal(size=(hidden, 10)) / np.sqrt(hidden), "b2": np.zeros(10)}


def train(params: dict[str, Any], x: Any, labels: Any, epochs: int, batch: int = 64, rate: float = 3e-3, decay: float = 1e-5,
          seed: int = 1) -> dict[str, Any]:
    """Adam on shuffled batches, with a rate that falls to zero along a cosine."""
    gradient = tg.grad(loss)
    rng = np.random.default_rng(seed)
    params = dict(params)
    first = {name: np.zeros_like(value) for name, value in params.items()}
    second = {name: np.zeros_like(value) for name, value in params.items()}
    steps = epochs * (len(x) // batch)
    order = rng.permutation(len(x))
    for step in range(1, steps + 1):
        if len(order) < batch:
            order = rng.permutation(len(x))
        rows, order = order[:batch], order[batch:]
        g = gradient(params, x[rows], labels[rows], decay)
        for name in params:
            first[name] = 0.9 * first[name] + 0.1 * g[name]
            second[name] = 0.999 * second[name] + 0.001 * g[name] ** 2
            scale = rate * 0.5 * (1.0 + np.cos(np.pi * step / steps))
            params[name] = params[name] - scale * (first[name] / (1 - 0.9 ** step)) / (np.sqrt(second[name] / (1 - 0.999 ** step)) + 1e-8)
    return params


def accuracy(params: dict[str, Any], x: Any, labels: Any) -> float:
    """Share of images that are read right."""
    return float(np.mean(np.argmax(scores(params, x), axis=1) == labels))


def main(argv: list[str] | None = None) -> int:
    """Trains and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--hidden", type=int, default=48, help="units of the hidden layer")
    options = parser.parse_args(argv)

    x, labels, x_test, labels_test = load()
    start = initial(options.hidden)
    print(tg.grad(loss).source_for(start, x, labels, 1e-5))
    trained = train(start, x, labels, options.epochs)
    print(f"loss     before {loss(start, x, labels, 0.0):.4f}, after {loss(trained, x, labels, 0.0):.4f}")
    print(f"accuracy training {accuracy(trained, x, labels):.3f}, test {accuracy(trained, x_test, labels_test):.3f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
