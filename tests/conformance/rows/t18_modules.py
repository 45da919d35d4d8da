"""Modules: names, values, gradients and state, with the initial values of one generator for both libraries."""
from __future__ import annotations

import copy
import io

import numpy as np

from ..collect import each
from ..observe import raises


def _data(torch, *shape, seed=0, dtype=None):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape), dtype=dtype or torch.float64)


def _filled(torch, module, seed=1):
    """The module in float64 with parameters and buffers of NumPy's generator."""
    rng = np.random.default_rng(seed)
    module = module.double()
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.tensor(rng.normal(size=tuple(p.shape)) * 0.3))
    return module


def _flat(value):
    if isinstance(value, (tuple, list)):
        return [x for v in value for x in _flat(v)]
    return [] if value is None else [value]


def _trained(torch, module, *inputs, steps=3):
    """What a module shows: its text, names, outputs, and what some steps of gradient descent make of it."""
    module = _filled(torch, module)
    seen = [repr(module), [(n, list(p.shape)) for n, p in module.named_parameters()], [(n, list(b.shape)) for n, b in module.named_buffers()]]
    given = [x.requires_grad_() if x.is_floating_point() else x for x in inputs]
    for _ in range(steps):
        outputs = [o for o in _flat(module(*given)) if o.is_floating_point()]
        module.zero_grad()
        loss = sum((o * torch.arange(1, o.numel() + 1, dtype=o.dtype).reshape(o.shape).cos()).sum() for o in outputs)
        loss.backward()
        seen.append([float(loss), [float(o.detach().abs().sum()) for o in outputs], [float(p.grad.abs().sum()) for p in module.parameters()]])
        with torch.no_grad():
            for p in module.parameters():
                p -= 0.01 * p.grad
    seen += [float(x.grad.abs().sum()) for x in given if x.requires_grad]
    module.eval()
    seen.append([float(o.detach().abs().sum()) for o in _flat(module(*given))])
    return seen + [list(module.state_dict()), [float(b.double().sum()) for b in module.buffers()]]


@each(
    "nn.Linear(4, 3)", "nn.Linear(4, 3, bias=False)", "nn.Identity()", "nn.LayerNorm(4)", "nn.LayerNorm([3, 4], eps=1e-3, bias=False)",
    "nn.LayerNorm(4, elementwise_affine=False)", "nn.RMSNorm(4)", "nn.Flatten()", "nn.Flatten(0, 1)", "nn.Unflatten(-1, (2, 2))",
    "nn.ReLU()", "nn.LeakyReLU(0.2)", "nn.ELU(0.5)", "nn.CELU()", "nn.SELU()", "nn.GELU()", "nn.GELU('tanh')", "nn.SiLU()", "nn.Mish()",
    "nn.Sigmoid()", "nn.LogSigmoid()", "nn.Tanh()", "nn.Tanhshrink()", "nn.Softplus(2)", "nn.Softshrink()", "nn.Hardshrink()",
    "nn.Hardtanh(-0.5, 0.5)", "nn.Hardsigmoid()", "nn.Hardswish()", "nn.Softsign()", "nn.Softmax(-1)", "nn.LogSoftmax(dim=1)", "nn.Softmin(1)",
    "nn.GLU()", "nn.PReLU()", "nn.PReLU(3)", "nn.ReLU6()", "nn.Threshold(0.1, 2.0)", "nn.RReLU(0.2, 0.2)", "nn.Dropout(0.0)",
    "nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2))", "nn.Sequential()", "nn.LeakyReLU(negative_slope=0.3)",
)
def module_of_a_matrix(torch, text):
    """Modules on a tensor (2, 3, 4)."""
    return _trained(torch, eval(text, {"nn": torch.nn}), _data(torch, 2, 3, 4))


