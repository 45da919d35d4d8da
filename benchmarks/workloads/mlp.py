"""A network with two hidden layers and cross-entropy, at a small batch and a large one."""
import numpy as np

from ..workload import Cannot, Rewritten, Workload

LAYERS = (784, 256, 128, 10)


def cross_entropy(params, x, labels):
    h = x
    for w, b in params[:-1]:
        h = np.maximum(h @ w + b, 0.0)
    w, b = params[-1]
    logits = h @ w + b
    logits = logits - np.max(logits, axis=1, keepdims=True)
    log_p = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


def by_hand(params, x, labels):
    """Activations are kept where they were computed; the cotangent of the logits is the softmax, less one at the labels."""
    hidden = [x]
    for w, b in params[:-1]:
        h = hidden[-1] @ w
        h += b
        np.maximum(h, 0.0, out=h)
        hidden.append(h)
    w, b = params[-1]
    g = hidden[-1] @ w
    g += b
    g -= g.max(axis=1, keepdims=True)
    np.exp(g, out=g)
    g /= g.sum(axis=1, keepdims=True)
    g[np.arange(len(labels)), labels] -= 1.0
    g /= len(labels)

    bars = []
    for k in range(len(params) - 1, 0, -1):
        bars.append((hidden[k].T @ g, g.sum(axis=0)))
        g = g @ params[k][0].T
        g *= hidden[k] > 0.0
    bars.append((x.T @ g, g.sum(axis=0)))
    return tuple(reversed(bars))


def primal_for_numba(params, x, labels):
    """Reductions along an axis with ``keepdims``, and pairs of index arrays, are not there in Numba."""
    (w1, b1), (w2, b2), (w3, b3) = params
    logits = np.maximum(np.maximum(x @ w1 + b1, 0.0) @ w2 + b2, 0.0) @ w3 + b3
    total = 0.0
    for i in range(len(labels)):
        top = np.max(logits[i])
        total -= logits[i, labels[i]] - top - np.log(np.sum(np.exp(logits[i] - top)))
    return total / len(labels)


def for_numba(params, x, labels):
    """Products by the same library, everything between them one loop a layer."""
    (w1, b1), (w2, b2), (w3, b3) = params
    n = len(labels)
    h1 = x @ w1
    for i in range(n):
        for j in range(len(b1)):
            h1[i, j] = max(h1[i, j] + b1[j], 0.0)
    h2 = h1 @ w2
    for i in range(n):
        for j in range(len(b2)):
            h2[i, j] = max(h2[i, j] + b2[j], 0.0)
    g3 = h2 @ w3
    b3_bar = np.zeros_like(b3)
    for i in range(n):
        g3[i] += b3
        top = np.max(g3[i])
        total = 0.0
        for j in range(len(b3)):
            g3[i, j] = np.exp(g3[i, j] - top)
            total += g3[i, j]
        for j in range(len(b3)):
            g3[i, j] = g3[i, j] / (total * n) - (1.0 / n if j == labels[i] else 0.0)
            b3_bar[j] += g3[i, j]

    w3_bar = h2.T @ g3
    g2 = g3 @ w3.T
    b2_bar = np.zeros_like(b2)
    for i in range(n):
        for j in range(len(b2)):
            g2[i, j] = g2[i, j] if h2[i, j] > 0.0 else 0.0
            b2_bar[j] += g2[i, j]
    w2_bar = h1.T @ g2
    g1 = g2 @ w2.T
    b1_bar = np.zeros_like(b1)
    for i in range(n):
        for j in range(len(b1)):
            g1[i, j] = g1[i, j] if h1[i, j] > 0.0 else 0.0
            b1_bar[j] += g1[i, j]
    return (x.T @ g1, b1_bar), (w2_bar, b2_bar), (w3_bar, b3_bar)


def in_torch():
    """With the library's own loss."""
    import torch

    def f(params, x, labels):
        h = x
        for w, b in params[:-1]:
            h = torch.relu(h @ w + b)
        w, b = params[-1]
        return torch.nn.functional.cross_entropy(h @ w + b, labels)
    return f


def arguments(rng, size):
    batch, layers = size
    params = tuple((rng.normal(size=(n, m)) / np.sqrt(n), 0.1 * rng.normal(size=m)) for n, m in zip(layers, layers[1:]))
    return params, rng.normal(size=(batch, layers[0])), rng.integers(0, layers[-1], batch)


workload = Workload(cross_entropy, by_hand, arguments, {"batch 32": (32, LAYERS), "batch 512": (512, LAYERS)}, tiny=(5, (4, 3, 6, 3)),
                    limit="dense", numba=for_numba, numba_primal=primal_for_numba,
                    peers={"jax": "as written", "torch": Rewritten(in_torch), "autograd": "as written", "mygrad": "as written",
                           "casadi": Cannot("a graph of a hundred million scalar operations")},
                    reasons={
                        "by hand": "memory traffic: where a maximum has no slope, half of it is taken, for which its arguments are kept",
                        "primal": "memory traffic",
                        "JAX, jitted": "its own matrix products, which are nearly all of the time: here NumPy's OpenBLAS takes "
                            "those for AVX2 on this processor; with those for AVX-512 (OPENBLAS_CORETYPE=SkylakeX) transgrad is ahead",
                    })
