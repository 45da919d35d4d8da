# Written by python -m tests.golden
# ruff: noqa
def vmap_grad_black_scholes(s, k, r, sigma, t):
    """grad_black_scholes, for a batch of examples."""
    n_batch = len(s)
    q = s / k
    w = []
    v = q.tolist()
    for i in range(n_batch):
        w.append(math.log(v[i]))
    v = sigma * math.sqrt(t)
    d1 = (np.array(w) + (r + 0.5 * sigma ** 2) * t) / v
    d2 = d1 - v
    w = math.sqrt(2)
    u = -d1 / w
    z = []
    p = u.tolist()
    for i in range(n_batch):
        z.append(math.erfc(p[i]))
    p = -d2 / w

    # return s * 0.5 * math.erfc(-d1 / math.sqrt(2)) - k * math.exp(-r * t) * 0.5 * math.erfc(-d2 / math.sqrt(2))
    d2_bar = np.exp(-(p * p)) * (-1.1283791670955126 * (k * math.exp(-r * t) * 0.5)) / w
    d1_bar = -(-1.1283791670955126 * np.exp(-(u * u)) * (s * 0.5) / w)
    s_bar = 0.5 * np.array(z)
    # d2 = d1 - sigma * math.sqrt(t)
    d1_bar += d2_bar
    # d1 = (math.log(s / k) + (r + 0.5 * sigma ** 2) * t) / (sigma * math.sqrt(t))
    s_bar += d1_bar / v / q / k
    return s_bar
