# Written by python -m tests.golden
# ruff: noqa
def grad_black_scholes(s, k, r, sigma, t):
    """Gradient of black_scholes with respect to s, sigma."""
    q = s / k
    w = math.sqrt(t)
    v = sigma * w
    d1 = (math.log(q) + (r + 0.5 * sigma ** 2) * t) / v
    d2 = d1 - v
    u = math.sqrt(2)
    z = -d1 / u
    p = -d2 / u

    # return s * 0.5 * math.erfc(-d1 / math.sqrt(2)) - k * math.exp(-r * t) * 0.5 * math.erfc(-d2 / math.sqrt(2))
    d2_bar = -1.1283791670955126 * math.exp(-(p * p)) * (k * math.exp(-r * t) * 0.5) / u
    d1_bar = -(-1.1283791670955126 * math.exp(-(z * z)) * (s * 0.5) / u)
    s_bar = 0.5 * math.erfc(z)
    # d2 = d1 - sigma * math.sqrt(t)
    d1_bar += d2_bar
    sigma_bar = -(d2_bar * w)
    # d1 = (math.log(s / k) + (r + 0.5 * sigma ** 2) * t) / (sigma * math.sqrt(t))
    h = d1_bar / v
    sigma_bar -= h * d1 * w
    sigma_bar += 2.0 * sigma * (0.5 * (h * t))
    s_bar += h / q / k
    return s_bar, sigma_bar
