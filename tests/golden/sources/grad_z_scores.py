# Written by python -m tests.golden
# ruff: noqa
def grad_z_scores(x):
    """Gradient of z_scores with respect to x."""
    s = x.std()
    t = (x - x.mean()) / s

    # return np.sum(((x - x.mean()) / x.std()) ** 3)
    q = 3 * t ** 2 / s
    n = x.size
    x_bar = -(np.vdot(q, t) / (n * (s + (s == 0)))) * (x - np.mean(x))
    x_bar += q
    x_bar -= np.sum(q) / n
    return x_bar
