"""Training loops: networks, schedules, clipping, checkpoints, policy gradients."""
from __future__ import annotations

import math

import numpy as np


def _data(torch, seed, *shape):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape))


def mlp_with_momentum(torch):
    """A two-layer network with cross-entropy, momentum and weight decay."""
    x = _data(torch, 0, 32, 4)
    labels = (x[:, 0] * x[:, 1] > 0).long() + (x[:, 2] > 0.5).long()
    params = [
        (_data(torch, 1, 4, 8) * 0.5).requires_grad_(),
        torch.zeros(8, dtype=torch.float64, requires_grad=True),
        (_data(torch, 2, 8, 3) * 0.5).requires_grad_(),
        torch.zeros(3, dtype=torch.float64, requires_grad=True),
    ]
    velocity = [torch.zeros_like(p) for p in params]
    losses, accuracy = [], []
    for step in range(30):
        w1, b1, w2, b2 = params
        logits = torch.relu(x @ w1 + b1) @ w2 + b2
        loss = -logits.log_softmax(dim=1).gather(1, labels.unsqueeze(1)).mean()
        for p in params:
            p.grad = None
        loss.backward()
        with torch.no_grad():
            for p, v in zip(params, velocity):
                v.mul_(0.9).add_(p.grad + 1e-3 * p)
                p -= 0.3 * v
        losses.append(loss.item())
        accuracy.append((logits.argmax(1) == labels).double().mean().item())
    return losses, accuracy, params


class _Linear:
    """A layer as people write it without modules."""

    def __init__(self, torch, seed, fan_in, fan_out):
        self.weight = (_data(torch, seed, fan_out, fan_in) / math.sqrt(fan_in)).requires_grad_()
        self.bias = torch.zeros(fan_out, dtype=torch.float64, requires_grad=True)

    def __call__(self, x):
        return x @ self.weight.t() + self.bias

    def parameters(self):
        return [self.weight, self.bias]


