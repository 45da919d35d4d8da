# Written by python -m tests.golden
# ruff: noqa
def grad_banana(x):
    """Gradient of banana with respect to x."""
    s = x[0]

    # return (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2
    t = 200.0 * (x[1] - s ** 2)
    x_bar = np.zeros(len(x))
    x_bar[0] = -(2.0 * s * t)
    x_bar[1] = t
    x_bar[0] -= 2.0 * (1.0 - s)
    return x_bar
