"""Modules that hold other modules or parameters."""
from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..parameter import Parameter
from .module import Module

__all__ = ["DataParallel", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _place(index: Any, length: int) -> int:
    """An index of a sequence of this length, counted from its beginning."""
    k = operator.index(index)
    if not -length <= k < length:
        raise IndexError(f"index {k} is out of range")
    return int(k % length)


class _Sequence(Module):
    """Submodules with the names 0, 1, …"""

    def _renumber(self, modules: Iterable[Module]) -> None:
        self._modules.clear()
        self._modules.update({str(k): m for k, m in enumerate(modules)})

    def _key(self, index: Any) -> str:
        return str(list(self._modules)[_place(index, len(self))])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._of(list(self._modules.items())[index])
        return self._modules[self._key(index)]

    def _of(self, items: list[tuple[str, Any]]) -> Any:
        return type(self)([m for _, m in items])

    def __setitem__(self, index: Any, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: Any) -> None:
        names = list(self._modules)
        for name in names[index] if isinstance(index, slice) else [self._key(index)]:
            delattr(self, name)
        self._renumber(list(self._modules.values()))

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Any:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Add modules at the end."""
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Add a module before an index."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        modules = list(self._modules.values())
        if not -len(modules) <= index <= len(modules):
            raise IndexError(f"Index out of range: {index}")
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def pop(self, key: Any) -> Any:
        """Remove a module and return it."""
        module = self[key]
        del self[key]
        return module


class Sequential(_Sequence):
    """Modules that are called in order; pass them one by one, or as an ordered dict with names."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else ((str(k), m) for k, m in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def _of(self, items: list[tuple[str, Any]]) -> "Sequential":
        return Sequential(OrderedDict(items))

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def __add__(self, other: Any) -> Any:
        return Sequential(*self, *other) if isinstance(other, Sequential) else NotImplemented


class ModuleList(_Sequence):
    """A list of submodules."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __repr__(self) -> str:
        groups: list[list[Any]] = []        # first index, number, and description of equal neighbors
        for k, module in enumerate(self):
            text = repr(module)
            if groups and groups[-1][2] == text:
                groups[-1][1] += 1
            else:
                groups.append([k, 1, text])
        lines = [f"({k}): {text}" if n == 1 else f"({k}-{k + n - 1}): {n} x {text}" for k, n, text in groups]
        inside = "".join("\n  " + line.replace("\n", "\n  ") for line in lines)
        return f"{type(self).__name__}({inside}\n)" if lines else f"{type(self).__name__}()"

    def __iadd__(self, modules: Iterable[Module]) -> Any:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> "ModuleList":
        return ModuleList([*self, *other])


class ModuleDict(Module):
    """A dict of submodules."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove a module and return it."""
        return self._modules.pop(key)

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def items(self) -> Any:
        """Names with modules."""
        return self._modules.items()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add the modules of a dict, or of pairs."""
        for key, module in modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules:
            self[key] = module


class ParameterList(Module):
    """A list of parameters; Tensors become parameters, other values are kept as they are."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self.extend(values or ())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return ParameterList([self[k] for k in range(*index.indices(len(self)))])
        return getattr(self, str(_place(index, len(self))))

    def __setitem__(self, index: Any, value: Any) -> None:
        setattr(self, str(_place(index, len(self))), as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def append(self, value: Any) -> "ParameterList":
        """Add a value at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> "ParameterList":
        """Add values at the end."""
        for value in list(values):
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> "ParameterList":
        return self.extend(values)


class ParameterDict(Module):
    """A dict of parameters; Tensors become parameters, other values are kept as they are."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        self.update({} if parameters is None else parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, key, as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def keys(self) -> Any:
        """The names."""
        return self._keys.keys()

    def values(self) -> Any:
        """The parameters."""
        return [self[k] for k in self._keys]

    def items(self) -> Any:
        """Names with parameters."""
        return [(k, self[k]) for k in self._keys]

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of a name, or a default."""
        return self[key] if key in self._keys else default

    def pop(self, key: str) -> Any:
        """Remove a parameter and return it."""
        value = self[key]
        del self[key]
        return value

    def update(self, parameters: Any) -> None:
        """Add the values of a dict, or of pairs."""
        for key, value in parameters.items() if hasattr(parameters, "items") else parameters:
            self[key] = value


def as_parameter(value: Any) -> Any:
    """A Tensor as a parameter; anything else as it is."""
    from ...autograd.tensor import Tensor
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


class DataParallel(Module):
    """A module that calls another, as `torch.nn.DataParallel` does where there is no GPU to share a batch with."""

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module, self.device_ids, self.dim = module, [], dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)
