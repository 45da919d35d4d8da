# Written by python -m tests.golden
# ruff: noqa
def grad_clipped(x, low, high):
    """Gradient of clipped with respect to x."""
    s = np.clip(x, low, high)

    # return np.sum(np.clip(x, low, high) ** 2)
    x_bar = np.where(x == s, 2.0 * s, 0.0)
    return x_bar
