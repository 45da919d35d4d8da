# Written by python -m tests.golden
# ruff: noqa
def grad_soft_threshold(x, lam):
    """Gradient of soft_threshold with respect to x."""
    s = np.sign(x)
    t = np.abs(x) - lam

    # return np.sum(np.sign(x) * np.maximum(np.abs(x) - lam, 0.0))
    x_bar = np.where(t < 0.0, 0.0, np.where(t == 0.0, 0.5 * s, s) * s)
    return x_bar
