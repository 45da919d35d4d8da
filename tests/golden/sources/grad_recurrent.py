# Written by python -m tests.golden
# ruff: noqa
def grad_recurrent(W, U, xs):
    """Gradient of recurrent with respect to W, U."""
    h = np.zeros(len(W))
    saved_h = []
    saved_h_1 = []
    for x in xs:
        saved_h.append(h)
        h = np.tanh(W @ h + U @ x)
        saved_h_1.append(h)

    # return np.sum(h ** 2)
    h_bar = 2.0 * h
    # h = np.tanh(W @ h + U @ x)
    U_bar = np.zeros_like(U)
    W_bar = np.zeros_like(W)
    s = W.T
    t = []
    for x, _, h_1 in zip(reversed(xs), reversed(saved_h), reversed(saved_h_1)):
        # h = np.tanh(W @ h + U @ x)
        q = h_bar * (1.0 - h_1 ** 2)
        t.append(q)
        U_bar += np.outer(q, x)
        h_bar = s @ q
    # h = np.tanh(W @ h + U @ x)
    W_bar += np.array(t).T @ np.array(saved_h[::-1])
    return W_bar, U_bar
