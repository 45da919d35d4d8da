"""Steps that take derivatives of small functions: `functional`, `func`, `vmap`, and checkpoints."""
from __future__ import annotations

from .values import State

SCALAR = ("(v * v).sum()", "v.sin().sum()", "(v.exp() * v).mean()", "v.prod()", "(v[0] * v).sum()", "v.logsumexp(0).sum()", "v.sum() * 2")
SAME = ("v * v", "v.sin() * v.sum()", "v.cumsum(0)", "v.flip(0) * v", "v.softmax(0)", "v * 2", "v.detach() * v", "v.exp()")


def transform(s: State) -> str | None:
    x = s.pick(2, 2)
    if x is None or "complex" in "".join(s.dtypes):
        return None
    f, g = (f"lambda v: {s.random.choice(texts)}" for texts in (SCALAR, SAME))
    c = f"{x}.detach().clone()"     # PyTorch's forward mode loses what inference mode made, and refuses what was expanded
    found = s.random.choice([
        f"torch.autograd.functional.jacobian({g}, {c})", f"torch.autograd.functional.jacobian({f}, {c}, vectorize=True)",
        f"torch.autograd.functional.hessian({f}, {c})", f"torch.autograd.functional.vjp({g}, {c}, {c})[1]",
        f"torch.autograd.functional.jvp({g}, {c}, {c})[1]", f"torch.autograd.functional.hvp({f}, {c}, {c})[1]",
        f"torch.autograd.functional.vhp({f}, {c}, {c})[1]", f"torch.func.grad({f})({c})", f"torch.func.jacrev({g})({c})",
        f"torch.func.jacfwd({g})({c})", f"torch.func.hessian({f})({c})", f"torch.func.vjp({g}, {c})[1]({c})[0]",
        f"torch.func.jvp({g}, ({c},), ({c},))[1]", f"torch.vmap({f})({c})", f"torch.vmap(torch.func.grad({f}))({c})", f"torch.vmap({g})({x})",
        f"torch.autograd.functional.jacobian({g}, {c}, strategy='forward-mode', vectorize=True)",
        *[f"torch.utils.checkpoint.checkpoint({g}, {x}, use_reentrant={again})" for again in (True, False, False, False)],
        f"torch.utils.checkpoint.checkpoint_sequential([torch.sin, lambda v: v * v], 2, {x}, use_reentrant=False)",
        *[f"Second.apply({made}, {x})" for made in (       # the transforms of what has a history, whose own nodes are each library's own
            f"torch.func.grad({f})({x})", f"torch.func.jacrev({g})({x})", f"torch.func.hessian({f})({x})", f"torch.func.vjp({g}, {x})[1]({x})[0]",
            f"torch.func.jvp({g}, ({x},), ({x},))[1]", f"torch.vmap(torch.func.grad({f}))({x})",
            f"torch.autograd.functional.jacobian({g}, {x}, create_graph=True)", f"torch.autograd.functional.hessian({f}, {x}, create_graph=True)",
            f"torch.autograd.functional.hvp({f}, {x}, {x}, create_graph=True)[1]", f"torch.autograd.functional.vhp({f}, {x}, {x}, create_graph=True)[1]",
            f"torch.autograd.functional.vjp({g}, {x}, {x}, create_graph=True)[1]", f"torch.autograd.functional.jvp({g}, {x}, {x}, create_graph=True)[1]")],
    ])
    return found if found.startswith(("torch.utils", "Second")) else f"{found}.clone(memory_format=torch.contiguous_format)"     # PyTorch's may share memory
