"""`transgrad.interop.sklearn`: the estimators pass scikit-learn's checks, and work in its pipelines and searches."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.datasets import load_iris, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from transgrad.interop.sklearn import LossClassifier, LossRegressor


def model(p, X):
    return X @ p["w"] + p["b"]


def squares(p, X, y):
    return np.mean((model(p, X) - y) ** 2)


def start(X, y):
    return {"w": np.zeros(X.shape[1]), "b": 0.0}


def cross_entropy(p, X, y):
    s = model(p, X)
    top = np.max(s, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(s - top), axis=1)) + top[:, 0] - s[np.arange(len(y)), y])


def start_of_classes(X, y, k):
    return {"w": np.zeros((X.shape[1], k)), "b": np.zeros(k)}


REGRESSOR = LossRegressor(squares, model, start)
CLASSIFIER = LossClassifier(cross_entropy, model, start_of_classes, alpha=1e-3)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [REGRESSOR, CLASSIFIER], ids=["regressor", "classifier"])
def test_the_checks_of_scikit_learn(estimator: Any) -> None:
    from unittest import SkipTest
    count = 0
    for one, check in estimator_checks_generator(estimator):
        try:
            check(one)
        except SkipTest:
            continue
        count += 1
    assert count > 45


def test_parameters_and_clones() -> None:
    twin = clone(CLASSIFIER)
    assert twin is not CLASSIFIER and twin.get_params() == CLASSIFIER.get_params()
    assert twin.set_params(alpha=2.0).alpha == 2.0 and set(REGRESSOR.get_params()) == {
        "alpha", "init", "loss", "max_iter", "method", "predict_with", "tol"}


def test_the_regressor_equals_ridge() -> None:
    X, y = make_regression(80, 5, noise=2.0, random_state=0)
    X = X - X.mean(axis=0)
    y = y - y.mean()
    ours = LossRegressor(squares, model, start, alpha=0.1, tol=1e-10).fit(X, y)
    theirs = Ridge(alpha=0.1 * len(y)).fit(X, y)
    np.testing.assert_allclose(ours.params_["w"], theirs.coef_, rtol=1e-4)
    assert abs(ours.score(X, y) - theirs.score(X, y)) < 1e-6


def test_the_classifier_equals_logistic_regression() -> None:
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = LossClassifier(cross_entropy, model, start_of_classes, alpha=1e-6).fit(X, y)
    assert np.mean(ours.predict(X) == LogisticRegression(C=1e4).fit(X, y).predict(X)) > 0.97
    assert ours.decision_function(X).shape == (150, 3)


def test_pipelines_and_searches() -> None:
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    pipeline = make_pipeline(StandardScaler(), CLASSIFIER)
    assert cross_val_score(pipeline, X, names, cv=3).mean() > 0.9
    search = GridSearchCV(pipeline, {"lossclassifier__alpha": [1e-4, 10.0], "lossclassifier__method": ["BFGS", "L-BFGS-B"]}, cv=3).fit(X, names)
    assert search.best_params_["lossclassifier__alpha"] == 1e-4 and search.predict(X[:1])[0] == "setosa"


def test_a_nonlinear_model_and_a_given_start() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(60, 1))
    y = 2.0 * np.exp(-1.5 * X[:, 0])

    def curve(p, X):
        return p[0] * np.exp(-p[1] * X[:, 0])
    found = LossRegressor(lambda p, X, y: np.sum((curve(p, X) - y) ** 2), curve, np.ones(2)).fit(X, y)
    np.testing.assert_allclose(found.params_, [2.0, 1.5], rtol=1e-3)
    assert found.n_iter_ >= 1 and found.loss_ < 1e-5
