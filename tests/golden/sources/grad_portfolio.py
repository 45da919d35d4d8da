# Written by python -m tests.golden
# ruff: noqa
def cov_forward(m):
    x = np.atleast_2d(m)
    d = x - np.mean(x, axis=1, keepdims=True)
    s = np.conj(d)
    n = x.shape[1]
    c = d @ s.T / (n - 1)
    return np.squeeze(c), x, d, s, n, c


def cov_backward(x, d, s2, s3, c, out_bar):
    # return np.squeeze(c)
    c_bar = out_bar.reshape(c.shape)
    # c = d @ np.conj(d).T / (x.shape[1] - ddof)
    s = c_bar / (s3 - 1)
    d_bar = s @ s2
    d_bar = d_bar + (d.T @ s).T
    # d = x - np.mean(x, axis=1, keepdims=True)
    x_bar = d_bar - np.sum(d_bar, axis=1, keepdims=True) / x.shape[1]
    return x_bar


def grad_portfolio(returns, w, risk):
    """Gradient of portfolio with respect to returns, w."""
    m = np.mean(returns, axis=0)
    c, saved_x, saved_d, s, n, saved_c = cov_forward(returns.T)
    t = risk * w

    # return w @ m - risk * w @ c @ w
    q = -w
    w_bar = -(t @ c)
    c_bar = np.outer(t, q)
    w_bar += risk * (c @ q)
    w_bar += m
    # c = np.cov(returns.T)
    returns_bar = cov_backward(saved_x, saved_d, s, n, saved_c, c_bar).T
    # m = np.mean(returns, axis=0)
    returns_bar = returns_bar + (w / returns.shape[0])[None]
    return returns_bar, w_bar
