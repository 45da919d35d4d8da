"""`autograd.Function` in reverse mode: both ways to write it, what the context keeps, what outputs are, and errors."""
import warnings

import numpy as np
import pytest


def pair(torch):
    return torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)


def make(torch, base=None, **members):
    """A Function with the given static methods."""
    return type("F", (base or torch.autograd.Function,), {k: staticmethod(v) if callable(v) else v for k, v in members.items()})


def twice(ctx, x, *rest):
    return x * 2


def same(ctx, g):
    return g


def add_one(ctx, x):
    x.add_(1)
    ctx.mark_dirty(x)
    return x


class TestTwoWays:
    def test_combined(self, torch):
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, i):
                result = i.exp()
                ctx.save_for_backward(result)
                return result

            @staticmethod
            def backward(ctx, grad_output):
                result, = ctx.saved_tensors
                return grad_output * result

        x, _ = pair(torch)
        y = Exp.apply(x)
        assert np.allclose(y.detach().numpy(), np.exp([1, 2]))
        g, = torch.autograd.grad(y.sum(), x, create_graph=True)
        assert torch.equal(g, y)
        gg, = torch.autograd.grad(g.sum(), x)
        assert torch.allclose(gg, y)

    def test_separate(self, torch):
        class Func(torch.autograd.Function):
            @staticmethod
            def forward(x, y, z=4):
                return x * y * z, x + y

            @staticmethod
            def setup_context(ctx, inputs, output):
                x, y, z = inputs
                assert isinstance(output, tuple) and len(output) == 2
                ctx.save_for_backward(x, y)
                ctx.z = z

            @staticmethod
            def backward(ctx, g, h):
                x, y = ctx.saved_tensors
                return g * y * ctx.z + h, g * x * ctx.z + h, None

        x, y = pair(torch)
        for arguments, options, z in [((x, y, 4), {}, 4), ((x, y), {}, 4), ((x, y), {"z": 3}, 3), ((x,), {"y": y, "z": 2}, 2)]:
            a, b = Func.apply(*arguments, **options)
            gx, gy = torch.autograd.grad((a + b).sum(), (x, y))
            assert gx.tolist() == [3 * z + 1, 4 * z + 1] and gy.tolist() == [z + 1, 2 * z + 1]

    def test_vjp_is_backward(self, torch):
        x, _ = pair(torch)
        assert torch.autograd.grad(make(torch, forward=twice, vjp=lambda ctx, g: g * 5).apply(x).sum(), x)[0].tolist() == [5, 5]
        both = make(torch, forward=twice, backward=same, vjp=same).apply(x)
        with pytest.raises(RuntimeError, match="Implementing both 'backward' and 'vjp' for a custom Function is not allowed"):
            both.sum().backward()

    def test_options_of_the_combined_way(self, torch):
        x, _ = pair(torch)
        F = make(torch, forward=lambda ctx, a, k=1: a * k, backward=lambda ctx, g: (g * 3, None))
        y = F.apply(x, k=3)
        assert y.tolist() == [3, 6] and torch.autograd.grad(y.sum(), x)[0].tolist() == [3, 3]

    def test_what_forward_sees(self, torch):
        x, y = pair(torch)
        seen = []

        def forward(ctx, a, b, c, d):
            seen.extend([a is x, a.requires_grad, torch.is_grad_enabled(), (a * 2).requires_grad, ctx.needs_input_grad])
            return a * 2
        F = make(torch, forward=forward, backward=lambda ctx, g: (seen.append(ctx.needs_input_grad), (g, None, None, None))[1])
        F.apply(x, 3, y.detach(), y).sum().backward()
        assert seen == [True, True, False, False, (True, False, False, True), (True, False, False, True)]

    def test_context_is_the_node(self, torch):
        x, _ = pair(torch)
        contexts = []
        F = make(torch, forward=lambda ctx, a: (contexts.append(ctx), a * 2)[1], backward=lambda ctx, g: (contexts.append(ctx), g)[1])
        y = F.apply(x)
        y.sum().backward()
        assert y.grad_fn is contexts[0] is contexts[1]
        assert isinstance(y.grad_fn, torch.autograd.function.FunctionCtx)
        assert y.grad_fn.name() == type(y.grad_fn).__name__ == "FBackward"
        (node, nr), = y.grad_fn.next_functions
        assert node.variable is x and nr == 0
        mixed = make(torch, forward=twice, backward=lambda ctx, g: (g, None, None)).apply(x, 3, x.detach())
        assert [n is None for n, _ in mixed.grad_fn.next_functions] == [False, True]

    def test_hooks_on_the_node(self, torch):
        x, _ = pair(torch)
        y = make(torch, forward=twice, backward=same).apply(x)
        y.grad_fn.register_prehook(lambda gs: (gs[0] * 10,))
        y.grad_fn.register_hook(lambda gi, go: (gi[0] + 1,))
        y.grad_fn.metadata["mine"] = 1
        y.sum().backward()
        assert x.grad.tolist() == [11, 11] and y.grad_fn.metadata == {"mine": 1}


