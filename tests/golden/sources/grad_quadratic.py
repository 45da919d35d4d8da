# Written by python -m tests.golden
# ruff: noqa
def grad_quadratic(A, b, x):
    """Gradient of quadratic with respect to x."""
    # return 0.5 * x @ A @ x - b @ x
    x_bar = -b
    x_bar += 0.5 * x @ A
    x_bar += 0.5 * (A @ x)
    return x_bar
