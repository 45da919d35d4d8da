# Written by python -m tests.golden
# ruff: noqa
def grad_newton_root(a, x):
    """Gradient of newton_root with respect to a."""
    saved_x = []
    while abs(x * x - a) > 1e-12:
        saved_x.append(x)
        x = 0.5 * (x + a / x)

    # return x
    x_bar = 1.0
    a_bar = 0.0
    for x in reversed(saved_x):
        # x = 0.5 * (x + a / x)
        x_bar = 0.5 * x_bar
        s = x_bar / x
        a_bar += s
        x_bar -= s * (a / x)
    return a_bar
