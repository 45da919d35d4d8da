"""The base class of optimizers: groups of parameters with their options, the state, and the loop that applies an update rule."""
from __future__ import annotations

import copy
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.grad_mode import enable_grad, no_grad
from ..autograd.hooks import RemovableHandle, register
from ..autograd.ops import FUNCTIONS
from ..autograd.tensor import Tensor, wrap
from .structures import Structured

__all__ = ["Array", "Optimizer", "as_real", "options"]

Array = np.ndarray[Any, Any]

_LABELS = {"lr": "learning rate", "eps": "epsilon value"} | {name: f"{name} value" for name in (
    "momentum", "weight_decay", "lr_decay", "alpha", "initial_accumulator_value")}


def options(given: dict[str, Any], first: str = "") -> dict[str, Any]:
    """Check the arguments of an optimizer's ``__init__`` and return its defaults, the names in ``first`` in front.

    Raises
    ------
    ValueError
        If an option is out of its range.
    NotImplementedError
        For ``differentiable=True``.

    Examples
    --------
    >>> options({"self": None, "params": [], "lr": 0.1, "eps": 1e-8, "alpha": 0.5}, "lr alpha")
    {'lr': 0.1, 'alpha': 0.5, 'eps': 1e-08}
    """
    found = {name: given[name] for name in (*first.split(), *given) if name not in ("self", "params", "__class__")}
    for name, label in _LABELS.items():
        if name in found and not found[name] >= 0:
            raise ValueError(f"Invalid {label}: {found[name]}")
    for k, beta in enumerate(found.get("betas", ())):
        if not 0 <= beta < 1:
            raise ValueError(f"Invalid beta parameter at index {k}: {beta}")
    if found.get("differentiable"):
        raise NotImplementedError("differentiable=True is not supported: steps write into arrays and are not recorded. "
                                  "Hint: write the update as an expression of Tensors, p = p - lr * g.")
    return found


def as_real(array: Array) -> Array:
    """View a complex array as a real array of twice the length; return any other array unchanged."""
    return np.atleast_1d(array).view(array.real.dtype) if array.dtype.kind == "c" else array


