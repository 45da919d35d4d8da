# Written by python -m tests.golden
# ruff: noqa
def grad_cross_entropy(w, X, y):
    """Gradient of cross_entropy with respect to w."""
    p = 1.0 / (1.0 + np.exp(-(X @ w)))

    # return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
    s = -1.0 / y.size
    p_bar = -((1 - y) * s / (1 - p))
    p_bar += y * s / p
    # p = 1.0 / (1.0 + np.exp(-(X @ w)))
    w_bar = X.T @ (p_bar * (p * (1.0 - p)))
    return w_bar
