# Written by python -m tests.golden
# ruff: noqa
def grad_heat(u0, c, steps):
    """Gradient of heat with respect to u0, c."""
    u = u0.copy()
    saved_s = []
    for _ in range(steps):
        s = u[2:] - 2.0 * u[1:-1] + u[:-2]
        saved_s.append(s)
        u[1:-1] += c * s

    # return np.sum(u ** 2)
    u_bar = 2.0 * u
    c_bar = 0.0
    for s in reversed(saved_s):
        # u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        t = u_bar[1:-1]
        q = c * t
        c_bar += np.vdot(t, s)
        u_bar[:-2] += q
        u_bar[2:] += q
        u_bar[1:-1] -= 2.0 * q
    return u_bar, c_bar
