# Written by python -m tests.golden
# ruff: noqa
def grad_piecewise(x):
    """Gradient of piecewise with respect to x."""
    t = x < 0.0
    if not t:
        if x < 1.0:
            s = 0.0
        else:
            s = math.sqrt(x)

    if t:
        # return x * x
        x_bar = 2.0 * x
    elif x < 1.0:
        # return math.sin(x)
        x_bar = math.cos(x)
    else:
        # return math.sqrt(x)
        x_bar = 0.5 / s
    return x_bar
