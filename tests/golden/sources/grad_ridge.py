# Written by python -m tests.golden
# ruff: noqa
def grad_ridge(w, b, X, y, lam):
    """Gradient of ridge with respect to w, b."""
    r = X @ w + b - y

    # return 0.5 * np.sum(r * r) + lam * np.sum(w ** 2)
    w_bar = w * (2.0 * lam)
    # r = X @ w + b - y
    b_bar = np.sum(r)
    w_bar += X.T @ r
    return w_bar, b_bar
