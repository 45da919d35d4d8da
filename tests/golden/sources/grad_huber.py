# Written by python -m tests.golden
# ruff: noqa
def grad_huber(r, delta):
    """Gradient of huber with respect to r."""
    a = np.abs(r)

    # a = np.abs(r)
    r_bar = np.where(a < delta, r, delta * np.sign(r))
    return r_bar
