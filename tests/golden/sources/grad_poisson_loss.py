# Written by python -m tests.golden
# ruff: noqa
def grad_poisson_loss(w, X, counts):
    """Gradient of poisson_loss with respect to w."""
    rate = np.exp(X @ w)

    # return np.sum(rate - counts * np.log(rate))
    rate_bar = 1.0 - counts / rate
    # rate = np.exp(X @ w)
    w_bar = X.T @ (rate_bar * rate)
    return w_bar
