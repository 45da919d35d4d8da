"""Complete training programs with modules and optimizers: the losses of fifty steps.

Initial values, data and noise are NumPy's, so that both libraries begin with the same numbers.
"""
from __future__ import annotations

import copy
import math

import numpy as np

STEPS = 50


def _data(torch, seed, *shape):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape))


def _filled(torch, module, seed=0, scale=0.4):
    """A module in float64 whose parameters of several dimensions are NumPy's numbers; the others stay ones or zeros."""
    rng = np.random.default_rng(seed)
    module = module.double()
    with torch.no_grad():
        for name, p in module.named_parameters():
            if p.ndim > 1:
                p.copy_(torch.tensor(rng.normal(size=tuple(p.shape)) * scale / math.sqrt(p.shape[-1]) * 2))
            else:
                p.fill_(1.0 if "norm" in name or name.endswith("bn.weight") else 0.0)
    return module


def _fit(optimizer, loss_of, steps=STEPS, scheduler=None):
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
        losses.append(loss.item())
    return losses


def perceptron(torch):
    """A classifier of two layers, Adam."""
    nn = torch.nn
    x = _data(torch, 0, 40, 6)
    labels = (x[:, 0] * x[:, 1] > 0).long() + (x[:, 2] > 0.5).long()
    net = _filled(torch, nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)))
    loss = nn.CrossEntropyLoss()
    return _fit(torch.optim.Adam(net.parameters(), lr=0.02), lambda: loss(net(x), labels))


def convolutional_network(torch):
    """Convolutions, batch normalization, pooling; momentum and a schedule."""
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.bn, self.conv2 = nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Conv2d(4, 6, 3)
            self.pool, self.head = nn.MaxPool2d(2), nn.Linear(6, 2)

        def forward(self, x):
            x = self.pool(torch.relu(self.bn(self.conv1(x))))
            return self.head(torch.relu(self.conv2(x)).mean((2, 3)))
    x, labels = _data(torch, 1, 12, 1, 8, 8), torch.tensor([0, 1] * 6)
    net = _filled(torch, Net())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    losses = _fit(optimizer, lambda: torch.nn.functional.cross_entropy(net(x), labels), scheduler=torch.optim.lr_scheduler.StepLR(optimizer, 20))
    net.eval()
    return [losses, net(x).detach().abs().sum(), net.bn.running_mean, net.bn.num_batches_tracked]


def language_model(torch):
    """An LSTM that predicts the next letter, with clipped gradients."""
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.lstm, self.head = nn.Embedding(6, 5), nn.LSTM(5, 8), nn.Linear(8, 6)

        def forward(self, x):
            return self.head(self.lstm(self.embed(x))[0])
    text = torch.tensor(np.random.default_rng(2).integers(0, 6, size=(9, 4)))
    model = _filled(torch, Model())
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=0.02), []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(text[:-1]).reshape(-1, 6), text[1:].reshape(-1))
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        losses.append([loss.item(), norm.item()])
    return losses


def recurrent_regression(torch):
    """A GRU that adds up a sequence, RMSprop."""
    nn = torch.nn
    x = _data(torch, 3, 6, 8, 2)
    gru, head = _filled(torch, nn.GRU(2, 5)), _filled(torch, nn.Linear(5, 1), 1)
    target = x.sum((0, 2))
    return _fit(torch.optim.RMSprop([*gru.parameters(), *head.parameters()], lr=0.01),
                lambda: ((head(gru(x)[1][-1]).squeeze(-1) - target) ** 2).mean())


def variational_autoencoder(torch):
    """Reparameterized samples and the divergence from a normal distribution."""
    nn = torch.nn
    x, noise = _data(torch, 4, 16, 6), np.random.default_rng(5)
    encode, decode = _filled(torch, nn.Linear(6, 4)), _filled(torch, nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 6)), 1)

    def loss():
        mean, log_variance = encode(x).chunk(2, -1)
        z = mean + torch.exp(0.5 * log_variance) * torch.tensor(noise.normal(size=(16, 2)))
        divergence = -0.5 * (1 + log_variance - mean ** 2 - log_variance.exp()).sum(-1)
        return ((decode(z) - x) ** 2).sum(-1).mean() + divergence.mean()
    return _fit(torch.optim.Adam([*encode.parameters(), *decode.parameters()], lr=0.01), loss)