class TestGradients:
    def test_none_and_surplus(self, torch):
        x, y = pair(torch)
        run = lambda f, *a: torch.autograd.grad(make(torch, forward=twice, backward=f).apply(*a).sum(), x, allow_unused=True)[0]
        assert run(lambda ctx, g: None, x) is None
        assert run(lambda ctx, g: (g, None, None), x).tolist() == [1, 1]
        assert run(lambda ctx, g: (g, None), x, 3).tolist() == [1, 1]

    def test_counts(self, torch):
        x, y = pair(torch)
        for f, args, words in [
            (lambda ctx, g: (g,), (x, y), r"function FBackward returned an incorrect number of gradients \(expected 2, got 1\)"),
            (lambda ctx, g: (g, g), (x,), r"function FBackward returned an incorrect number of gradients \(expected 1, got 2\)"),
            (lambda ctx, g: (g, g), (x, 3), "a gradient different than None at position 2, but the corresponding forward input was not a Variable"),
            (lambda ctx, g: 3, (x,), r"expected Variable or None \(got int\)"),
            (lambda ctx, g: [g], (x,), r"expected Variable or None \(got list\)"),
            (lambda ctx, g: torch.ones(3), (x,), r"Function FBackward returned an invalid gradient at index 0 - got \[3\] but expected shape compatible with \[2\]"),
            (lambda ctx, g: torch.ones(()), (x,), "returned an invalid gradient at index 0"),
        ]:
            with pytest.raises(RuntimeError, match=words):
                make(torch, forward=twice, backward=f).apply(*args).sum().backward()

    def test_fitted_to_the_input(self, torch):
        x, _ = pair(torch)
        run = lambda g: torch.autograd.grad(make(torch, forward=twice, backward=lambda ctx, _: g).apply(x).sum(), x)[0]
        assert run(torch.ones(5, 2)).tolist() == [5, 5]
        assert run(torch.ones(2, dtype=torch.float64)).dtype == torch.float32

    def test_undefined_gradients_become_zeros(self, torch):
        x, _ = pair(torch)
        seen = []
        outputs = lambda ctx, a: (a * 2, a * 3, torch.arange(3), 5)
        backward = lambda ctx, *gs: (seen.append(gs), gs[0])[1]
        make(torch, forward=outputs, backward=backward).apply(x)[0].sum().backward()
        g, h, i, other = seen.pop()
        assert g.tolist() == [1, 1] and h.tolist() == [0, 0] and i.tolist() == [0, 0, 0] and i.dtype == torch.int64 and other is None
        as_they_are = lambda ctx, a: (ctx.set_materialize_grads(False), *outputs(ctx, a))[1:]
        make(torch, forward=as_they_are, backward=backward).apply(x)[0].sum().backward()
        assert [s is None for s in seen.pop()] == [False, True, True, True]

    def test_only_undefined_gradients(self, torch):
        x, _ = pair(torch)
        seen = []
        inner = make(torch, forward=twice, backward=lambda ctx, g: (seen.append(g), g)[1])
        nothing = make(torch, forward=twice, backward=lambda ctx, g: None)
        nothing.apply(inner.apply(x)).sum().backward()
        assert seen[0].tolist() == [0, 0] and x.grad.tolist() == [0, 0]

    def test_double_backward(self, torch):
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3

            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return 3 * x ** 2 * g

        x, _ = pair(torch)
        y = Cube.apply(x)
        for expected in ([3, 12], [6, 12], [6, 6]):
            y, = torch.autograd.grad(y.sum(), x, create_graph=True)
            assert y.tolist() == expected


