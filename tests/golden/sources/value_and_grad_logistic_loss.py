# Written by python -m tests.golden
# ruff: noqa
def value_and_grad_logistic_loss(w, X, y):
    """Value and gradient of logistic_loss with respect to w."""
    score = X @ w
    s = np.logaddexp(0.0, score)

    # return np.mean(np.logaddexp(0.0, score) - y * score)
    t = 1.0 / s.size
    score_bar = y * -t
    score_bar += t * np.exp(score - s)
    # score = X @ w
    w_bar = X.T @ score_bar
    return np.mean(s - y * score), w_bar
