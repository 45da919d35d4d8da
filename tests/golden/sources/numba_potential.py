# Written by python -m tests.golden
# ruff: noqa
import math
import numpy as np
from transgrad.runtime.numba.apart import apart_inner
from transgrad.runtime.numba.once import njit_outer


@apart_inner(error_model='numpy')
def potential_elements(pos, pos_bar):
    pos_0_0 = pos[0, 0]
    pos_0_1 = pos[0, 1]
    pos_0_2 = pos[0, 2]
    pos_1_0 = pos[1, 0]
    pos_1_1 = pos[1, 1]
    pos_1_2 = pos[1, 2]
    pos_2_0 = pos[2, 0]
    pos_2_1 = pos[2, 1]
    pos_2_2 = pos[2, 2]
    pos_3_0 = pos[3, 0]
    pos_3_1 = pos[3, 1]
    pos_3_2 = pos[3, 2]
    d_0 = pos_1_0 - pos_0_0
    d_1 = pos_1_1 - pos_0_1
    d_2 = pos_1_2 - pos_0_2
    s = 1.0 / math.sqrt(d_0 * d_0 + d_1 * d_1 + d_2 * d_2)

    # e -= 1.0 / np.sqrt(d @ d)
    s = 2.0 * (0.5 * (s * s) * s)
    d_bar_0 = s * d_0
    d_bar_1 = s * d_1
    d_bar_2 = s * d_2
    # d = pos[i] - pos[j]
    s = -d_bar_0
    t = -d_bar_1
    q = -d_bar_2
    d_0 = pos_2_0 - pos_0_0
    d_1 = pos_2_1 - pos_0_1
    d_2 = pos_2_2 - pos_0_2
    r = 1.0 / math.sqrt(d_0 * d_0 + d_1 * d_1 + d_2 * d_2)
    # e -= 1.0 / np.sqrt(d @ d)
    r = 2.0 * (0.5 * (r * r) * r)
    d_bar_0_1 = r * d_0
    d_bar_1_1 = r * d_1
    d_bar_2_1 = r * d_2
    # d = pos[i] - pos[j]
    s -= d_bar_0_1
    t -= d_bar_1_1
    q -= d_bar_2_1
    d_0 = pos_2_0 - pos_1_0
    d_1 = pos_2_1 - pos_1_1
    d_2 = pos_2_2 - pos_1_2
    r = 1.0 / math.sqrt(d_0 * d_0 + d_1 * d_1 + d_2 * d_2)
    # e -= 1.0 / np.sqrt(d @ d)
    r = 2.0 * (0.5 * (r * r) * r)
    d_bar_0_2 = r * d_0
    d_bar_1_2 = r * d_1
    d_bar_2_2 = r * d_2
    # d = pos[i] - pos[j]
    r = d_bar_0 - d_bar_0_2
    w = d_bar_1 - d_bar_1_2
    v = d_bar_2 - d_bar_2_2
    u = d_bar_0_1 + d_bar_0_2
    z = d_bar_1_1 + d_bar_1_2
    p = d_bar_2_1 + d_bar_2_2
    d_0 = pos_3_0 - pos_0_0
    d_1 = pos_3_1 - pos_0_1
    d_2 = pos_3_2 - pos_0_2
    h = 1.0 / math.sqrt(d_0 * d_0 + d_1 * d_1 + d_2 * d_2)
    # e -= 1.0 / np.sqrt(d @ d)
    h = 2.0 * (0.5 * (h * h) * h)
    d_bar_0 = h * d_0
    d_bar_1 = h * d_1
    d_bar_2 = h * d_2
    # d = pos[i] - pos[j]
    s -= d_bar_0
    t -= d_bar_1
    q -= d_bar_2
    d_0 = pos_3_0 - pos_1_0
    d_1 = pos_3_1 - pos_1_1
    d_2 = pos_3_2 - pos_1_2
    h = 1.0 / math.sqrt(d_0 * d_0 + d_1 * d_1 + d_2 * d_2)
    # e -= 1.0 / np.sqrt(d @ d)
    h = 2.0 * (0.5 * (h * h) * h)
    d_bar_0_1 = h * d_0
    d_bar_1_1 = h * d_1
    d_bar_2_1 = h * d_2
    # d = pos[i] - pos[j]
    r -= d_bar_0_1
    w -= d_bar_1_1
    v -= d_bar_2_1
    h = d_bar_0 + d_bar_0_1
    g = d_bar_1 + d_bar_1_1
    a = d_bar_2 + d_bar_2_1
    d_0 = pos_3_0 - pos_2_0
    d_1 = pos_3_1 - pos_2_1
    d_2 = pos_3_2 - pos_2_2
    b = 1.0 / math.sqrt(d_0 * d_0 + d_1 * d_1 + d_2 * d_2)
    # e -= 1.0 / np.sqrt(d @ d)
    b = 2.0 * (0.5 * (b * b) * b)
    d_bar_0 = b * d_0
    d_bar_1 = b * d_1
    d_bar_2 = b * d_2
    # d = pos[i] - pos[j]
    pos_bar[0, 0] = s
    pos_bar[0, 1] = t
    pos_bar[0, 2] = q
    pos_bar[1, 0] = r
    pos_bar[1, 1] = w
    pos_bar[1, 2] = v
    pos_bar[2, 0] = u - d_bar_0
    pos_bar[2, 1] = z - d_bar_1
    pos_bar[2, 2] = p - d_bar_2
    pos_bar[3, 0] = h + d_bar_0
    pos_bar[3, 1] = g + d_bar_1
    pos_bar[3, 2] = a + d_bar_2


@njit_outer(cache=True, error_model='numpy', boundscheck=True)
def grad_potential(pos):
    """Gradient of potential with respect to pos."""
    pos_bar = np.empty((4, 3))
    potential_elements(pos, pos_bar)
    return pos_bar
