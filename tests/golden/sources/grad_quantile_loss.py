# Written by python -m tests.golden
# ruff: noqa
def grad_quantile_loss(q, y, tau):
    """Gradient of quantile_loss with respect to q."""
    d = y - q
    s = tau * d
    t = tau - 1.0
    r = t * d

    # return np.mean(np.maximum(tau * d, (tau - 1.0) * d))
    w = 1.0 / d.size
    v = np.where(s == r, 0.5 * w, w)
    d_bar = np.where(r < s, 0.0, t * v)
    d_bar += np.where(s < r, 0.0, tau * v)
    # d = y - q
    q_bar = -np.sum(d_bar)
    return q_bar
