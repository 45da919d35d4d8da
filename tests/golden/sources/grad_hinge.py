# Written by python -m tests.golden
# ruff: noqa
def grad_hinge(w, X, y):
    """Gradient of hinge with respect to w."""
    s = 1.0 - y * (X @ w)

    # return np.mean(np.maximum(0.0, 1.0 - y * (X @ w))) + 0.01 * w @ w
    w_bar = 0.02 * w
    t = 1.0 / s.size
    q = X.T @ np.where(s < 0.0, 0.0, -(y * np.where(0.0 == s, 0.5 * t, t)))
    w_bar += q
    return w_bar
