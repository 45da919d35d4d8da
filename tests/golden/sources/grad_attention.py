# Written by python -m tests.golden
# ruff: noqa
def grad_attention(Q, K, V):
    """Gradient of attention with respect to Q, K, V."""
    t = np.sqrt(Q.shape[1])
    s = Q @ K.T / t
    e = np.exp(s - np.max(s, axis=1, keepdims=True))
    q = np.sum(e, axis=1, keepdims=True)
    r = e / q

    # return np.sum(e / np.sum(e, axis=1, keepdims=True) @ V)
    w = np.ones_like(r @ V)
    V_bar = r.T @ w
    e_bar = w @ V.T / q
    e_bar += np.sum(-e_bar * r, axis=1, keepdims=True)
    # e = np.exp(s - np.max(s, axis=1, keepdims=True))
    s_bar = e_bar * e
    # s = Q @ K.T / np.sqrt(Q.shape[1])
    v = s_bar / t
    Q_bar = v @ K
    K_bar = (Q.T @ v).T
    return Q_bar, K_bar, V_bar
