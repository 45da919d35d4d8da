# Written by python -m tests.golden
# ruff: noqa
def grad_mixture(alpha, mu, log_s, x):
    """Gradient of mixture with respect to alpha, mu, log_s."""
    s = np.exp(log_s)
    d = (x[:, None] - mu) / s
    t = alpha - log_s - 0.5 * d ** 2
    m = np.max(t, axis=1)
    q = np.exp(t - m[:, None])

    # return np.sum(np.log(np.sum(np.exp(t - m[:, None]), axis=1)) + m)
    t_bar = (1.0 / np.sum(q, axis=1))[:, None] * q
    # t = alpha - log_s - 0.5 * d ** 2
    alpha_bar = np.sum(t_bar, axis=0)
    d_bar = -1.0 * (d * t_bar)
    log_s_bar = -alpha_bar
    # d = (x[:, None] - mu) / np.exp(log_s)
    r = d_bar / s
    log_s_bar -= np.einsum('ij,ij->j', r, d) * s
    mu_bar = -np.sum(r, axis=0)
    return alpha_bar, mu_bar, log_s_bar
