# Written by python -m tests.golden
# ruff: noqa
def jvp_pendulum(theta, omega, dt, n, theta_dot):
    omega_dot = 0.0
    for _ in range(n):
        omega_dot -= dt * (np.cos(theta) * theta_dot)
        omega -= dt * np.sin(theta)
        theta_dot += dt * omega_dot
        theta += dt * omega
    return theta_dot, omega_dot


def jvp_pendulum_1(theta, omega, dt, n, omega_dot):
    theta_dot = 0.0
    for _ in range(n):
        omega_dot -= dt * (np.cos(theta) * theta_dot)
        omega -= dt * np.sin(theta)
        theta_dot += dt * omega_dot
        theta += dt * omega
    return theta_dot, omega_dot


def jacobian_pendulum(theta, omega, dt, n):
    """Jacobian of pendulum with respect to theta, omega."""
    theta_dot, omega_dot = jvp_pendulum(theta, omega, dt, n, 1.0)
    theta_dot_1, omega_dot_1 = jvp_pendulum_1(theta, omega, dt, n, 1.0)
    return (theta_dot, theta_dot_1), (omega_dot, omega_dot_1)