@each(
    "nn.Conv2d(4, 6, 3)", "nn.Conv2d(4, 6, (3, 2), stride=2, padding=1, groups=2)", "nn.Conv2d(4, 2, 3, padding='same', dilation=2, bias=False)",
    "nn.Conv2d(4, 2, 3, padding=1, padding_mode='reflect')", "nn.Conv2d(4, 2, 3, padding=(1, 2), padding_mode='circular')",
    "nn.ConvTranspose2d(4, 2, 3, stride=2, padding=1, output_padding=1)", "nn.BatchNorm2d(4)", "nn.BatchNorm2d(4, momentum=None)",
    "nn.BatchNorm2d(4, affine=False)", "nn.BatchNorm2d(4, track_running_stats=False)", "nn.InstanceNorm2d(4)",
    "nn.InstanceNorm2d(4, affine=True, track_running_stats=True)", "nn.GroupNorm(2, 4)", "nn.GroupNorm(2, 4, affine=False)", "nn.MaxPool2d(2)",
    "nn.MaxPool2d(3, stride=2, padding=1)", "nn.AvgPool2d(2)", "nn.AvgPool2d(3, 2, 1, count_include_pad=False)", "nn.AdaptiveAvgPool2d(2)",
    "nn.AdaptiveAvgPool2d((1, None))", "nn.AdaptiveMaxPool2d(2)", "nn.Upsample(scale_factor=2)",
    "nn.Upsample(size=(3, 4), mode='bilinear')", "nn.PixelShuffle(2)", "nn.PixelUnshuffle(2)", "nn.ChannelShuffle(2)", "nn.ZeroPad2d(1)",
    "nn.ReflectionPad2d((1, 0, 2, 1))", "nn.ReplicationPad2d(1)", "nn.ConstantPad2d(1, 2.5)", "nn.CircularPad2d(1)", "nn.Unfold(2)",
    "nn.Softmax2d()", "nn.LocalResponseNorm(2)", "nn.Dropout2d(0.0)", "nn.PReLU(4)",
    "nn.Sequential(nn.Conv2d(4, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Linear(48, 2))",
)
def module_of_images(torch, text):
    """Modules on images (2, 4, 6, 6)."""
    return _trained(torch, eval(text, {"nn": torch.nn}), _data(torch, 2, 4, 6, 6))


@each("nn.Conv1d(3, 2, 3, padding=1)", "nn.ConvTranspose1d(3, 2, 3)", "nn.BatchNorm1d(3)", "nn.InstanceNorm1d(3)", "nn.MaxPool1d(2)",
      "nn.AvgPool1d(2)", "nn.AdaptiveAvgPool1d(2)", "nn.ConstantPad1d(1, 0.5)")
def module_of_signals(torch, text):
    """Modules on signals (2, 3, 5)."""
    return _trained(torch, eval(text, {"nn": torch.nn}), _data(torch, 2, 3, 5))


@each("nn.Conv3d(2, 2, 2)", "nn.ConvTranspose3d(2, 2, 2)", "nn.BatchNorm3d(2)", "nn.MaxPool3d(2)", "nn.AvgPool3d(2)", "nn.AdaptiveAvgPool3d(1)")
def module_of_volumes(torch, text):
    """Modules on volumes (1, 2, 4, 4, 4)."""
    return _trained(torch, eval(text, {"nn": torch.nn}), _data(torch, 1, 2, 4, 4, 4))


@each(
    "nn.RNN(3, 4)", "nn.RNN(3, 4, 2, nonlinearity='relu', bidirectional=True)", "nn.LSTM(3, 4)", "nn.LSTM(3, 4, 2, batch_first=True)",
    "nn.LSTM(3, 4, bidirectional=True, bias=False)", "nn.LSTM(3, 4, proj_size=2)", "nn.GRU(3, 4)", "nn.GRU(3, 4, 2, bidirectional=True)",
)
def recurrent_layers(torch, text):
    """Recurrent layers on a sequence (5, 2, 3)."""
    return _trained(torch, eval(text, {"nn": torch.nn}), _data(torch, 5, 2, 3))


@each("nn.RNNCell(3, 4)", "nn.RNNCell(3, 4, nonlinearity='relu')", "nn.LSTMCell(3, 4)", "nn.GRUCell(3, 4, bias=False)")
def recurrent_cells(torch, text):
    return _trained(torch, eval(text, {"nn": torch.nn}), _data(torch, 2, 3))


