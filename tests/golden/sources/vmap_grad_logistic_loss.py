# Written by python -m tests.golden
# ruff: noqa
def vmap_grad_logistic_loss(w, X, y):
    """grad_logistic_loss, for a batch of examples."""
    score = w @ X.T

    # return np.mean(np.logaddexp(0.0, score) - y * score)
    s = 1.0 / score.shape[1]
    score_bar = y * -s
    score_bar = score_bar + s * (1.0 / (1.0 + np.exp(np.minimum(-score, 709.0))))
    # score = X @ w
    w_bar = score_bar @ X
    return w_bar
