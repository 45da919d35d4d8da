# Written by python -m tests.golden
# ruff: noqa
def grad_log_sum_exp(x):
    """Gradient of log_sum_exp with respect to x."""
    m = np.max(x)
    s = np.exp(x - m)

    # return m + np.log(np.sum(np.exp(x - m)))
    x_bar = 1.0 / np.sum(s) * s
    return x_bar
