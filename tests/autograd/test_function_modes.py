"""`autograd.Function` in forward mode and under `vmap`."""
import numpy as np
import pytest


def make(torch, **members):
    return type("F", (torch.autograd.Function,), {k: staticmethod(v) if callable(v) else v for k, v in members.items()})


def vector(torch, *values, **options):
    return torch.tensor(values, dtype=torch.float64, **options)


class Cube:
    """x ** 3, in both modes."""

    @staticmethod
    def forward(x):
        return x ** 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 3 * x ** 2 * g

    @staticmethod
    def jvp(ctx, t):
        x, = ctx.saved_tensors
        return 3 * x ** 2 * t


def cube(torch, **members):
    return type("F", (Cube, torch.autograd.Function), members)


class TestForwardMode:
    def push(self, torch, F, *pairs):
        fw = torch.autograd.forward_ad
        with fw.dual_level():
            out = F.apply(*[fw.make_dual(x, t) if t is not None else x for x, t in pairs])
            return [fw.unpack_dual(y).tangent if isinstance(y, torch.Tensor) else y for y in (out if isinstance(out, tuple) else (out,))]

    def test_tangents(self, torch):
        x, t = vector(torch, 1.0, 2.0), vector(torch, 1.0, 10.0)
        assert self.push(torch, cube(torch), (x, t))[0].tolist() == [3, 120]

    def test_which_tangents_come(self, torch):
        x, t, seen = vector(torch, 1.0, 2.0), vector(torch, 1.0, 10.0), []
        F = make(torch, forward=lambda ctx, a, b, c: a * b * c, jvp=lambda ctx, *ts: (seen.extend(ts), ts[0])[1])
        assert self.push(torch, F, (x, t), (x, None), (3, None))[0].tolist() == [1, 10]
        assert seen[0].tolist() == [1, 10] and seen[1].tolist() == [0, 0] and seen[2] is None
        seen.clear()
        F = make(torch, forward=lambda ctx, a, b: (ctx.set_materialize_grads(False), a * b)[1], jvp=lambda ctx, *ts: (seen.extend(ts), ts[0])[1])
        self.push(torch, F, (x, t), (x, None))
        assert seen[1] is None
        F = make(torch, forward=lambda ctx, a: a * 2, backward=lambda ctx, g: g, jvp=lambda ctx, t: 1 / 0)
        F.apply(x)
        assert self.push(torch, F, (x, None)) == [None]

    def test_forward_does_not_see_them(self, torch):
        fw, seen = torch.autograd.forward_ad, []

        def forward(ctx, a):
            seen.append(fw.unpack_dual(a * 2).tangent)
            return a * 2
        self.push(torch, make(torch, forward=forward, jvp=lambda ctx, t: t * 2), (vector(torch, 1.0), vector(torch, 1.0)))
        assert seen == [None]

    def test_outputs(self, torch):
        x, t = vector(torch, 1.0, 2.0), vector(torch, 1.0, 10.0)
        F = make(torch, forward=lambda ctx, a: (a * 2, torch.arange(2), "s"), jvp=lambda ctx, t: (t * 2, None, None))
        y, i, s = self.push(torch, F, (x, t))
        assert y.tolist() == [2, 20] and i is None and s == "s"

    def test_views_and_writes(self, torch):
        x, t = vector(torch, 1.0, 2.0), vector(torch, 1.0, 10.0)
        assert self.push(torch, make(torch, forward=lambda ctx, a: a[1:], jvp=lambda ctx, t: t[1:]), (x, t))[0].tolist() == [10]
        write = lambda ctx, a: (a.add_(1), ctx.mark_dirty(a), a)[2]
        assert self.push(torch, make(torch, forward=write, jvp=lambda ctx, t: t.mul_(2)), (x.clone(), t.clone()))[0].tolist() == [2, 20]
        for F, words in [
            (make(torch, forward=lambda ctx, a: a[1:], jvp=lambda ctx, t: t[1:] * 2), "the jvp is not returning a view"),
            (make(torch, forward=lambda ctx, a: a, jvp=lambda ctx, t: t), "is returning a view .or an input as-is. but the jvp is not returning a view"),
            (make(torch, forward=write, jvp=lambda ctx, t: t * 2), "is not modifying the forward mode gradients inplace"),
        ]:
            with pytest.raises(RuntimeError, match=words):
                self.push(torch, F, (x.clone(), t.clone()))

    def test_errors(self, torch):
        pair = (vector(torch, 1.0, 2.0), vector(torch, 1.0, 10.0))
        mark = lambda ctx, a: (lambda b: (ctx.mark_non_differentiable(b), (a * 2, b))[1])(a * 3)
        for forward, jvp, kind, words in [
            (lambda ctx, a: a * 2, None, NotImplementedError, "You must implement the jvp function for custom autograd.Function"),
            (lambda ctx, a: a * 2, lambda ctx, t: (t, t), RuntimeError, r"invalid number of forward gradients \(expected 1 but got 2\)"),
            (lambda ctx, a: a * 2, lambda ctx, t: 3, RuntimeError, r"expected Variable or None \(got int\) for grad output 0"),
            (lambda ctx, a: a * 2, lambda ctx, t: vector(torch, 1.0, 1.0, 1.0), RuntimeError, "forward gradient that has a different size"),
            (mark, lambda ctx, t: (t, t), RuntimeError, "Function's jvp returned a gradient at position 1"),
        ]:
            members = {"forward": forward} | ({"jvp": jvp} if jvp else {})
            with pytest.raises(kind, match=words):
                self.push(torch, make(torch, **members), pair)
        with pytest.raises(AssertionError, match="you should save non-tensors as attributes on ctx"):
            make(torch, forward=lambda ctx, a: (ctx.save_for_forward(3), a)[1]).apply(pair[0])

    def test_forward_over_reverse(self, torch):
        fw = torch.autograd.forward_ad
        x = vector(torch, 1.0, 2.0, requires_grad=True)
        with fw.dual_level():
            y = cube(torch).apply(fw.make_dual(x, vector(torch, 1.0, 10.0)))
            g, = torch.autograd.grad(y.sum(), x)
            assert g.tolist() == [3, 12] and fw.unpack_dual(g).tangent.tolist() == [6, 120]

    def test_gradcheck(self, torch):
        x = vector(torch, 0.5, 1.5, requires_grad=True)
        F = cube(torch, generate_vmap_rule=True)
        assert torch.autograd.gradcheck(F.apply, x, check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)
        assert torch.autograd.gradgradcheck(F.apply, x, check_fwd_over_rev=True, check_batched_grad=True)


