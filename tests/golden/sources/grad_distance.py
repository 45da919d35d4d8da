# Written by python -m tests.golden
# ruff: noqa
def grad_distance(x, c):
    """Gradient of distance with respect to x, c."""
    s = x - c
    t = np.linalg.norm(s)

    # return np.linalg.norm(x - c)
    x_bar = 1.0 / (t + (t == 0)) * s
    c_bar = -x_bar
    return x_bar, c_bar
