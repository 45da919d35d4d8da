# Written by python -m tests.golden
# ruff: noqa
def grad_softmax_loss(W, X, labels):
    """Gradient of softmax_loss with respect to W."""
    check_broadcast(X.shape[:1], labels.shape)
    z = X @ W
    s = np.max(z, axis=1, keepdims=True)
    z_1 = z - s
    t = np.exp(z_1)
    q = np.sum(t, axis=1)

    # return np.mean(lse - z[np.arange(len(labels)), labels])
    lse_bar = 1.0 / q.size
    # lse = np.log(np.sum(np.exp(z), axis=1))
    z_bar = (lse_bar / q)[:, None] * t
    # return np.mean(lse - z[np.arange(len(labels)), labels])
    z_bar[np.arange(len(labels)), labels] -= lse_bar
    # z = z - np.max(z, axis=1, keepdims=True)
    mask = z == s
    z_bar = (
        z_bar
        + np.where(mask, -(np.sum(z_bar, axis=1, keepdims=True) / np.count_nonzero(mask, axis=1, keepdims=True)), 0.0)
    )
    # z = X @ W
    W_bar = X.T @ z_bar
    return W_bar
