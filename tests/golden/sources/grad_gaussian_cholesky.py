# Written by python -m tests.golden
# ruff: noqa
def grad_gaussian_cholesky(x, mu, S):
    """Gradient of gaussian_cholesky with respect to x, mu, S."""
    L = np.linalg.cholesky(S)
    inverse = inverse_of_lower(L)
    z = inverse @ (x - mu)

    # return -0.5 * z @ z - np.sum(np.log(np.diag(L)))
    z_bar = -z
    # z = np.linalg.solve(L, x - mu)
    x_bar = inverse.T @ z_bar
    mu_bar = -x_bar
    # L = np.linalg.cholesky(S)
    s = lower_half(L.T * (-1.0 / np.diag(L)) - np.outer(z_bar, z)).T
    t = product_of_triangles(inverse.T, s, 'upper', 'upper')
    q = t.T
    r = product_of_triangles(inverse.T, q, 'upper', 'lower')
    S_bar = lower_half(r + r.T)
    return x_bar, mu_bar, S_bar
