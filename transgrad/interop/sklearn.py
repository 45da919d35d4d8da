"""scikit-learn estimators made from a loss that is written in NumPy.

The parameters of the model have any structure. They are fitted with the gradient of the loss by a method of `scipy.optimize.minimize`.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..transforms.options import Options
from .missing import require
from .vectors import VectorFunction

__all__ = ["LossClassifier", "LossRegressor"]


def __dir__() -> list[str]:
    return sorted(__all__)


require("sklearn", "sklearn", "transgrad.interop.sklearn")

from scipy.optimize import minimize  # noqa: E402
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin  # noqa: E402
from sklearn.utils.multiclass import check_classification_targets  # noqa: E402
from sklearn.utils.validation import check_is_fitted, validate_data  # noqa: E402

Array = NDArray[Any]


class _LossEstimator(BaseEstimator):  # type: ignore[misc]
    """What the estimators share: parameters, and the fit."""

    def __init__(self, loss: Callable[..., Any], predict_with: Callable[..., Any], init: Any, alpha: float = 0.0, method: str = "L-BFGS-B",
                 max_iter: int = 1000, tol: float | None = None):
        self.loss = loss
        self.predict_with = predict_with
        self.init = init
        self.alpha = alpha
        self.method = method
        self.max_iter = max_iter
        self.tol = tol

    def _fit(self, X: Array, y: Array, *start: Any) -> None:
        """Minimize the loss for validated data."""
        params = self.init(X, y, *start) if callable(self.init) else self.init
        function = VectorFunction(self.loss, params, (X, y), {}, Options())
        alpha = float(self.alpha)

        def objective(x: Array) -> tuple[float, Array]:
            value, gradient = function.value_and_grad(x)
            return value + alpha * float(x @ x), gradient + 2.0 * alpha * x

        result = minimize(objective, function.space.pack(params), jac=True, method=self.method, tol=self.tol,
                          options={"maxiter": self.max_iter})
        self.params_ = function.space.unpack(result.x)
        self.loss_ = float(result.fun)
        self.n_iter_ = max(1, int(result.nit))
        self.result_ = result

    def _output(self, X: Any) -> Array:
        check_is_fitted(self, "params_")
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray(self.predict_with(self.params_, X))


class LossRegressor(RegressorMixin, _LossEstimator):  # type: ignore[misc]
    """A regressor made from a loss and a model that are written in NumPy.

    Parameters
    ----------
    loss : callable
        The function ``loss(params, X, y)`` that is minimized. It returns one real number.
    predict_with : callable
        The model ``predict_with(params, X)``. It returns one prediction for each sample.
    init : callable or structure
        The parameters to start from, of any structure, or a function ``init(X, y)`` that returns them.
    alpha : float, default 0.0
        The weight of the sum of squared parameters, which is added to the loss.
    method : str, default 'L-BFGS-B'
        A method of `scipy.optimize.minimize` that uses a gradient.
    max_iter : int, default 1000
        The largest number of iterations.
    tol : float, optional
        The tolerance of the method.

    Attributes
    ----------
    params_ : structure
        The fitted parameters.
    loss_ : float
        The loss at these.
    n_iter_ : int
        The number of iterations.
    result_ : OptimizeResult
        The result of SciPy.

    Examples
    --------
    >>> import numpy as np
    >>> from transgrad.interop.sklearn import LossRegressor
    >>> def model(p, X):
    ...     return p["scale"] * np.exp(X @ p["rate"])
    >>> def loss(p, X, y):
    ...     return np.mean((model(p, X) - y) ** 2)
    >>> X = np.linspace(0.0, 1.0, 20)[:, None]
    >>> y = 2.0 * np.exp(-X[:, 0])
    >>> regressor = LossRegressor(loss, model, lambda X, y: {"scale": 1.0, "rate": np.zeros(X.shape[1])})
    >>> round(regressor.fit(X, y).score(X, y), 4)
    1.0
    >>> regressor.params_["rate"].round(2)
    array([-1.])
    """

    def __init__(self, loss: Callable[..., Any], predict_with: Callable[..., Any], init: Any, alpha: float = 0.0, method: str = "L-BFGS-B",
                 max_iter: int = 1000, tol: float | None = None):
        super().__init__(loss, predict_with, init, alpha, method, max_iter, tol)

    def fit(self, X: Any, y: Any) -> LossRegressor:
        """Fit the parameters to samples ``X`` of shape (n_samples, n_features) and targets ``y`` of shape (n_samples,)."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        self._fit(X, np.asarray(y, np.float64))
        return self

    def predict(self, X: Any) -> Array:
        """Return a prediction for each sample."""
        return self._output(X)


class LossClassifier(ClassifierMixin, _LossEstimator):  # type: ignore[misc]
    """A classifier made from a loss and scores that are written in NumPy.

    Parameters
    ----------
    loss : callable
        The function ``loss(params, X, y)`` that is minimized, where ``y`` holds the numbers of the classes, from 0. It returns one
        real number.
    predict_with : callable
        The scores ``predict_with(params, X)``: an array of shape (n_samples, n_classes), of which the largest decides, or, for two
        classes, of shape (n_samples,), which is positive for the second class.
    init : callable or structure
        The parameters to start from, of any structure, or a function ``init(X, y, n_classes)`` that returns them.
    alpha, method, max_iter, tol
        As for `LossRegressor`.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    params_, loss_, n_iter_, result_
        As for `LossRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from transgrad.interop.sklearn import LossClassifier
    >>> def scores(p, X):
    ...     return X @ p["w"] + p["b"]
    >>> def loss(p, X, y):
    ...     return np.mean(np.logaddexp(0.0, -(2.0 * y - 1.0) * scores(p, X)))
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> classifier = LossClassifier(loss, scores, lambda X, y, k: {"w": np.zeros(X.shape[1]), "b": 0.0}, alpha=0.01)
    >>> classifier.fit(X, ["no", "no", "yes", "yes"]).predict([[0.5], [2.5]]).tolist()
    ['no', 'yes']
    """

    def __init__(self, loss: Callable[..., Any], predict_with: Callable[..., Any], init: Any, alpha: float = 0.0, method: str = "L-BFGS-B",
                 max_iter: int = 1000, tol: float | None = None):
        super().__init__(loss, predict_with, init, alpha, method, max_iter, tol)

    def fit(self, X: Any, y: Any) -> LossClassifier:
        """Fit the parameters to samples ``X`` of shape (n_samples, n_features) and classes ``y`` of shape (n_samples,)."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"expected at least 2 classes, but y contains one class: {self.classes_[0]!r}")
        self._fit(X, numbers, len(self.classes_))
        return self

    def decision_function(self, X: Any) -> Array:
        """Return the scores of each sample; for two classes, an array of shape (n_samples,)."""
        found = self._output(X)
        return found[:, 1] - found[:, 0] if found.ndim == 2 and len(self.classes_) == 2 else found

    def predict(self, X: Any) -> Array:
        """Return a class for each sample."""
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(np.intp) if scores.ndim == 1 else np.argmax(scores, axis=1)
        return np.asarray(self.classes_[chosen])
