# Written by python -m tests.golden
# ruff: noqa
def grad_positive_part(x):
    """Gradient of positive_part with respect to x."""
    mask = x > 0

    # return np.sum(x[x > 0] ** 2)
    x_bar = np.zeros(len(x))
    x_bar[mask] = 2.0 * x[mask]
    return x_bar
