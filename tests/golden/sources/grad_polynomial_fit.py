# Written by python -m tests.golden
# ruff: noqa
def grad_polynomial_fit(c, x, y):
    """Gradient of polynomial_fit with respect to c."""
    p = np.zeros_like(x)
    for a in c:
        p = p * x + a

    # return np.mean((p - y) ** 2)
    p_bar = (p - y) * (2.0 / y.size)
    c_bar = np.zeros(len(c))
    for i in reversed(range(len(c))):
        # p = p * x + a
        a_bar = np.sum(p_bar)
        p_bar = p_bar * x
        c_bar[i] = a_bar
    return c_bar
