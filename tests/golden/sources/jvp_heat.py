# Written by python -m tests.golden
# ruff: noqa
def jvp_heat(u0, c, steps, u0_dot, c_dot):
    """heat, and its derivative along (u0_dot, c_dot)."""
    u_dot = u0_dot.copy()
    u = u0.copy()
    for _ in range(steps):
        s = u[2:] - 2.0 * u[1:-1] + u[:-2]
        u_dot[1:-1] += c_dot * s + c * (u_dot[2:] - 2.0 * u_dot[1:-1] + u_dot[:-2])
        u[1:-1] += c * s
    return np.sum(u ** 2), np.sum(2.0 * u * u_dot)
