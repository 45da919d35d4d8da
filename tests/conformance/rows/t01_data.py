"""T1: what tensors are made of, and numbers that their dtypes cannot hold; each was different once."""
from __future__ import annotations

import numpy as np

from ..collect import each
from ..observe import raises, warns


@each(
    "[torch.tensor(1), torch.tensor(2.0)]", "[torch.tensor([1.0]), torch.tensor([2.0])]", "[torch.ones(2), torch.ones(2)]", "[torch.ones(1, 1), 2]",
    "[[torch.ones(1, 1)], [2]]", "[np.float64(1), 2]", "np.float64(1)", "[np.float32(1), 2.5]", "[np.int8(1), 2]", "[True, np.int8(1)]",
    "[torch.tensor(1j), 2]", "[1, 2.5, True]", "[2**40, 1.5]", "bytearray(b'ab')", "memoryview(b'ab')", "b'ab'", "[b'ab']", "[1, None]", "[{}, 1]",
    "2**64", "[2**63]", "2**63", "np.array(['a'])", "np.array([1, 'a'], dtype=object)", "np.array([1, 2], dtype=object)", "1e40", "[1e40, 2]",
    "np.arange(3, dtype='>f8')", "np.arange(3, dtype=np.longdouble)", "np.array(['2020'], dtype='datetime64')", "(x for x in [1])", "range(3)",
)
def tensors_of(torch, text):
    data = eval(text, {"torch": torch, "np": np})
    return [raises(lambda make=make: make(data)) for make in (torch.tensor, torch.as_tensor)]


@each(
    "300, uint8", "[300], uint8", "-1, uint8", "[-255, 255], uint8", "-256, uint8", "[1e10], int32", "float('inf'), int64", "float('nan'), int32",
    "1e40, float32", "[1.7, -1.7], int64", "1j, float32", "2**63, float32", "200, int8", "-129, int8", "2.5, bool", "[1.0, 2j], float64",
)
def numbers_that_do_not_fit(torch, text):
    data, dtype = text.rsplit(", ", 1)
    return raises(lambda: torch.tensor(eval(data), dtype=getattr(torch, dtype)))


@each(
    "f.fill_(1j)", "f.fill_(2 + 0j)", "f.masked_fill_(f > 0, 1j)", "f.masked_fill(f > 0, 1j)", "f.__setitem__(0, 1j)", "f.__setitem__(slice(None), 1j)",
    "f.__setitem__(f > 0, 1j)", "f.__setitem__([0], 1j)", "f.index_fill(0, i[:1] - 1, 1j)", "f.scatter(0, i[:1] - 1, 1j)", "f.fill_(1e40)",
    "f.__setitem__(0, 1e40)", "f.fill_(float('inf'))", "f.put_(i[:1] - 1, torch.tensor([1j]))", "f.index_put_((i[:1] - 1,), torch.tensor(1j))",
    "f.index_put_((i[:1] - 1,), torch.tensor(1.0, dtype=torch.float64))", "i.fill_(1.5)", "i.fill_(float('nan'))", "i.__setitem__(0, 1.5)",
    "i.masked_fill(i > 0, 1.5)", "u.fill_(300)", "u.fill_(-1)", "u.__setitem__(0, 300)", "u.__setitem__(0, -1)", "u.masked_fill_(u > 0, 300)",
    "u.index_fill(0, i[:1] - 1, 300)", "u.scatter(0, i[:1] - 1, 300)", "torch.where(u > 0, u, 300)", "torch.full_like(u, 300)", "torch.full_like(u, -1)",
    "torch.full((2,), 1j, dtype=torch.float32)", "torch.full_like(f, 1j)", "f.new_full((2,), 1j)", "torch.full((), 300, dtype=torch.uint8)",
    "torch.full((2,), torch.ones((), requires_grad=True))", "f.new_full((2,), torch.ones((), requires_grad=True))", "u.pow(300)",
)
def numbers_that_cannot_be_written(torch, text):
    """No part of a number is lost in silence."""
    f, i, u = torch.tensor([1.0, 2.0]), torch.tensor([1, 2]), torch.tensor([1, 200], dtype=torch.uint8)
    return raises(lambda: eval(text, {"torch": torch, "f": f, "i": i, "u": u})), f, i, u


