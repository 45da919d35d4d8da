# Written by python -m tests.golden
# ruff: noqa
def grad_correlation(x, y):
    """Gradient of correlation with respect to x, y."""
    xm = x - x.mean()
    ym = y - y.mean()
    s = np.sum(xm ** 2)
    t = np.sum(ym ** 2)
    q = np.sqrt(s * t)

    # return np.sum(xm * ym) / np.sqrt(np.sum(xm ** 2) * np.sum(ym ** 2))
    r = 1.0 / q
    w = 0.5 * (r * (np.sum(xm * ym) / q)) / q
    ym_bar = ym * (-2.0 * (s * w))
    xm_bar = xm * (-2.0 * (w * t))
    xm_bar += r * ym
    ym_bar += xm * r
    # ym = y - y.mean()
    y_bar = ym_bar - np.sum(ym_bar) / y.size
    # xm = x - x.mean()
    x_bar = xm_bar - np.sum(xm_bar) / x.size
    return x_bar, y_bar
