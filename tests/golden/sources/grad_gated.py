# Written by python -m tests.golden
# ruff: noqa
def sigmoid_backward(s0, out_bar):
    # return 1.0 / (1.0 + np.exp(-x))
    x_bar = out_bar * (s0 * (1.0 - s0))
    return x_bar


def grad_gated(w, v, x):
    """Gradient of gated with respect to w, v."""
    s = sigmoid(w * x)
    t = np.tanh(v * x)

    # return np.sum(sigmoid(w * x) * np.tanh(v * x))
    v_bar = s * (1.0 - t ** 2) * x
    w_bar = sigmoid_backward(s, t) * x
    return w_bar, v_bar
