"""Programs in the manner of tutorials: a GAN, translation, style transfer, a spatial transformer, functional transforms."""

from __future__ import annotations

import math

import numpy as np


def _filled(torch, m, seed=0, scale=0.3):
    r = np.random.default_rng(seed)
    with torch.no_grad():
        for p in m.parameters():
            p.copy_(torch.tensor(r.standard_normal(tuple(p.shape)) * scale, dtype=p.dtype))
    return m


def _data(torch, seed, *shape):
    return torch.tensor(np.random.default_rng(seed).standard_normal(shape), dtype=torch.float32)


def generated_images(torch):
    """Deconvolutions with batch normalization against convolutions, in alternation."""
    nn, optim, seen = torch.nn, torch.optim, []
    data = lambda *a: _data(torch, *a)
    G = nn.Sequential(
        nn.ConvTranspose2d(4, 8, 4, 1, 0, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(True),
        nn.ConvTranspose2d(8, 1, 4, 2, 1, bias=False),
        nn.Tanh(),
    )
    D = nn.Sequential(
        nn.Conv2d(1, 8, 4, 2, 1, bias=False),
        nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(8, 16, 4, 2, 1, bias=False),
        nn.BatchNorm2d(16),
        nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(16, 1, 2, 1, 0, bias=False),
        nn.Sigmoid(),
    )

    def init(m):
        c = m.__class__.__name__
        if c.find("Conv") != -1:
            nn.init.constant_(m.weight.data, 0.02)
            m.weight.data.add_(data(m.weight.numel(), *m.weight.shape) * 0.1)
        elif c.find("BatchNorm") != -1:
            nn.init.constant_(m.weight.data, 1.0)
            nn.init.constant_(m.bias.data, 0)

    G.apply(init)
    D.apply(init)
    crit = nn.BCELoss()
    oD = optim.Adam(D.parameters(), lr=2e-3, betas=(0.5, 0.999))
    oG = optim.Adam(G.parameters(), lr=2e-3, betas=(0.5, 0.999))
    for it in range(8):
        D.zero_grad()
        real = data(it, 5, 1, 8, 8)
        label = torch.full((5,), 1.0, dtype=torch.float)
        out = D(real).view(-1)
        e1 = crit(out, label)
        e1.backward()
        dx = out.mean().item()
        fake = G(data(100 + it, 5, 4, 1, 1))
        label.fill_(0.0)
        out = D(fake.detach()).view(-1)
        e2 = crit(out, label)
        e2.backward()
        oD.step()
        G.zero_grad()
        label.fill_(1.0)
        e3 = crit(D(fake).view(-1), label)
        e3.backward()
        oG.step()
        if it % 3 == 1:
            seen.append([(e1 + e2).detach(), e3.detach(), dx])
    G.eval()
    seen.append([G(data(7, 2, 4, 1, 1)).sum()])
    seen.append([sorted(D.state_dict())[:4], D[3].num_batches_tracked])
    return seen


def translation_with_attention(torch):
    """A GRU reads, another writes with attention; greedy decoding."""
    nn, F, optim, seen = torch.nn, torch.nn.functional, torch.optim, []
    filled = lambda m, *a: _filled(torch, m, *a)
    H = 8

    class Enc(nn.Module):
        def __init__(s):
            super().__init__()
            s.emb = nn.Embedding(11, H)
            s.gru = nn.GRU(H, H, batch_first=True)
            s.drop = nn.Dropout(0.0)

        def forward(s, x):
            return s.gru(s.drop(s.emb(x)))

    class Att(nn.Module):
        def __init__(s):
            super().__init__()
            s.Wa, s.Ua, s.Va = nn.Linear(H, H), nn.Linear(H, H), nn.Linear(H, 1)

        def forward(s, q, k):
            sc = s.Va(torch.tanh(s.Wa(q) + s.Ua(k))).squeeze(2).unsqueeze(1)
            w = F.softmax(sc, dim=-1)
            return torch.bmm(w, k), w

    class Dec(nn.Module):
        def __init__(s):
            super().__init__()
            s.emb = nn.Embedding(11, H)
            s.att = Att()
            s.gru = nn.GRU(2 * H, H, batch_first=True)
            s.out = nn.Linear(H, 11)

        def forward(s, eo, eh, target=None):
            B = eo.size(0)
            x = torch.empty(B, 1, dtype=torch.long).fill_(0)
            h = eh
            outs = []
            atts = []
            for i in range(5):
                e = s.emb(x)
                q = h.permute(1, 0, 2)
                c, w = s.att(q, eo)
                o, h = s.gru(torch.cat((e, c), dim=2), h)
                o = s.out(o)
                outs.append(o)
                atts.append(w)
                if target is not None:
                    x = target[:, i].unsqueeze(1)
                else:
                    _, top = o.topk(1)
                    x = top.squeeze(-1).detach()
            return F.log_softmax(torch.cat(outs, dim=1), dim=-1), h, torch.cat(atts, dim=1)

    enc, dec = filled(Enc(), 1), filled(Dec(), 2)
    oe, od = optim.Adam(enc.parameters(), lr=0.02), optim.Adam(dec.parameters(), lr=0.02)
    crit = nn.NLLLoss()
    X = torch.tensor(np.random.default_rng(0).integers(1, 11, (6, 5)))
    Y = X.flip(1)
    for e in range(12):
        oe.zero_grad()
        od.zero_grad()
        eo, eh = enc(X)
        o, _, _ = dec(eo, eh, Y)
        loss = crit(o.view(-1, o.size(-1)), Y.reshape(-1))
        loss.backward()
        n = nn.utils.clip_grad_norm_(list(enc.parameters()) + list(dec.parameters()), 1.0)
        oe.step()
        od.step()
        if e % 4 == 3:
            seen.append([loss, n])
    with torch.no_grad():
        o, _, a = dec(*enc(X))
        _, t = o.topk(1)
        seen.append([t.squeeze()[:2].tolist(), a.shape, round(float(a.sum()), 3)])
    return seen


def an_image_that_is_fitted(torch):
    """LBFGS on the input, with features from hooks and Gram matrices."""
    nn, F, optim, seen = torch.nn, torch.nn.functional, torch.optim, []
    filled, data = (lambda m, *a: _filled(torch, m, *a)), (lambda *a: _data(torch, *a))
    cnn = filled(
        nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 6, 3, padding=1), nn.ReLU()), 3
    ).eval()
    for p in cnn.parameters():
        p.requires_grad_(False)
    feats = {}
    hs = [cnn[i].register_forward_hook(lambda m, i, o, k=i: feats.__setitem__(k, o)) for i in (0, 3)]

    def gram(x):
        a, b, c, d = x.size()
        f = x.view(a * b, c * d)
        return torch.mm(f, f.t()).div(a * b * c * d)

    S, C = data(1, 1, 3, 8, 8), data(2, 1, 3, 8, 8)
    cnn(S)
    sg = {k: gram(v).detach() for k, v in feats.items()}
    cnn(C)
    ct = feats[3].detach()
    img = C.clone().requires_grad_(True)
    opt = optim.LBFGS([img], max_iter=4)
    run = [0]
    while run[0] <= 12:

        def closure():
            with torch.no_grad():
                img.clamp_(-2, 2)
            opt.zero_grad()
            cnn(img)
            l = sum(F.mse_loss(gram(feats[k]), sg[k]) * 1e3 for k in sg) + F.mse_loss(feats[3], ct)
            l.backward()
            run[0] += 1
            return l

        seen.append([opt.step(closure).detach()])
    [h.remove() for h in hs]
    seen.append([img.detach().norm()])
    seen.append([len(feats), cnn])
    return seen


