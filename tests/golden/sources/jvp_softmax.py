# Written by python -m tests.golden
# ruff: noqa
def jvp_softmax(x, x_dot):
    """softmax, and its derivative along (x_dot)."""
    s = np.max(x)
    mask = x == s
    e = np.exp(x - s)
    e_dot = (x_dot - np.sum(np.where(mask, x_dot, 0.0)) / np.count_nonzero(mask)) * e
    t = np.sum(e)
    q = e / t
    return q, e_dot / t + -(np.sum(e_dot) / t) * q
