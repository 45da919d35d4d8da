"""T7: forward mode."""
from __future__ import annotations

from ..collect import each
from ..observe import raises


def _pair(torch):
    return torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])


def make_and_unpack(torch):
    fw = torch.autograd.forward_ad
    p, t = _pair(torch)
    with fw.dual_level():
        d = fw.make_dual(p, t)
        out = fw.unpack_dual(d)
        seen = (
            type(out).__name__,
            out._fields,
            out.primal is p,
            out.tangent is t,
            out[0].equal(p),
            out[1].equal(t),
            d._is_view(),
            d._base is p,
            fw.unpack_dual(p),
        )
        primal, tangent = out
    return seen, primal, tangent


def through_operations(torch):
    fw = torch.autograd.forward_ad
    p, t = _pair(torch)
    with fw.dual_level():
        d = fw.make_dual(p, t)
        seen = [
            fw.unpack_dual(y).tangent
            for y in (
                d * d,
                d.exp() + 1,
                d @ d,
                d.sum(),
                d.view(2, 1),
                d[0],
                torch.cat([d, p]),
                torch.stack([p, d]),
                d.max(),
                d.sort()[0],
                d.cumsum(0),
                torch.where(d > 1, d, p),
                d.to(torch.float64),
                d / p,
                p / d,
                d**3,
                2**d,
                d.softmax(0),
                d.norm(),
            )
        ]
    return seen


def outside_a_level(torch):
    fw = torch.autograd.forward_ad
    p, t = _pair(torch)
    return raises(
        lambda: fw.make_dual(p, t),
        "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first.",
    ), fw.unpack_dual(p)


def tangents_die_with_their_level(torch):
    fw = torch.autograd.forward_ad
    p, t = _pair(torch)
    with fw.dual_level():
        d = fw.make_dual(p, t)
        y = d * 2
    after = fw.unpack_dual(y)
    with fw.dual_level():
        again = fw.unpack_dual(d).tangent, fw.unpack_dual(y).tangent
    return after.tangent, again, y


def enter_and_exit(torch):
    fw = torch.autograd.forward_ad
    p, t = _pair(torch)
    level = fw.enter_dual_level()
    y = fw.unpack_dual(fw.make_dual(p, t) * 3)
    fw.exit_dual_level()
    return level, y


def exit_of_another_level(torch):
    fw = torch.autograd.forward_ad
    fw.enter_dual_level()
    try:
        return raises(lambda: fw.exit_dual_level(level=7), "Trying to exit a forward AD level that was not the last one that was created")
    finally:
        fw.exit_dual_level()


def explicit_levels(torch):
    fw = torch.autograd.forward_ad
    p, t = _pair(torch)
    with fw.dual_level() as level:
        d = fw.make_dual(p, t, level=level)
        return level, fw.unpack_dual(d, level=level).tangent


def mismatches(torch):
    fw = torch.autograd.forward_ad
    p, _ = _pair(torch)
    with fw.dual_level():
        return [
            raises(
                lambda: fw.make_dual(p, torch.ones(3)),
                "Trying to set a forward gradient that has a different size than that of the original Tensor",
            ),
            raises(lambda: fw.make_dual(torch.tensor([1, 2]), torch.tensor([1, 2])), "Expected primal to be floating point or complex"),
            raises(lambda: fw.make_dual(p, torch.tensor([1, 2])), "Expected tangent to be floating point or complex"),
        ]


def two_tangents(torch):
    fw = torch.autograd.forward_ad
    p, t = _pair(torch)
    with fw.dual_level():
        d = fw.make_dual(p, t)
        return raises(lambda: fw.unpack_dual(fw.make_dual(d, t * 2)).tangent)


