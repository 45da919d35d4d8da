# Written by python -m tests.golden
# ruff: noqa
def grad_in_a_dict(params, x):
    """Gradient of in_a_dict with respect to params."""
    s = np.exp(-params['rate'] * x)

    # return np.sum(params["scale"] * np.exp(-params["rate"] * x))
    params_scale_bar = np.sum(s)
    params_rate_bar = -np.vdot(params['scale'] * s, x)
    return {'scale': params_scale_bar, 'rate': params_rate_bar}