class TestVmap:
    def test_its_own(self, torch):
        seen = []

        def vmap(info, in_dims, x, n, others):
            seen.append((info.batch_size, info.randomness, len(in_dims), in_dims[0] is not None, in_dims[1:], n))
            return (x * n, x.sum(1 - in_dims[0])), (in_dims[0], 0)
        F = make(torch, forward=lambda x, n, others: (x * n, x.sum()), setup_context=lambda ctx, i, o: None, vmap=vmap)
        x = torch.arange(6.0).reshape(2, 3)
        y, s = torch.vmap(lambda a: F.apply(a, 3, [x[0]]))(x)
        assert torch.equal(y, x * 3) and torch.equal(s, x.sum(1))
        assert seen == [(2, "error", 3, True, (None, [None]), 3)]
        constant = make(torch, forward=lambda x: x, setup_context=lambda ctx, i, o: None, vmap=lambda info, d, x: (torch.ones(3), None))
        assert torch.equal(torch.vmap(constant.apply)(x), torch.ones(2, 3))

    def test_generated(self, torch):
        F, shapes = cube(torch, generate_vmap_rule=True), []
        x = torch.arange(6.0, dtype=torch.float64).reshape(2, 3).requires_grad_()
        y = torch.vmap(lambda a: (shapes.append(tuple(a.shape)), F.apply(a))[1], in_dims=1)(x)
        assert shapes == [(2,)] and torch.equal(y, x.t() ** 3)
        g, = torch.autograd.grad(y.sum(), x, create_graph=True)
        assert torch.allclose(g, 3 * x ** 2)
        assert torch.allclose(torch.autograd.grad(g.sum(), x)[0], 6 * x)

    def test_generated_with_what_is_the_same_for_all(self, torch):
        F = make(torch, forward=lambda a, b: (a * b, a.sum() * b), setup_context=lambda ctx, i, o: ctx.save_for_backward(*i),
                 backward=lambda ctx, g, h: ((g * ctx.saved_tensors[1]) + (h * ctx.saved_tensors[1]).sum(),
                                             g * ctx.saved_tensors[0] + h * ctx.saved_tensors[0].sum()), generate_vmap_rule=True)
        x = torch.tensor(np.random.default_rng(0).standard_normal((2, 3)), requires_grad=True)
        w = torch.ones(3, dtype=torch.float64, requires_grad=True)
        out = torch.vmap(F.apply, in_dims=(0, None))(x, w)
        gx, gw = torch.autograd.grad(sum(o.sin().sum() for o in out), (x, w))
        each = [F.apply(a, w) for a in x]
        ex, ew = torch.autograd.grad(sum(o.sin().sum() for pair in each for o in pair), (x, w))
        assert torch.allclose(gx, ex) and torch.allclose(gw, ew)

    def test_nothing_mapped(self, torch):
        F = cube(torch, generate_vmap_rule=True)
        x, w = torch.ones(2, 3, dtype=torch.float64), vector(torch, 1.0, 2.0, 3.0, requires_grad=True)
        y = torch.vmap(lambda a: a + F.apply(w))(x)
        assert torch.autograd.grad(y.sum(), w)[0].tolist() == [6, 24, 54]

    def test_nested(self, torch):
        F = cube(torch, generate_vmap_rule=True)
        x = torch.arange(6.0).reshape(1, 2, 3)
        assert torch.equal(torch.vmap(torch.vmap(F.apply))(x), x ** 3)

    def test_batched_gradients(self, torch):
        F = make(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, g: g * 3)
        x = vector(torch, 1.0, 2.0, requires_grad=True)
        eye = torch.eye(2, dtype=torch.float64)
        assert torch.equal(torch.autograd.grad(F.apply(x), x, eye, is_grads_batched=True)[0], 3 * eye)

    def test_errors(self, torch):
        x = torch.ones(2, 3)
        separate = dict(forward=lambda x: x * 2, setup_context=lambda ctx, i, o: None)
        for members, words in [
            (dict(forward=lambda ctx, x: x * 2), "it must override the setup_context staticmethod"),
            (separate, "You tried to vmap over F, but it does not have vmap support"),
            (separate | dict(generate_vmap_rule=True, vmap=lambda i, d, x: (x, 0)), "it has both generate_vmap_rule=True and an overridden vmap staticmethod"),
            (separate | dict(vmap=lambda i, d, x: x), "Expected the vmap staticmethod to have two returns, an output and out_dims"),
            (separate | dict(vmap=lambda i, d, x: (x, 0, 0)), "Got 3 returns instead"),
            (separate | dict(vmap=lambda i, d, x: ((x, x), (0, 0, 0))), r"vmap staticmethod returned an incompatible \(output, out_dims\) tuple"),
        ]:
            with pytest.raises(RuntimeError, match=words):
                torch.vmap(make(torch, **members).apply)(x)
