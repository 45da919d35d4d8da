# Written by python -m tests.golden
# ruff: noqa
def spring_steps(first, end, snapshots, stretch, v, x, k, dt):
    for _ in range(first, end):
        a = -k * x
        v = v + dt * a
        x = x + dt * v
    return v, x


def spring_stretch(first, end, v, x, k, dt):
    for _ in range(first, end):
        a = -k * x
        v = v + dt * a
        x = x + dt * v
    return v, x


def spring_steps_forward(first, end, snapshots, stretch, v, x, k, dt):
    saved_first = []
    saved_snapshots = []
    saved_v = []
    saved_x = []
    saved_middle = []
    while end - first > stretch:
        saved_first.append(first)
        saved_snapshots.append(snapshots)
        saved_v.append(v)
        saved_x.append(x)
        middle = binomial_middle(first, end, snapshots, stretch)
        saved_middle.append(middle)
        v, x = spring_steps(first, middle, snapshots, stretch, v, x, k, dt)
        snapshots -= 1
        first = middle
    v, x = spring_stretch(first, end, v, x, k, dt)
    return v, x, saved_first, saved_snapshots, saved_v, saved_x, saved_middle, first


def spring_stretch_backward(first, end, k, dt, v, x_bar):
    v_bar = np.zeros_like(v)
    for _ in range(first, end):
        # x = x + dt * v
        v_bar = v_bar + dt * x_bar
        # v = v + dt * a
        a_bar = dt * v_bar
        # a = -k * x
        x_bar = x_bar + -k * a_bar
    return v_bar, x_bar


def spring_steps_forward_2(first, end, snapshots, stretch, v, x, k, dt):
    saved_first = []
    saved_snapshots = []
    saved_v = []
    saved_x = []
    saved_middle = []
    while end - first > stretch:
        saved_first.append(first)
        saved_snapshots.append(snapshots)
        saved_v.append(v)
        saved_x.append(x)
        middle = binomial_middle(first, end, snapshots, stretch)
        saved_middle.append(middle)
        v, x = spring_steps(first, middle, snapshots, stretch, v, x, k, dt)
        snapshots -= 1
        first = middle
    v, x = spring_stretch(first, end, v, x, k, dt)
    residuals = end, stretch, k, dt, saved_first, saved_snapshots, saved_v, saved_x, saved_middle, first
    return v, x, residuals


def spring_stretch_backward_2(first, end, k, dt, v_bar, x_bar):
    for _ in range(first, end):
        # x = x + dt * v
        v_bar = v_bar + dt * x_bar
        # v = v + dt * a
        a_bar = dt * v_bar
        # a = -k * x
        x_bar = x_bar + -k * a_bar
    return v_bar, x_bar


def spring_steps_backward_2(residuals, v_bar, x_bar):
    end, stretch, k, dt, saved_first, saved_snapshots, saved_v, saved_x, saved_middle, first = residuals
    v_bar, x_bar = spring_stretch_backward_2(first, end, k, dt, v_bar, x_bar)
    for first, snapshots, v, x, middle in zip(
        taken(saved_first),
        taken(saved_snapshots),
        taken(saved_v),
        taken(saved_x),
        taken(saved_middle),
    ):
        residuals = spring_steps_forward_2(first, middle, snapshots, stretch, v, x, k, dt)[2]
        v_bar, x_bar = spring_steps_backward_2(residuals, v_bar, x_bar)
    return v_bar, x_bar


def spring_steps_backward(end, stretch, k, dt, v, saved_first, saved_snapshots, saved_v, saved_x, saved_middle, first, x_bar):
    v_bar, x_bar = spring_stretch_backward(first, end, k, dt, v, x_bar)
    for first, snapshots, v, x, middle in zip(
        taken(saved_first),
        taken(saved_snapshots),
        taken(saved_v),
        taken(saved_x),
        taken(saved_middle),
    ):
        residuals = spring_steps_forward_2(first, middle, snapshots, stretch, v, x, k, dt)[2]
        v_bar, x_bar = spring_steps_backward_2(residuals, v_bar, x_bar)
    return x_bar


def grad_spring(x, v, k, dt, n):
    """Gradient of spring with respect to x."""
    stretch = binomial_stretch(n, 3)
    v, x, saved_first, saved_snapshots, saved_v, saved_x, saved_middle, saved_first_1 = spring_steps_forward(
        0,
        n,
        3,
        stretch,
        v,
        x,
        k,
        dt,
    )

    # return np.sum(x ** 2)
    x_bar = 2.0 * x
    x_bar = spring_steps_backward(
        n,
        stretch,
        k,
        dt,
        v,
        saved_first,
        saved_snapshots,
        saved_v,
        saved_x,
        saved_middle,
        saved_first_1,
        x_bar,
    )
    return x_bar
