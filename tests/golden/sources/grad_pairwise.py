# Written by python -m tests.golden
# ruff: noqa
def grad_pairwise(pos):
    """Gradient of pairwise with respect to pos."""
    d = pos[:, None, :] - pos[None, :, :]
    s = np.sqrt(np.einsum('ijk,ijk->ij', d, d) + 0.001)
    t = 1.0 / s

    # d = pos[:, None, :] - pos[None, :, :]
    pos_bar = ((-(t * t / s))[:, None, :] @ d)[:, 0]
    pos_bar = 2.0 * pos_bar
    return pos_bar