@each(
    "u + 300", "u - 1", "u * -1", "u.add_(300)", "300 - u", "u // 300", "u % 300", "u & 300", "u | 257", "u == 300", "u > -1", "u.remainder(-2)", "u.sub(1)",
    "u.floor_divide(-1)", "i * 2**63", "c + 200", "c * -129", "u.add(-1)", "u / 300", "u + 1.5", "u.float() + 300",
)
def integers_out_of_range_count_round(torch, text):
    u, c, i = torch.tensor([1, 200], dtype=torch.uint8), torch.tensor([1, -100], dtype=torch.int8), torch.tensor([1, 2])
    return eval(text, {"u": u, "c": c, "i": i})


@each("torch.tensor([x, 2.0])", "torch.tensor([[x * 1], [x]])", "torch.as_tensor([x, 1])", "float(x)", "int(x)", "x.item()", "x.tolist()")
def numbers_of_what_requires_grad(torch, text):
    """PyTorch warns of the first one of a process."""
    found = warns(lambda: eval(text, {"torch": torch, "x": torch.ones(1, requires_grad=True)}))
    return found["result"]


@each(
    "torch.zeros(2, out=o)", "torch.zeros(2, out=torch.ones(2, dtype=torch.int64))", "torch.zeros(2, dtype=torch.float64, out=o)", "torch.eye(2, out=o)",
    "torch.full((2,), 3, out=o)", "torch.arange(3, out=o)", "torch.arange(3, out=torch.zeros(3, dtype=torch.int64))", "torch.linspace(0, 1, 3, out=o)",
    "torch.logspace(0, 1, 3, out=o)", "torch.zeros(2, out=torch.ones(2, requires_grad=True))", "torch.ones((1, 2), out=o)", "torch.rand(3, out=o).dtype == o.dtype",
)
def made_in_a_given_tensor(torch, text):
    o = torch.ones(3)
    found = raises(lambda: eval(text, {"torch": torch, "o": o}))
    return found, o.shape if "rand" in text else o


@each(
    "torch.zeros_like([1.0])", "torch.full_like(1, 2)", "torch.rand_like([1.0])", "torch.arange(end=3)", "torch.arange(0, float('inf'))",
    "torch.arange(0, float('nan'))", "torch.arange(1j)", "torch.arange(3, dtype=torch.bool)", "torch.arange(3, dtype=torch.complex64)", "torch.arange()",
    "torch.linspace(0, 1j, 3)", "torch.linspace(0, 1j, 3, dtype=torch.float32)", "torch.logspace(0, 1j, 2)", "torch.randint(3, 5)",
    "torch.randint(3.5, (2,))", "torch.where(torch.tensor([True]), torch.ones(1))", "torch.manual_seed(2**70)", "torch.zeros(True)",
    "torch.broadcast_shapes((2, 1), (3, 3))", "torch.Tensor(2.5)", "torch.Tensor('a')", "torch.Tensor(None)", "torch.FloatTensor(2.5)",
    "torch.Tensor(torch.arange(3))", "torch.Tensor(torch.ones(1, requires_grad=True))", "torch.FloatTensor(torch.ones(1, requires_grad=True))",
    "torch.LongTensor(torch.ones(2))", "torch.FloatTensor(torch.Size([2])).shape", "torch.Tensor(torch.Size([2])).shape", "torch.Tensor([1, [2]])",
)
def made_oddly(torch, text):
    return raises(lambda: eval(text, {"torch": torch}))


@each(
    "torch.asarray(x) is x", "torch.asarray(x, copy=True)", "torch.asarray(x, copy=False) is x", "torch.asarray(x, requires_grad=True) is x",
    "torch.asarray(x, dtype=torch.float64)", "torch.asarray(x, dtype=torch.float64, copy=False)", "torch.asarray(a, copy=False)",
    "torch.asarray(a, dtype=torch.float32, copy=False)", "torch.asarray([1], copy=False)", "torch.asarray(a, copy=True)",
)
def as_arrays(torch, text):
    found = raises(lambda: eval(text, {"torch": torch, "x": torch.ones(2, requires_grad=True), "a": np.arange(3)}))
    if "returns" in found and not isinstance(found["returns"], bool):
        found["returns"] = [found["returns"].detach(), found["returns"].requires_grad]
    return found