class Optimizer(Structured):
    """Base class of optimizers: update parameters from their gradients.

    Parameters
    ----------
    params : iterable of Tensor or dict, or a structure of arrays
        Tensors (or pairs of a name and a Tensor), or dicts with ``params`` and options of their own: `step` reads their ``.grad``. Or a
        structure of NumPy arrays and floats (a list, dict, dataclass, …): `step` takes gradients of the same structure, writes into the
        arrays and returns the structure.
    defaults : dict
        The options of groups that do not have their own.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> w = tg.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = tg.optim.SGD([w], lr=0.1)
    >>> isinstance(optimizer, tg.optim.Optimizer)
    True
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.8000, 1.6000])
    """

    #: whether `step` converts sparse gradients to dense ones instead of raising an error
    _accepts_sparse = False

    def __init__(self, params: Any, defaults: dict[str, Any]):
        self.defaults = defaults
        self.state: Any = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._hooks: dict[str, OrderedDict[int, Any]] = {kind: OrderedDict() for kind in ("pre", "post")}
        if isinstance(params, Tensor):
            raise TypeError(f"params argument given to the optimizer should be an iterable of Tensors or dicts, but got {params.type()}")
        params = self._as_tensors(params)
        if not params:
            raise ValueError("optimizer got an empty parameter list")
        for group in params if isinstance(params[0], dict) else [{"params": params}]:
            self.add_param_group(dict(group))

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with options of their own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will "
                            "change between runs. Please use a list instead.")
        given = [given] if isinstance(given, Tensor) else list(given)
        if given and isinstance(given[0], tuple):
            param_group["param_names"], given = [name for name, _ in given], [p for _, p in given]
        for p in given:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, value in self.defaults.items():
            param_group.setdefault(name, value)
        if len({id(p) for p in given}) != len(given):
            warnings.warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause an error",
                          stacklevel=3)
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if any(id(p) in known for p in given):
            raise ValueError("some parameters appear in more than one parameter group")
        param_group["params"] = given
        self.param_groups.append(param_group)

    # steps

    def step(self, closure: Any = None) -> Any:
        """Update the parameters.

        Parameters
        ----------
        closure : callable, or a structure of gradients
            A function that computes the gradients again and returns the loss, which `step` returns. An optimizer of a structure of
            arrays expects the gradients instead.
        """
        if self._form is not None:
            return self._step_structure(closure)
        given = (self,) if closure is None else (self, closure)
        for hook in list(self._hooks["pre"].values()):
            hook(self, given, {})
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            self._update_all()
        for hook in list(self._hooks["post"].values()):
            hook(self, given, {})
        return loss

    def _update_all(self) -> None:
        """Apply the update rule to each parameter that has a gradient; a complex parameter is updated as a real array."""
        for group in self.param_groups:
            decay, shrinks = group.get("weight_decay", 0), group.get("decoupled_weight_decay", False)
            for p in group["params"]:
                if p._grad is None:
                    continue
                array, g = p._array, self._gradient(p)
                if group.get("maximize"):
                    g = -g
                if decay and shrinks:
                    array *= 1 - float(group["lr"]) * decay
                elif decay:
                    g = g + decay * array
                if array.dtype.kind == "c":
                    array, g = as_real(array), as_real(np.ascontiguousarray(g))
                self._rule(p, array, g, group)
                p.counter()[0] += 1

    def _gradient(self, p: Any) -> Array:
        """Return the array of the gradient of a parameter."""
        g = p._grad
        if g.is_sparse:
            if not self._accepts_sparse:
                raise RuntimeError(f"{type(self).__name__} does not support sparse gradients, please consider SGD or Adagrad instead")
            g = g.to_dense()
        return g._array     # type: ignore[no-any-return]

    def _rule(self, p: Any, x: Array, g: Array, group: dict[str, Any]) -> None:
        """Write the update of one parameter into ``x``, the real view of its array; ``g`` is its gradient."""
        raise NotImplementedError

    def _entry(self, p: Any, name: str, fill: complex = 0.0) -> Array:
        """Return the real view of an array in the state of a parameter, initially filled with one value."""
        state = self.state[p]
        if name not in state:
            state[name] = wrap(np.full_like(p._array, fill))
        return as_real(state[name]._array)

    def _count(self, p: Any) -> float:
        """Increment the number of steps in the state of a parameter, which is a Tensor as in torch, and return it."""
        state = self.state[p]
        if "step" not in state:
            state["step"] = FUNCTIONS["tensor"](0.0)
        state["step"]._array += 1
        return float(state["step"]._array)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Remove the gradients of the parameters, or set them to zero."""
        for group in self.param_groups:
            for p in group["params"]:
                if p._grad is not None:
                    p.grad = None if set_to_none else p._grad.detach().zero_()

    # state

    def state_dict(self) -> dict[str, Any]:
        """Return the state, and the groups with indices in place of parameters."""
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [numbers.setdefault(id(p), len(numbers)) for p in group["params"]]
            groups.append(packed)
        return {"state": {numbers[id(p)]: state for p, state in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore a `state_dict` of an optimizer with the same number of parameters."""
        groups, saved = self.param_groups, copy.deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(groups, saved)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        known = {number: p for a, b in zip(groups, saved) for number, p in zip(b["params"], a["params"])}
        self.state = defaultdict(dict)
        for number, state in state_dict["state"].items():
            p = known.get(number)
            self.state[number if p is None else p] = {name: _converted(name, value, p) for name, value in state.items()}
        self.param_groups = [{**b, "params": a["params"]} for a, b in zip(groups, saved)]

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step."""
        return register(self._hooks["pre"], hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return register(self._hooks["post"], hook)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for k, group in enumerate(self.param_groups):
            lines += [""] * bool(k) + [f"Parameter Group {k}"]
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join([*lines, ")"])


def _converted(name: str, value: Any, p: Any) -> Any:
    """Convert a saved value to the form that the state of a parameter has."""
    if not isinstance(value, Tensor) or p is None:
        return copy.copy(value)
    kind = value.dtype if name == "step" or not p.is_floating_point() else p.dtype
    return value.detach().clone().to(kind)
