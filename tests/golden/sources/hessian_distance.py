# Written by python -m tests.golden
# ruff: noqa
def jvp_gradient_distance_batched(x, c, x_dot):
    s = x - c
    t = np.linalg.norm(s)
    q = t + (t == 0)

    # return np.linalg.norm(x - c)
    r = 1.0 / q
    x_bar_dot = (-(x_dot @ (s / q) * (np.nan if t == 0 else 1.0) / q * r))[:, None] * s + r * x_dot
    return x_bar_dot


def gradient_distance(x, c):
    s = x - c
    t = np.linalg.norm(s)

    # return np.linalg.norm(x - c)
    x_bar = 1.0 / (t + (t == 0)) * s
    return x_bar


def hessian_distance(x, c):
    """Second derivatives of distance with respect to x."""
    n = x.size
    if n > 0:
        jac_x = np.empty((0, n))
        step = 65536 // (n + 1) + 1
        for i in range(0, n, step):
            end = min(i + step, n)
            x_dot = np.eye(end - i, n, i)
            x_bar_dot = jvp_gradient_distance_batched(x, c, x_dot)
            if i == 0:
                jac_x = np.empty((x_bar_dot.shape[1], n))
            jac_x[:, i:end] = x_bar_dot.T
    else:
        x_bar = gradient_distance(x, c)
        jac_x = np.zeros((x_bar.size, n))
    return jac_x