def recurrent_layers_without_a_batch(torch):
    return _trained(torch, torch.nn.LSTM(3, 4), _data(torch, 5, 3))


def a_recurrent_state_of_the_users(torch):
    net = _filled(torch, torch.nn.LSTM(3, 4))
    out, (h, c) = net(_data(torch, 5, 2, 3), (_data(torch, 1, 2, 4), _data(torch, 1, 2, 4, seed=5)))
    return [out.detach(), h.detach(), c.detach()]


@each("nn.MultiheadAttention(4, 2)", "nn.MultiheadAttention(4, 2, batch_first=True)", "nn.MultiheadAttention(4, 2, bias=False)",
      "nn.MultiheadAttention(4, 1, add_bias_kv=True, add_zero_attn=True)")
def attention(torch, text):
    x = _data(torch, 3, 2, 4)
    module = _filled(torch, eval(text, {"nn": torch.nn}))
    out, weights = module(x, x, x)
    out.sum().backward()
    return [out.detach(), weights.detach(), [float(p.grad.abs().sum()) for p in module.parameters()], [n for n, _ in module.named_parameters()]]


@each("nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)", "nn.TransformerEncoderLayer(4, 2, 8, 0.0, 'gelu', batch_first=True, norm_first=True)",
      "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True), 2, nn.LayerNorm(4))")
def transformer(torch, text):
    """The encoder, trained, with its names."""
    seen = _trained(torch, eval(text, {"nn": torch.nn}), _data(torch, 3, 2, 4))
    return seen[1:]     # without the text: PyTorch names a class that only its quantization needs


def a_causal_transformer(torch):
    module = _filled(torch, torch.nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True))
    mask = torch.triu(torch.ones(3, 3), 1).bool()
    return module(_data(torch, 2, 3, 4), src_mask=mask).detach()


@each(
    "nn.MSELoss()", "nn.MSELoss(reduction='sum')", "nn.L1Loss(reduction='none')", "nn.SmoothL1Loss(beta=0.5)", "nn.HuberLoss(delta=0.7)",
    "nn.KLDivLoss(reduction='batchmean')", "nn.SoftMarginLoss()", "nn.MSELoss(size_average=False)", "nn.PoissonNLLLoss()",
    "nn.BCEWithLogitsLoss()", "nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64))",
)
def loss_of_two(torch, text):
    x, y = _data(torch, 4, 3).requires_grad_(), _data(torch, 4, 3, seed=2).sigmoid()
    loss = eval(text, {"nn": torch.nn, "torch": torch})
    value = loss(x, y)
    value.sum().backward()
    return [repr(loss), value.detach(), x.grad]


@each("nn.CrossEntropyLoss()", "nn.CrossEntropyLoss(label_smoothing=0.1)", "nn.CrossEntropyLoss(ignore_index=1, reduction='sum')",
      "nn.NLLLoss()", "nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5], dtype=torch.float64))",
      "nn.NLLLoss(torch.tensor([1.0, 2.0, 0.5], dtype=torch.float64))")
def loss_of_classes(torch, text):
    x = _data(torch, 4, 3).requires_grad_()
    value = eval(text, {"nn": torch.nn, "torch": torch})(x, torch.tensor([0, 2, 1, 2]))
    value.backward()
    return [value.detach(), x.grad]


def losses_of_three(torch):
    a, b, c = (_data(torch, 4, 3, seed=k) for k in range(3))
    return [torch.nn.TripletMarginLoss()(a, b, c), torch.nn.TripletMarginLoss(0.5, p=1.0, swap=True)(a, b, c),
            torch.nn.MarginRankingLoss(0.1)(a[:, 0], b[:, 0], torch.ones(4, dtype=torch.float64)),
            torch.nn.CosineEmbeddingLoss()(a, b, torch.tensor([1, -1, 1, -1])), torch.nn.CosineSimilarity()(a, b),
            torch.nn.PairwiseDistance()(a, b), torch.nn.TripletMarginWithDistanceLoss(distance_function=torch.nn.PairwiseDistance())(a, b, c)]


