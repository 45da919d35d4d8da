# Written by python -m tests.golden
# ruff: noqa
def value_and_grad_distance(x, c):
    """Value and gradient of distance with respect to x."""
    s = x - c
    t = np.linalg.norm(s)

    # return np.linalg.norm(x - c)
    x_bar = 1.0 / (t + (t == 0)) * s
    return t, x_bar
