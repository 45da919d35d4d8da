# Written by python -m tests.golden
# ruff: noqa
def grad_runge_kutta(y, k, dt, n):
    """Gradient of runge_kutta with respect to y, k."""
    saved_y = []
    saved_s = []
    t = -k
    q = 0.5 * dt
    for _ in range(n):
        saved_y.append(y)
        k1 = t * y
        s = y + q * k1
        saved_s.append(s)
        k2 = t * s
        y = y + dt * k2

    y_bar = np.ones_like(y)
    k_bar = 0.0
    for y, s in zip(reversed(saved_y), reversed(saved_s)):
        # y = y + dt * k2
        k2_bar = dt * y_bar
        # k2 = -k * (y + 0.5 * dt * k1)
        r = t * k2_bar
        y_bar = y_bar + r
        k1_bar = q * r
        k_bar -= np.vdot(k2_bar, s)
        # k1 = -k * y
        y_bar += t * k1_bar
        k_bar -= np.vdot(k1_bar, y)
    return y_bar, k_bar
