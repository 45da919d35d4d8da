"""ADBench's LSTM: layers whose gates are diagonal, over a sequence of characters; the mean log likelihood of the next one."""
import importlib
import math

import numpy as np

from ..workload import Rewritten, Workload


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def objective(main, extra, state, sequence):
    """``main`` holds two rows a layer, weights and biases of four gates; ``extra`` scales the input, scales and shifts the output."""
    size = sequence.shape[1]
    layers = len(main) // 2
    now = state.copy()
    total = 0.0
    for t in range(len(sequence) - 1):
        x = sequence[t] * extra[0]
        for k in range(layers):
            weight, bias = main[2 * k], main[2 * k + 1]
            forget = sigmoid(x * weight[:size] + bias[:size])
            ingate = sigmoid(now[2 * k] * weight[size:2 * size] + bias[size:2 * size])
            outgate = sigmoid(x * weight[2 * size:3 * size] + bias[2 * size:3 * size])
            change = np.tanh(now[2 * k] * weight[3 * size:] + bias[3 * size:])
            now[2 * k + 1] = now[2 * k + 1] * forget + ingate * change
            now[2 * k] = outgate * np.tanh(now[2 * k + 1])
            x = now[2 * k]
        y = x * extra[1] + extra[2]
        total += np.sum(sequence[t + 1] * (y - np.log(np.sum(np.exp(y)) + 2.0)))
    return -total / ((len(sequence) - 1) * size)


def by_hand(main, extra, state, sequence):
    """Gates in one array a step, the three sigmoids by one call; everything that sums over time is summed after the loop."""
    steps, size, layers = len(sequence) - 1, sequence.shape[1], len(main) // 2
    weights, biases = main[::2], main[1::2]
    joined = np.empty((steps, layers, 4, size))       # what the gates read: x, hidden, x, hidden
    gates = np.empty((steps, layers, 4, size))
    cells = np.empty((steps + 1, layers, size))
    tanhs = np.empty((steps, layers, size))
    hidden = state[::2].copy()
    cells[0] = state[1::2]
    scaled = sequence[:-1] * extra[0]
    ws, bs = weights.reshape(layers, 4, size), biases.reshape(layers, 4, size)
    outs = np.empty((steps, size))
    for t in range(steps):
        x = scaled[t]
        for k in range(layers):
            inputs, g = joined[t, k], gates[t, k]
            inputs[::2] = x
            inputs[1::2] = hidden[k]
            np.multiply(inputs, ws[k], out=g)
            g += bs[k]
            s = g[:3]
            np.negative(s, out=s)
            np.exp(s, out=s)
            s += 1.0
            np.reciprocal(s, out=s)
            np.tanh(g[3], out=g[3])
            cell = cells[t + 1, k]
            np.multiply(cells[t, k], g[0], out=cell)
            cell += g[1] * g[3]
            th = np.tanh(cell, out=tanhs[t, k])
            x = np.multiply(g[2], th, out=hidden[k])
        outs[t] = x

    y = outs * extra[1]
    y += extra[2]
    e = np.exp(y)
    scale = -1.0 / (steps * size)
    gold = scale * sequence[1:]
    y_bar = gold - e * (gold.sum(axis=1) / (e.sum(axis=1) + 2.0))[:, None]
    extra_bar = np.empty_like(extra)
    extra_bar[1] = np.einsum("ti,ti->i", y_bar, outs)
    extra_bar[2] = y_bar.sum(axis=0)
    y_bar *= extra[1]

    slopes = gates * (1.0 - gates)
    slopes[:, :, 3] = 1.0 - gates[:, :, 3] ** 2
    through = gates[:, :, 2] * (1.0 - tanhs ** 2)
    gate_bars = np.empty_like(gates)
    hidden_bar, cell_bar = np.zeros((layers, size)), np.zeros((layers, size))
    x_bars = np.empty((steps, size))
    for t in range(steps - 1, -1, -1):
        x_bar = y_bar[t]
        for k in range(layers - 1, -1, -1):
            g, g_bar = gates[t, k], gate_bars[t, k]
            h_bar, c_bar = hidden_bar[k], cell_bar[k]
            h_bar += x_bar
            c_bar += h_bar * through[t, k]
            np.multiply(c_bar, cells[t, k], out=g_bar[0])
            np.multiply(c_bar, g[3], out=g_bar[1])
            np.multiply(h_bar, tanhs[t, k], out=g_bar[2])
            np.multiply(c_bar, g[1], out=g_bar[3])
            c_bar *= g[0]
            g_bar *= slopes[t, k]
            q = g_bar * ws[k]
            x_bar = q[0] + q[2]
            np.add(q[1], q[3], out=h_bar)
        x_bars[t] = x_bar
    main_bar = np.empty_like(main)
    main_bar[::2] = np.einsum("tkgi,tkgi->kgi", gate_bars, joined).reshape(layers, -1)
    main_bar[1::2] = gate_bars.sum(axis=0).reshape(layers, -1)
    extra_bar[0] = np.einsum("ti,ti->i", x_bars, sequence[:-1])
    return main_bar, extra_bar


