# Written by python -m tests.golden
# ruff: noqa
def grad_frobenius(A, B):
    """Gradient of frobenius with respect to A."""
    # return np.linalg.norm(A - B) ** 2
    A_bar = 2.0 * (A - B)
    return A_bar
