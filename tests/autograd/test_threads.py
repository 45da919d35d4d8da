"""Backward from many threads: right sums or PyTorch's error, never a wrong number and never a hang."""
from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import transgrad as tg

COUNT = 8


@pytest.fixture(autouse=True)
def eager_switching() -> Iterator[None]:
    """Threads take turns as often as they can, so that a race shows."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def at_once(target: Callable[[int], object], count: int = COUNT) -> list[BaseException]:
    """Runs ``target(k)`` in threads that start together; the errors they raised."""
    barrier, errors = threading.Barrier(count), []

    def run(k: int) -> None:
        try:
            barrier.wait(20)
            target(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,), daemon=True) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    return errors


def test_documented_training_function() -> None:
    gradients = {}

    def train(k: int) -> None:
        for _ in range(20):
            x = tg.ones(5, 5, requires_grad=True)
            ((x + 3) * (x + 4) * 0.5).sum().backward()
            gradients[k] = x.grad.numpy()

    assert at_once(train) == []
    assert all((gradient == 4.5).all() for gradient in gradients.values())


def test_leaf_that_all_add_to() -> None:
    x = tg.ones(50, dtype=tg.float64, requires_grad=True)
    assert at_once(lambda k: [(x * float(k)).sum().backward() for _ in range(50)]) == []
    assert (x.grad.numpy() == 50 * sum(range(COUNT))).all()


def test_first_gradient_of_a_leaf_is_not_lost() -> None:
    for _ in range(200):
        x = tg.ones(3, dtype=tg.float64, requires_grad=True)
        assert at_once(lambda k: (x * 2.0).sum().backward(), 6) == []
        assert (x.grad.numpy() == 12.0).all()


def test_graphs_made_at_once_on_one_leaf_reach_it() -> None:
    for _ in range(100):
        x = tg.ones(3, dtype=tg.float64, requires_grad=True)
        assert at_once(lambda k: tg.autograd.grad((x * 2.0).sum(), x), 6) == []


def test_graph_that_all_keep() -> None:
    x = tg.linspace(0, 1, 20, dtype=tg.float64).requires_grad_()
    shared = (x.exp() * x).sin()
    total = shared.sum()
    expected = tg.autograd.grad(total, x, retain_graph=True)[0].numpy()
    found = [None] * COUNT

    def each(k: int) -> None:
        for _ in range(20):
            found[k] = tg.autograd.grad((shared * float(k)).sum(), x, retain_graph=True)[0].numpy()

    assert at_once(each) == []
    for k, gradient in enumerate(found):
        np.testing.assert_allclose(gradient, k * expected, rtol=1e-12)
    assert x.grad is None
    assert at_once(lambda k: total.backward(retain_graph=True)) == []
    np.testing.assert_allclose(x.grad.numpy(), COUNT * expected, rtol=1e-12)


def test_graph_that_one_frees() -> None:
    """Each thread either adds all of its gradient, or raises what a second backward raises."""
    for _ in range(30):
        x = tg.linspace(0.1, 1, 30, dtype=tg.float64).requires_grad_()
        y = x
        for _ in range(20):
            y = y.sin() * y
        total = y.sum()
        once = tg.autograd.grad(total, x, retain_graph=True)[0].numpy()
        errors = at_once(lambda k: total.backward(), 4)
        assert all(isinstance(error, RuntimeError) and "retain_graph=True" in str(error) for error in errors), errors
        added = 0.0 * once if x.grad is None else x.grad.numpy()
        np.testing.assert_allclose(added, (4 - len(errors)) * once, rtol=1e-9)


def test_versions_of_written_tensors_are_checked() -> None:
    """A thread that writes to what is saved gets the others PyTorch's error, or comes too late."""
    for _ in range(30):
        x = tg.ones(10, dtype=tg.float64, requires_grad=True)
        y = x * 1.0
        z = (y * y).sum()

        def act(k: int) -> None:
            if k:
                z.backward(retain_graph=True)
            else:
                with tg.no_grad():
                    y.add_(1.0)

        errors = at_once(act, 3)
        assert all("modified by an inplace operation" in str(error) for error in errors), errors


def test_custom_functions_and_hooks() -> None:
    class Cube(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):  # type: ignore[no-untyped-def]
            ctx.save_for_backward(x)
            return x ** 3

        @staticmethod
        def backward(ctx, g):  # type: ignore[no-untyped-def]
            x, = ctx.saved_tensors
            return 3 * x ** 2 * g

    x = tg.full((4,), 2.0, dtype=tg.float64, requires_grad=True)
    shared = Cube.apply(x)
    calls = []
    shared.register_hook(lambda g: calls.append(threading.get_ident()))
    assert at_once(lambda k: shared.sum().backward(retain_graph=True)) == []
    assert (x.grad.numpy() == COUNT * 12.0).all()
    assert len(calls) == len(set(calls)) == COUNT


def test_an_error_in_a_hook_stays_in_its_thread() -> None:
    gradients = {}

    def run(k: int) -> None:
        x = tg.ones(3, requires_grad=True)
        y = x * 2
        y.register_hook(lambda g: 1 / 0 if k == 3 else None)
        y.sum().backward()
        gradients[k] = x.grad.tolist()

    [error] = at_once(run)
    assert isinstance(error, ZeroDivisionError)
    assert gradients == {k: [2.0] * 3 for k in range(COUNT) if k != 3}


