"""The examples of the functional API, at the inputs for which the documents' numbers come out."""
from __future__ import annotations

from ..observe import shows


def _exp_reducer(x):
    return x.exp().sum(dim=1)


def _adder(x, y):
    return 2 * x + 3 * y


def _pow_reducer(x):
    return x.pow(3).sum()


def _pow_adder_reducer(x, y):
    return (2 * x.pow(2) + 3 * y.pow(2)).sum()


def jacobian_of_one(torch):
    """functional.jacobian, first example"""
    inputs = torch.tensor([[1.4917, 2.4352], [2.4369, 2.3799]]).log()
    return shows(
        torch.autograd.functional.jacobian(_exp_reducer, inputs),
        """
        tensor([[[1.4917, 2.4352], [0.0000, 0.0000]], [[0.0000, 0.0000], [2.4369, 2.3799]]])""",
    )


def jacobian_with_create_graph(torch):
    """functional.jacobian, second example (the node has a number today)"""
    inputs = torch.tensor([[1.4917, 2.4352], [2.4369, 2.3799]]).log()
    return shows(
        torch.autograd.functional.jacobian(_exp_reducer, inputs, create_graph=True),
        """
        tensor([[[1.4917, 2.4352], [0.0000, 0.0000]], [[0.0000, 0.0000], [2.4369, 2.3799]]], grad_fn=<ViewBackward0>)""",
    )


def jacobian_of_two(torch):
    """functional.jacobian, third example"""

    def exp_adder(x, y):
        return 2 * x.exp() + 3 * y

    inputs = (torch.tensor([2.8052 / 2, 3.3963 / 2]).log(), torch.rand(2))
    return shows(
        torch.autograd.functional.jacobian(exp_adder, inputs),
        """
        (tensor([[2.8052, 0.0000], [0.0000, 3.3963]]), tensor([[3., 0.], [0., 3.]]))""",
    )


HESSIAN = """tensor([[[[5.2265, 0.0000], [0.0000, 0.0000]], [[0.0000, 4.8221], [0.0000, 0.0000]]], [[[0.0000, 0.0000], [1.9456, 0.0000]],
    [[0.0000, 0.0000], [0.0000, 3.2550]]]]"""


def hessian_of_one(torch):
    """functional.hessian, first example"""
    inputs = torch.tensor([[5.2265, 4.8221], [1.9456, 3.2550]]) / 6
    return shows(torch.autograd.functional.hessian(_pow_reducer, inputs), HESSIAN + ")")


def hessian_with_create_graph(torch):
    """functional.hessian, second example (the node has a number today)"""
    inputs = torch.tensor([[5.2265, 4.8221], [1.9456, 3.2550]]) / 6
    return shows(torch.autograd.functional.hessian(_pow_reducer, inputs, create_graph=True), HESSIAN + ", grad_fn=<ViewBackward0>)")


def hessian_of_two(torch):
    """functional.hessian, third example"""
    inputs = (torch.rand(2), torch.rand(2))
    return shows(
        torch.autograd.functional.hessian(_pow_adder_reducer, inputs),
        """
        ((tensor([[4., 0.], [0., 4.]]), tensor([[0., 0.], [0., 0.]])), (tensor([[0., 0.], [0., 0.]]), tensor([[6., 0.], [0., 6.]])))""",
    )


VJP = [
    [1.4458, 1.3962, 1.3042, 1.6354],
    [2.1288, 1.0652, 1.5483, 2.5035],
    [2.2046, 1.1292, 1.1432, 1.3059],
    [1.3225, 1.6652, 1.7753, 2.0152],
]


def vjp_of_one(torch):
    """functional.vjp, first example"""
    return shows(
        torch.autograd.functional.vjp(_exp_reducer, torch.tensor(VJP).log(), torch.ones(4)),
        f"""
        (tensor([5.7817, 7.2458, 5.7830, 6.7782]), tensor({VJP}))""",
    )


def vjp_with_create_graph(torch):
    """functional.vjp, second example"""
    return shows(
        torch.autograd.functional.vjp(_exp_reducer, torch.tensor(VJP).log(), torch.ones(4), create_graph=True),
        f"""
        (tensor([5.7817, 7.2458, 5.7830, 6.7782], grad_fn=<SumBackward1>), tensor({VJP}, grad_fn=<MulBackward0>))""",
    )


