# Written by python -m tests.golden
# ruff: noqa
import numpy as np
from transgrad.runtime.numba.apart import apart_inner
from transgrad.runtime.numba.once import njit_inner
from transgrad.runtime.numba.once import njit_outer
from transgrad.runtime.numba.places import place
from transgrad.runtime.numba.selection import add_in_any_order
from transgrad.runtime.numba.selection import select
from transgrad.runtime.stretch import borrowed


@njit_inner(error_model='numpy')
def heat_loop_5(u0):
    n = len(u0)
    u = np.empty(n)
    for i in range(n):
        u[i] = u0[i]
    return u


@apart_inner(error_model='numpy')
def heat_loop_1_elements(n, x, x_1, x_2, x_3, saved_s):
    for i in range(n):
        saved_s[x_3, i] = x_1[i] - 2.0 * x[i] + x_2[i]


@njit_inner(error_model='numpy', forceinline=True)
def heat_loop_1(u, saved_s, x):
    s = borrowed(u)[1:-1]
    n = saved_s.shape[0]
    m = place(x, n)
    n = len(s)
    heat_loop_1_elements(n, s, borrowed(u)[2:], borrowed(u)[:-2], m, saved_s)


@apart_inner(error_model='numpy')
def heat_loop_2_elements(n, x, saved_s, c, x_1):
    for i in range(n):
        x_1[i] = x_1[i] + c * saved_s[x, i]


@njit_inner(error_model='numpy', forceinline=True)
def heat_loop_2(c, saved_s, x, u):
    n = saved_s.shape[0]
    m = place(x, n)
    n = saved_s.shape[1]
    heat_loop_2_elements(n, m, saved_s, c, borrowed(u)[1:-1])


@njit_inner(error_model='numpy')
def heat_loop_6(u):
    n = len(u)
    u_bar = np.empty(n)
    for i in range(n):
        u_bar[i] = 2.0 * u[i]
    return u_bar


@apart_inner(error_model='numpy')
def heat_loop_3_elements(n, x, k, saved_s, c, buffer):
    total = 0.0
    for i in range(n):
        s = x[i]
        t = saved_s[k, i]
        buffer[i] = c * s
        total = add_in_any_order(total, s * t)
    return total


@njit_inner(error_model='numpy', forceinline=True)
def heat_loop_3(c, u_bar, saved_s, k, buffer):
    n = saved_s.shape[0]
    k = place(k, n)
    n = len(buffer)
    total = heat_loop_3_elements(n, borrowed(u_bar)[1:-1], k, saved_s, c, buffer)
    return total


@apart_inner(error_model='numpy')
def heat_loop_4_elements(overlap, x, u_bar, n):
    if overlap:
        for i in range(2):
            u_bar[i] = u_bar[i] + x[i]
    else:
        for i in range(n):
            u_bar[i] = u_bar[i] + x[i]
    if overlap:
        for i in range(2):
            m = i + (n - 2)
            k = m + 2
            u_bar[k] = u_bar[k] + x[m]
    else:
        for i in range(n):
            j = i + 2
            u_bar[j] = u_bar[j] + x[i]
    if overlap:
        for i in range(2):
            n_1 = i + select(i >= 1, n - 2, 0)
            m_1 = n_1 + 1
            u_bar[m_1] = u_bar[m_1] - 2.0 * x[n_1]
    else:
        for i in range(n):
            k_1 = i + 1
            u_bar[k_1] = u_bar[k_1] - 2.0 * x[i]
    for i in range(n - 2):
        j_1 = i + 2
        u_bar[j_1] = u_bar[j_1] + x[i + 2] + x[i] - 2.0 * x[i + 1]


@njit_inner(error_model='numpy', forceinline=True)
def heat_loop_4(x, u_bar, u_bar_1, x_1, u_bar_2):
    n = len(x)
    overlap = n >= 2
    heat_loop_4_elements(overlap, x, u_bar_2, n)


@njit_outer(cache=True, error_model='numpy', boundscheck=True)
def grad_heat(u0, c, steps):
    """Gradient of heat with respect to u0, c."""
    u = heat_loop_5(u0)
    m = max(steps, 0)
    n = len(u0)
    saved_s = np.empty((m, n - 2))
    for j in range(steps):
        heat_loop_1(u, saved_s, j)
        heat_loop_2(c, saved_s, j, u)

    # return np.sum(u ** 2)
    u_bar = heat_loop_6(u)
    n = len(u0)
    buffer = np.empty(n - 2)
    c_bar = 0.0
    for k in range(m - 1, -1, -1):
        # u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        s = u_bar[1:-1]
        c_bar += heat_loop_3(c, u_bar, saved_s, k, buffer)
        u_bar_1 = u_bar[:-2]
        u_bar_2 = u_bar[2:]
        heat_loop_4(buffer, u_bar_1, u_bar_2, s, u_bar)
    return u_bar, c_bar
