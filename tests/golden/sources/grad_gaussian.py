# Written by python -m tests.golden
# ruff: noqa
def grad_gaussian(x, mu, S):
    """Gradient of gaussian with respect to x, mu, S."""
    d = x - mu
    s = np.linalg.solve(S, d)

    # return -0.5 * (d @ np.linalg.solve(S, d) + logdet)
    d_bar = -0.5 * s
    t = np.linalg.solve(S.T, -0.5 * d)
    S_bar = -np.outer(t, s)
    d_bar += t
    # _, logdet = np.linalg.slogdet(S)
    S_bar -= 0.5 * np.linalg.inv(S).T
    # d = x - mu
    mu_bar = -d_bar
    return d_bar, mu_bar, S_bar
