# Written by python -m tests.golden
# ruff: noqa
def grad_joined(a, b):
    """Gradient of joined with respect to a, b."""
    z = np.concatenate([a, b])

    # return np.sum(z[1:] * z[:-1])
    z_bar = np.zeros_like(z)
    z_bar[:-1] = z[1:]
    z_bar[1:] += z[:-1]
    # z = np.concatenate([a, b])
    n = a.shape[0]
    a_bar = z_bar[:n]
    b_bar = z_bar[n:]
    return a_bar, b_bar