def vjp_of_two(torch):
    """functional.vjp, third example"""
    inputs = (torch.tensor([2.4225 / 2, 2.3340 / 2]), torch.zeros(2))
    return shows(
        torch.autograd.functional.vjp(_adder, inputs, torch.ones(2)),
        """
        (tensor([2.4225, 2.3340]), (tensor([2., 2.]), tensor([3., 3.])))""",
    )


def _jvp_inputs(torch):
    return (torch.tensor([6.3090, 4.6742, 7.9114, 8.2106]) / 4).log()[:, None].expand(4, 4).clone()


def jvp_of_one(torch):
    """functional.jvp, first example"""
    return shows(
        torch.autograd.functional.jvp(_exp_reducer, _jvp_inputs(torch), torch.ones(4, 4)),
        """
        (tensor([6.3090, 4.6742, 7.9114, 8.2106]), tensor([6.3090, 4.6742, 7.9114, 8.2106]))""",
    )


def jvp_with_create_graph(torch):
    """functional.jvp, second example"""
    output, product = torch.autograd.functional.jvp(_exp_reducer, _jvp_inputs(torch), torch.ones(4, 4), create_graph=True)
    return (
        shows(output, "tensor([6.3090, 4.6742, 7.9114, 8.2106], grad_fn=<SumBackward1>)"),
        shows(product.detach(), "tensor([6.3090, 4.6742, 7.9114, 8.2106])"),
        product.requires_grad,
    )


def jvp_of_two(torch):
    """functional.jvp, third example"""
    inputs = (torch.tensor([2.2399 / 2, 2.5005 / 2]), torch.zeros(2))
    return shows(
        torch.autograd.functional.jvp(_adder, inputs, (torch.ones(2), torch.ones(2))),
        """
        (tensor([2.2399, 2.5005]), tensor([5., 5.]))""",
    )


def _second_order(torch, name, value, products, documented):
    """A vhp or hvp at inputs whose second derivatives are the documents', beside the documented value."""
    inputs = torch.tensor(products) / 6
    function = getattr(torch.autograd.functional, name)
    plain = function(_pow_reducer, inputs, torch.ones(2, 2))
    graph = function(_pow_reducer, inputs, torch.ones(2, 2), create_graph=True)
    return [
        shows(plain[0], f"tensor({value})"),
        shows(plain[1], documented + ")"),
        shows(graph[0], f"tensor({value}, grad_fn=<SumBackward0>)"),
        shows(graph[1], documented + ", grad_fn=<MulBackward0>)"),
    ]


def vhp_of_one(torch):
    """functional.vhp, first and second example"""
    return _second_order(torch, "vhp", 0.5591, [[1.0689, 1.2431], [3.0989, 4.4456]], "tensor([[1.0689, 1.2431], [3.0989, 4.4456]]")


def hvp_of_one(torch):
    """functional.hvp, first and second example"""
    return _second_order(torch, "hvp", 0.1448, [[2.0239, 1.6456], [2.4988, 1.4310]], "tensor([[2.0239, 1.6456], [2.4988, 1.4310]]")


def _of_two(torch, name, value):
    inputs = (torch.tensor([(value / 2) ** 0.5, 0.0]), torch.zeros(2))
    return shows(
        getattr(torch.autograd.functional, name)(_pow_adder_reducer, inputs, (torch.zeros(2), torch.ones(2))),
        f"(tensor({value}), (tensor([0., 0.]), tensor([6., 6.])))",
    )


def vhp_of_two(torch):
    """functional.vhp, third example"""
    return _of_two(torch, "vhp", 4.8053)


def hvp_of_two(torch):
    """functional.hvp, third example"""
    return _of_two(torch, "hvp", 2.3030)


def captured_arguments(torch):
    """functional: a function of more than its inputs, by a lambda"""

    def f(x, constant, flag):
        return x * constant if flag else x

    constant, flag, inputs = torch.tensor([2.0, 3.0]), True, torch.ones(2)
    return torch.autograd.functional.jacobian(lambda x: f(x, constant, flag=flag), inputs)
