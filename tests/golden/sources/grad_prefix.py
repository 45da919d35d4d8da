# Written by python -m tests.golden
# ruff: noqa
def grad_prefix(x):
    """Gradient of prefix with respect to x."""
    # return np.sum(np.cumsum(x) ** 2)
    x_bar = np.cumsum((2.0 * np.cumsum(x))[::-1])[::-1]
    return x_bar
