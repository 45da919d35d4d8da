"""Optimizers and schedules: twenty steps each, their state, and their errors."""
from __future__ import annotations

import copy
import io

import numpy as np

from ..collect import each, ours
from ..observe import raises, warns


def _problem(torch):
    """Parameters, and a loss of them."""
    rng = np.random.default_rng(0)
    a, b = (torch.tensor(rng.normal(size=s)) for s in ((6, 4), (6,)))
    w, c = (torch.nn.Parameter(torch.tensor(rng.normal(size=s))) for s in (4, 2))
    return [w, c], lambda: ((a @ w - b) ** 2).sum() * 0.1 + (1 - c[0]) ** 2 + 3 * (c[1] - c[0] ** 2) ** 2


def _run(torch, make, schedule=None, steps=20):
    """Losses, parameters and learning rates of twenty steps, and the state at the end."""
    params, loss_of = _problem(torch)
    optimizer = make(params)
    scheduler = schedule(optimizer) if schedule else None
    seen = []

    def closure():
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        return loss
    for _ in range(steps):
        if type(optimizer).__name__ == "LBFGS":
            loss = optimizer.step(closure)
        else:
            loss = closure()
            optimizer.step()
        if scheduler is not None:
            scheduler.step(loss) if "Plateau" in type(scheduler).__name__ else scheduler.step()
        seen.append([float(loss), [p.tolist() for p in params], [float(g["lr"]) for g in optimizer.param_groups]])
    return seen, params, optimizer


@each(
    "SGD(p, lr=0.01)", "SGD(p, lr=0.01, momentum=0.9)", "SGD(p, lr=0.01, momentum=0.9, nesterov=True, weight_decay=0.1)",
    "SGD(p, lr=0.01, momentum=0.9, dampening=0.1, maximize=True)", "SGD(p)", "Adam(p)", "Adam(p, lr=0.1, weight_decay=0.1, amsgrad=True)",
    "Adam(p, lr=0.1, betas=(0.5, 0.9), maximize=True)", "Adam(p, 0.1, decoupled_weight_decay=True, weight_decay=0.1)", "AdamW(p, lr=0.1)",
    "AdamW(p, lr=0.1, amsgrad=True, weight_decay=0.5)", "RMSprop(p)", "RMSprop(p, centered=True, momentum=0.9, weight_decay=0.1)",
    "RMSprop(p, alpha=0.5, maximize=True, eps=1e-3)", "Adagrad(p, lr=0.1)", "Adagrad(p, 0.1, 0.1, 0.1, 0.1)", "Adagrad(p, maximize=True)",
    "LBFGS(p)", "LBFGS(p, line_search_fn='strong_wolfe')", "LBFGS(p, lr=0.1, max_iter=3, history_size=2)",
    "LBFGS(p, lr=10.0, line_search_fn='strong_wolfe', max_iter=4)",
)
def twenty_steps(torch, text):
    """The way of an optimizer, its text, and the names of its state and options."""
    seen, params, optimizer = _run(torch, lambda p: eval(f"optim.{text}", {"optim": torch.optim, "p": p}))
    state = optimizer.state_dict()
    names = sorted(set(next(iter(state["state"].values()), {})) - {"al"})
    return [seen, repr(optimizer), names, list(state["param_groups"][0]), [p._version > 0 for p in params]]


@each(
    "StepLR(o, 3)", "MultiStepLR(o, [2, 5, 5, 9], 0.5)", "ExponentialLR(o, 0.9)", "LambdaLR(o, lambda e: 0.95 ** e)",
    "MultiplicativeLR(o, lambda e: 0.95)", "ConstantLR(o, 0.5, 4)", "LinearLR(o, 0.5, total_iters=4)", "PolynomialLR(o, 10, 2.0)",
    "CosineAnnealingLR(o, 7, 0.001)", "CosineAnnealingWarmRestarts(o, 3, 2)", "ReduceLROnPlateau(o, patience=1, threshold=0.1)",
    "ReduceLROnPlateau(o, mode='max', patience=2, cooldown=1, min_lr=1e-3, threshold_mode='abs')",
    "SequentialLR(o, [s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9)], [4])",
    "ChainedScheduler([s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9)])", "OneCycleLR(o, 0.1, total_steps=21)",
    "OneCycleLR(o, 0.1, epochs=3, steps_per_epoch=7, three_phase=True, anneal_strategy='linear')", "CyclicLR(o, 0.01, 0.1, 4)",
    "MultiStepLR(o, [0, 3, 3])", "ConstantLR(o, 1.0, 3)", "LinearLR(o, 1.0, 0.0, 5)", "PolynomialLR(o, 3, 0.5)", "CosineAnnealingLR(o, 1, 0.01)",
    "ChainedScheduler([s.CosineAnnealingLR(o, 4), s.StepLR(o, 2, 0.5), s.LinearLR(o)])",
    "SequentialLR(o, [s.ChainedScheduler([s.LinearLR(o), s.StepLR(o, 2)]), s.CosineAnnealingLR(o, 5), s.StepLR(o, 1, 0.5)], [3, 7])",
    "CyclicLR(o, [0.01, 0.02], 0.1, 3, 5, base_momentum=[0.5, 0.6], max_momentum=[0.8, 0.9])",
    "CyclicLR(o, 0.01, 0.1, 4, 3, mode='triangular2')", "CyclicLR(o, 0.01, 0.1, 4, 3, mode='exp_range', gamma=0.9)",
)
def twenty_rates(torch, text):
    """The learning rates of a schedule, the momentum beside them, and what was set last."""
    schedules = torch.optim.lr_scheduler
    made = []

    def schedule(o):
        made.append(eval(f"s.{text}", {"s": schedules, "o": o}))
        return made[0]
    seen, _, optimizer = _run(torch, lambda p: torch.optim.SGD([{"params": p[:1], "lr": 0.02}, {"params": p[1:]}], lr=0.05, momentum=0.9),
                              schedule)
    return [seen, optimizer.param_groups[0]["momentum"], made[0].get_last_lr()]


