# Written by python -m tests.golden
# ruff: noqa
def value_and_grad_two_layers(W1, b1, W2, b2, x, y):
    """Value and gradient of two_layers with respect to W1, b1."""
    s = W1 @ x + b1
    h = np.tanh(s)
    r = W2 @ h + b2 - y

    # return np.sum(r ** 2)
    r_bar = 2.0 * r
    # r = W2 @ h + b2 - y
    h_bar = W2.T @ r_bar
    # h = np.tanh(W1 @ x + b1)
    t = np.exp(-(np.copysign(2.0, s) * s))
    b1_bar = h_bar * (4.0 * t / (1.0 + t) ** 2)
    W1_bar = np.outer(b1_bar, x)
    return np.sum(r ** 2), (W1_bar, b1_bar)
