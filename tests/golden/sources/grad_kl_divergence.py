# Written by python -m tests.golden
# ruff: noqa
def grad_kl_divergence(p, q):
    """Gradient of kl_divergence with respect to p, q."""
    s = p / q

    # return np.sum(p * np.log(p / q))
    t = p / s / q
    q_bar = -(t * s)
    p_bar = np.log(s) + t
    return p_bar, q_bar
