# Written by python -m tests.golden
# ruff: noqa
def compiled_heat(u0, c, steps):
    """heat, compiled."""
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)
