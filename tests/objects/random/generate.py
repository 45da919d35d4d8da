"""Random programs: some classes, a function that makes, links, stores and changes instances of them, and a number that depends on all."""
from __future__ import annotations

import random
import textwrap

from .expressions import Expressions

__all__ = ["generate"]

_HEADER = "import collections\nimport heapq\nimport itertools\nimport math\n\n\n"


class _Class:
    def __init__(self, name: str, fields: list[str], base: "_Class | None"):
        self.name, self.fields, self.base = name, fields, base

    @property
    def all_fields(self) -> list[str]:
        return [*(self.base.all_fields if self.base else []), *self.fields]


class _Writer:
    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.ex = Expressions(self.rng)
        self.classes: list[_Class] = []
        self.lines: list[str] = []
        self.count = 0
        #: names in scope: numbers, instances with their classes, lists and dicts of instances
        self.numbers = ["x", "y"]
        self.objects: dict[str, _Class] = {}
        self.lists: dict[str, _Class] = {}
        self.dicts: dict[str, _Class] = {}
        self.depth = 1

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # classes

    def class_text(self, k: int) -> str:
        rng, ex = self.rng, self.ex
        base = rng.choice(self.classes) if self.classes and rng.random() < 0.35 else None
        cls = _Class(f"C{k}", [f"f{k}{j}" for j in range(rng.randrange(1, 4))], base)
        self.classes.append(cls)
        own = [f"self.{f}" for f in cls.all_fields]
        out = [f"class {cls.name}({base.name}):" if base else f"class {cls.name}:"]
        if base is None and rng.random() < 0.2:
            out.append(f"    __slots__ = ({', '.join(repr(f) for f in [*cls.fields, 'link', 'count'])},)")
        out.append("    def __init__(self, a, b):")
        if base:
            out.append(f"        super().__init__({ex.number(['a', 'b'], 1)}, b)")
        out += [f"        self.{f} = {ex.number(['a', 'b'], 1)}" for f in cls.fields]
        if base is None:
            out += ["        self.link = None", "        self.count = 0"]
        body = [f"        self.{rng.choice(cls.all_fields)} {rng.choice(('=', '+=', '-='))} {ex.number([*own, 'v'], 1)}" for _ in range(rng.randrange(1, 3))]
        out += ["", "    def change(self, v):", "        self.count += 1", *body, f"        return {ex.number([*own, 'v'], 1)}"]
        out += ["", "    @property", "    def total(self):", f"        return {' + '.join(own)} + 0.1 * self.count"]
        if rng.random() < 0.5:
            field = rng.choice(cls.all_fields)
            out += ["", "    @property", "    def head(self):", f"        return self.{field}",
                    "", "    @head.setter", "    def head(self, v):", f"        self.{field} = math.tanh(v)"]
        else:
            out += ["", "    head = None"]
        out += ["", "    def check(self, v):", f"        if {ex.condition(['v', own[0]])}:", f"            raise Stop({ex.number(['v', own[-1]], 1)}, self)",
                f"        return {ex.number(['v', *own], 1)}"]
        out += ["", "    def steps(self, n):", "        for k in range(n):", f"            self.{rng.choice(cls.all_fields)} = {ex.number([*own], 1)}",
                f"            yield {rng.choice(own)} * k"]
        if rng.random() < 0.4:
            out += ["", "    def __add__(self, other):", f"        return {cls.name}(self.total, other.total)"]
        else:
            out += ["", "    def __add__(self, other):", f"        self.{rng.choice(cls.all_fields)} += math.sin(other.total)", "        return self"]
        out += ["", "    def __lt__(self, other):", "        return self.total < other.total"]
        return "\n".join(out) + "\n\n\n"

    # statements

    def emit(self, text: str) -> None:
        self.lines += ["    " * self.depth + line for line in text.split("\n")]

    def values(self) -> list[str]:
        """What numbers can be read now."""
        out = list(self.numbers)
        for name, cls in self.objects.items():
            out += [f"{name}.{f}" for f in cls.all_fields]
        return out

    def number(self, depth: int = 1) -> str:
        return self.ex.number(self.values(), depth)

    def make(self) -> None:
        cls, name = self.rng.choice(self.classes), self.fresh("o")
        self.emit(f"{name} = {cls.name}({self.number()}, {self.number()})")
        self.objects[name] = cls

    def alias(self) -> None:
        """Another name of an instance, or one of two."""
        name, cls = self.rng.choice(list(self.objects.items()))
        same = [n for n, c in self.objects.items() if c is cls]
        new = self.fresh("p")
        if len(same) > 1 and self.rng.random() < 0.5:
            self.emit(f"{new} = {name} if {self.ex.condition(self.values())} else {self.rng.choice(same)}")
        else:
            self.emit(f"{new} = {name}")
        self.objects[new] = cls

    def write(self) -> None:
        name, cls = self.rng.choice(list(self.objects.items()))
        value = self.number()
        place = f"{name}.{self.rng.choice(cls.all_fields)}"
        self.emit(self.rng.choice((f"{place} = math.sin({value})", f"{place} += math.tanh({value})", f"{place} *= math.cos({value})")))

    def method(self) -> None:
        name, _ = self.rng.choice(list(self.objects.items()))
        new = self.fresh("n")
        kind = self.rng.randrange(3)
        if kind == 0:
            self.emit(f"{new} = {name}.change({self.number()})")
        elif kind == 1:
            self.emit(f"{new} = {name}.total * {self.number(1)}")
        else:
            self.emit(f"{new} = sum({name}.steps({self.rng.randrange(1, 4)}))")
        self.numbers.append(new)

    def link(self) -> None:
        """One instance refers to another, and changes it through that."""
        (a, _), (b, _) = self.rng.choice(list(self.objects.items())), self.rng.choice(list(self.objects.items()))
        self.emit(f"{a}.link = {b}")
        if self.rng.random() < 0.7:
            new = self.fresh("n")
            self.emit(f"if {a}.link is not None:\n    {new} = {a}.link.change({self.number()})\nelse:\n    {new} = 0.0")
            self.numbers.append(new)

    def collect(self) -> None:
        cls = self.rng.choice(self.classes)
        held = [n for n, c in self.objects.items() if c is cls]
        name = self.fresh("xs")
        items = [*self.rng.sample(held, min(2, len(held))), f"{cls.name}({self.number()}, {self.number()})"]
        self.rng.shuffle(items)
        if self.rng.random() < 0.3:
            self.emit(f"{name} = [{cls.name}({self.number()}, 0.1 * k) for k in range({self.rng.randrange(2, 5)})]")
        else:
            self.emit(f"{name} = [{', '.join(items)}]")
        self.lists[name] = cls

    def table(self) -> None:
        cls, name = self.rng.choice(self.classes), self.fresh("d")
        self.emit(f"{name} = {{}}\nfor k in range({self.rng.randrange(2, 4)}):\n    {name}[k % 2] = {cls.name}({self.number()}, 0.2 * k)")
        self.dicts[name] = cls

    def of_list(self) -> None:
        """Does something with a list of instances."""
        name, cls = self.rng.choice(list(self.lists.items()))
        new = self.fresh("n")
        kind = self.rng.randrange(7)
        if kind == 0:
            self.emit(f"{name}.append({cls.name}({self.number()}, {self.number()}))")
            return
        if kind == 1:
            self.emit(f"{new} = sum(o.total for o in {name})")
        elif kind == 2:
            self.emit(f"{new} = 0.0\nfor k, o in enumerate({name}):\n    {new} += o.change({self.number()}) * k")
        elif kind == 3:
            self.emit(f"{new} = max({name}, key=lambda o: o.total).{cls.all_fields[0]}")
        elif kind == 4:
            self.emit(f"{new} = 0.0\nfor a, b in zip({name}, {name}[1:]):\n    {new} += a.{cls.all_fields[0]} * b.total\n    a.{cls.all_fields[-1]} = math.sin(b.{cls.all_fields[0]})")
        elif kind == 5:
            self.emit(f"{new} = {name}[-1].change({name}[0].total)")
        else:
            self.emit(f"{name}.sort(key=lambda o: o.total)\n{new} = {name}[0].total")
        self.numbers.append(new)

    def of_dict(self) -> None:
        name, cls = self.rng.choice(list(self.dicts.items()))
        new = self.fresh("n")
        self.emit(self.rng.choice((
            f"{new} = sum(o.total * k for k, o in {name}.items())",
            f"{new} = {name}[0].change({self.number()})",
            f"{new} = 0.0\nfor k in (0, 1, 7):\n    if k in {name}:\n        {new} += {name}[k].total",
            f"{name}[5] = {cls.name}({self.number()}, {self.number()})\n{new} = {name}[5].total",
        )))
        self.numbers.append(new)

    def guarded(self) -> None:
        """An exception that carries a number and an instance."""
        name, _ = self.rng.choice(list(self.objects.items()))
        new = self.fresh("n")
        final = f"\nfinally:\n    {name}.count += 1" if self.rng.random() < 0.3 else ""
        first = f"    {new} = {self.number()}\n" if self.rng.random() < 0.5 else ""
        use = f"{new} = error.value * 0.5" if self.rng.random() < 0.6 else f"{new} = error.value + error.source.change({self.number()})"
        self.emit(f"{new} = 0.0\ntry:\n{first}    {new} = {name}.check({self.number()})\n    {new} += {name}.check({new})\n"
                  f"except Stop as error:\n    {use}{final}")
        self.numbers.append(new)

    def branch(self) -> None:
        self.emit(f"if {self.ex.condition(self.values())}:")
        self.block()
        if self.rng.random() < 0.6:
            self.emit("else:")
            self.block()

    def loop(self) -> None:
        index = self.fresh("k")
        self.emit(f"for {index} in range({self.rng.randrange(2, 4)}):")
        self.block()

    def block(self) -> None:
        """Statements inside another; what they make is not known behind it."""
        held = list(self.numbers), dict(self.objects), dict(self.lists), dict(self.dicts)
        self.depth += 1
        for _ in range(self.rng.randrange(1, 4)):
            self.statement()
        self.depth -= 1
        self.numbers, self.objects, self.lists, self.dicts = held

    def add(self) -> None:
        name, cls = self.rng.choice(list(self.objects.items()))
        other = self.rng.choice(list(self.objects))
        new = self.fresh("q")
        self.emit(f"{new} = {name} + {other}")
        self.objects[new] = cls if not cls.base else cls

    def statement(self) -> None:
        choices = [(3, self.make), (2, self.alias), (3, self.write), (4, self.method), (1.5, self.link), (1.5, self.collect),
                   (1, self.table), (2, self.guarded), (0.7, self.add)]
        choices += [(3, self.of_list)] * bool(self.lists) + [(2, self.of_dict)] * bool(self.dicts)
        if self.depth < 3:
            choices += [(1.5, self.branch), (1.5, self.loop)]
        weights, makers = zip(*choices)
        self.rng.choices(makers, weights)[0]()

    def program(self) -> str:
        classes = "".join(self.class_text(k) for k in range(self.rng.randrange(1, 4)))
        stop = ("class Stop(Exception):\n    def __init__(self, value, source):\n        super().__init__(value)\n"
                "        self.value = value\n        self.source = source\n\n\n")
        self.make()
        for _ in range(self.rng.randrange(3, 9)):
            self.statement()
        terms = [*(f"math.sin({n})" for n in self.numbers), *(f"{o}.total" for o in self.objects),
                 *(f"sum(o.total for o in {n})" for n in self.lists), *(f"sum(o.total for o in {n}.values())" for n in self.dicts)]
        self.emit("return " + " + ".join(terms))
        return _HEADER + stop + classes + "def program(x, y):\n" + textwrap.dedent("\n".join(self.lines)).replace("\n", "\n    ").join(
            ("    ", "\n"))


def generate(seed: int) -> str:
    """The source code of the program of a seed; ``program(x, y)`` returns a float."""
    return _Writer(seed).program()
