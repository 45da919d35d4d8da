# Written by python -m tests.golden
# ruff: noqa
def factorial_like_forward(x, n):
    if n <= 1:
        t = x
        s = 0.0
        residuals = 0.0
    else:
        s, residuals = factorial_like_forward(x + 1.0, n - 1)
        t = x * s
    residuals = x, n, s, residuals
    return t, residuals


def factorial_like_backward(residuals, out_bar):
    x, n, s, residuals = residuals
    if n <= 1:
        x_bar = out_bar
    else:
        # return x if n <= 1 else x * factorial_like(x + 1.0, n - 1)
        x_bar = out_bar * s
        x_bar += factorial_like_backward(residuals, x * out_bar)
    return x_bar


def grad_factorial_like(x, n):
    """Gradient of factorial_like with respect to x."""
    t = n <= 1
    if not t:
        s, residuals = factorial_like_forward(x + 1.0, n - 1)

    if t:
        x_bar = 1.0
    else:
        # return x if n <= 1 else x * factorial_like(x + 1.0, n - 1)
        x_bar = s + factorial_like_backward(residuals, x)
    return x_bar