@each("nn.Embedding(5, 3)", "nn.Embedding(5, 3, padding_idx=1)", "nn.Embedding(5, 3, max_norm=0.5)", "nn.Embedding(5, 3, padding_idx=-1)")
def embedding(torch, text):
    return _trained(torch, eval(text, {"nn": torch.nn}), torch.tensor([[0, 1], [4, 1]]))


def embedding_from_a_table(torch):
    made = torch.nn.Embedding.from_pretrained(_data(torch, 4, 2))
    return [made(torch.tensor([3, 0])), made.weight.requires_grad, repr(made)]


def the_documents_example(torch):
    """The Model of the documents on hooks for saved tensors."""
    threshold, packed = 3, []

    def pack(x):
        packed.append(x.numel() >= threshold)
        return (x.numpy(force=True).copy(), x.numel()) if x.numel() >= threshold else x

    def unpack(x):
        return x if isinstance(x, torch.Tensor) else torch.from_numpy(x[0])

    class Model(torch.nn.Module):
        def forward(self, x):
            with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
                output = x.exp() * x
            return output
    x = torch.ones(4, requires_grad=True)
    Model()(x).sum().backward()
    return [packed, x.grad, repr(Model())]


class _Names:
    """A module with a bit of everything."""

    @staticmethod
    def make(torch):
        nn = torch.nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(3, 3)
                self.tied = self.first
                self.more = nn.ModuleList([nn.Linear(3, 3), nn.ReLU()])
                self.named = nn.ModuleDict({"a": nn.Tanh(), "b": nn.Linear(3, 2)})
                self.own = nn.Parameter(torch.ones(2))
                self.several = nn.ParameterList([torch.zeros(2), torch.ones(1)])
                self.by_name = nn.ParameterDict({"w": torch.zeros(2)})
                self.register_buffer("seen", torch.zeros(3))
                self.register_buffer("hidden", torch.ones(1), persistent=False)
                self.register_parameter("none", None)

            def forward(self, x):
                return self.named["b"](self.more[1](self.more[0](self.first(x)))) + self.own
        return Net()


def names_of_a_module(torch):
    net = _Names.make(torch)
    return [[n for n, _ in net.named_parameters()], [n for n, _ in net.named_buffers()], [n for n, _ in net.named_modules()],
            [n for n, _ in net.named_children()], list(net.state_dict()), list(net.state_dict()._metadata),
            [n for n, _ in net.named_parameters(remove_duplicate=False)], [n for n, _ in net.named_modules(remove_duplicate=False)],
            len(list(net.parameters(recurse=False))), repr(net).replace("\n", "|") if not hasattr(net, "several") else len(net.several),
            type(net.first.weight.data).__name__, isinstance(net.own, torch.nn.Parameter), isinstance(net.own, torch.Tensor),
            isinstance(torch.ones(1), torch.nn.Parameter), net.get_parameter("named.b.weight") is net.named["b"].weight,
            net.get_submodule("more.1") is net.more[1], net.get_buffer("seen") is net.seen]


def a_state_restored(torch):
    """state_dict through a file, into another module."""
    net, other = _Names.make(torch), _Names.make(torch)
    file = io.BytesIO()
    torch.save(net.state_dict(), file)
    file.seek(0)
    found = other.load_state_dict(torch.load(file))
    return [str(found), all(bool((a == b).all()) for a, b in zip(net.parameters(), other.parameters())),
            other.first.weight is other.tied.weight, other.own.requires_grad]


@each("{}", "{'weight': torch.ones(2, 3)}", "{'weight': torch.ones(2, 2), 'bias': torch.ones(2)}", "{'weight': 1, 'bias': torch.ones(2)}",
      "{'weight': torch.ones(2, 3), 'bias': torch.ones(2), 'more': torch.ones(1)}")
def a_state_that_does_not_fit(torch, text):
    net = torch.nn.Linear(3, 2)
    try:
        net.load_state_dict(eval(text, {"torch": torch}))
    except RuntimeError as error:
        message = str(error)
    return [message, raises(lambda: net.load_state_dict(eval(text, {"torch": torch}), strict=False))["raises"] if "mismatch" in message else
            [list(part) for part in net.load_state_dict(eval(text, {"torch": torch}), strict=False)] if "copying" not in message else None]


