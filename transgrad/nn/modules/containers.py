"""Modules that hold other modules or parameters."""
from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, MutableMapping, MutableSequence
from typing import Any

from ...autograd.tensor import Tensor
from ..parameter import Parameter
from .module import Module

__all__ = ["DataParallel", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _position(index: Any, length: int) -> int:
    """Return a non-negative index of a sequence of this length."""
    k = operator.index(index)
    if not -length <= k < length:
        raise IndexError(f"index {k} is out of range")
    return int(k % length)


class _Modules(Module, MutableSequence[Any]):
    """A sequence of submodules with the names 0, 1, …"""

    def _renumber(self, modules: Iterable[Module]) -> None:
        named = {str(k): m for k, m in enumerate(list(modules))}
        self._modules.clear()
        self._modules.update(named)

    def _key(self, index: Any) -> str:
        return str(list(self._modules)[_position(index, len(self))])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._slice(list(self._modules.items())[index])
        return self._modules[self._key(index)]

    def _slice(self, items: list[tuple[str, Any]]) -> Any:
        return type(self)([m for _, m in items])

    def __setitem__(self, index: Any, module: Any) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: Any) -> None:
        names = list(self._modules)
        for name in names[index] if isinstance(index, slice) else [self._key(index)]:
            delattr(self, name)
        self._renumber(self._modules.values())

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Any:
        """Add a module at the end; return the container."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Add modules at the end; return the container."""
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Add a module before an index; return the container."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        modules = list(self._modules.values())
        if not -len(modules) <= index <= len(modules):
            raise IndexError(f"Index out of range: {index}")
        modules.insert(index, module)
        self._renumber(modules)
        return self


class Sequential(_Modules):
    """Modules that are called in order; pass them one by one, or as an ordered dict with names."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else ((str(k), m) for k, m in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def _slice(self, items: list[tuple[str, Any]]) -> Sequential:
        return Sequential(OrderedDict(items))

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def __add__(self, other: Any) -> Any:
        return Sequential(*self, *other) if isinstance(other, Sequential) else NotImplemented


class ModuleList(_Modules):
    """A list of submodules."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __repr__(self) -> str:
        groups: list[list[Any]] = []        # first index, number, and representation of equal neighbors
        for k, module in enumerate(self):
            shown = repr(module)
            if groups and groups[-1][2] == shown:
                groups[-1][1] += 1
            else:
                groups.append([k, 1, shown])
        lines = [f"({k}): {shown}" if n == 1 else f"({k}-{k + n - 1}): {n} x {shown}" for k, n, shown in groups]
        inside = "".join("\n  " + line.replace("\n", "\n  ") for line in lines)
        return f"{type(self).__name__}({inside}\n)" if lines else f"{type(self).__name__}()"

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])


class _Mapping(Module, MutableMapping[str, Any]):
    """A dict whose items are attributes of the module; it is compared and hashed by identity."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    _keys: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or a default."""
        return self[key] if key in self._keys else default

    def __delitem__(self, key: str) -> None:
        if key not in self._keys:
            raise KeyError(key)
        delattr(self, key)
        self._keys.pop(key, None)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)


class ModuleDict(_Mapping):
    """A dict of submodules."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        self._keys = self._modules
        self.update(modules or {})

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)


class ParameterDict(_Mapping):
    """A dict of parameters: Tensors become parameters, other values stay as they are."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys = {}
        self.update(parameters or {})

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))


class ParameterList(Module):
    """A list of parameters: Tensors become parameters, other values stay as they are."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self.extend(values or ())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return ParameterList([self[k] for k in range(*index.indices(len(self)))])
        return getattr(self, str(_position(index, len(self))))

    def __setitem__(self, index: Any, value: Any) -> None:
        setattr(self, str(_position(index, len(self))), _as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def append(self, value: Any) -> ParameterList:
        """Add a value at the end; return the list."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add values at the end; return the list."""
        for value in list(values):
            self.append(value)
        return self

    __iadd__ = extend


class DataParallel(Module):
    """A module that calls another one, as `torch.nn.DataParallel` does without GPUs."""

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module, self.dim = module, dim
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


def _as_parameter(value: Any) -> Any:
    """Convert a Tensor to a parameter; return any other value unchanged."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value
