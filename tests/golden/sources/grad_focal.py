# Written by python -m tests.golden
# ruff: noqa
def grad_focal(lens, distance):
    """Gradient of focal with respect to lens."""
    s = lens.radius
    power = 2.0 * (lens.index - 1.0) / s
    t = 1.0 / (power - 1.0 / distance)

    # power = 2.0 * (lens.index - 1.0) / lens.radius
    q = t * t / s
    lens_radius_bar = q * power
    lens_index_bar = -(2.0 * q)
    return Lens(radius=lens_radius_bar, index=lens_index_bar)
