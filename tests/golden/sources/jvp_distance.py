# Written by python -m tests.golden
# ruff: noqa
def jvp_distance(x, c, x_dot):
    """distance, and its derivative along (x_dot)."""
    s = x - c
    t = np.linalg.norm(s)
    return t, np.sum(s / (t + (t == 0)) * x_dot)