def for_numba(main, extra, state, sequence):
    """Element by element; the gates, the cells and what they read are kept."""
    steps, size, layers = len(sequence) - 1, sequence.shape[1], len(main) // 2
    gates = np.empty((steps, layers, 4, size))
    cells = np.empty((steps + 1, layers, size))
    hiddens = np.empty((steps + 1, layers, size))
    tanhs = np.empty((steps, layers, size))
    y_bars = np.empty((steps, size))
    scale = -1.0 / (steps * size)
    for k in range(layers):
        hiddens[0, k] = state[2 * k]
        cells[0, k] = state[2 * k + 1]
    extra_bar, main_bar = np.zeros_like(extra), np.zeros_like(main)
    for t in range(steps):
        for k in range(layers):
            w, b = main[2 * k], main[2 * k + 1]
            for i in range(size):
                x = sequence[t, i] * extra[0, i] if k == 0 else hiddens[t + 1, k - 1, i]
                h = hiddens[t, k, i]
                forget = 1.0 / (1.0 + math.exp(-(x * w[i] + b[i])))
                ingate = 1.0 / (1.0 + math.exp(-(h * w[size + i] + b[size + i])))
                outgate = 1.0 / (1.0 + math.exp(-(x * w[2 * size + i] + b[2 * size + i])))
                change = math.tanh(h * w[3 * size + i] + b[3 * size + i])
                cell = cells[t, k, i] * forget + ingate * change
                th = math.tanh(cell)
                gates[t, k, 0, i], gates[t, k, 1, i], gates[t, k, 2, i], gates[t, k, 3, i] = forget, ingate, outgate, change
                cells[t + 1, k, i] = cell
                tanhs[t, k, i] = th
                hiddens[t + 1, k, i] = outgate * th
        total = gold = 0.0
        for i in range(size):
            out = hiddens[t + 1, layers - 1, i]
            y_bars[t, i] = math.exp(out * extra[1, i] + extra[2, i])
            total += y_bars[t, i]
            gold += sequence[t + 1, i]
        for i in range(size):
            g = scale * (sequence[t + 1, i] - gold * y_bars[t, i] / (total + 2.0))
            extra_bar[1, i] += g * hiddens[t + 1, layers - 1, i]
            extra_bar[2, i] += g
            y_bars[t, i] = g * extra[1, i]

    hidden_bar, cell_bar = np.zeros((layers, size)), np.zeros((layers, size))
    for t in range(steps - 1, -1, -1):
        for k in range(layers - 1, -1, -1):
            w, w_bar, b_bar = main[2 * k], main_bar[2 * k], main_bar[2 * k + 1]
            for i in range(size):
                x = sequence[t, i] * extra[0, i] if k == 0 else hiddens[t + 1, k - 1, i]
                h = hiddens[t, k, i]
                forget, ingate, outgate, change = gates[t, k, 0, i], gates[t, k, 1, i], gates[t, k, 2, i], gates[t, k, 3, i]
                th = tanhs[t, k, i]
                h_bar = hidden_bar[k, i] + y_bars[t, i]
                c_bar = cell_bar[k, i] + h_bar * outgate * (1.0 - th * th)
                q0 = c_bar * cells[t, k, i] * forget * (1.0 - forget)
                q1 = c_bar * change * ingate * (1.0 - ingate)
                q2 = h_bar * th * outgate * (1.0 - outgate)
                q3 = c_bar * ingate * (1.0 - change * change)
                w_bar[i] += q0 * x
                w_bar[size + i] += q1 * h
                w_bar[2 * size + i] += q2 * x
                w_bar[3 * size + i] += q3 * h
                b_bar[i] += q0
                b_bar[size + i] += q1
                b_bar[2 * size + i] += q2
                b_bar[3 * size + i] += q3
                cell_bar[k, i] = c_bar * forget
                hidden_bar[k, i] = q1 * w[size + i] + q3 * w[3 * size + i]
                y_bars[t, i] = q0 * w[i] + q2 * w[2 * size + i]
        for i in range(size):
            extra_bar[0, i] += y_bars[t, i] * sequence[t, i]
    return main_bar, extra_bar


