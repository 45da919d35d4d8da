# Written by python -m tests.golden
# ruff: noqa
def jvp_gradient_black_scholes(s, k, r, sigma, t, s_dot):
    q = s / k
    w = s_dot / k / q
    v = sigma * math.sqrt(t)
    d1_dot = w / v
    d1 = (math.log(q) + (r + 0.5 * sigma ** 2) * t) / v
    d2 = d1 - v
    u = s * 0.5
    z = math.sqrt(2)
    p = -d1_dot / z
    h = -d1 / z
    g = math.exp(-(h * h))
    a = -1.1283791670955126 * g
    b = k * math.exp(-r * t) * 0.5
    c = -d2 / z

    # return s * 0.5 * math.erfc(-d1 / math.sqrt(2)) - k * math.exp(-r * t) * 0.5 * math.erfc(-d2 / math.sqrt(2))
    d = math.exp(-(c * c))
    d2_bar_dot = -1.1283791670955126 * (-(2.0 * c * p) * d) * b / z
    d2_bar = -1.1283791670955126 * d * b / z
    d1_bar_dot = -((-1.1283791670955126 * (-(2.0 * h * p) * g) * u + a * (0.5 * s_dot)) / z)
    d1_bar = -(a * u / z)
    s_bar_dot = 0.5 * (a * p)
    # d2 = d1 - sigma * math.sqrt(t)
    d1_bar_dot += d2_bar_dot
    d1_bar += d2_bar
    # d1 = (math.log(s / k) + (r + 0.5 * sigma ** 2) * t) / (sigma * math.sqrt(t))
    s_bar_dot += (d1_bar_dot / v / q - w * (d1_bar / v / q)) / k
    return s_bar_dot


def hessian_black_scholes(s, k, r, sigma, t):
    """Second derivatives of black_scholes with respect to s."""
    s_bar_dot = jvp_gradient_black_scholes(s, k, r, sigma, t, 1.0)
    return s_bar_dot