@each("SGD(p, lr=0.01, momentum=0.9)", "Adam(p, lr=0.1)", "Adagrad(p, lr=0.1)", "RMSprop(p, momentum=0.5)")
def a_state_restored(torch, text):
    """An optimizer goes on from a saved state as if it had not stopped."""
    def make(p):
        return eval(f"optim.{text}", {"optim": torch.optim, "p": p})
    _, params, optimizer = _run(torch, make, steps=5)
    file = io.BytesIO()
    torch.save(optimizer.state_dict(), file)
    file.seek(0)
    (params_, loss_of) = _problem(torch)
    with torch.no_grad():
        for p, q in zip(params_, params):
            p.copy_(q)
    other = make(params_)
    other.load_state_dict(torch.load(file))
    for _ in range(3):
        other.zero_grad()
        loss_of().backward()
        other.step()
    return [[p.detach() for p in params_], list(other.state_dict()["state"])]


def groups_of_parameters(torch):
    """Groups with options of their own, one of them added later; a parameter without a gradient is left alone."""
    params, loss_of = _problem(torch)
    unused = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([{"params": params[0], "lr": 0.1, "name": "first"}, {"params": [unused]}], lr=0.01, momentum=0.5)
    optimizer.add_param_group({"params": iter(params[1:]), "weight_decay": 0.5})
    for _ in range(3):
        optimizer.zero_grad(set_to_none=False)
        loss_of().backward()
        optimizer.step()
    return [[p.detach() for p in params], unused.detach(), repr(optimizer), optimizer.state_dict()["param_groups"], optimizer.defaults["lr"]]


def parameters_with_names(torch):
    net = torch.nn.Linear(2, 1)
    return torch.optim.SGD(net.named_parameters(), lr=0.1).state_dict()["param_groups"][0]["param_names"]


def hooks_of_steps(torch):
    params, loss_of = _problem(torch)
    optimizer, log = torch.optim.SGD(params, lr=0.01), []
    optimizer.register_step_pre_hook(lambda o, a, k: log.append(["pre", len(a), len(k)]))
    handle = optimizer.register_step_post_hook(lambda o, a, k: log.append("post"))
    loss_of().backward()
    optimizer.step()
    handle.remove()
    optimizer.step()
    return log


def a_complex_parameter(torch):
    rows = []
    for make in (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), lambda p: torch.optim.Adam(p, lr=0.1),
                 lambda p: torch.optim.RMSprop(p, lr=0.1, centered=True), lambda p: torch.optim.Adagrad(p, lr=0.1)):
        z = torch.tensor([1 + 2j, -0.5j], dtype=torch.complex128, requires_grad=True)
        optimizer = make([z])
        for _ in range(5):
            optimizer.zero_grad()
            ((z - (2 - 1j)).abs() ** 2).sum().backward()
            optimizer.step()
        rows.append(z.detach())
    return rows