def spatial_transformer(torch):
    """A learned affine grid, parameter groups, a one-cycle schedule and a checkpoint."""
    nn, F, optim, seen = torch.nn, torch.nn.functional, torch.optim, []
    filled, data = (lambda m, *a: _filled(torch, m, *a)), (lambda *a: _data(torch, *a))

    class Net(nn.Module):
        def __init__(s):
            super().__init__()
            s.conv1 = nn.Conv2d(1, 4, 3)
            s.drop = nn.Dropout2d()
            s.fc1 = nn.Linear(4 * 5 * 5, 10)
            s.loc = nn.Sequential(nn.Conv2d(1, 2, 3), nn.MaxPool2d(2, stride=2), nn.ReLU(True))
            s.fc_loc = nn.Sequential(nn.Linear(2 * 5 * 5, 6), nn.ReLU(True), nn.Linear(6, 6))
            s.register_buffer("scale", torch.tensor(1.0))

        def stn(s, x):
            t = s.fc_loc(s.loc(x).view(-1, 2 * 5 * 5)).view(-1, 2, 3)
            return F.grid_sample(x, F.affine_grid(t, x.size(), align_corners=False), align_corners=False)

        def forward(s, x):
            x = s.stn(x)
            x = F.relu(F.max_pool2d(s.conv1(x), 2))
            return F.log_softmax(s.fc1(x.view(-1, 4 * 5 * 5)) * s.scale, dim=1)

    net = filled(Net(), 4, 0.2)
    net.fc_loc[2].weight.data.zero_()
    net.fc_loc[2].bias.data.copy_(torch.tensor([1, 0, 0, 0, 1, 0], dtype=torch.float))
    opt = optim.SGD(
        [{"params": net.conv1.parameters()}, {"params": [p for n, p in net.named_parameters() if not n.startswith("conv1")], "lr": 0.02}],
        lr=0.05,
        momentum=0.9,
        weight_decay=1e-4,
        nesterov=True,
    )
    sch = optim.lr_scheduler.OneCycleLR(opt, max_lr=[0.05, 0.02], total_steps=12)
    X = data(5, 8, 1, 12, 12)
    y = torch.arange(8) % 10
    for e in range(12):
        net.train()
        opt.zero_grad()
        l = F.nll_loss(net(X), y)
        l.backward()
        opt.step()
        sch.step()
        if e % 4 == 0:
            seen.append([l, *sch.get_last_lr()])
    ck = {"model": net.state_dict(), "opt": opt.state_dict(), "sch": sch.state_dict()}
    other = Net()
    seen.append([other.load_state_dict(ck["model"])])
    o2 = optim.SGD(
        [{"params": other.conv1.parameters()}, {"params": [p for n, p in other.named_parameters() if not n.startswith("conv1")]}], lr=0.1
    )
    o2.load_state_dict(ck["opt"])
    seen.append([o2.param_groups[1]["momentum"], len(o2.state)])
    other.eval()
    pred = other(X).max(1, keepdim=True)[1]
    seen.append([pred.eq(y.view_as(pred)).sum().item(), ck["sch"]["last_epoch"]])
    return seen


