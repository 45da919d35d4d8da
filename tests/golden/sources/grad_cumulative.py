# Written by python -m tests.golden
# ruff: noqa
def grad_cumulative(x):
    """Gradient of cumulative with respect to x."""
    n = len(x)
    out = [0.0] * n
    x_list = x.tolist()
    acc = 0.0
    for i in range(n):
        acc = 0.9 * acc + x_list[i]
        out[i] = acc
    out = np.array(out)

    # return np.sum(out ** 2)
    out_bar = 2.0 * out
    # acc = 0.9 * acc + x[i]
    x_bar = [0.0] * len(x_list)
    out_bar = out_bar.tolist()
    acc_bar = 0.0
    for i in reversed(range(n)):
        # out[i] = acc
        s = out_bar[i]
        out_bar[i] = 0.0
        acc_bar += s
        # acc = 0.9 * acc + x[i]
        x_bar[i] = acc_bar
        acc_bar = 0.9 * acc_bar
    x_bar = np.array(x_bar)
    return x_bar