def test_modes_are_each_thread_s_own() -> None:
    wrong = []

    def run(k: int) -> None:
        for _ in range(200):
            mode = tg.no_grad() if k % 2 else tg.enable_grad()
            with mode:
                y = tg.ones(2, requires_grad=True) * 2
                if y.requires_grad == bool(k % 2) or tg.is_grad_enabled() == bool(k % 2):
                    wrong.append(k)

    assert at_once(run) == []
    assert wrong == []
    with tg.no_grad(), tg.inference_mode():
        seen = []
        at_once(lambda k: seen.append((tg.is_grad_enabled(), tg.is_inference_mode_enabled())), 2)
    assert seen == [(True, False)] * 2


def test_hooks_on_saved_tensors_are_each_thread_s_own() -> None:
    packed = {k: 0 for k in range(4)}

    def run(k: int) -> None:
        def pack(tensor: tg.Tensor) -> tg.Tensor:
            packed[k] += 1
            return tensor

        x = tg.ones(2, requires_grad=True)
        with tg.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            for _ in range(50):
                (x * x).sum().backward()

    assert at_once(run, 4) == []
    assert packed == {k: 100 for k in range(4)}


def test_backward_inside_backward() -> None:
    class Inner(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):  # type: ignore[no-untyped-def]
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):  # type: ignore[no-untyped-def]
            x, = ctx.saved_tensors
            with tg.enable_grad():
                again = x.detach().requires_grad_()
                (again * again).sum().backward()
            return again.grad * g

    gradients = {}

    def run(k: int) -> None:
        x = tg.full((3,), float(k), requires_grad=True)
        Inner.apply(Inner.apply(x)).sum().backward()
        gradients[k] = x.grad.tolist()

    assert at_once(run) == []
    assert gradients == {k: [4.0 * k ** 3] * 3 for k in range(COUNT)}


def test_views_and_writes_on_separate_graphs() -> None:
    def run(k: int) -> None:
        for _ in range(30):
            x = tg.ones(4, dtype=tg.float64, requires_grad=True)
            y = x * 2.0
            y[1:3].mul_(float(k))
            (y * y).sum().backward()
            assert x.grad.tolist() == [8.0, 8.0 * k * k, 8.0 * k * k, 8.0]

    assert at_once(run) == []


def test_deep_graphs_side_by_side() -> None:
    def run(k: int) -> None:
        x = tg.ones(1, dtype=tg.float64, requires_grad=True)
        y = x
        for _ in range(3000):
            y = y * 1.0
        y.sum().backward()
        assert x.grad.item() == 1.0

    assert at_once(run, 4) == []


def test_forward_levels_are_each_thread_s_own() -> None:
    tangents = {}

    def run(k: int) -> None:
        for _ in range(20):
            with tg.autograd.forward_ad.dual_level():
                x = tg.autograd.forward_ad.make_dual(tg.ones(2), tg.full((2,), float(k)))
                tangents[k] = tg.autograd.forward_ad.unpack_dual(x * x).tangent.tolist()

    assert at_once(run) == []
    assert tangents == {k: [2.0 * k] * 2 for k in range(COUNT)}


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpoints(reentrant: bool) -> None:
    def block(a: tg.Tensor) -> tg.Tensor:
        return (a.sin() * a).exp() * a.cos()

    x = tg.linspace(0, 1, 5, dtype=tg.float64).requires_grad_()
    expected = tg.autograd.grad(block(x).sum(), x)[0].numpy()
    shared = tg.utils.checkpoint.checkpoint(block, x, use_reentrant=reentrant).sum()
    assert at_once(lambda k: [shared.backward(retain_graph=True) for _ in range(5)]) == []
    assert at_once(lambda k: tg.utils.checkpoint.checkpoint(block, x, use_reentrant=reentrant).sum().backward()) == []
    np.testing.assert_allclose(x.grad.numpy(), 6 * COUNT * expected, rtol=1e-12)


def test_sparse_gradients_of_one_leaf() -> None:
    w = tg.ones(COUNT, 2, dtype=tg.float64, requires_grad=True)
    assert at_once(lambda k: [tg.embedding(w, tg.tensor([k, 0]), sparse=True).sum().backward() for _ in range(10)]) == []
    assert w.grad.to_dense()[:, 0].tolist() == [10.0 * COUNT + 10.0] + [10.0] * (COUNT - 1)


def test_profiles_of_one_graph() -> None:
    x = tg.ones(4, dtype=tg.float64, requires_grad=True)
    shared = (x.exp() * x).sum()
    counts = {}

    def run(k: int) -> None:
        with tg.autograd.profiler.profile() as prof:
            for _ in range(10):
                shared.backward(retain_graph=True)
        counts[k] = {average.key: average.count for average in prof.key_averages()}["ExpBackward0"]

    assert at_once(run) == []
    assert counts == dict.fromkeys(range(COUNT), 10)