def functions_of_parameters(torch):
    """Gradients of examples, an ensemble, a custom Function and an adversarial example."""
    nn, F, seen = torch.nn, torch.nn.functional, []
    filled, data = (lambda m, *a: _filled(torch, m, *a)), (lambda *a: _data(torch, *a))
    from_func = torch.func
    net = filled(nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2)), 6)
    X, y = data(8, 7, 3), torch.arange(7) % 2
    params = {k: v.detach() for k, v in net.named_parameters()}

    def loss(p, x, t):
        return F.cross_entropy(from_func.functional_call(net, p, (x.unsqueeze(0),)), t.unsqueeze(0))

    g = from_func.vmap(from_func.grad(loss), in_dims=(None, 0, 0))(params, X, y)
    seen.append([*[v.norm() for v in g.values()]])
    (H) = from_func.hessian(lambda w: F.cross_entropy(X @ w, y))(data(9, 3, 2))
    seen.append([H.norm(), H.reshape(6, 6).trace()])
    nets = [filled(nn.Linear(3, 2), i) for i in range(3)]
    P, B = from_func.stack_module_state(nets)
    base = nets[0]
    out = from_func.vmap(lambda p, b, x: from_func.functional_call(base, (p, b), (x,)), in_dims=(0, 0, None))(P, B, X)
    seen.append([out.sum(), out.std()])

    class Leg(torch.autograd.Function):
        @staticmethod
        def forward(ctx, i):
            ctx.save_for_backward(i)
            return 0.5 * (5 * i**3 - 3 * i)

        @staticmethod
        def backward(ctx, go):
            (i,) = ctx.saved_tensors
            return go * 1.5 * (5 * i**2 - 1)

    x = torch.linspace(-math.pi, math.pi, 200)
    ty = torch.sin(x)
    a, b, c, d = (torch.full((), v, requires_grad=True) for v in (0.0, -1.0, 0.0, 0.3))
    for t in range(60):
        l = (a + b * Leg.apply(c + d * x) - ty).pow(2).sum()
        l.backward()
        with torch.no_grad():
            for p in (a, b, c, d):
                p -= 5e-6 * p.grad
                p.grad = None
    seen.append([a, b, c, d])
    seen.append([l])
    im = data(10, 2, 3).requires_grad_()
    F.nll_loss(F.log_softmax(net(im), 1), torch.tensor([0, 1])).backward()
    adv = torch.clamp(im + 0.1 * im.grad.data.sign(), 0, 1)
    seen.append([adv])
    vals, idx = torch.sort(X.sum(1), descending=True)
    seen.append([idx, vals[:2], X.mean(0, keepdim=True).shape, torch.allclose(X.std(0, unbiased=False) ** 2, X.var(0, correction=0))])
    return seen