def sparse_gradients(torch):
    rows = []
    for name in ("SGD", "Adagrad"):
        table = torch.nn.Embedding(4, 2, sparse=True)
        with torch.no_grad():
            table.weight.copy_(torch.arange(8.0).reshape(4, 2))
        optimizer = getattr(torch.optim, name)(table.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (table(torch.tensor([1, 3, 1])) ** 2).sum().backward()
            optimizer.step()
        rows.append(table.weight.detach())
    return rows


def errors_of_optimizers(torch):
    optim, p = torch.optim, torch.ones(2, requires_grad=True)
    return [
        raises(lambda: optim.SGD([], lr=0.1), "optimizer got an empty parameter list"), raises(lambda: optim.SGD(p, lr=0.1), "should be an iterable"),
        raises(lambda: optim.SGD([p * 2], lr=0.1), "can't optimize a non-leaf Tensor"), raises(lambda: optim.SGD([p], lr=-1.0), "Invalid learning rate"),
        raises(lambda: optim.SGD([p], lr=0.1, nesterov=True), "Nesterov momentum requires a momentum and zero dampening"),
        raises(lambda: optim.Adam([p], betas=(1.0, 0.9)), "Invalid beta parameter at index 0"),
        raises(lambda: optim.SGD([{"params": [p]}, {"params": [p]}], lr=0.1), "some parameters appear in more than one parameter group"),
        raises(lambda: optim.LBFGS([{"params": [p]}, {"params": [torch.ones(1)]}]), "LBFGS doesn't support per-parameter options"),
        raises(lambda: optim.lr_scheduler.StepLR("no", 3), "is not an Optimizer"),
        raises(lambda: optim.SGD([p], lr=0.1).load_state_dict({"state": {}, "param_groups": []}), "different number of parameter groups"),
    ]


def an_order_that_is_warned_of(torch):
    p = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([p], lr=1.0)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    return warns(lambda: [scheduler.step(), optimizer.param_groups[0]["lr"]][1], "before `optimizer.step()`")


def states_of_schedules(torch):
    p = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([p], lr=1.0)
    first = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    for _ in range(3):
        optimizer.step()
        first.step()
    saved = copy.deepcopy(first.state_dict())
    other = torch.optim.lr_scheduler.StepLR(torch.optim.SGD([p], lr=1.0), 7)
    other.load_state_dict(saved)
    return [saved["last_epoch"], saved["step_size"], other.gamma, other.last_epoch, other.get_last_lr()]


@each("StepLR(o, 2, last_epoch=4)", "MultiStepLR(o, [5], last_epoch=4)", "ExponentialLR(o, 0.5, last_epoch=4)", "LinearLR(o, last_epoch=2)",
      "PolynomialLR(o, last_epoch=2)", "CosineAnnealingLR(o, 5, last_epoch=4)", "ConstantLR(o, 0.5, 5, last_epoch=4)")
def a_schedule_resumed(torch, text):
    """A schedule that begins at a later epoch, with the rates of the optimizer as they are."""
    p, schedules = torch.ones(1, requires_grad=True), torch.optim.lr_scheduler
    o = torch.optim.SGD([{"params": [p], "initial_lr": 0.1}], lr=0.02)
    schedule = eval(f"s.{text}", {"s": schedules, "o": o})
    rates = [schedule.get_last_lr()]
    for _ in range(4):
        o.step()
        schedule.step()
        rates.append(schedule.get_last_lr())
    return rates


@each("SGD([p], weight_decay=-1)", "Adagrad([p], lr_decay=-1)", "Adagrad([p], initial_accumulator_value=-1)", "Adam([p], eps=-1.0)",
      "RMSprop([p], alpha=-1)", "SGD([p], momentum=-1)", "Adam([p], betas=(0.9, 1.0))", "LBFGS([p], lr=-1)")
def options_out_of_range(torch, text):
    try:
        eval(f"o.{text}", {"o": torch.optim, "p": torch.ones(2, requires_grad=True)})
    except ValueError as error:
        return str(error)


def a_state_before_the_first_step(torch):
    """Adagrad has one from the beginning, the others have none."""
    p = torch.ones(2, requires_grad=True)
    adagrad = torch.optim.Adagrad([p], initial_accumulator_value=0.3)
    return [sorted(adagrad.state_dict()["state"][0]), adagrad.state[p]["sum"], torch.optim.Adam([p]).state_dict()["state"]]


def a_closure_is_recorded(torch):
    """step returns the loss of its closure, which is recorded though the step is not."""
    params, loss_of = _problem(torch)
    optimizer = torch.optim.SGD(params, lr=0.01)

    def closure():
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        return loss
    with torch.no_grad():
        loss = optimizer.step(closure)
    return [loss.requires_grad, float(loss), params[0].detach()]


@ours
def plain_structures(torch):
    """The same optimizers take NumPy arrays and floats, and gradients of the same structure."""
    rows = {}
    for name, options in (("SGD", {"lr": 0.1, "momentum": 0.9}), ("Adam", {"lr": 0.1}), ("AdamW", {"lr": 0.1}), ("RMSprop", {}), ("Adagrad", {})):
        array = np.array([1.0, -2.0])
        params = {"w": array, "b": 0.5, "more": [np.ones((2, 2))]}
        tensors = [torch.tensor(x) for x in (0.5, np.ones((2, 2)), array)]      # in the order of the structure's leaves
        optimizer, beside = getattr(torch.optim, name)(params, **options), getattr(torch.optim, name)(tensors, **options)
        for step in range(20):
            g = np.cos(step + np.arange(2.0))
            grads = {"w": g, "b": float(g[0]), "more": [np.full((2, 2), g[1])]}
            params = optimizer.step(grads)
            for t, grad in zip(tensors, (g[0], np.full((2, 2), g[1]), g)):
                t.grad = torch.tensor(grad).to(t.dtype)
            beside.step()
        rows[name] = params["w"] is array and isinstance(params["b"], float) and all(
            np.allclose(a, b.numpy()) for a, b in zip((params["b"], params["more"][0], params["w"]), tensors))
    return rows