class TestOnceDifferentiable:
    def test_untracked_when_nothing_requires_grad(self, torch):
        once = torch.autograd.function.once_differentiable
        x, _ = pair(torch)
        y = make(torch, forward=twice, backward=once(lambda ctx, g: g * 2)).apply(x)
        g, = torch.autograd.grad(y.sum(), x, create_graph=True)
        assert not g.requires_grad and g.tolist() == [2, 2]

    def test_error_when_differentiated(self, torch):
        once = torch.autograd.function.once_differentiable
        x, _ = pair(torch)
        v = torch.ones(2, requires_grad=True)
        y = make(torch, forward=twice, backward=once(lambda ctx, g: (g * 2, None))).apply(x, 1)
        g, = torch.autograd.grad(y, x, v, create_graph=True)
        assert g.requires_grad and g.tolist() == [2, 2]
        with pytest.raises(RuntimeError, match="trying to differentiate twice a function that was marked with @once_differentiable"):
            g.sum().backward()

    def test_keeps_the_name(self, torch):
        def backward(ctx, g):
            return g
        assert torch.autograd.function.once_differentiable(backward).__name__ == "backward"


class TestSavedTensors:
    def test_what_may_be_saved(self, torch):
        x, _ = pair(torch)
        seen = []
        F = make(torch, forward=lambda ctx, a: (ctx.save_for_backward(a, None), a * 2)[1], backward=lambda ctx, g: (seen.extend(ctx.saved_tensors), g)[1])
        F.apply(x).sum().backward()
        assert seen[0] is x and seen[1] is None
        with pytest.raises(TypeError, match="save_for_backward can only save variables, but argument 1 is of type int"):
            make(torch, forward=lambda ctx, a: (ctx.save_for_backward(a, 3), a)[1], backward=same).apply(x)

    def test_an_output_comes_back_with_its_graph(self, torch):
        x, _ = pair(torch)
        seen = []
        y = make(torch, forward=lambda ctx, a: (lambda r: (ctx.save_for_backward(r), r)[1])(a * 2), backward=lambda ctx, g: (seen.extend(ctx.saved_tensors), g)[1])
        y = y.apply(x)
        y.sum().backward()
        assert seen[0] is not y and seen[0].grad_fn is y.grad_fn and torch.equal(seen[0], y)

    def test_freed_and_modified(self, torch):
        x, _ = pair(torch)
        F = make(torch, forward=lambda ctx, a: (ctx.save_for_backward(a), a * 2)[1], backward=lambda ctx, g: g * ctx.saved_tensors[0])
        y = F.apply(x).sum()
        y.backward(retain_graph=True)
        y.backward()
        for again in (y.backward, lambda: y.grad_fn.next_functions[0][0].saved_tensors):
            with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
                again()
        b = x * 1
        y = F.apply(b).sum()
        b.add_(1)
        with pytest.raises(RuntimeError, match="one of the variables needed for gradient computation has been modified by an inplace operation"):
            y.backward()
        free = make(torch, forward=lambda ctx, a: (ctx.save_for_backward(a), a * 2)[1], backward=same)
        y = free.apply(x)
        y.backward(torch.ones(2))
        y.backward(torch.ones(2))       # nothing that was freed is asked for

    def test_hooks_pack_them(self, torch):
        x, _ = pair(torch)
        packed = []
        F = make(torch, forward=lambda ctx, a: (ctx.save_for_backward(a), a * 2)[1], backward=lambda ctx, g: g * ctx.saved_tensors[0])
        with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or len(packed) - 1, lambda k: packed[k] * 10):
            y = F.apply(x)
        y.sum().backward()
        assert len(packed) == 1 and x.grad.tolist() == [10, 20]

    def test_old_names(self, torch):
        x, _ = pair(torch)
        seen = []
        F = make(torch, forward=lambda ctx, a: (ctx.save_for_backward(a), a * 2)[1], backward=lambda ctx, g: (seen.extend(ctx.saved_variables), g)[1])
        with pytest.warns(DeprecationWarning, match="'saved_variables' is deprecated; use 'saved_tensors'"):
            F.apply(x).sum().backward()
        assert seen[0] is x
        with pytest.warns(FutureWarning, match="`mark_shared_storage` is deprecated"):
            make(torch, forward=lambda ctx, a: (ctx.mark_shared_storage((a, a)), a * 2)[1], backward=same).apply(x)


