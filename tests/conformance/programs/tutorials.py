"""Programs as tutorials have them: whole training loops that use many parts of the library together, for a few steps each."""
from __future__ import annotations

import io

import numpy as np

from .networks import _data, _filled

STEPS = 8


def _steps(optimizer, loss_of, steps=STEPS, after=lambda: None):
    losses = []
    for k in range(steps):
        optimizer.zero_grad()
        loss = loss_of(k)
        loss.backward()
        optimizer.step()
        after()
        losses.append(loss.item())
    return losses


def residual_network(torch):
    """Residual blocks with in-place activations, overlapping pools, label smoothing, clipped gradients, one cycle of rates; evaluation."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.conv1, self.norm1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
            self.conv2, self.norm2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)

        def forward(self, x):
            out = nn.functional.relu(self.norm1(self.conv1(x)), inplace=True)
            out = self.norm2(self.conv2(out))
            out += x
            return nn.functional.relu(out)
    net = _filled(torch, nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), Block(4), nn.MaxPool2d(3, stride=2, padding=1), Block(4),
                                       nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 5)))
    x, labels = _data(torch, 1, 4, 3, 8, 8), torch.tensor([0, 3, 2, 1])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4, nesterov=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=STEPS)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)

    def loss(k):
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        return criterion(net(x), labels)
    losses = _steps(optimizer, loss, after=schedule.step)
    net.eval()
    with torch.no_grad():
        return losses, net(x), schedule.get_last_lr(), net.state_dict()["1.norm1.running_var"]


def model_of_letters(torch):
    """Embedding with padding, a GRU of two layers in both directions whose state is carried on, ignored targets."""
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(20, 6, padding_idx=0)
            self.gru, self.head = nn.GRU(6, 5, num_layers=2, batch_first=True, bidirectional=True), nn.Linear(10, 20)

        def forward(self, letters, state=None):
            x, state = self.gru(self.embedding(letters), state)
            return self.head(x), state
    net, letters = _filled(torch, Model()), torch.tensor(np.random.default_rng(3).integers(0, 20, (3, 9)))
    carried = [None]

    def loss(k):
        scores, state = net(letters[:, :-1], carried[0])
        carried[0] = state.detach()
        return nn.functional.cross_entropy(scores.transpose(1, 2), letters[:, 1:], ignore_index=0)
    return _steps(torch.optim.AdamW(net.parameters(), lr=1e-2), loss), carried[0].norm()


def causal_attention(torch):
    """Attention written out, with a mask in a buffer; groups of parameters with rates of their own."""
    nn = torch.nn

    class Attention(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.query, self.key, self.value = (nn.Linear(size, size, bias=False) for _ in range(3))
            self.register_buffer("mask", torch.tril(torch.ones(10, 10)).bool())

        def forward(self, x):
            scores = self.query(x) @ self.key(x).transpose(-2, -1) / x.size(-1) ** 0.5
            weights = scores.masked_fill(~self.mask[:x.size(1), :x.size(1)], float("-inf")).softmax(dim=-1)
            return weights @ self.value(x)

    class Block(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.attention, self.norm1, self.norm2 = Attention(size), nn.LayerNorm(size), nn.LayerNorm(size)
            self.feed = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size))

        def forward(self, x):
            x = x + self.attention(self.norm1(x))
            return x + self.feed(self.norm2(x))
    net, x, y = _filled(torch, nn.Sequential(Block(8), Block(8))), _data(torch, 1, 2, 7, 8), _data(torch, 5, 2, 7, 8)
    optimizer = torch.optim.Adam([{"params": net[0].parameters()}, {"params": net[1].parameters(), "lr": 1e-3}], lr=3e-3)
    return _steps(optimizer, lambda k: ((net(x) - y) ** 2).mean())


def gradient_penalty(torch):
    """Two networks against each other; the loss of one holds the norm of its gradient."""
    nn = torch.nn
    critic = _filled(torch, nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1)))
    maker = _filled(torch, nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)), 1)
    first = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
    second = torch.optim.RMSprop(maker.parameters(), lr=1e-3)

    def loss(k):
        real, fake = _data(torch, k, 8, 2), maker(_data(torch, 100 + k, 8, 3)).detach()
        part = _data(torch, 50 + k, 8, 1).sigmoid()
        mixed = (part * real + (1 - part) * fake).requires_grad_(True)
        (g,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
        return critic(fake).mean() - critic(real).mean() + 10 * ((g.norm(2, dim=1) - 1) ** 2).mean()
    return _steps(first, loss), _steps(second, lambda k: -critic(maker(_data(torch, 200 + k, 8, 3))).mean())


def straight_through(torch):
    """Rounded weights, through which a Function of the user's passes the gradient."""
    class Rounded(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, levels):
            ctx.save_for_backward(x)
            return (x * levels).round() / levels

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * (x.abs() <= 1).to(g.dtype), None
    w, x, losses = _data(torch, 1, 6, 4).requires_grad_(), _data(torch, 2, 10, 6), []
    for _ in range(STEPS):
        loss = (x @ Rounded.apply(w, 8)).tanh().pow(2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
            w.grad.zero_()
        losses.append(loss.item())
    return losses, w


def gradients_of_examples(torch):
    """The gradient of every example at once, and the Hessian of a network, by function transforms."""
    nn = torch.nn
    net = _filled(torch, nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.LayerNorm(8), nn.Linear(8, 1)))
    params = {name: p.detach() for name, p in net.named_parameters()}

    def loss(params, x, y):
        return ((torch.func.functional_call(net, params, (x[None],)) - y) ** 2).sum()
    x, y = _data(torch, 1, 5, 4), _data(torch, 3, 5)
    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(params, x, y)
    return each, torch.func.hessian(lambda v: torch.func.functional_call(net, params, (v,)).sum())(x[0])


