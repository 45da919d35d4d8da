# Written by python -m tests.golden
# ruff: noqa
def grad_potential(pos):
    """Gradient of potential with respect to pos."""
    n = len(pos)

    pos_bar = np.zeros_like(pos)
    for i in range(n):
        for j in range(i):
            d = pos[i] - pos[j]
            s = math.sqrt(float(d @ d))
            t = 1.0 / s
            # e -= 1.0 / np.sqrt(d @ d)
            d_bar = 2.0 * (0.5 * (t * t) / s) * d
            # d = pos[i] - pos[j]
            pos_bar[j] -= d_bar
            pos_bar[i] += d_bar
    return pos_bar