def a_state_assigned(torch):
    net, given = torch.nn.Linear(2, 2), torch.zeros(2, 2)
    net.load_state_dict({"weight": given, "bias": torch.nn.Parameter(torch.ones(2), requires_grad=False)}, assign=True)
    return [net.weight.data_ptr() == given.data_ptr(), net.weight.requires_grad, net.bias.requires_grad, isinstance(net.weight, torch.nn.Parameter)]


def hooks_of_modules(torch):
    """Forward and backward hooks, in order, with what they see and change."""
    log = []
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(torch.arange(1.0, p.numel() + 1).reshape(p.shape) / 4)
    handles = [
        net[0].register_forward_pre_hook(lambda m, a: log.append(("pre", a[0].tolist()))),
        net[0].register_forward_hook(lambda m, a, o: o * 2),
        net.register_forward_hook(lambda m, a, k, o: log.append(("kwargs", k)), with_kwargs=True),
        net[1].register_full_backward_hook(lambda m, gi, go: log.append(("full", gi[0].tolist(), go[0].tolist()))),
        net[0].register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,)),
        net[1].register_full_backward_pre_hook(lambda m, go: (go[0] * 3,)),
        net[0].register_forward_pre_hook(lambda m, a: log.append("first"), prepend=True),
    ]
    x = torch.ones(1, 2, requires_grad=True)
    net(x).sum().backward()
    first = [x.grad.tolist(), [p.grad.tolist() for p in net.parameters()]]
    for h in handles:
        h.remove()
    x.grad = None
    net(x).sum().backward()
    return [log, first, x.grad]


def modes_and_casts(torch):
    net = torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.Dropout(0.5))
    seen = [net.training, net.eval() is net, net[1].training, net.train()[0].training]
    net.double()
    seen += [str(net[0].weight.dtype), str(net[0].running_mean.dtype), str(net[0].num_batches_tracked.dtype)]
    net.to(torch.float32).requires_grad_(False)
    return seen + [str(net[0].weight.dtype), net[0].weight.requires_grad, [type(m).__name__ for m in net.modules()]]


def errors_of_modules(torch):
    nn = torch.nn

    class Early(nn.Module):
        def __init__(self):
            self.p = nn.Parameter(torch.ones(1))

    class Empty(nn.Module):
        pass
    net = nn.Linear(2, 2)

    def assigned(name, value):
        setattr(net, name, value)
    return [raises(Early, "before Module.__init__() call"), raises(lambda: Empty()(1), 'missing the required "forward" function'),
            raises(lambda: assigned("weight", torch.ones(2, 2)), "cannot assign", "torch.nn.Parameter or None expected"),
            raises(lambda: net.missing, "'Linear' object has no attribute 'missing'"),
            raises(lambda: net.register_parameter("a.b", None), "contain"),
            raises(lambda: net.register_buffer("weight", torch.ones(1)), "attribute 'weight' already exists"),
            raises(lambda: net.get_submodule("a"), "has no attribute `a`"), raises(lambda: net.add_module("x", 1), "is not a Module subclass"),
            raises(lambda: nn.Conv2d(3, 4, 3, groups=2), "in_channels must be divisible by groups"),
            raises(lambda: nn.Dropout(2.0), "dropout probability has to be between 0 and 1"),
            raises(lambda: net(torch.ones(3, 3)), "mat1 and mat2 shapes cannot be multiplied"),
            raises(lambda: nn.BatchNorm2d(3)(torch.ones(2, 3)), "expected 4D input (got 2D input)"),
            raises(lambda: nn.LSTM(3, 4)(torch.ones(2, 2, 2)), "input.size(-1) must be equal to input_size")]


def copies_of_modules(torch):
    net = _Names.make(torch)
    made = copy.deepcopy(net)
    return [made.first is made.tied, made.own is not net.own, isinstance(made.own, torch.nn.Parameter), [n for n, _ in made.named_parameters()]]


