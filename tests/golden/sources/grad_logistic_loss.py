# Written by python -m tests.golden
# ruff: noqa
def grad_logistic_loss(w, X, y):
    """Gradient of logistic_loss with respect to w."""
    score = X @ w

    # return np.mean(np.logaddexp(0.0, score) - y * score)
    s = 1.0 / score.size
    score_bar = y * -s
    score_bar += s * (1.0 / (1.0 + np.exp(np.minimum(-score, 709.0))))
    # score = X @ w
    w_bar = X.T @ score_bar
    return w_bar
