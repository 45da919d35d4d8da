# Written by python -m tests.golden
# ruff: noqa
def jvp_softmax_batched(x, x_dot):
    s = np.max(x)
    mask = x == s
    e = np.exp(x - s)
    e_dot = (x_dot - (np.sum(np.where(mask, x_dot, 0.0), axis=1) / np.count_nonzero(mask))[:, None]) * e
    t = np.sum(e)
    return e_dot / t + (-(np.sum(e_dot, axis=1) / t))[:, None] * (e / t)


def jacobian_softmax(x):
    """Jacobian of softmax with respect to x."""
    n = x.size
    if n > 0:
        jac_x = np.empty((0, n))
        step = 65536 // (n + 1) + 1
        for i in range(0, n, step):
            end = min(i + step, n)
            x_dot = np.eye(end - i, n, i)
            s = jvp_softmax_batched(x, x_dot)
            if i == 0:
                jac_x = np.empty((s.shape[1], n))
            jac_x[:, i:end] = s.T
    else:
        out = softmax(x)
        jac_x = np.zeros((out.size, n))
    return jac_x