def views_carry_tangents(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        d = fw.make_dual(torch.arange(4.0), torch.tensor([1.0, 2.0, 3.0, 4.0]))
        v = d.view(2, 2)[1]
        w = d[::2]
        return fw.unpack_dual(v).tangent, fw.unpack_dual(w).tangent, fw.unpack_dual(v.t() if v.dim() == 2 else v * v).tangent, v._is_view()


def writes_to_duals(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        d = fw.make_dual(torch.arange(4.0), torch.ones(4)) * 1
        d.mul_(3)
        d[1] = 7
        d[2:].exp_()
        return fw.unpack_dual(d).tangent, d._version


def writes_of_duals_into_buffers(torch):
    """A buffer gains a tangent, through its views too."""
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        p, t = _pair(torch)
        d = fw.make_dual(p, t)
        a, b, c = torch.zeros(2), torch.zeros(2, 2), torch.zeros(4)
        a.copy_(d)
        b[0] = d
        c.view(2, 2)[:, 1].add_(d)
        return [fw.unpack_dual(x).tangent for x in (a, b, b[0], b[1], c, c[1:])]


def a_view_sees_a_tangent_of_its_base(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        p, t = _pair(torch)
        buffer = torch.zeros(2, 2)
        row = buffer[0]
        buffer.add_(fw.make_dual(p, t))
        return fw.unpack_dual(row).tangent, fw.unpack_dual(buffer).tangent


def detach_drops_the_tangent(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        p, t = _pair(torch)
        d = fw.make_dual(p, t)
        return fw.unpack_dual(d.detach()).tangent, fw.unpack_dual(d.clone()).tangent, fw.unpack_dual(d.data).tangent


def under_no_grad(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level(), torch.no_grad():
        p, t = _pair(torch)
        d = fw.make_dual(p, t)
        return fw.unpack_dual(d * d).tangent


def forward_grad_mode_off(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        p, t = _pair(torch)
        d = fw.make_dual(p, t)
        with fw._set_fwd_grad_enabled(False):
            y = d * 2
        return fw.unpack_dual(y).tangent


def forward_over_reverse(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        d = fw.make_dual(x, torch.tensor([1.0, 10.0]))
        (g,) = torch.autograd.grad((d**3).sum(), x, create_graph=True)
        seen = fw.unpack_dual(g)
        return seen.primal.detach(), seen.tangent.detach()


def forward_over_reverse_with_backward(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        d = fw.make_dual(x, torch.tensor([1.0, 10.0]))
        (d.sin() * d).sum().backward(create_graph=True)
        return fw.unpack_dual(x.grad).tangent.detach(), x.grad.detach()


def reverse_over_forward(torch):
    fw = torch.autograd.forward_ad
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([1.0, 10.0], requires_grad=True)
    with fw.dual_level():
        y = fw.unpack_dual((fw.make_dual(x, v) ** 3).sum()).tangent
        seen = y.requires_grad, y.detach(), torch.autograd.grad(y, [x, v])
    return seen


def integer_results_have_no_tangent(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        p, t = _pair(torch)
        d = fw.make_dual(p, t)
        return [
            fw.unpack_dual(y).tangent
            for y in (d > 1, d.long(), d.argmax(), d.sort()[1], d.sign(), torch.zeros_like(d), d.new_zeros(2), torch.ones(2))
        ]


def complex_tangents(torch):
    fw = torch.autograd.forward_ad
    z, t = torch.tensor([1 + 2j]), torch.tensor([0.5 - 1j])
    with fw.dual_level():
        d = fw.make_dual(z, t)
        return [
            fw.unpack_dual(y).tangent
            for y in (d * d, d.conj(), d.abs(), d.real, d.imag, d.exp(), torch.view_as_real(d), d.angle(), d.conj() * d)
        ]


def of_a_leaf_that_requires_grad(torch):
    fw = torch.autograd.forward_ad
    x = torch.ones(2, requires_grad=True)
    with fw.dual_level():
        d = fw.make_dual(x, torch.ones(2))
        y = d * 2
        return (
            d.requires_grad,
            d.grad_fn and d.grad_fn.name(),
            y.grad_fn.name(),
            fw.unpack_dual(y).primal.requires_grad,
            fw.unpack_dual(y).tangent.requires_grad,
        )


def nan_and_kinks(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        d = fw.make_dual(torch.zeros(2), torch.tensor([1.0, -1.0]))
        return [
            fw.unpack_dual(y).tangent
            for y in (
                d.abs(),
                d.relu(),
                d.sqrt(),
                d.clamp(min=0),
                d.norm(),
                d.max(),
                torch.maximum(d, torch.zeros(2)),
                d**2,
                d.sign(),
                d.pow(0.5),
            )
        ]


def printed(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        d = fw.make_dual(torch.ones(2), torch.tensor([1.0, 2.0]))
        return repr(d).replace("transgrad", "torch"), repr(fw.unpack_dual(d)).replace("transgrad", "torch").split("(")[0]


def nested_levels_are_refused_by_torch(torch):
    """PyTorch has one level; what runs there runs here: the level in use is the innermost."""
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        return fw.unpack_dual(fw.make_dual(torch.ones(1), torch.ones(1)) * 2).tangent


def jvp_of_a_function_of_two(torch):
    fw = torch.autograd.forward_ad

    def f(a, b):
        return (a * b).sum(), a.exp()

    with fw.dual_level():
        p, t = _pair(torch)
        outs = f(fw.make_dual(p, t), p)
        both = f(fw.make_dual(p, t), fw.make_dual(p + 1, t * 2))
        return [fw.unpack_dual(o).tangent for o in (*outs, *both)]


def inference_mode_is_without_tangents(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        d = fw.make_dual(torch.ones(2), torch.ones(2))
        with torch.inference_mode():
            y = d * 2
            z = torch.ones(2).mul_(d)
            inside = [fw.unpack_dual(t).tangent for t in (d, y, z)]
        return inside, [fw.unpack_dual(t).tangent for t in (d, d * 3)]


def a_dual_of_a_fresh_tensor_is_written_to(torch):
    """Its base has no tangent, and gets none."""
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        x = torch.tensor([1.0, 2.0])
        d = fw.make_dual(x, torch.tensor([3.0, 4.0]))
        v = d[0:1]
        v.mul_(2)
        d[1] = x[0] * 5
        seen = [fw.unpack_dual(t) for t in (d, v, x)]
        x.mul_(d)
        return seen, fw.unpack_dual(x), fw.unpack_dual(fw.make_dual(torch.ones(2).clone(), torch.ones(2)).mul_(3))


@each(
    "d * 2", "d.exp()", "d.sum()", "d.view(3, 1)", "d.double()", "d.clone().mul_(2)", "d.cos() * d", "torch.cat([d, d])", "d + p", "d[1:]", "d", "d.clone()",
)
def tangents_of_another_dtype(torch, text):
    """Each operation leaves a tangent in the dtype that its formula comes to"""
    fw = torch.autograd.forward_ad
    p = torch.tensor([1.0, 2.0, 3.0])
    with fw.dual_level():
        d = fw.make_dual(p, torch.tensor([0.5, 1.0, -1.0], dtype=torch.float64))
        return tuple(fw.unpack_dual(eval(text, {"torch": torch, "d": d, "p": p})))


def a_complex_tangent_of_a_real_tensor(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        return raises(lambda: fw.make_dual(torch.ones(2), torch.ones(2) * 1j))


def the_primal_is_a_view(torch):
    fw = torch.autograd.forward_ad
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with fw.dual_level():
        d = fw.make_dual(x, torch.ones(2))
        p = fw.unpack_dual(d).primal
        plain = fw.unpack_dual(x).primal
        written = fw.make_dual(torch.zeros(2), torch.ones(2))
        fw.unpack_dual(written).primal.add_(1)
        return (p._is_view(), p._base is x, p.grad_fn.name(), p.grad_fn.next_functions[0][0].name(), d._base is x, plain._base is x,
                plain.grad_fn.name(), fw.unpack_dual(p).tangent, fw.unpack_dual(p * 2).tangent, tuple(fw.unpack_dual(written)),
                raises(lambda: fw.unpack_dual(1), "must be Tensor, not int"),
                raises(lambda: fw.make_dual(d, x), "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level"))


@each(
    "d * 2", "2 * d", "d / 2", "2 / d", "d + 1", "1 - d", "d * p", "p * d", "p / d", "d + p", "d @ p", "m @ d", "d @ m", "torch.outer(d, p)", "torch.dot(p, d)",
    "torch.where(p > 3, d, p)", "torch.maximum(d, p)", "torch.atan2(d, p)", "torch.hypot(p, d)", "torch.addcmul(d, p, p)", "torch.addcmul(p, d, p)", "torch.lerp(d, p, 0.3)",
    "torch.lerp(p, p, d)", "torch.addmv(d, m, p)", "torch.addmm(m, m, d[:, None] * m)", "torch.einsum('i,j->ij', d, p)", "torch.cat([d, p])", "d.sum()", "d.mean() * 3", "d.exp()",
    "d.clone().mul_(2)", "d.clone().add_(p)", "d.clone().fill_(2)", "d.clone().clamp_(0, 1.5)", "p.clone().mul_(d)", "p.clone().copy_(d)", "torch.tensor([float('inf'), 1.0]) * d",
)
def which_tangents_are_tracked(torch, text):
    """A tangent has the history of each part of its formula, those that are zero as well"""
    fw, seen = torch.autograd.forward_ad, []
    for of_d, of_p in ((True, False), (False, True), (True, True)):
        x, p = torch.tensor([1.0, 2.0], requires_grad=of_d), torch.tensor([3.0, 4.0], requires_grad=of_p)
        with fw.dual_level():
            d = fw.make_dual(x, torch.tensor([1.0, 10.0]))
            tangent = fw.unpack_dual(eval(text, {"torch": torch, "d": d, "p": p, "m": torch.stack([p, p * p])})).tangent
            seen.append((tangent.requires_grad, tangent.detach()))
            if tangent.requires_grad and of_d != of_p:
                seen.append(torch.autograd.grad(tangent.sum(), x if of_d else p, allow_unused=True))
    return seen


@each(
    "d.resize_(1)", "torch.sin(d, out=torch.empty(2))", "torch.add(d, 1, out=p)", "torch.sin(p, out=torch.empty(2))", "d.map_(p, lambda a, b: a + b)",
    "d.apply_(lambda a: a + 1)", "d.detach().resize_(1)",
)
def written_to_beside_the_rules(torch, text):
    """What writes without a derivative: refused with a tangent, or the tangent stays"""
    fw = torch.autograd.forward_ad
    p = torch.tensor([1.0, 2.0])
    with fw.dual_level():
        d = fw.make_dual(torch.tensor([0.5, 0.25]), torch.tensor([1.0, -1.0])).clone()
        return raises(lambda: eval(text, {"torch": torch, "d": d, "p": p})), d._version, fw.unpack_dual(d).tangent


def a_dual_multiplied_by_itself_in_place(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        return fw.unpack_dual(fw.make_dual(torch.tensor([0.5]), torch.tensor([1.0])).clone().square_()).tangent, fw.unpack_dual(
            (lambda d: d.mul_(d))(fw.make_dual(torch.tensor([0.5]), torch.tensor([1.0])).clone())).tangent


def a_triangular_system_in_a_full_matrix(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        m = fw.make_dual(torch.tensor([[2.0, 1.0], [3.0, 4.0]], dtype=torch.float64), torch.tensor([[0.0, 0.0], [1.0, 0.0]], dtype=torch.float64))
        return fw.unpack_dual(torch.triangular_solve(torch.ones(2, 1, dtype=torch.float64), m)[0]).tangent
