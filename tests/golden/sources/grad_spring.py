# Written by python -m tests.golden
# ruff: noqa
def grad_spring(x, v, k, dt, n):
    """Gradient of spring with respect to x, v, k."""
    saved_x = []
    s = -k
    for _ in range(n):
        saved_x.append(x)
        a = s * x
        v = v + dt * a
        x = x + dt * v

    # return np.sum(x ** 2)
    x_bar = 2.0 * x
    v_bar = np.zeros_like(v)
    k_bar = 0.0
    for x in reversed(saved_x):
        # x = x + dt * v
        v_bar = v_bar + dt * x_bar
        # v = v + dt * a
        a_bar = dt * v_bar
        # a = -k * x
        x_bar = x_bar + s * a_bar
        k_bar -= np.vdot(a_bar, x)
    return x_bar, v_bar, k_bar
