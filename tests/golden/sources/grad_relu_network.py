# Written by python -m tests.golden
# ruff: noqa
def grad_relu_network(W1, b1, W2, x, y):
    """Gradient of relu_network with respect to W1, b1, W2."""
    s = W1 @ x + b1
    h = np.maximum(s, 0.0)

    # return np.sum((W2 @ h - y) ** 2)
    t = 2.0 * (W2 @ h - y)
    W2_bar = np.outer(t, h)
    h_bar = W2.T @ t
    # h = np.maximum(W1 @ x + b1, 0.0)
    b1_bar = np.where(s < 0.0, 0.0, np.where(s == 0.0, 0.5 * h_bar, h_bar))
    W1_bar = np.outer(b1_bar, x)
    return W1_bar, b1_bar, W2_bar