def in_jax():
    """A scan over the sequence."""
    import jax
    import jax.numpy as jnp

    def f(main, extra, state, sequence):
        size, layers = sequence.shape[1], len(main) // 2

        def step(state, pair):
            x, wanted = pair
            x = x * extra[0]
            after = []
            for k in range(layers):
                w, b = main[2 * k].reshape(4, size), main[2 * k + 1].reshape(4, size)
                hidden, cell = state[k]
                forget, outgate = jax.nn.sigmoid(x * w[0] + b[0]), jax.nn.sigmoid(x * w[2] + b[2])
                cell = cell * forget + jax.nn.sigmoid(hidden * w[1] + b[1]) * jnp.tanh(hidden * w[3] + b[3])
                x = outgate * jnp.tanh(cell)
                after.append((x, cell))
            y = x * extra[1] + extra[2]
            return after, jnp.sum(wanted * (y - jnp.log(jnp.sum(jnp.exp(y)) + 2.0)))
        start = [(state[2 * k], state[2 * k + 1]) for k in range(layers)]
        return -jnp.mean(jax.lax.scan(step, start, (sequence[:-1], sequence[1:]))[1]) / size
    return f


def in_lists(numpy):
    """The states in a list, for tools whose arrays cannot be written to."""
    def sigmoid(x):
        return 1.0 / (1.0 + numpy.exp(-x))

    def f(main, extra, state, sequence):
        size, layers = sequence[0].shape[-1], len(main) // 2
        now = [state[k] for k in range(2 * layers)]
        total = 0.0
        for t in range(len(sequence) - 1):
            x = sequence[t] * extra[0]
            for k in range(layers):
                weight, bias = main[2 * k], main[2 * k + 1]
                forget = sigmoid(x * weight[:size] + bias[:size])
                ingate = sigmoid(now[2 * k] * weight[size:2 * size] + bias[size:2 * size])
                outgate = sigmoid(x * weight[2 * size:3 * size] + bias[2 * size:3 * size])
                change = numpy.tanh(now[2 * k] * weight[3 * size:] + bias[3 * size:])
                now[2 * k + 1] = now[2 * k + 1] * forget + ingate * change
                now[2 * k] = x = outgate * numpy.tanh(now[2 * k + 1])
            y = x * extra[1] + extra[2]
            total = total + numpy.sum(sequence[t + 1] * (y - numpy.log(numpy.sum(numpy.exp(y)) + 2.0)))
        return -total / ((len(sequence) - 1) * size)
    return f


def module(name):
    """The function with the elementary functions of a module."""
    return Rewritten(lambda: in_lists(importlib.import_module(name)))


def in_casadi():
    """The same on lists of rows."""
    import types

    import casadi
    f = in_lists(types.SimpleNamespace(exp=casadi.exp, log=casadi.log, tanh=casadi.tanh, sum=casadi.sum2))
    return lambda *matrices: f(*([m[i, :] for i in range(m.shape[0])] for m in matrices))


def arguments(rng, size):
    layers, steps, letters = size
    sequence = np.eye(letters)[rng.integers(0, letters, steps + 1)]
    return (rng.normal(size=(2 * layers, 4 * letters)), rng.normal(size=(3, letters)), rng.normal(size=(2 * layers, letters)), sequence)


workload = Workload(objective, by_hand, arguments, {"2 layers, 256 letters": (2, 256, 14)}, tiny=(2, 4, 3), wrt=(0, 1), limit="loop",
                    numba=for_numba,
                    peers={"jax": Rewritten(in_jax), "torch": module("torch"), "autograd": module("autograd.numpy"),
                           "mygrad": module("mygrad"), "casadi": Rewritten(in_casadi)},
                    reasons={
                        "by hand": "some twenty operations a step make an array each; by hand, a step writes into arrays that are there",
                        "primal": "ten small arrays are kept a step; some operations on fourteen numbers cost what calling NumPy "
                            "costs",
                        "by hand, Numba": "a step is nine loops over fourteen numbers, each with its checks of lengths, and of each gate "
                            "the exponential is kept beside the result; by hand, two loops, and four gates a step",
                        "JAX, jitted": "small arrays in lists of lists, each allocated; JAX has arrays made beforehand",
                        "ADBench": "a step is nine loops over fourteen numbers, each with its checks of lengths; by hand, two loops",
                    })
