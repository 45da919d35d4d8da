"""T3: no_grad, enable_grad, set_grad_enabled, inference_mode."""
from __future__ import annotations

import threading

from ..observe import raises


def _x(torch):
    return torch.tensor([1.0, 2.0], requires_grad=True)


def no_grad_as_context(torch):
    x = _x(torch)
    with torch.no_grad():
        inside = torch.is_grad_enabled()
        y = x * 2
    return inside, y, torch.is_grad_enabled(), x * 2


def enable_grad_inside_no_grad(torch):
    x = _x(torch)
    with torch.no_grad(), torch.enable_grad():
        y = x * 2
    y.sum().backward()
    return y, x


def nested(torch):
    seen = []
    with torch.no_grad():
        seen.append(torch.is_grad_enabled())
        with torch.enable_grad():
            seen.append(torch.is_grad_enabled())
            with torch.no_grad():
                seen.append(torch.is_grad_enabled())
            seen.append(torch.is_grad_enabled())
        seen.append(torch.is_grad_enabled())
    return [*seen, torch.is_grad_enabled()]


def restored_after_an_exception(torch):
    def fails():
        with torch.no_grad():
            raise ValueError("x")

    return raises(fails, "x"), torch.is_grad_enabled()


def same_object_entered_twice(torch):
    mode = torch.no_grad()
    with mode:
        with mode:
            inner = torch.is_grad_enabled()
        outer = torch.is_grad_enabled()
    return inner, outer, torch.is_grad_enabled()


def decorator_with_parentheses(torch):
    x = _x(torch)

    @torch.no_grad()
    def double(t):
        """Twice."""
        return t * 2

    return double(x), double.__name__, double.__doc__, torch.is_grad_enabled()


def decorator_without_parentheses(torch):
    x = _x(torch)

    @torch.no_grad
    def double(t):
        return t * 2

    @torch.enable_grad
    def triple(t):
        return t * 3

    with torch.no_grad():
        y = triple(x)
    return double(x), y


def decorated_method(torch):
    class Model:
        @torch.no_grad()
        def step(self, t):
            return t * 2, torch.is_grad_enabled()

    return Model().step(_x(torch))


def set_grad_enabled_as_decorator(torch):
    @torch.set_grad_enabled(False)
    def double(t):
        return t * 2

    return double(_x(torch)), torch.is_grad_enabled()


def decorated_generator(torch):
    """The mode holds inside the generator only, at every step."""

    @torch.no_grad()
    def steps():
        for i in range(3):
            got = yield i, torch.is_grad_enabled()
            assert got is None or got == "sent"
        return "end"

    g = steps()
    seen = [next(g), torch.is_grad_enabled(), g.send("sent"), torch.is_grad_enabled()]
    g.close()
    return seen, list(steps())


def generator_with_exceptions(torch):
    @torch.no_grad()
    def steps():
        try:
            yield torch.is_grad_enabled()
        except ValueError:
            yield "caught", torch.is_grad_enabled()

    g = steps()
    return next(g), g.throw(ValueError()), torch.is_grad_enabled()


def set_grad_enabled_as_a_call(torch):
    x = _x(torch)
    torch.set_grad_enabled(False)
    y = x * 2
    off = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    return y, off, torch.is_grad_enabled(), (x * 2).requires_grad


def set_grad_enabled_acts_when_constructed(torch):
    mode = torch.set_grad_enabled(False)
    before = torch.is_grad_enabled()
    with mode:
        inside = torch.is_grad_enabled()
    return before, inside, torch.is_grad_enabled()


def set_grad_enabled_as_context(torch):
    x = _x(torch)
    seen = []
    for train in (False, True):
        with torch.set_grad_enabled(train):
            seen.append((x * 2).requires_grad)
    return seen, torch.is_grad_enabled()


def set_grad_enabled_positional_and_keyword(torch):
    with torch.autograd.set_grad_enabled(mode=False):
        inside = torch.is_grad_enabled()
    return inside, torch.is_grad_enabled()


def modes_are_per_thread(torch):
    seen = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
    return seen


def names_in_autograd(torch):
    return (
        [hasattr(torch.autograd, n) for n in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "grad_mode")],
        torch.autograd.grad_mode.no_grad is torch.no_grad,
        torch.autograd.no_grad is torch.no_grad,
    )


def leaves_made_under_no_grad(torch):
    with torch.no_grad():
        x = torch.ones(2, requires_grad=True)
        y = (x * 2).requires_grad_()
    y.sum().backward()
    return x, y, (x * 2).requires_grad


