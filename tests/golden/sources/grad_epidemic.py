# Written by python -m tests.golden
# ruff: noqa
def grad_epidemic(beta, gamma, s, i, n):
    """Gradient of epidemic with respect to beta, gamma."""
    saved_s = []
    saved_i = []
    saved_i_1 = []
    for _ in range(n):
        saved_s.append(s)
        saved_i.append(i)
        new = beta * s * i
        recovered = gamma * i
        s -= new
        i = i + new - recovered
        saved_i_1.append(i)

    # return total
    s_bar = 0.0
    i_bar = 0.0
    gamma_bar = 0.0
    beta_bar = 0.0
    for s, i, i_1 in zip(reversed(saved_s), reversed(saved_i), reversed(saved_i_1)):
        # total += i ** 2
        i_bar += 2.0 * i_1
        # s = s - new
        new_bar = i_bar - s_bar
        # recovered = gamma * i
        gamma_bar -= i_bar * i
        i_bar -= gamma * i_bar
        # new = beta * s * i
        t = new_bar * i
        i_bar += beta * s * new_bar
        beta_bar += t * s
        s_bar += beta * t
    return beta_bar, gamma_bar
