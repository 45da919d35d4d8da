# Written by python -m tests.golden
# ruff: noqa
def normalized_forward(x):
    s = np.linalg.norm(x)
    return x / s, s


def normalized_backward_batched(x, s1, s2, out_bar):
    # return x / np.linalg.norm(x)
    x_bar = out_bar / s2
    x_bar = x_bar - (x_bar @ s1 / (s2 + (s2 == 0)))[:, None] * x
    return x_bar


def jacrev_normalized(x):
    """Jacobian of normalized with respect to x."""
    # return x / np.linalg.norm(x)
    out, s = normalized_forward(x)
    n = out.size
    jac_x = np.zeros((n, x.size))
    step = 65536 // (n + 1) + 1
    for i in range(0, n, step):
        end = min(i + step, n)
        out_bar = np.eye(end - i, n, i)
        x_bar = normalized_backward_batched(x, out, s, out_bar)
        jac_x[i:end] = x_bar
    return jac_x
