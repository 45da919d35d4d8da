# Written by python -m tests.golden
# ruff: noqa
def grad_potential(pos):
    """Gradient of potential with respect to pos."""
    n = len(pos)

    pos_bar = np.zeros_like(pos)
    pos_bar_list = pos_bar.tolist()
    pos_list = pos.tolist()
    for i in range(n):
        pos_i = pos_list[i]
        s = pos_i[0]
        t = pos_i[1]
        q = pos_i[2]
        pos_bar_i = pos_bar_list[i]
        pos_bar_i_2 = pos_bar_i[2]
        pos_bar_i_1 = pos_bar_i[1]
        pos_bar_i_0 = pos_bar_i[0]
        for j in range(i):
            pos_j = pos_list[j]
            d_0 = s - pos_j[0]
            d_1 = t - pos_j[1]
            d_2 = q - pos_j[2]
            r = math.sqrt(d_0 * d_0 + d_1 * d_1 + d_2 * d_2)
            w = 1.0 / r
            # e -= 1.0 / np.sqrt(d @ d)
            v = w * w / r
            d_2_bar = v * d_2
            d_1_bar = v * d_1
            d_0_bar = v * d_0
            # d = pos[i] - pos[j]
            pos_bar_j = pos_bar_list[j]
            pos_bar_j[2] -= d_2_bar
            pos_bar_j[1] -= d_1_bar
            pos_bar_j[0] -= d_0_bar
            pos_bar_i_2 += d_2_bar
            pos_bar_i_1 += d_1_bar
            pos_bar_i_0 += d_0_bar
        pos_bar_i[2] = pos_bar_i_2
        pos_bar_i[1] = pos_bar_i_1
        pos_bar_i[0] = pos_bar_i_0
    pos_bar = np.array(pos_bar_list).reshape(pos_bar.shape)
    return pos_bar
