# Written by python -m tests.golden
# ruff: noqa
def grad_attention(Q, K, V):
    """Gradient of attention with respect to Q, K, V."""
    t = K.T
    q = np.sqrt(Q.shape[1])
    s = Q @ t / q
    e = np.exp(s - np.max(s, axis=1, keepdims=True))
    r = np.sum(e, axis=1, keepdims=True)
    w = e / r

    # return np.sum(e / np.sum(e, axis=1, keepdims=True) @ V)
    v = np.ones_like(w @ V)
    V_bar = w.T @ v
    e_bar = v @ V.T / r
    e_bar += np.sum(-e_bar * w, axis=1, keepdims=True)
    # e = np.exp(s - np.max(s, axis=1, keepdims=True))
    s_bar = e_bar * e
    # s = Q @ K.T / np.sqrt(Q.shape[1])
    u = s_bar / q
    Q_bar = u @ t.T
    K_bar = (Q.T @ u).T
    return Q_bar, K_bar, V_bar
