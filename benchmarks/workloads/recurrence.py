"""A recurrence that reads two neighbours of a long array at each step: time has to grow as the primal's."""
import numpy as np

from ..workload import Rewritten, Workload


def autocorrelation(x, decay):
    s = 0.0
    for i in range(1, len(x)):
        s = decay * s + x[i] * x[i - 1]
    return s


def by_hand(x, decay):
    """On lists of floats; each product goes to two neighbours."""
    values = x.tolist()
    s = 0.0
    sums = []
    before = values[0]
    for value in values[1:]:
        sums.append(s)
        s = decay * s + value * before
        before = value

    x_bar = [0.0] * len(values)
    s_bar = 1.0
    decay_bar = carried = 0.0
    after = values[-1]
    for i in range(len(values) - 1, 0, -1):
        decay_bar += s_bar * sums[i - 1]
        before = values[i - 1]
        x_bar[i] = carried + s_bar * before
        carried = s_bar * after
        after = before
        s_bar *= decay
    x_bar[0] = carried
    return np.array(x_bar), decay_bar


def for_numba(x, decay):
    """The same on arrays."""
    n = len(x)
    sums = np.empty(n)
    s = 0.0
    for i in range(1, n):
        sums[i] = s
        s = decay * s + x[i] * x[i - 1]

    x_bar = np.zeros(n)
    s_bar = 1.0
    decay_bar = 0.0
    for i in range(n - 1, 0, -1):
        decay_bar += s_bar * sums[i]
        x_bar[i] += s_bar * x[i - 1]
        x_bar[i - 1] += s_bar * x[i]
        s_bar *= decay
    return x_bar, decay_bar


def in_jax():
    """A scan over pairs of neighbours."""
    import jax

    def f(x, decay):
        return jax.lax.scan(lambda s, pair: (decay * s + pair[0] * pair[1], None), 0.0, (x[1:], x[:-1]))[0]
    return f


def in_casadi():
    """The length is called otherwise."""
    def f(x, decay):
        s = 0.0
        for i in range(1, x.numel()):
            s = decay * s + x[i] * x[i - 1]
        return s
    return f


def arguments(rng, n):
    return rng.normal(size=n), 0.9999       # whose powers stay normal numbers: what others cost depends on the processor alone


workload = Workload(autocorrelation, by_hand, arguments, {f"1e{k}": 10 ** k for k in range(3, 7)}, tiny=6, wrt=(0, 1), limit="loop",
                    numba=for_numba,
                    peers={"jax": Rewritten(in_jax), "torch": "as written", "autograd": "as written", "mygrad": "as written",
                           "casadi": Rewritten(in_casadi)},
                    reasons={
                        "primal": "the interpreter: at a million the lists no longer fit the cache",
                    })
