"""Programs of higher derivatives: penalties, inner loops, Newton, implicit layers, forward mode."""
from __future__ import annotations

import numpy as np


def _data(torch, seed, *shape):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape))


def gradient_penalty(torch):
    """The critic of a WGAN-GP: the norm of the gradient at interpolated points is part of the loss."""
    w1, w2 = (_data(torch, i, *shape).mul_(0.5).requires_grad_() for i, shape in enumerate([(3, 6), (6, 1)]))
    real, fake, mix = _data(torch, 2, 5, 3), _data(torch, 3, 5, 3), torch.tensor(np.random.default_rng(4).random((5, 1)))

    def critic(x):
        return torch.nn.functional.softplus(x @ w1) @ w2

    losses = []
    for _ in range(5):
        point = (mix * real + (1 - mix) * fake).requires_grad_(True)
        score = critic(point)
        gradient = torch.autograd.grad(
            outputs=score, inputs=point, grad_outputs=torch.ones_like(score), create_graph=True, retain_graph=True, only_inputs=True
        )[0]
        penalty = ((gradient.norm(2, dim=1) - 1) ** 2).mean()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
        grads = torch.autograd.grad(loss, [w1, w2])
        with torch.no_grad():
            for p, g in zip((w1, w2), grads):
                p.sub_(g, alpha=0.01)
        losses.append((loss.item(), penalty.item()))
    return losses, w1, w2


def maml(torch):
    """Model-agnostic meta-learning: gradients through two inner steps, for several tasks."""
    theta = torch.tensor([0.5, -0.3], dtype=torch.float64, requires_grad=True)
    tasks = [(a, b) for a, b in np.random.default_rng(10).normal(size=(4, 2))]
    x = torch.linspace(-1, 1, 7, dtype=torch.float64)
    history = []
    for _ in range(4):
        meta = 0
        for a, b in tasks:

            def loss_of(parameters, a=a, b=b):
                return ((parameters[0] * x + parameters[1] - (a * x + b)) ** 2).mean()

            fast = theta
            for _ in range(2):
                (g,) = torch.autograd.grad(loss_of(fast), fast, create_graph=True)
                fast = fast - 0.2 * g
            meta = meta + loss_of(fast)
        theta.grad = None
        meta.backward()
        with torch.no_grad():
            theta -= 0.1 * theta.grad
        history.append(meta.item())
    return history, theta


def newton_by_conjugate_gradients(torch):
    """Newton's method: Hessian-vector products by double backward inside conjugate gradients."""
    x = torch.tensor([-1.2, 1.0, 0.8], dtype=torch.float64, requires_grad=True)

    def rosenbrock(t):
        return (100 * (t[1:] - t[:-1] ** 2) ** 2 + (1 - t[:-1]) ** 2).sum()

    values = []
    for _ in range(12):
        f = rosenbrock(x)
        (g,) = torch.autograd.grad(f, x, create_graph=True)

        def hvp(v):
            return torch.autograd.grad(g, x, v, retain_graph=True)[0] + 1e-3 * v

        with torch.no_grad():
            step, r = torch.zeros_like(x), -g.detach()
            p, rr = r.clone(), r @ r
            for _ in range(3):
                with torch.enable_grad():
                    hp = hvp(p)
                curvature = p @ hp
                if curvature <= 0:
                    break
                alpha = rr / curvature
                step += alpha * p
                r -= alpha * hp
                new = r @ r
                p = r + new / rr * p
                rr = new
            scale = 1.0
            while rosenbrock(x + scale * step) > f.detach() and scale > 1e-4:
                scale /= 2
            x.add_(step, alpha=scale)
        values.append(f.item())
    return values, x


def hessian_in_three_ways(torch):
    """By rows, by functional.hessian, and forward over reverse: all the same."""
    x = torch.tensor([0.3, -0.7, 1.1], dtype=torch.float64, requires_grad=True)

    def f(t):
        return (t.sin() * t.flip(0).exp()).sum() + t.prod() ** 2

    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    rows = torch.stack([torch.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(3)])
    functional = torch.autograd.functional.hessian(f, x)
    fw, columns = torch.autograd.forward_ad, []
    for i in range(3):
        with fw.dual_level():
            d = fw.make_dual(x.detach().requires_grad_(), torch.eye(3, dtype=torch.float64)[i])
            columns.append(fw.unpack_dual(torch.autograd.grad(f(d), d, create_graph=True)[0]).tangent.detach())
    return rows, torch.allclose(rows, functional), torch.allclose(rows, torch.stack(columns, 1))


def implicit_layer(torch):
    """A fixed point z = tanh(W z + x): the gradient by the implicit function theorem, in a custom Function."""

    class FixedPoint(torch.autograd.Function):
        @staticmethod
        def forward(ctx, w, x):
            z = torch.zeros_like(x)
            for _ in range(60):
                z = torch.tanh(w @ z + x)
            ctx.save_for_backward(w, x, z)
            return z

        @staticmethod
        def backward(ctx, g):
            w, x, z = ctx.saved_tensors
            d = 1 - z**2
            u = torch.linalg.solve(torch.eye(len(x), dtype=x.dtype) - w.t() * d, g)
            return (u * d).unsqueeze(1) * z.unsqueeze(0), u * d

    w, x = (_data(torch, 20, 3, 3) * 0.3).requires_grad_(), _data(torch, 21, 3).requires_grad_()
    z = FixedPoint.apply(w, x)
    (z * torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)).sum().backward()
    w2, x2 = w.detach().clone().requires_grad_(), x.detach().clone().requires_grad_()
    y = torch.zeros(3, dtype=torch.float64)
    for _ in range(60):
        y = torch.tanh(w2 @ y + x2)
    (y * torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)).sum().backward()
    return z, w, x, torch.allclose(w.grad, w2.grad), torch.allclose(x.grad, x2.grad), torch.autograd.gradcheck(FixedPoint.apply, (w, x))


