# Written by python -m tests.golden
# ruff: noqa
def grad_layers(params, x):
    """Gradient of layers with respect to params."""
    W, b = params[0]
    s = W @ x + b
    x_1 = np.tanh(s)
    W, b = params[1]
    t = W @ x_1 + b

    # x = np.tanh(W @ x + b)
    q = np.exp(-(np.copysign(2.0, t) * t))
    params_1_1_bar = 4.0 * q / (1.0 + q) ** 2
    params_1_0_bar = np.outer(params_1_1_bar, x_1)
    x_bar = W.T @ params_1_1_bar
    r = np.exp(-(np.copysign(2.0, s) * s))
    params_0_1_bar = x_bar * (4.0 * r / (1.0 + r) ** 2)
    params_0_0_bar = np.outer(params_0_1_bar, x)
    return [(params_0_0_bar, params_0_1_bar), (params_1_0_bar, params_1_1_bar)]
