"""`Module`, the base class of modules."""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ...autograd.hooks import RemovableHandle
from ...autograd.tensor import Tensor
from ..parameter import Buffer, is_parameter
from .hooks import BackwardHooks, registered
from .state import State

__all__ = ["Module"]

Self = TypeVar("Self", bound="Module")
#: the dictionaries of registered attributes, with the end of the message for a value of another type
_KINDS = {"_parameters": "parameter '{}' (torch.nn.Parameter or None expected)",
          "_buffers": "buffer '{}' (torch.nn.Buffer, torch.Tensor or None expected)",
          "_modules": "child module '{}' (torch.nn.Module or None expected)"}
_HOOKS = ("_backward_hooks", "_backward_pre_hooks", "_forward_hooks", "_forward_pre_hooks", "_state_dict_hooks", "_state_dict_pre_hooks",
          "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")


class Module(State):
    """A function with parameters, buffers and submodules, each registered when it is assigned to an attribute.

    Examples
    --------
    >>> import transgrad as torch
    >>> class Model(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.weight = torch.nn.Parameter(torch.ones(2))
    ...     def forward(self, x):
    ...         return x @ self.weight
    >>> Model()(torch.tensor([1.0, 2.0])).item(), [name for name, _ in Model().named_parameters()]
    (3.0, ['weight'])
    """

    _version = 1
    call_super_init = False
    training: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and (args or kwargs):
            what = f"got an unexpected keyword argument '{next(iter(kwargs))}'" if kwargs else \
                f"takes 1 positional argument but {len(args) + 1} were given"
            raise TypeError(f"{type(self).__name__}.__init__() {what}")
        own = self.__dict__
        own["training"] = True
        for name in _KINDS:
            own[name] = {}
        own["_non_persistent_buffers_set"] = set()
        for name in _HOOKS:
            own[name] = OrderedDict()
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the result; subclasses override it."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    # calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        own = self.__dict__
        if not (own["_forward_pre_hooks"] or own["_forward_hooks"] or own["_backward_hooks"] or own["_backward_pre_hooks"]):
            return self.forward(*args, **kwargs)
        try:
            return self._call_with_hooks(args, kwargs)
        except Exception:
            for hook, with_kwargs, always in list(own["_forward_hooks"].values()):
                if always:
                    hook(self, args, *((kwargs,) if with_kwargs else ()), None)
            raise

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        for hook, with_kwargs in list(self._forward_pre_hooks.values()):
            got = hook(self, args, kwargs) if with_kwargs else hook(self, args)
            if got is None:
                continue
            if not with_kwargs:
                args = got if isinstance(got, tuple) else (got,)
            elif isinstance(got, tuple) and len(got) == 2:
                args, kwargs = got
            else:
                raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {got}.")
        backward = None
        if self._backward_hooks or self._backward_pre_hooks:
            backward = BackwardHooks(self, self._backward_hooks.values(), self._backward_pre_hooks.values())
            args = backward.inputs(args)
        result = self.forward(*args, **kwargs)
        for hook, with_kwargs, _ in list(self._forward_hooks.values()):
            got = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
            result = result if got is None else got
        return result if backward is None else backward.outputs(result)

    # attributes

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for kind in _KINDS:
            found = own.get(kind)
            if found is not None and name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if is_parameter(value):
            self._claim(name, "_parameters", "parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._claim(name, "_modules", "module")
            own["_modules"][name] = value
        elif isinstance(value, Buffer):
            self._claim(name, "_buffers", "buffers")
            self.register_buffer(name, value, value.__dict__["persistent"])
        else:
            kind = next((kind for kind in _KINDS if name in own.get(kind, ())), None)
            if kind is None:
                object.__setattr__(self, name, value)
            elif value is None or kind == "_buffers" and isinstance(value, Tensor):
                own[kind][name] = value
            else:
                raise TypeError(f"cannot assign '{_type_name(value)}' as {_KINDS[kind].format(name)}")

    def _claim(self, name: str, kind: str, what: str) -> None:
        """Remove a name from all other dictionaries."""
        if kind not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        self.__dict__.pop(name, None)
        for other in _KINDS:
            if other != kind:
                self.__dict__[other].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        kind = next((kind for kind in _KINDS if name in self.__dict__[kind]), None)
        if kind is None:
            object.__delattr__(self, name)
        else:
            del self.__dict__[kind][name]
            self._non_persistent_buffers_set.discard(name)

    def __dir__(self) -> list[str]:
        names = {*object.__dir__(self), *(name for kind in _KINDS for name in self.__dict__[kind])}
        return sorted(name for name in names if not name[:1].isdigit())

    def _checked(self, kind: str, what: str, name: Any) -> None:
        if kind not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {type(name).__name__}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."')
        if not name:
            raise KeyError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[kind]:
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name: str, param: Any) -> None:
        """Add a parameter, or None."""
        self._checked("_parameters", "parameter", name)
        if param is not None and not is_parameter(param):
            raise TypeError(f"cannot assign '{_type_name(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)")
        if param is not None and param.grad_fn is not None:
            raise ValueError(f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                             f"express '{name}' as a function of another Tensor, compute the value in the forward() method.")
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Add a Tensor that is not a parameter; it is saved with the state only if it is ``persistent``."""
        self._checked("_buffers", "buffer", name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' (torch Tensor or None required)")
        self._buffers[name] = tensor
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def register_module(self, name: str, module: Any) -> None:
        """Add a submodule, or None."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._checked("_modules", "module", name)
        self._modules[name] = module

    add_module = register_module

    # traversal

    def _members(self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        for path, module in self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]:
            for name, value in module.__dict__[kind].items():
                if value is not None and not (remove_duplicate and id(value) in seen):
                    seen.add(id(value))
                    yield f"{path}.{name}" if path else name, value

    def named_parameters(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:
        """Iterate over the parameters of the module and its submodules, with their names."""
        return self._members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Any]:
        """Iterate over the parameters of the module and its submodules."""
        return (p for _, p in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:
        """Iterate over the buffers of the module and its submodules, with their names."""
        return self._members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Any]:
        """Iterate over the buffers of the module and its submodules."""
        return (b for _, b in self.named_buffers(recurse=recurse))

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """Iterate over the direct submodules, with their names."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator["Module"]:
        """Iterate over the direct submodules."""
        return (m for _, m in self.named_children())

    def named_modules(self, memo: set[Any] | None = None, prefix: str = "",
                      remove_duplicate: bool = True) -> Iterator[tuple[str, "Module"]]:
        """Iterate over the module and its submodules at all levels, with their paths."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self) -> Iterator["Module"]:
        """Iterate over the module and its submodules at all levels."""
        return (m for _, m in self.named_modules())

    def get_submodule(self, target: str) -> "Module":
        """Return the submodule at a path (``"encoder.0"``); raise AttributeError if it does not exist."""
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module       # type: ignore[no-any-return]

    def _registered(self, target: str, kind: str, what: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        if name not in module.__dict__[kind]:
            raise AttributeError(f"`{name}` is not {what}")
        return module.__dict__[kind][name]

    def get_parameter(self, target: str) -> Any:
        """Return the parameter at a path."""
        return self._registered(target, "_parameters", "an nn.Parameter")

    def get_buffer(self, target: str) -> Any:
        """Return the buffer at a path."""
        return self._registered(target, "_buffers", "a buffer")

    # modes and conversions

    def train(self: Self, mode: bool = True) -> Self:
        """Set the training mode of the module and its submodules."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: Self) -> Self:
        """Set the evaluation mode of the module and its submodules."""
        return self.train(False)

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        """Set whether the parameters require gradients."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Remove the gradients of the parameters, or set them to zero."""
        for p in self.parameters():
            if p._grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    p.grad = p._grad.detach().zero_()

    def apply(self: Self, fn: Callable[["Module"], None]) -> Self:
        """Call a function with every submodule, then with the module itself."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self: Self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Replace the data of parameters, gradients and buffers."""
        for module in self.children() if recurse else ():
            module._apply(fn)
        for p in self._parameters.values():
            if p is not None:
                grad = p._grad
                p.grad = None
                p.data = fn(p.data)
                if grad is not None:
                    p.grad = fn(grad.data).requires_grad_(grad.requires_grad)
        for name, b in self._buffers.items():
            self._buffers[name] = b if b is None else fn(b)
        return self

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """Cast the floating parameters and buffers: ``to(dtype)``, ``to(tensor)``; the device is always the CPU."""
        def convert(t: Any) -> Any:
            made = t.to(*args, **kwargs)
            return made if t.is_floating_point() or t.is_complex() else t.to(made.device)
        return self._apply(convert)

    def type(self: Self, dst_type: Any) -> Self:
        """Cast all parameters and buffers."""
        return self._apply(lambda t: t.type(dst_type))

    def _cast_floating(self: Self, name: str) -> Self:
        return self._apply(lambda t: getattr(t, name)() if t.is_floating_point() else t)

    def float(self: Self) -> Self:
        """Cast the floating parameters and buffers to float32."""
        return self._cast_floating("float")

    def double(self: Self) -> Self:
        """Cast the floating parameters and buffers to float64."""
        return self._cast_floating("double")

    def half(self: Self) -> Self:
        """Cast the floating parameters and buffers to float16."""
        return self._cast_floating("half")

    def bfloat16(self: Self) -> Self:
        """Cast the floating parameters and buffers to bfloat16."""
        return self._cast_floating("bfloat16")

    def cpu(self: Self) -> Self:
        """Return the module: there is no other device."""
        return self

    # hooks

    def register_forward_pre_hook(self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False) -> RemovableHandle:
        """Call ``hook(module, args)`` before `forward`; its result replaces the arguments."""
        return registered(self._forward_pre_hooks, (hook, with_kwargs), prepend)

    def register_forward_hook(self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False,
                              always_call: bool = False) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after `forward`; its result replaces the output."""
        return registered(self._forward_hooks, (hook, with_kwargs, always_call), prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients of the inputs are computed; its result replaces them."""
        return registered(self._backward_hooks, hook, prepend)

    register_backward_hook = register_full_backward_hook

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when the gradients of the outputs are computed; its result replaces them."""
        return registered(self._backward_pre_hooks, hook, prepend)

    # representation

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The string that ``repr`` shows between the parentheses; may be overridden."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        below = [f"({name}): " + repr(module).replace("\n", "\n  ") for name, module in self._modules.items()]
        if len(lines) == 1 and not below:
            return f"{self._get_name()}({lines[0]})"
        inside = "\n  ".join(lines + below)
        return f"{self._get_name()}(\n  {inside}\n)" if inside else f"{self._get_name()}()"


def _type_name(x: Any) -> str:
    if isinstance(x, Tensor):
        return str(x.type())
    kind = x if isinstance(x, type) else type(x)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
