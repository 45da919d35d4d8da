# Written by python -m tests.golden
# ruff: noqa
def sigmoid_backward(s0, out_bar):
    # return 1.0 / (1.0 + np.exp(-x))
    x_bar = out_bar * (s0 * (1.0 - s0))
    return x_bar


def grad_gated(w, v, x):
    """Gradient of gated with respect to w, v."""
    s = sigmoid(w * x)
    t = v * x

    # return np.sum(sigmoid(w * x) * np.tanh(v * x))
    q = np.exp(-(np.copysign(2.0, t) * t))
    v_bar = s * (4.0 * q / (1.0 + q) ** 2) * x
    w_bar = sigmoid_backward(s, np.tanh(t)) * x
    return w_bar, v_bar
