# Written by python -m tests.golden
# ruff: noqa
def grad_layer_norm(x, gain, bias):
    """Gradient of layer_norm with respect to x, gain, bias."""
    m = np.mean(x, axis=-1, keepdims=True)
    s = np.std(x, axis=-1, keepdims=True)
    t = x - m
    q = s + 1e-05
    r = gain * t / q

    # return np.sum((gain * (x - m) / (s + 1e-5) + bias) ** 2)
    w = 2.0 * (r + bias)
    bias_bar = np.sum(w, axis=0)
    v = w / q
    x_bar = gain * v
    gain_bar = np.einsum('ij,ij->j', v, t)
    u = np.sum(x_bar, axis=1, keepdims=True)
    # s = np.std(x, axis=-1, keepdims=True)
    pair = x.shape
    x_bar -= np.sum(v * r, axis=1, keepdims=True) / (pair[1] * (s + (s == 0))) * t
    # m = np.mean(x, axis=-1, keepdims=True)
    x_bar -= u / pair[1]
    return x_bar, gain_bar, bias_bar