def adversarial_networks(torch):
    """A generator and a discriminator, each with its optimizer."""
    nn = torch.nn
    real, noise = _data(torch, 6, 16, 2) * 0.5 + 1, np.random.default_rng(7)
    make = _filled(torch, nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 2)))
    judge = _filled(torch, nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1)), 1)
    optimizers = [torch.optim.Adam(n.parameters(), lr=0.01, betas=(0.5, 0.999)) for n in (make, judge)]
    loss, ones, zeros, losses = nn.BCEWithLogitsLoss(), torch.ones(16, 1, dtype=torch.float64), torch.zeros(16, 1, dtype=torch.float64), []
    for _ in range(STEPS):
        fake = make(torch.tensor(noise.normal(size=(16, 3))))
        judge.zero_grad()
        of_judge = loss(judge(real), ones) + loss(judge(fake.detach()), zeros)
        of_judge.backward()
        optimizers[1].step()
        make.zero_grad()
        of_make = loss(judge(fake), ones)
        of_make.backward()
        optimizers[0].step()
        losses.append([of_judge.item(), of_make.item()])
    return losses


def learning_to_learn(torch):
    """MAML: a step of gradient descent inside the loss."""
    nn, tasks = torch.nn, [(_data(torch, 10 + k, 8, 1), 0.5 + k) for k in range(3)]
    net = _filled(torch, nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1)))

    def loss():
        total = 0
        for x, factor in tasks:
            params = dict(net.named_parameters())
            inner = ((torch.func.functional_call(net, params, (x,)) - (factor * x).sin()) ** 2).mean()
            grads = torch.autograd.grad(inner, list(params.values()), create_graph=True)
            moved = {n: p - 0.1 * g for (n, p), g in zip(params.items(), grads)}
            total = total + ((torch.func.functional_call(net, moved, (x + 0.1,)) - (factor * (x + 0.1)).sin()) ** 2).mean()
        return total
    return _fit(torch.optim.Adam(net.parameters(), lr=0.01), loss)


def differential_equation(torch):
    """A network that solves u'' = -u: derivatives with respect to the input inside the loss."""
    nn = torch.nn
    net = _filled(torch, nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1)))
    t = torch.linspace(0, 2, 12, dtype=torch.float64).unsqueeze(1).requires_grad_()

    def loss():
        u = net(t)
        du = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
        ddu = torch.autograd.grad(du.sum(), t, create_graph=True)[0]
        return ((ddu + u) ** 2).mean() + (u[0] - 1).pow(2).sum() + du[0].pow(2).sum()
    return _fit(torch.optim.Adam(net.parameters(), lr=0.01), loss)


def values_of_actions(torch):
    """Q-learning with a target network that follows every ten steps."""
    nn, rng = torch.nn, np.random.default_rng(8)
    net = _filled(torch, nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)))
    target, losses = copy.deepcopy(net), []
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    for step in range(STEPS):
        state, following = (torch.tensor(rng.normal(size=(10, 3))) for _ in range(2))
        action, reward = torch.tensor(rng.integers(0, 2, size=(10, 1))), state[:, :1]
        with torch.no_grad():
            wanted = reward + 0.9 * target(following).max(1, keepdim=True)[0]
        loss = nn.functional.smooth_l1_loss(net(state).gather(1, action), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 9:
            target.load_state_dict(net.state_dict())
        losses.append(loss.item())
    return losses


def transformer(torch):
    """A causal transformer block on sequences of tokens."""
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.head = nn.Embedding(5, 8), nn.Linear(8, 5)
            self.block = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)

        def forward(self, x):
            mask = torch.triu(torch.ones(x.shape[1], x.shape[1]), 1).bool()
            return self.head(self.block(self.embed(x), src_mask=mask))
    tokens = torch.tensor(np.random.default_rng(9).integers(0, 5, size=(6, 7)))
    model = _filled(torch, Model())
    return _fit(torch.optim.AdamW(model.parameters(), lr=0.01),
                lambda: nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten()))


