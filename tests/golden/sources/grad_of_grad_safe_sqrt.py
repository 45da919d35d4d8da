# Written by python -m tests.golden
# ruff: noqa
def jacobian_grad_safe_sqrt(x):
    """Jacobian of grad_safe_sqrt with respect to x."""
    n = x.size
    jac_x = np.zeros((n, n))
    flat = jac_x.ravel()
    s = np.sqrt(x)
    t = 0.5 / s
    diagonal = flat[::n + 1]
    diagonal[:] = np.where(x > 0, -(t / s * t), 0.0)
    return jac_x