def forward_mode_through_a_solver(torch):
    """How an orbit depends on its start: one tangent carried through Runge-Kutta steps, beside a Jacobian by rows."""
    fw = torch.autograd.forward_ad

    def orbit(start):
        def field(s):
            return torch.stack([s[0] * (1 - s[1]), s[1] * (s[0] - 1)])

        s, h = start, 0.1
        for _ in range(20):
            k1 = field(s)
            k2 = field(s + h / 2 * k1)
            k3 = field(s + h / 2 * k2)
            k4 = field(s + h * k3)
            s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return s

    start, direction = torch.tensor([1.5, 0.5], dtype=torch.float64), torch.tensor([1.0, -1.0], dtype=torch.float64)
    with fw.dual_level():
        end, tangent = fw.unpack_dual(orbit(fw.make_dual(start, direction)))
    jacobian = torch.autograd.functional.jacobian(orbit, start)
    return end, tangent, jacobian, torch.allclose(jacobian @ direction, tangent)


def optimisation_of_complex_values(torch):
    """Phase retrieval: complex parameters follow their conjugate gradient down a real loss."""
    rng = np.random.default_rng(30)
    a = torch.tensor(rng.normal(size=(12, 3)) + 1j * rng.normal(size=(12, 3)))
    truth = torch.tensor(rng.normal(size=3) + 1j * rng.normal(size=3))
    measured = (a @ truth).abs() ** 2
    z = (truth + 0.2 * torch.tensor(rng.normal(size=3) + 1j * rng.normal(size=3))).requires_grad_()
    losses = []
    for _ in range(40):
        loss = (((a @ z).abs() ** 2 - measured) ** 2).mean()
        (g,) = torch.autograd.grad(loss, z)
        with torch.no_grad():
            z -= 0.002 * g
        losses.append(loss.item())
    return losses, z


def compressed_saved_values(torch):
    """Saved values kept in half precision by hooks: less memory, nearly the same gradient."""
    kept = []

    def pack(t):
        kept.append((t.numel(), t.dtype))
        return (t.dtype, t.half()) if t.is_floating_point() else t

    def unpack(p):
        return p[1].to(p[0]) if isinstance(p, tuple) else p

    w = [_data(torch, 40 + i, 4, 4).mul_(0.5).requires_grad_() for i in range(3)]
    x = _data(torch, 43, 2, 4)

    def loss():
        h = x
        for p in w:
            h = torch.sigmoid(h @ p)
        return (h**2).sum()

    loss().backward()
    exact = [p.grad.clone() for p in w]
    for p in w:
        p.grad = None
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        value = loss()
    value.backward()
    return (
        len(kept),
        [bool(torch.allclose(a, p.grad, atol=1e-2)) for a, p in zip(exact, w)],
        [bool(torch.equal(a, p.grad)) for a, p in zip(exact, w)],
        w,
    )


def layers_as_functions(torch):
    """A library of custom Functions: linear, batch normalisation and a straight-through quantiser, trained together."""

    class Linear(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w, b):
            ctx.save_for_backward(x, w)
            return x.mm(w.t()) + b.unsqueeze(0).expand(x.size(0), -1)

        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            gx = g.mm(w) if ctx.needs_input_grad[0] else None
            return gx, g.t().mm(x), g.sum(0)

    class StraightThrough(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, step):
            return (x / step).round() * step

        @staticmethod
        def backward(ctx, g):
            return g, None

    x, target = _data(torch, 50, 6, 3), _data(torch, 51, 6, 2)
    w, b = (_data(torch, 52, 2, 3) * 0.5).requires_grad_(), torch.zeros(2, dtype=torch.float64, requires_grad=True)
    losses = []
    for _ in range(10):
        out = Linear.apply(x, StraightThrough.apply(w, 0.25), b)
        loss = (out - target).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p -= 0.2 * p.grad
                p.grad.zero_()
        losses.append(loss.item())
    return losses, w, b, torch.autograd.gradcheck(Linear.apply, (x.clone().requires_grad_(), w, b))


def influence_of_a_sample(torch):
    """The derivative of a fitted parameter with respect to a datum, through an unrolled fit and by Hessians."""
    x, y = _data(torch, 60, 6, 2), _data(torch, 61, 6).requires_grad_()
    w = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    fitted = w
    for _ in range(60):
        (g,) = torch.autograd.grad(((x @ fitted - y) ** 2).mean(), fitted, create_graph=True)
        fitted = fitted - 0.3 * g
    unrolled = torch.stack([torch.autograd.grad(fitted[i], y, retain_graph=True)[0] for i in range(2)])
    exact = torch.linalg.solve(x.t() @ x, x.t())
    return unrolled, (unrolled - exact).abs().max().item() < 0.1


def spectral_penalty(torch):
    """Power iteration and singular values in a loss, with second derivatives."""
    w = _data(torch, 70, 4, 3).requires_grad_()
    u = torch.ones(4, dtype=torch.float64) / 2
    with torch.no_grad():
        for _ in range(30):
            v = (w.t() @ u) / (w.t() @ u).norm()
            u = (w @ v) / (w @ v).norm()
    sigma = u @ w @ v
    (g,) = torch.autograd.grad(sigma, w)
    (exact,) = torch.autograd.grad(torch.linalg.svdvals(w)[0], w)
    nuclear = torch.linalg.svdvals(w).sum()
    (h,) = torch.autograd.grad(nuclear, w, create_graph=True)
    return sigma.detach(), torch.allclose(g, exact, atol=1e-4), torch.autograd.grad((h**2).sum() + nuclear, w)[0]