def lists_of_modules(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 3))
    net.append(nn.Tanh()).insert(1, nn.Identity())
    del net[2]
    items = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])
    items.extend([nn.Linear(1, 1)])
    return [repr(net), repr(net[1:]), len(net), repr(net[-1]), repr(items), repr(items[:2]), [type(m).__name__ for m in items],
            raises(lambda: net[7], "out of range")]


def functional_calls(torch):
    """A module with other parameters, and its gradient as a function of them."""
    net = _filled(torch, torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh()))
    params = {n: p.detach() * 2 for n, p in net.named_parameters()}
    x = _data(torch, 3, 2)
    grads = torch.func.grad(lambda p: torch.func.functional_call(net, p, (x,)).sum())(params)
    stacked, _ = torch.func.stack_module_state([net, net])
    return [torch.func.functional_call(net, params, (x,)).detach(), list(grads), list(grads.values()), list(stacked["0.weight"].shape),
            net[0].weight.requires_grad]


def tools_for_parameters(torch):
    net = _filled(torch, torch.nn.Linear(2, 2))
    net(_data(torch, 3, 2)).pow(2).sum().backward()
    utils = torch.nn.utils
    before = utils.clip_grad_norm_(net.parameters(), 0.5)
    seen = [before, [p.grad.clone() for p in net.parameters()]]
    utils.clip_grad_value_(net.parameters(), 0.1)
    vector = utils.parameters_to_vector(net.parameters())
    utils.vector_to_parameters(torch.arange(6.0, dtype=torch.float64), net.parameters())
    return [*seen, [p.grad.clone() for p in net.parameters()], vector.detach(), net.weight.detach(), net.bias.detach(),
            utils.clip_grad_norm_(net.parameters(), 1.0, norm_type=float("inf"))]


@each("constant_(w, 0.3)", "ones_(w)", "zeros_(w)", "eye_(w)", "dirac_(torch.empty(2, 2, 3))", "calculate_gain('leaky_relu', 0.2)",
      "calculate_gain('tanh')", "calculate_gain('relu')", "_calculate_fan_in_and_fan_out(torch.empty(2, 3, 4, 5))")
def initial_values(torch, text):
    init = torch.nn.init
    return eval(f"init.{text}", {"init": init, "w": torch.empty(3, 2), "torch": torch})


@each("uniform_(w, -1, 2)", "normal_(w, 1, 2)", "xavier_uniform_(w)", "xavier_normal_(w, 2.0)", "kaiming_uniform_(w, mode='fan_out')",
      "kaiming_normal_(w, nonlinearity='relu')", "orthogonal_(w)")
def drawn_initial_values(torch, text):
    """Numbers of the generator with one seed, rounded."""
    torch.manual_seed(3)
    w = eval(f"init.{text}", {"init": torch.nn.init, "w": torch.empty(30, 20)})
    return [[round(v, 3) for v in row[:3]] for row in w.tolist()[:3]]


def containers_by_name(torch):
    """A dict of modules, and a list and a dict of parameters."""
    nn = torch.nn
    modules = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Linear(1, 1)})
    modules["c"] = nn.Tanh()
    values, named = nn.ParameterList([torch.ones(2), torch.zeros(1)]), nn.ParameterDict({"w": torch.ones(2)})
    values.append(torch.ones(3))
    named["b"] = torch.zeros(1)
    return [list(modules), modules.pop("a") is not None, "b" in modules, len(modules), [n for n, _ in values.named_parameters()],
            [tuple(p.shape) for p in values], list(named.keys()), [n for n, _ in named.named_parameters()],
            isinstance(values[0], nn.Parameter), isinstance(named["w"], nn.Parameter), raises(lambda: named["x"])]


def what_is_not_of_the_state(torch):
    """Buffers that are not saved, parameters of a module alone, and keys that may be missing."""
    net = torch.nn.Sequential(torch.nn.Linear(1, 1))
    net.register_buffer("seen", torch.ones(1), persistent=False)
    own = [n for n, _ in net.named_parameters(recurse=False)]
    missing, unexpected = net.load_state_dict({"0.weight": torch.ones(1, 1), "more": torch.ones(1)}, strict=False)
    return [list(net.state_dict()), own, missing, unexpected]