def memory_begins_where_the_array_does(torch):
    """What a tensor is made of is its memory, whatever the array is a part of."""
    row, grid = np.arange(6.0), np.arange(12.0).reshape(3, 4)
    q, g = torch.from_numpy(row[2:]), torch.from_numpy(grid[:, ::2])
    row[2] = grid[0, 0] = 9
    g.requires_grad_()
    g.as_strided((2, 2), (2, 4), 0).sum().backward()
    return [
        q, q.storage_offset(), q[1:].storage_offset(), q.as_strided((2,), (1,), 0), q.as_strided((2,), (1,)),
        raises(lambda: q.as_strided((5,), (1,)), "out of bounds"), g, g.stride(), g[1:].storage_offset(), g.detach().as_strided((3,), (1,), 1), g.grad,
        g.detach().as_strided((11,), (1,)), raises(lambda: g.detach().as_strided((12,), (1,)), "out of bounds"),
    ]


@each("m.as_strided((2,), (1,), 1)", "m[1]", "m.t()[1:]", "m.diagonal()", "m.unfold(1, 2, 1)[0, 1]", "m.view(6)[2::2]", "m[:, 1].as_strided((1,), (1,))")
def offsets_of_views(torch, text):
    m = torch.arange(6.0).reshape(2, 3)
    v = eval(text, {"m": m})
    before = v.storage_offset()
    v.mul_(3)
    return before, v.storage_offset(), v.stride(), m


@each(
    "t.contiguous(memory_format=last)", "t.clone(memory_format=last)", "t.to(memory_format=last)", "t.to(memory_format=rows) is t", "t.cpu()",
    "t.to(torch.float64, memory_format=last)", "t.double(memory_format=last)", "torch.zeros_like(t, memory_format=last)", "t[0].contiguous(memory_format=last)",
    "torch.ones_like(t.detach().contiguous(memory_format=last))", "torch.full_like(t, 2.0, memory_format=last)", "t.is_contiguous(memory_format=last)",
    "t.contiguous(memory_format=last).is_contiguous(memory_format=last)", "t.contiguous(memory_format=last).is_contiguous()",
    "t.contiguous(memory_format=last).contiguous()", "t.contiguous(memory_format=torch.channels_last_3d)", "t.contiguous(memory_format=last) * 2",
    "t[None].contiguous(memory_format=torch.channels_last_3d)", "torch.zeros_like(torch.ones(2, 3).t(), memory_format=rows)",
    "torch.empty(2, 3, 4, 5, memory_format=last).fill_(1)", "torch.zeros_like(torch.ones(2, 3).t(), memory_format=torch.preserve_format)",
    "torch.ones(2, 3).t().clone(memory_format=rows)", "torch.tensor(1.0).clone(memory_format=rows)",
)
def memory_formats(torch, text):
    t = torch.arange(24.0).reshape(1, 2, 3, 4).requires_grad_()
    found = raises(lambda: eval(text, {"torch": torch, "t": t, "last": torch.channels_last, "rows": torch.contiguous_format}))
    return found, found["returns"].stride() if hasattr(found.get("returns"), "stride") else None


def a_gradient_in_a_memory_format(torch):
    t = torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last).requires_grad_()
    (t * 2).sum().backward()
    (t * t).sum().backward(create_graph=True)
    return t.grad.stride(), t.grad.is_contiguous(memory_format=torch.channels_last)


@each("e.mean()", "e.mean(0)", "e.mean(1)", "e.mean((0, 1), keepdim=True)", "e.half().mean()", "torch.where(e > 0)", "e.nonzero()", "torch.ones(0, dtype=torch.complex64).mean()")
def of_nothing(torch, text):
    """The mean of nothing is no number, and nothing warns of it."""
    e = torch.ones(0, 3, requires_grad=True)
    return warns(lambda: eval(text, {"torch": torch, "e": e}))


@each("torch.nonzero(t)", "torch.where(t)[1]", "t.nonzero(as_tuple=True)[0]", "torch.argwhere(t)")
def places_lie_dimension_by_dimension(torch, text):
    found = eval(text, {"torch": torch, "t": torch.tensor([[1, 0], [2, 3]])})
    return found, found.stride()


def a_result_of_another_shape_than_out(torch):
    o = torch.zeros(3)
    return warns(lambda: torch.add(torch.ones(2), 1, out=o), "resized"), warns(lambda: torch.add(torch.ones(2), 1, out=torch.zeros(0))), o