class _Adam:
    """Adam as in the paper, in place and under no_grad."""

    def __init__(self, torch, params, lr):
        self.torch, self.params, self.lr, self.t = torch, list(params), lr, 0
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]

    def zero_grad(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.detach_()
                p.grad.zero_()

    def step(self):
        self.t += 1
        with self.torch.no_grad():
            for p, m, v in zip(self.params, self.m, self.v):
                m.mul_(0.9).add_(p.grad, alpha=0.1)
                v.mul_(0.999).addcmul_(p.grad, p.grad, value=0.001)
                p.addcdiv_(m / (1 - 0.9**self.t), (v / (1 - 0.999**self.t)).sqrt().add_(1e-8), value=-self.lr)


def autoencoder_with_adam(torch):
    """Layers in classes, layer normalisation, dropout with a fixed mask, Adam."""
    x = _data(torch, 3, 16, 6)
    layers = [_Linear(torch, 4, 6, 4), _Linear(torch, 5, 4, 2), _Linear(torch, 6, 2, 6)]
    gain = torch.ones(4, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor(np.random.default_rng(7).random((16, 4)) > 0.2)
    adam = _Adam(torch, [p for layer in layers for p in layer.parameters()] + [gain], 0.02)
    losses = []
    for _ in range(25):
        h = layers[0](x)
        h = (h - h.mean(-1, keepdim=True)) / torch.sqrt(h.var(-1, unbiased=False, keepdim=True) + 1e-5) * gain
        h = torch.tanh(torch.where(mask, h / 0.8, torch.zeros_like(h)))
        loss = ((layers[2](torch.sigmoid(layers[1](h))) - x) ** 2).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    return losses, gain, layers[1].weight


def hooks_that_clip_and_log(torch):
    """Gradient clipping by value in hooks, by norm after backward, and a log of every layer."""
    log = []
    w = [(_data(torch, 10 + i, 3, 3) * 2).requires_grad_() for i in range(3)]
    for i, p in enumerate(w):
        p.register_hook(lambda g, i=i: log.append((i, round(g.norm().item(), 8))))
        p.register_hook(lambda g: g.clamp(-0.5, 0.5))
    x = _data(torch, 13, 5, 3)
    for _ in range(4):
        h = x
        for i, p in enumerate(w):
            h = torch.tanh(h @ p)
            if i == 1:
                h.retain_grad()
                middle = h
        h.pow(2).sum().backward()
        total = torch.norm(torch.stack([p.grad.norm() for p in w]))
        with torch.no_grad():
            for p in w:
                p.grad.mul_(min(1.0, 1.0 / (total.item() + 1e-6)))
                p.sub_(p.grad, alpha=0.1)
                p.grad = None
    return log, w, middle.grad


def reinforce_with_a_baseline(torch):
    """A policy gradient on a bandit, the actions drawn by NumPy."""
    rng = np.random.default_rng(20)
    rewards = np.array([0.1, 0.5, 1.0])
    logits = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    baseline, history = 0.0, []
    for _ in range(50):
        probabilities = torch.softmax(logits, 0)
        action = int(rng.choice(3, p=probabilities.detach().numpy()))
        reward = rewards[action] + 0.01 * rng.normal()
        loss = -torch.log(probabilities[action]) * (reward - baseline) - 0.01 * -(probabilities * probabilities.log()).sum()
        logits.grad = None
        loss.backward()
        with torch.no_grad():
            logits += -0.3 * logits.grad
        baseline = 0.9 * baseline + 0.1 * reward
        history.append(action)
    return history, logits


def checkpointed_chain(torch):
    """A deep chain of blocks, each recomputed in backward: the same gradients as without."""
    weights = [(_data(torch, 30 + i, 4, 4) * 0.5).requires_grad_() for i in range(6)]
    x = _data(torch, 40, 3, 4).requires_grad_()

    def block(h, w):
        return torch.tanh(h @ w) + h

    def run(checkpointed):
        for t in (x, *weights):
            t.grad = None
        h = x
        for w in weights:
            h = torch.utils.checkpoint.checkpoint(block, h, w, use_reentrant=False) if checkpointed else block(h, w)
        (h**2).mean().backward()
        return [t.grad.clone() for t in (x, *weights)]

    plain, recomputed = run(False), run(True)
    sequential = torch.utils.checkpoint.checkpoint_sequential([lambda h, w=w: block(h, w) for w in weights], 3, x, use_reentrant=False)
    return plain, [bool(torch.equal(a, b)) for a, b in zip(plain, recomputed)], sequential


def recurrent_network_through_time(torch):
    """Truncated back-propagation through time: the state is detached between windows."""
    wx, wh, wo = (_data(torch, 50 + i, *shape).mul_(0.4).requires_grad_() for i, shape in enumerate([(1, 5), (5, 5), (5, 1)]))
    series = torch.sin(torch.arange(0, 12, 0.25, dtype=torch.float64)).view(-1, 1)
    h, losses = torch.zeros(1, 5, dtype=torch.float64), []
    for start in range(0, 40, 8):
        h = h.detach()
        loss = 0
        for t in range(start, start + 8):
            h = torch.tanh(series[t : t + 1] @ wx + h @ wh)
            loss = loss + ((h @ wo - series[t + 1]) ** 2).sum()
        for p in (wx, wh, wo):
            p.grad = None
        loss.backward()
        with torch.no_grad():
            for p in (wx, wh, wo):
                p -= 0.05 * p.grad
        losses.append(loss.item())
    return losses, wx, wh, wo, h.requires_grad


def accumulation_over_micro_batches(torch):
    """Gradients of four micro-batches add up to that of the batch; frozen layers stay as they are."""
    x, y = _data(torch, 60, 8, 3), _data(torch, 61, 8, 1)
    frozen = _data(torch, 62, 3, 3).requires_grad_(False)
    w = _data(torch, 63, 3, 1).requires_grad_()
    for part_x, part_y in zip(x.chunk(4), y.chunk(4)):
        (((part_x @ frozen) @ w - part_y) ** 2).sum().div(8).backward()
    accumulated = w.grad.clone()
    w.grad = None
    (((x @ frozen) @ w - y) ** 2).sum().div(8).backward()
    return torch.allclose(accumulated, w.grad), w, frozen.grad


def attention(torch):
    """Self-attention with a causal mask over several heads."""
    x = _data(torch, 70, 2, 5, 8).requires_grad_()
    wq, wk, wv = (_data(torch, 71 + i, 8, 8).mul_(0.3).requires_grad_() for i in range(3))
    q, k, v = ((x @ w).view(2, 5, 2, 4).transpose(1, 2) for w in (wq, wk, wv))
    scores = q @ k.transpose(-2, -1) / math.sqrt(4)
    scores = scores.masked_fill(torch.triu(torch.ones(5, 5, dtype=torch.bool), diagonal=1), float("-inf"))
    out = (scores.softmax(-1) @ v).transpose(1, 2).contiguous().view(2, 5, 8)
    torch.einsum("bij,bij->", out, out.detach().cos()).backward()
    return out, x, wq, wk, wv


def embedding_and_ragged_sums(torch):
    """Bags of words by index_add and scatter_add, with indices and masks."""
    table = _data(torch, 80, 10, 4).requires_grad_()
    words = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6])
    bags = torch.tensor([0, 0, 1, 1, 1, 2, 2, 2])
    summed = torch.zeros(3, 4, dtype=torch.float64).index_add(0, bags, table[words])
    counts = torch.zeros(3, dtype=torch.float64).scatter_add_(0, bags, torch.ones(8, dtype=torch.float64))
    mean = summed / counts[:, None]
    best, which = mean.max(dim=1)
    (best * torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)).sum().backward()
    return summed, counts, which, table