def normalizing_flow(torch):
    """Affine couplings, trained by likelihood."""
    nn = torch.nn
    x = _data(torch, 11, 30, 2) @ torch.tensor([[1.0, 0.5], [0.0, 0.8]], dtype=torch.float64) + 1
    nets = nn.ModuleList([nn.Sequential(nn.Linear(1, 6), nn.Tanh(), nn.Linear(6, 2)) for _ in range(4)])
    _filled(torch, nets)

    def loss():
        z, volume = x, 0
        for k, net in enumerate(nets):
            kept, moved = (z[:, :1], z[:, 1:]) if k % 2 else (z[:, 1:], z[:, :1])
            scale, shift = net(kept).chunk(2, 1)
            moved = moved * scale.tanh().exp() + shift
            volume = volume + scale.tanh().sum(1)
            z = torch.cat([kept, moved] if k % 2 else [moved, kept], 1)
        return (0.5 * (z ** 2).sum(1) - volume).mean()
    return _fit(torch.optim.Adam(nets.parameters(), lr=0.01), loss)


def autoencoder(torch):
    """Strided convolutions and their transposes."""
    nn = torch.nn
    net = _filled(torch, nn.Sequential(nn.Conv2d(1, 4, 3, stride=2, padding=1), nn.SiLU(), nn.ConvTranspose2d(4, 1, 4, stride=2, padding=1)))
    x = _data(torch, 12, 5, 1, 8, 8)
    return _fit(torch.optim.Adam(net.parameters(), lr=0.02), lambda: nn.functional.mse_loss(net(x), x))


def siamese_network(torch):
    """Two inputs through one network, and a margin for those that differ."""
    nn = torch.nn
    net = _filled(torch, nn.Sequential(nn.Linear(4, 8), nn.ELU(), nn.Linear(8, 3)))
    a, b, same = _data(torch, 13, 20, 4), _data(torch, 14, 20, 4), torch.tensor([1, -1] * 10)
    loss = nn.CosineEmbeddingLoss(margin=0.2)
    return _fit(torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.5, nesterov=True), lambda: loss(net(a), net(b), same))


def ranking(torch):
    """Scores in the right order, and triplets."""
    nn = torch.nn
    net = _filled(torch, nn.Sequential(nn.Linear(4, 6), nn.Mish(), nn.Linear(6, 1)))
    a, b, c = (_data(torch, 15 + k, 20, 4) for k in range(3))
    order = torch.tensor([1.0, -1.0] * 10, dtype=torch.float64)
    pairs, triplets = nn.MarginRankingLoss(0.5), nn.TripletMarginLoss()
    return _fit(torch.optim.Adagrad(net.parameters(), lr=0.1),
                lambda: pairs(net(a).squeeze(1), net(b).squeeze(1), order) + triplets(net(a), net(b), net(c)))


def quasi_newton_fit(torch):
    """LBFGS with a line search, on a network of one layer."""
    nn = torch.nn
    net, x = _filled(torch, nn.Sequential(nn.Linear(1, 5), nn.Tanh(), nn.Linear(5, 1))), torch.linspace(-2, 2, 15, dtype=torch.float64)[:, None]
    optimizer = torch.optim.LBFGS(net.parameters(), max_iter=5, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = ((net(x) - x.cos()) ** 2).mean()
        loss.backward()
        return loss
    return [optimizer.step(closure).item() for _ in range(10)]


def implicit_layer(torch):
    """A fixed point, differentiated by solving a linear equation in a hook."""
    nn = torch.nn
    inner, outer = _filled(torch, nn.Linear(4, 4, bias=False), scale=0.15), _filled(torch, nn.Linear(4, 1), 1)
    x, target = _data(torch, 18, 10, 4), _data(torch, 19, 10, 1)

    def loss():
        with torch.no_grad():
            z = torch.zeros_like(x)
            for _ in range(30):
                z = torch.tanh(inner(z) + x)
        z = torch.tanh(inner(z) + x)
        start = z.detach().requires_grad_()
        again = torch.tanh(inner(start) + x)

        def solve(g):
            v = g
            for _ in range(30):
                v = torch.autograd.grad(again, start, v, retain_graph=True)[0] + g
            return v
        z.register_hook(solve)
        return ((outer(z) - target) ** 2).mean()
    return _fit(torch.optim.Adam([*inner.parameters(), *outer.parameters()], lr=0.02), loss)


def policy_gradient(torch):
    """Actions drawn beforehand, weighted by their rewards."""
    nn, rng = torch.nn, np.random.default_rng(20)
    net = _filled(torch, nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 3)))

    def loss():
        state, action = torch.tensor(rng.normal(size=(12, 3))), torch.tensor(rng.integers(0, 3, size=12))
        reward = (action == state.argmax(1)).double()
        log_p = net(state).log_softmax(1)
        entropy = -(log_p.exp() * log_p).sum(1).mean()
        return -(log_p.gather(1, action[:, None]).squeeze(1) * (reward - reward.mean())).mean() - 0.01 * entropy
    return _fit(torch.optim.RMSprop(net.parameters(), lr=0.01, centered=True), loss)


