# Written by python -m tests.golden
# ruff: noqa
def hessian_banana(x):
    """Second derivatives of banana with respect to x."""
    x_0 = x[0]
    x_1 = x[1]
    s = 2.0 * x_0

    # return (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2
    t = 200.0 * s
    q = -t
    x_bar_dot_x_1 = np.zeros(len(x))
    x_bar_dot_x_0 = np.zeros(len(x))
    x_bar_dot_x_0[0] = -(2.0 * (200.0 * (x_1 - x_0 ** 2)) + s * q)
    x_bar_dot_x_1[0] = -t
    x_bar_dot_x_0[1] = q
    x_bar_dot_x_1[1] = 200.0
    x_bar_dot_x_0[0] += 2.0
    jac_x = np.zeros((len(x_bar_dot_x_0), x.size))
    jac_x[:, 0] = x_bar_dot_x_0
    jac_x[:, 1] = x_bar_dot_x_1
    return jac_x
