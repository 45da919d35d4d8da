# Written by python -m tests.golden
# ruff: noqa
def grad_safe_sqrt(x):
    """Gradient of safe_sqrt with respect to x."""
    # return np.sum(np.where(x > 0, np.sqrt(x), 0.0))
    x_bar = np.where(x > 0, 0.5 / np.sqrt(x), 0.0)
    return x_bar
