# Written by python -m tests.golden
# ruff: noqa
def jacobian_rotation(angle, x):
    """Jacobian of rotation with respect to angle."""
    c_dot_angle = -math.sin(angle)
    s_dot_angle = math.cos(angle)
    jac_angle = (np.array([[c_dot_angle, -s_dot_angle], [s_dot_angle, c_dot_angle]]) @ x).copy()
    return jac_angle
