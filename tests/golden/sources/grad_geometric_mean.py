# Written by python -m tests.golden
# ruff: noqa
def grad_geometric_mean(x):
    """Gradient of geometric_mean with respect to x."""
    # return np.exp(np.mean(np.log(x)))
    x_bar = np.exp(np.mean(np.log(x))) / x.size / x
    return x_bar
