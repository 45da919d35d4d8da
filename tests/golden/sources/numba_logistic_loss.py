# Written by python -m tests.golden
# ruff: noqa
import numpy as np
from transgrad.runtime.numba.apart import apart_inner
from transgrad.runtime.numba.elementary import exp
from transgrad.runtime.numba.once import njit_outer
from transgrad.runtime.numba.selection import minimum


@apart_inner(error_model='numpy')
def logistic_loss_elements(w, X, y, w_bar):
    w_0 = w[0]
    w_1 = w[1]
    w_2 = w[2]
    X_0_0 = X[0, 0]
    X_0_1 = X[0, 1]
    X_0_2 = X[0, 2]
    X_1_0 = X[1, 0]
    X_1_1 = X[1, 1]
    X_1_2 = X[1, 2]
    X_2_0 = X[2, 0]
    X_2_1 = X[2, 1]
    X_2_2 = X[2, 2]
    X_3_0 = X[3, 0]
    X_3_1 = X[3, 1]
    X_3_2 = X[3, 2]
    X_4_0 = X[4, 0]
    X_4_1 = X[4, 1]
    X_4_2 = X[4, 2]
    y_0 = y[0]
    y_1 = y[1]
    y_2 = y[2]
    y_3 = y[3]
    y_4 = y[4]
    score_0 = X_0_0 * w_0 + X_0_1 * w_1 + X_0_2 * w_2
    score_1 = X_1_0 * w_0 + X_1_1 * w_1 + X_1_2 * w_2
    score_2 = X_2_0 * w_0 + X_2_1 * w_1 + X_2_2 * w_2
    score_3 = X_3_0 * w_0 + X_3_1 * w_1 + X_3_2 * w_2
    score_4 = X_4_0 * w_0 + X_4_1 * w_1 + X_4_2 * w_2

    # return np.mean(np.logaddexp(0.0, score) - y * score)
    s = 1.0 / 5
    t = -s
    score_bar_0 = y_0 * t
    score_bar_1 = y_1 * t
    score_bar_2 = y_2 * t
    score_bar_3 = y_3 * t
    score_bar_4 = y_4 * t
    score_bar_0 += s * (1.0 / (1.0 + exp(minimum(-score_0, 709.0))))
    score_bar_1 += s * (1.0 / (1.0 + exp(minimum(-score_1, 709.0))))
    score_bar_2 += s * (1.0 / (1.0 + exp(minimum(-score_2, 709.0))))
    score_bar_3 += s * (1.0 / (1.0 + exp(minimum(-score_3, 709.0))))
    score_bar_4 += s * (1.0 / (1.0 + exp(minimum(-score_4, 709.0))))
    # score = X @ w
    s = X_0_0 * score_bar_0 + X_1_0 * score_bar_1 + X_2_0 * score_bar_2
    s += X_3_0 * score_bar_3
    w_bar_0 = s + X_4_0 * score_bar_4
    s = X_0_1 * score_bar_0 + X_1_1 * score_bar_1 + X_2_1 * score_bar_2
    s += X_3_1 * score_bar_3
    w_bar_1 = s + X_4_1 * score_bar_4
    s = X_0_2 * score_bar_0 + X_1_2 * score_bar_1 + X_2_2 * score_bar_2
    s += X_3_2 * score_bar_3
    w_bar_2 = s + X_4_2 * score_bar_4
    w_bar[0] = w_bar_0
    w_bar[1] = w_bar_1
    w_bar[2] = w_bar_2


@njit_outer(cache=True, error_model='numpy', boundscheck=True)
def grad_logistic_loss(w, X, y):
    """Gradient of logistic_loss with respect to w."""
    w_bar = np.empty(3)
    logistic_loss_elements(w, X, y, w_bar)
    return w_bar
