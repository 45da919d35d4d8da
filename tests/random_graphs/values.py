"""What the generator knows of the Tensors of a program: names and shapes."""
from __future__ import annotations

import random
from dataclasses import dataclass, field

SHAPES = [(), (2,), (3,), (2, 3), (3, 2), (2, 2), (1, 3), (2, 1, 3)]


@dataclass
class State:
    """The live names of a program with their shapes, and the random choices over them."""

    random: random.Random
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    handles: list[str] = field(default_factory=list)
    frozen: set[str] = field(default_factory=set)
    discrete: set[str] = field(default_factory=set)
    counter: int = 0
    untracked: bool = False
    dtypes: tuple[str, ...] = ("float64",)
    swept: bool = False
    sparse: bool = False        # whether something sparse lies behind a Tensor
    kept: bool = False          # whether a Tensor that is no leaf keeps its gradient

    def fresh(self, prefix: str = "t") -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def pick(self, least: int = 0, most: int = 9, writable: bool = False) -> str | None:
        """A live Tensor with so many dimensions, late ones more often.

        What was made in inference mode is not written to: PyTorch refuses the write after it is done.
        """
        return self.late([n for n in self.floats() if least <= len(self.shapes[n]) <= most and not (writable and n in self.frozen)])

    def pick_discrete(self, writable: bool = False) -> str | None:
        """A live integer or boolean Tensor, late ones more often."""
        return self.late([n for n in self.shapes if n in self.discrete and not (writable and n in self.frozen)])

    def late(self, names: list[str]) -> str | None:
        """One of the names, late ones more often."""
        return self.random.choices(names, [1 + i for i in range(len(names))])[0] if names else None

    def floats(self) -> list[str]:
        """The names of Tensors that are no integers or booleans."""
        return [n for n in self.shapes if n not in self.discrete]

    def known(self) -> list[tuple[str, tuple[int, ...]]]:
        """These with their shapes."""
        return [(n, self.shapes[n]) for n in self.floats()]

    def partner(self, name: str) -> str:
        """Another operand that broadcasts with this one into its shape: a Tensor, or a number."""
        fit = [n for n in self.floats() if fits(self.shapes[n], self.shapes[name])]
        return self.random.choice(fit) if fit and self.random.random() < 0.75 else repr(self.number())

    def number(self) -> float:
        return self.random.choice([-2.0, -1.5, -0.5, 0.25, 0.5, 1.25, 2.0, 3.0])

    def data(self, shape: tuple[int, ...]) -> str:
        """Nested lists of distinct numbers without symmetry."""
        if not shape:
            return repr(round(self.random.uniform(-2, 2), 3))
        return "[" + ", ".join(self.data(shape[1:]) for _ in range(shape[0])) + "]"

    def choose(self, names: list[str]) -> str | None:
        return self.random.choice(names) if names else None

    def know(self, shapes: dict[str, tuple[int, ...]], discrete: set[str]) -> None:
        """The Tensors there are now, and which of them are integers or booleans; large and empty ones are not used any more."""
        self.shapes = {name: shape for name, shape in shapes.items() if len(shape) <= 4 and 0 < size(shape) <= 64}
        self.discrete = discrete

    def dim(self, name: str) -> int:
        return self.random.randrange(len(self.shapes[name]))


def fits(shape: tuple[int, ...], into: tuple[int, ...]) -> bool:
    """Whether ``shape`` broadcasts into ``into`` without changing it."""
    return len(shape) <= len(into) and all(a in (1, b) for a, b in zip(shape[::-1], into[::-1]))


def size(shape: tuple[int, ...]) -> int:
    total = 1
    for n in shape:
        total *= n
    return total