def logistic_regression(torch):
    """LBFGS with a line search."""
    x = _data(torch, 1, 40, 3)
    y, w, b = (x.sum(1) > 0).to(x.dtype), torch.zeros(3, dtype=x.dtype, requires_grad=True), torch.zeros(1, dtype=x.dtype, requires_grad=True)
    optimizer = torch.optim.LBFGS([w, b], lr=1, max_iter=6, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(x @ w + b, y) + 0.01 * (w * w).sum()
        loss.backward()
        return loss
    return [optimizer.step(closure).item() for _ in range(3)], w.tolist(), b.tolist()      # how often they are written to is not compared


def frozen_layers_and_hooks(torch):
    """A layer that is not trained, and what hooks of modules and parameters see."""
    nn, seen = torch.nn, []
    net = _filled(torch, nn.Sequential(nn.Linear(5, 6), nn.ELU(), nn.Linear(6, 6), nn.Softplus(), nn.Linear(6, 2)))
    net[0].requires_grad_(False)
    net[2].register_forward_hook(lambda module, inputs, output: seen.append(output.detach().mean().item()))
    net[4].register_full_backward_hook(lambda module, by_input, by_output: seen.append(by_input[0].sum().item()))
    net[2].weight.register_hook(lambda g: g * 2)
    optimizer = torch.optim.Adagrad((p for p in net.parameters() if p.requires_grad), lr=0.1)
    losses = _steps(optimizer, lambda k: net(_data(torch, k, 7, 5)).log_softmax(-1)[:, 0].mean().neg())
    return losses, seen, net[0].weight.grad


def convolutional_autoencoder(torch):
    """A variational autoencoder of images, whose noise is given."""
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Conv2d(1, 3, 3, stride=2, padding=1), nn.SiLU(), nn.Flatten(), nn.Linear(48, 8))
            self.decoder = nn.Sequential(nn.Linear(4, 48), nn.Unflatten(1, (3, 4, 4)), nn.ConvTranspose2d(3, 1, 4, stride=2, padding=1),
                                         nn.Sigmoid())

        def forward(self, x, noise):
            mean, logarithm = self.encoder(x).chunk(2, dim=1)
            return self.decoder(mean + noise * torch.exp(0.5 * logarithm)), mean, logarithm
    net, x = _filled(torch, Net()), torch.sigmoid(_data(torch, 1, 6, 1, 8, 8))

    def loss(k):
        found, mean, logarithm = net(x, _data(torch, k, 6, 4))
        divergence = -0.5 * torch.sum(1 + logarithm - mean.pow(2) - logarithm.exp())
        return nn.functional.binary_cross_entropy(found, x, reduction="sum") + divergence
    return _steps(torch.optim.Adam(net.parameters(), 1e-2, amsgrad=True), loss)


def proximal_policy(torch):
    """Advantages by a loop backwards in time, clipped ratios of probabilities, entropy."""
    nn = torch.nn
    net = _filled(torch, nn.ModuleDict({"policy": nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)),
                                        "value": nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))}))
    states, rewards = _data(torch, 1, 21, 4), _data(torch, 2, 20)
    actions = torch.tensor(np.random.default_rng(3).integers(0, 3, 20)).unsqueeze(1)
    with torch.no_grad():
        values, advantages, last = net["value"](states).squeeze(-1), torch.zeros_like(rewards), 0.0
        for t in reversed(range(20)):
            last = rewards[t] + 0.99 * values[t + 1] - values[t] + 0.99 * 0.95 * last
            advantages[t] = last
        returns, before = advantages + values[:-1], net["policy"](states[:-1]).log_softmax(-1).gather(1, actions).squeeze(1)
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)

    def loss(k):
        logs = net["policy"](states[:-1]).log_softmax(-1)
        ratio = (logs.gather(1, actions).squeeze(1) - before).exp()
        gain = torch.min(ratio * advantages, torch.clamp(ratio, 0.8, 1.2) * advantages).mean()
        critic = nn.functional.smooth_l1_loss(net["value"](states[:-1]).squeeze(-1), returns)
        return -gain + 0.5 * critic + 0.01 * (logs.exp() * logs).sum(-1).mean()
    return _steps(torch.optim.Adam(net.parameters(), 3e-2, eps=1e-5), loss)