def inplace_update_under_no_grad(torch):
    x = _x(torch)
    with torch.no_grad():
        x -= 0.5
        x.mul_(2)
        x[0] = 7
    return x


def inference_mode(torch):
    x = _x(torch)
    with torch.inference_mode():
        y = x * 2
        seen = torch.is_inference_mode_enabled(), torch.is_grad_enabled(), y.is_inference(), torch.is_inference(y), x.is_inference()
    return seen, y, torch.is_inference_mode_enabled()


def inference_mode_as_decorator(torch):
    @torch.inference_mode()
    def double(t):
        return t * 2

    @torch.inference_mode
    def triple(t):
        return t * 3

    x = _x(torch)
    return double(x), triple(x), torch.is_inference_mode_enabled()


def inference_mode_off_inside(torch):
    x = _x(torch)
    with torch.inference_mode(), torch.inference_mode(False):
        y = x * 2
        seen = torch.is_inference_mode_enabled(), torch.is_grad_enabled()
    with torch.inference_mode(mode=False):
        pass
    return y, seen


def enable_grad_inside_inference_mode(torch):
    x = _x(torch)
    with torch.inference_mode(), torch.enable_grad():
        y = x * 2
        return torch.is_grad_enabled(), y.requires_grad, y.is_inference()


def inference_tensor_saved_for_backward(torch):
    x = _x(torch)
    with torch.inference_mode():
        t = torch.ones(2)
    return raises(lambda: x * t, "Inference tensors cannot be saved for backward", "clone"), x + t, x * t.clone()


def inference_tensor_in_place(torch):
    with torch.inference_mode():
        t = torch.ones(2)
        t.add_(1)
    return raises(lambda: t.add_(1), "Inplace update to inference tensor outside InferenceMode is not allowed")


def inference_tensor_requires_grad(torch):
    with torch.inference_mode():
        t = torch.ones(2)
        u = torch.ones(2, requires_grad=True)
    return (
        raises(lambda: t.requires_grad_(), "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed"),
        u,
        raises(lambda: t._version, "Inference tensors do not track version counter"),
    )


def clone_of_an_inference_tensor(torch):
    with torch.inference_mode():
        t = torch.ones(2)
        inside = t.clone().is_inference()
    c = t.clone()
    return (
        inside,
        c.tolist(),
        c.requires_grad_().requires_grad,
        (t * 2).is_inference(),
        t.view(2, 1).is_inference(),
        t.detach().is_inference(),
    )


def inference_write_to_a_normal_tensor(torch):
    x = torch.ones(2)
    with torch.inference_mode():
        x.add_(1)
        view = x[0]
        seen = view.is_inference()
    return x, seen, view.is_inference()


def views_of_normal_tensors_in_inference_mode(torch):
    x = torch.ones(2, 2)
    y = _x(torch) * 2
    with torch.inference_mode():
        v = x.view(4)
        w = y.view(2, 1)
    return v.is_inference(), w.is_inference(), w.requires_grad, v.add_(1), x


def inference_tensor_saved_error_in_backward(torch):
    """A normal tensor written to in inference mode after it was saved is found out by its version."""
    x = _x(torch)
    w = torch.ones(2)
    y = (x * w).sum()
    with torch.inference_mode():
        w.add_(1)
    return raises(y.backward, "modified by an inplace operation")


def no_grad_makes_no_nodes(torch):
    x = _x(torch)
    with torch.no_grad():
        y = x.view(2, 1)
        z = x.exp()
    return y, z, y._base is x, y.is_leaf


def requires_grad_freezes(torch):
    """Part of a model frozen by its flag: no gradient, and no recording of what only it enters."""
    w, f = _x(torch), _x(torch)
    f.requires_grad_(False)
    y = f * 2
    (w * y).sum().backward()
    return w, f, y


def set_grad_enabled_inside_backward(torch):
    seen = []
    x = _x(torch)
    y = x * 2
    y.register_hook(lambda g: seen.append((torch.is_grad_enabled(), g.requires_grad)))
    y.sum().backward(retain_graph=True)
    y.sum().backward(create_graph=True)
    return seen


def set_multithreading_enabled_in_all_its_forms(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.set_multithreading_enabled(False):
        (x * 2).sum().backward()
    torch.autograd.grad_mode.set_multithreading_enabled(True)

    @torch.autograd.set_multithreading_enabled(False)
    def once_more():
        (x * 3).sum().backward()
        return torch.is_grad_enabled()
    return once_more(), x.grad
