# Written by python -m tests.golden
# ruff: noqa
def jvp_gradient_logistic_loss_batched(w, X, y, w_dot):
    check_broadcast(y.shape, X.shape[:1])
    score_dot = w_dot @ X.T
    score = X @ w

    # return np.mean(np.logaddexp(0.0, score) - y * score)
    s = -score
    t = np.exp(np.minimum(s, 709.0))
    q = 1.0 + t
    r = -(np.where(s == 709.0, -0.5 * score_dot, -score_dot) * t / q * (1.0 / q))
    v = 1.0 / score.size * r
    score_bar_dot = np.where(s > 709.0, 0.0, v)
    # score = X @ w
    w_bar_dot = score_bar_dot @ X
    return w_bar_dot


def gradient_logistic_loss(w, X, y):
    score = X @ w

    # return np.mean(np.logaddexp(0.0, score) - y * score)
    s = 1.0 / score.size
    score_bar = y * -s
    score_bar = score_bar + s * (1.0 / (1.0 + np.exp(np.minimum(-score, 709.0))))
    # score = X @ w
    w_bar = X.T @ score_bar
    return w_bar


def hessian_logistic_loss(w, X, y):
    """Second derivatives of logistic_loss with respect to w."""
    n = w.size
    if n > 0:
        jac_w = np.empty((0, n))
        step = 65536 // (n + 1) + 1
        for i in range(0, n, step):
            end = min(i + step, n)
            w_dot = np.eye(end - i, n, i)
            w_bar_dot = jvp_gradient_logistic_loss_batched(w, X, y, w_dot)
            if i == 0:
                jac_w = np.empty((w_bar_dot.shape[1], n))
            jac_w[:, i:end] = w_bar_dot.T
    else:
        w_bar = gradient_logistic_loss(w, X, y)
        jac_w = np.zeros((w_bar.size, n))
    return jac_w