def matrix_factorization(torch):
    """Two embeddings with sparse gradients."""
    nn, rng = torch.nn, np.random.default_rng(0)
    users, items = _filled(torch, nn.Embedding(8, 4, sparse=True)), _filled(torch, nn.Embedding(9, 4, sparse=True), 1)
    rows, columns, ratings = torch.tensor(rng.integers(0, 8, 30)), torch.tensor(rng.integers(0, 9, 30)), _data(torch, 1, 30)
    optimizer = torch.optim.SGD([*users.parameters(), *items.parameters()], lr=0.5)
    losses = _steps(optimizer, lambda k: nn.functional.mse_loss((users(rows) * items(columns)).sum(1), ratings))
    return losses, users.weight.grad.is_sparse, users.weight.grad.to_dense()


def truncated_time(torch):
    """A cell along time, whose state is detached from piece to piece."""
    nn = torch.nn
    cell, head = _filled(torch, nn.LSTMCell(3, 5)), _filled(torch, nn.Linear(5, 1), 1)
    state = [torch.zeros(4, 5, dtype=torch.float64)] * 2

    def loss(k):
        h, c = (s.detach() for s in state)
        total = 0
        for t in range(5):
            h, c = cell(_data(torch, 10 * k + t, 4, 3), (h, c))
            total = total + head(h).square().mean()
        state[:] = h, c
        return total
    optimizer = torch.optim.RMSprop([*cell.parameters(), *head.parameters()], lr=1e-2, alpha=0.9, momentum=0.5, centered=True)
    return _steps(optimizer, loss)


def style_transfer(torch):
    """The image is the parameter: correlations of channels, total variation, values kept in bounds."""
    nn, functional = torch.nn, torch.nn.functional
    conv = _filled(torch, nn.Conv2d(3, 6, 3, padding=1, padding_mode="reflect")).requires_grad_(False)

    def correlations(x):
        return torch.einsum("bchw,bdhw->bcd", x, x) / x[0].numel()
    image, wanted = nn.Parameter(_data(torch, 1, 1, 3, 8, 8)), correlations(conv(_data(torch, 9, 1, 3, 8, 8)).relu())

    def loss(k):
        features = conv(image).relu()
        variation = (image[..., 1:] - image[..., :-1]).abs().mean()
        return functional.mse_loss(correlations(features), wanted) * 100 + 1e-2 * variation + functional.avg_pool2d(features, 2).mean()

    def bound():
        with torch.no_grad():
            image.clamp_(-2, 2)
    return _steps(torch.optim.Adam([image], lr=0.05), loss, after=bound), image


def contrastive_learning(torch):
    """Two views of the same rows, one of them under a checkpoint; warm restarts."""
    nn, functional = torch.nn, torch.nn.functional
    net = _filled(torch, nn.Sequential(nn.Linear(6, 10), nn.BatchNorm1d(10), nn.ReLU(), nn.Linear(10, 5)))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=3)

    def loss(k):
        x = _data(torch, k, 8, 6)
        first = functional.normalize(torch.utils.checkpoint.checkpoint(net, x, use_reentrant=False), dim=1)
        second = functional.normalize(net(x + 0.1 * _data(torch, 50 + k, 8, 6)), dim=1)
        scores, labels = first @ second.T / 0.2, torch.arange(8)
        return (functional.cross_entropy(scores, labels) + functional.cross_entropy(scores.T, labels)) / 2
    return _steps(optimizer, loss, after=schedule.step), schedule.get_last_lr(), net[1].num_batches_tracked


def training_goes_on(torch):
    """Model, optimizer and schedule are saved and loaded; the steps that follow are those of the original."""
    nn = torch.nn

    def made():
        net = _filled(torch, nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.0), nn.Hardswish(), nn.Linear(4, 1)))
        optimizer = torch.optim.Adam(net.parameters(), 1e-2)
        return net, optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)

    def steps(net, optimizer, schedule, first):
        def loss(k):
            x = _data(torch, first + k, 5, 3)
            return nn.L1Loss()(net(x), x.sum(1, keepdim=True))
        return _steps(optimizer, loss, 4, schedule.step)
    original, file = made(), io.BytesIO()
    before = steps(*original, 0)
    torch.save([part.state_dict() for part in original], file)
    file.seek(0)
    copies = made()
    for part, state in zip(copies, torch.load(file, weights_only=False)):
        part.load_state_dict(state)
    return before, steps(*original, 4), steps(*copies, 4)
