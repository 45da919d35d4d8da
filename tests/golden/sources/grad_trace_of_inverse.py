# Written by python -m tests.golden
# ruff: noqa
def grad_trace_of_inverse(A):
    """Gradient of trace_of_inverse with respect to A."""
    s = np.linalg.inv(A)

    # return np.trace(np.linalg.inv(A))
    pair = s.shape
    t = s.T
    A_bar = -t @ np.eye(pair[0], pair[1]) @ t
    return A_bar
