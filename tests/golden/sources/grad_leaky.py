# Written by python -m tests.golden
# ruff: noqa
def grad_leaky(x, slope):
    """Gradient of leaky with respect to x, slope."""
    mask = x > 0

    # return np.sum(np.where(x > 0, x, slope * x) ** 2)
    s = 2.0 * np.where(mask, x, slope * x)
    slope_bar = np.sum(np.where(mask, 0.0, s * x))
    x_bar = np.where(mask, s, slope * s)
    return x_bar, slope_bar
