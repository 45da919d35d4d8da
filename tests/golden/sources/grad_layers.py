# Written by python -m tests.golden
# ruff: noqa
def grad_layers(params, x):
    """Gradient of layers with respect to params."""
    W, b = params[0]
    x_1 = np.tanh(W @ x + b)
    W, b = params[1]
    x_2 = np.tanh(W @ x_1 + b)

    # x = np.tanh(W @ x + b)
    params_1_1_bar = 1.0 - x_2 ** 2
    params_1_0_bar = np.outer(params_1_1_bar, x_1)
    x_bar = W.T @ params_1_1_bar
    params_0_1_bar = x_bar * (1.0 - x_1 ** 2)
    params_0_0_bar = np.outer(params_0_1_bar, x)
    return [(params_0_0_bar, params_0_1_bar), (params_1_0_bar, params_1_1_bar)]