class TestOutputs:
    def test_kinds(self, torch):
        x, _ = pair(torch)
        y, n, s, i = make(torch, forward=lambda ctx, a: (a * 2, 5, "s", torch.arange(2)), backward=lambda ctx, g, *_: g).apply(x)
        assert (n, s) == (5, "s") and y.requires_grad and not i.requires_grad and i.grad_fn is None
        assert make(torch, forward=lambda ctx, a: 5, backward=same).apply(x) == 5
        made, = make(torch, forward=lambda ctx, a: [a * 2], backward=same).apply(x)
        assert not made.requires_grad       # only a tuple is looked into
        a, b = make(torch, forward=lambda ctx, a: (a * 2, a * 3), backward=lambda ctx, g, h: g * 2 + h * 3).apply(x)
        assert (a.grad_fn is b.grad_fn) and (a.output_nr, b.output_nr) == (0, 1)

    def test_not_differentiable(self, torch):
        x, _ = pair(torch)

        def forward(ctx, a):
            b = a * 3
            ctx.mark_non_differentiable(b)
            return a * 2, b
        y, z = make(torch, forward=forward, backward=lambda ctx, g, h: g + 0 * h).apply(x)
        assert y.requires_grad and not z.requires_grad and z.grad_fn is None
        y.sum().backward()
        assert x.grad.tolist() == [1, 1]

    def test_nothing_is_recorded(self, torch):
        x, _ = pair(torch)
        F = make(torch, forward=twice, backward=same)
        assert not F.apply(x.detach()).requires_grad
        with torch.no_grad():
            assert not F.apply(x).requires_grad

    def test_an_input_as_it_is(self, torch):
        for x in (pair(torch)[0], pair(torch)[0] * 1):
            y = make(torch, forward=lambda ctx, a: a, backward=lambda ctx, g: g * 7).apply(x)
            assert y is not x and y._base is x and y._is_view() and y.grad_fn.name() == "FBackward"
            assert y.data_ptr() == x.data_ptr()
            assert torch.autograd.grad(y.sum(), x)[0].tolist() == [7, 7]

    def test_a_view_of_an_input(self, torch):
        x, _ = pair(torch)
        b = x * 1
        y = make(torch, forward=lambda ctx, a: a.view(2), backward=lambda ctx, g: g * 7).apply(b)
        assert y._is_view() and y.grad_fn.name() == "FBackward" and torch.autograd.grad(y.sum(), x, retain_graph=True)[0].tolist() == [7, 7]
        with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
            y.add_(1)
        b.add_(1)
        with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
            _ = y.grad_fn
        two = make(torch, forward=lambda ctx, a: (a.view(2), a * 2), backward=lambda ctx, g, h: g)
        with pytest.raises(RuntimeError, match="This view is the output of a function that returns multiple views"):
            two.apply(x * 1)[0].add_(1)