def neural_differential_equation(torch):
    """Steps of Euler through a network."""
    nn = torch.nn
    field = _filled(torch, nn.Sequential(nn.Linear(2, 8), nn.Softplus(), nn.Linear(8, 2)))
    start, end = _data(torch, 21, 6, 2), _data(torch, 22, 6, 2)

    def loss():
        y = start
        for _ in range(10):
            y = y + 0.1 * field(y)
        return nn.functional.huber_loss(y, end)
    return _fit(torch.optim.Adam(field.parameters(), lr=0.01, amsgrad=True), loss)


def mixture_density(torch):
    """A mixture of normal distributions whose parameters a network gives."""
    nn = torch.nn
    net, x = _filled(torch, nn.Sequential(nn.Linear(1, 8), nn.GELU(), nn.Linear(8, 9))), _data(torch, 23, 20, 1)
    y = x.sin() + 0.1 * _data(torch, 24, 20, 1)

    def loss():
        weight, mean, log_deviation = net(x).split(3, 1)
        log_p = weight.log_softmax(1) - log_deviation - 0.5 * ((y - mean) / log_deviation.exp()) ** 2
        return -log_p.logsumexp(1).mean()
    return _fit(torch.optim.Adam(net.parameters(), lr=0.01), loss)


def graph_convolution(torch):
    """Messages along the edges of a graph, with dropout by a fixed mask."""
    nn, rng = torch.nn, np.random.default_rng(25)
    links = torch.tensor((rng.random((8, 8)) < 0.3).astype(float)) + torch.eye(8, dtype=torch.float64)
    spread = links / links.sum(1, keepdim=True)
    first, second, norm = nn.Linear(5, 6), nn.Linear(6, 2), nn.GroupNorm(2, 6)
    net = _filled(torch, nn.ModuleDict({"first": first, "second": second, "norm": norm}))
    x, labels, mask = _data(torch, 26, 8, 5), torch.tensor([0, 1] * 4), torch.tensor(rng.integers(0, 2, size=(8, 6)).astype(float)) * 2
    return _fit(torch.optim.AdamW(net.parameters(), lr=0.02),
                lambda: nn.functional.nll_loss(torch.log_softmax(spread @ second(torch.relu(norm(spread @ first(x))) * mask), 1), labels))


def attention_classifier(torch):
    """Attention of several heads, one cycle of learning rates."""
    nn = torch.nn
    attend, head, norm = nn.MultiheadAttention(6, 2, batch_first=True), nn.Linear(6, 3), nn.LayerNorm(6)
    net = _filled(torch, nn.ModuleDict({"attend": attend, "head": head, "norm": norm}))
    x, labels = _data(torch, 27, 9, 5, 6), torch.tensor([0, 1, 2] * 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=STEPS + 1)
    return _fit(optimizer, lambda: nn.functional.cross_entropy(head(norm(x + attend(x, x, x)[0]).mean(1)), labels, label_smoothing=0.1),
                scheduler=schedule)
