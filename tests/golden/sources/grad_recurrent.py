# Written by python -m tests.golden
# ruff: noqa
def grad_recurrent(W, U, xs):
    """Gradient of recurrent with respect to W, U."""
    h = np.zeros(len(W))
    saved_h = []
    saved_s = []
    for x in xs:
        saved_h.append(h)
        s = W @ h + U @ x
        saved_s.append(s)
        h = np.tanh(s)

    # return np.sum(h ** 2)
    h_bar = 2.0 * h
    # h = np.tanh(W @ h + U @ x)
    U_bar = np.zeros_like(U)
    W_bar = np.zeros_like(W)
    t = W.T
    q = []
    for x, _, s in zip(reversed(xs), reversed(saved_h), reversed(saved_s)):
        # h = np.tanh(W @ h + U @ x)
        r = np.exp(-(np.copysign(2.0, s) * s))
        w = h_bar * (4.0 * r / (1.0 + r) ** 2)
        q.append(w)
        U_bar += np.outer(w, x)
        h_bar = t @ w
    # h = np.tanh(W @ h + U @ x)
    W_bar += np.array(q).T @ np.array(saved_h[::-1])
    return W_bar, U_bar
