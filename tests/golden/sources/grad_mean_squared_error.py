# Written by python -m tests.golden
# ruff: noqa
def grad_mean_squared_error(w, X, y):
    """Gradient of mean_squared_error with respect to w."""
    r = X @ w - y

    # return np.mean(r ** 2)
    r_bar = r * (2.0 / y.size)
    # r = X @ w - y
    w_bar = X.T @ r_bar
    return w_bar