class TestInPlace:
    def test_dirty(self, torch):
        x, _ = pair(torch)
        z = x * 1
        y = make(torch, forward=add_one, backward=lambda ctx, g: g * 7).apply(z)
        assert y is z and z.grad_fn.name() == "FBackward" and z._version >= 1 and z.tolist() == [2, 3]
        z.sum().backward()
        assert x.grad.tolist() == [7, 7]

    def test_a_write_is_noticed(self, torch):
        class Inplace(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                x_npy = x.detach().numpy()
                x_npy += 1
                ctx.mark_dirty(x)
                return x

            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, grad_output):
                return grad_output

        a = torch.tensor(1.0, requires_grad=True, dtype=torch.double).clone()
        b = a * a
        Inplace.apply(a)
        assert a.item() == 2 and a._version == 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            b.backward()

    def test_a_view(self, torch):
        x, _ = pair(torch)
        b = x * 1
        v = b[0:1]
        y = make(torch, forward=add_one, backward=lambda ctx, g: g * 7).apply(v)
        assert y is v and "CopySlices" in b.grad_fn.name()
        assert torch.autograd.grad(b.sum(), x)[0].tolist() == [7, 1]

    def test_errors(self, torch):
        x, _ = pair(torch)
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place operation"):
            make(torch, forward=add_one, backward=same).apply(x)
        lost = make(torch, forward=lambda ctx, a: (add_one(ctx, a), a * 2)[1], backward=same)
        with pytest.raises(RuntimeError, match="Some elements marked as dirty during the forward method were not returned as output"):
            lost.apply(x * 1)

        def marks_a_result(ctx, a):
            b = a * 2
            ctx.mark_dirty(b)
            return b
        with pytest.warns(UserWarning, match="received a tensor that was not an input"):
            y = make(torch, forward=marks_a_result, backward=same).apply(x * 1)
        assert y.requires_grad

    def test_inplace_function(self, torch):
        x, _ = pair(torch)
        InplaceFunction = torch.autograd.function.InplaceFunction
        assert make(torch, InplaceFunction, forward=twice, backward=same).apply(x).grad_fn.name() == "FBackward"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert InplaceFunction(inplace=True).inplace is True and InplaceFunction().inplace is False


class TestWrongUse:
    def test_instances(self, torch):
        x, _ = pair(torch)
        F = make(torch, forward=twice, backward=same)
        with pytest.warns(DeprecationWarning, match="should not be instantiated"):
            made = F()
        with pytest.raises(RuntimeError, match="Legacy autograd function with non-static forward method is deprecated"):
            made(x)

    def test_missing_methods(self, torch):
        x, _ = pair(torch)
        with pytest.raises(NotImplementedError, match="You must implement the forward function for custom autograd.Function"):
            make(torch).apply(x)
        with pytest.raises(NotImplementedError, match="You must implement either the backward or vjp method for your custom autograd.Function"):
            make(torch, forward=twice).apply(x).sum().backward()


class TestMemory:
    def test_nothing_keeps_the_graph(self, torch):
        """Neither what is saved nor the context makes a cycle."""
        import gc
        import weakref

        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = x * x
                ctx.save_for_backward(x, y)
                ctx.save_for_forward(x, y)
                return y

            @staticmethod
            def backward(ctx, g):
                return 2 * ctx.saved_tensors[0] * g

        gc.disable()
        try:
            x = pair(torch)[0] * 1
            y = Square.apply(x)
            node, source = weakref.ref(y.grad_fn), weakref.ref(x)
            y.sum().backward()
            del x, y
            assert node() is None and source() is None
        finally:
            gc.enable()

    def test_each_mode_has_what_was_saved_for_it(self, torch):
        seen = []
        F = make(torch, forward=lambda ctx, a: (ctx.save_for_forward(a, a), ctx.save_for_backward(a), a * 2)[2],
                 backward=lambda ctx, g: (seen.append(len(ctx.saved_tensors)), g)[1], jvp=lambda ctx, t: (seen.append(len(ctx.saved_tensors)), t)[1])
        x, _ = pair(torch)
        F.apply(x).sum().backward()
        fw = torch.autograd.forward_ad
        with fw.dual_level():
            F.apply(fw.make_dual(x, torch.ones(2))).sum().backward()
        assert seen == [1, 2, 1]

    def test_saved_values_are_freed_by_backward(self, torch):
        import weakref
        kept = []
        F = make(torch, forward=lambda ctx, a: (lambda big: (kept.append(weakref.ref(big)), ctx.save_for_backward(big), a * 2)[2])(a + 1), backward=same)
        x, _ = pair(torch)
        y = F.apply(x)
        assert kept[0]() is not None
        y.sum().backward()
        assert kept[0]() is None
