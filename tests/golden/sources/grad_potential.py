# Written by python -m tests.golden
# ruff: noqa
def grad_potential(pos):
    """Gradient of potential with respect to pos."""
    n = len(pos)

    pos_bar = np.zeros_like(pos)
    pos_list = pos.tolist()
    for i in range(n):
        s = pos_list[i]
        for j in range(i):
            t, q, r = s
            w, v, u = pos_list[j]
            d_0 = t - w
            d_1 = q - v
            d_2 = r - u
            z = math.sqrt(d_0 * d_0 + d_1 * d_1 + d_2 * d_2)
            p = 1.0 / z
            # e -= 1.0 / np.sqrt(d @ d)
            h = p * p / z
            d_2_bar = h * d_2
            d_1_bar = h * d_1
            d_0_bar = h * d_0
            # d = pos[i] - pos[j]
            pos_bar[j] += np.array([-d_0_bar, -d_1_bar, -d_2_bar])
            pos_bar[i] += np.array([d_0_bar, d_1_bar, d_2_bar])
    return pos_bar
