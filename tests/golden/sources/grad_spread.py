# Written by python -m tests.golden
# ruff: noqa
def grad_spread(x):
    """Gradient of spread with respect to x."""
    s = np.std(x)

    # return np.std(x) + np.var(x)
    n = x.size
    t = x - np.mean(x)
    x_bar = 2.0 / n * t
    x_bar += 1.0 / (n * (s + (s == 0))) * t
    return x_bar
