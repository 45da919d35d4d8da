"""Sums over data on worker processes, one of which is killed."""
from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import transgrad as tg

from . import losses
from .test_one_machine import PARAMS, close

distributed = pytest.importorskip("distributed")
pytest.importorskip("cloudpickle")
from dask import delayed

ROWS, COUNT = 200, 24


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, distributed.Client(cluster) as client:
        yield client


def data(wait=0.0):
    return ([delayed(losses.features)(k, ROWS, 3, wait) for k in range(COUNT)], [delayed(losses.labels)(k, ROWS, 3) for k in range(COUNT)])


def everything():
    parts = [losses.chunk(k, ROWS, 3) for k in range(COUNT)]
    return np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts])


def test_a_gradient_is_compiled_once_by_each_worker(client):
    f = tg.distributed.value_and_grad(losses.logistic, over=("x", "y"))
    before = client.run(losses.compilations, None)
    for step in range(3):
        params = {"w": PARAMS["w"] * step, "b": PARAMS["b"]}
        close(f(params, *data()), tg.value_and_grad(losses.logistic)(params, *everything()))
    after = client.run(losses.compilations, None)
    assert all(after[name][1] - before[name][1] <= 1 for name in after)


def test_functions_of_this_script_and_products(client):
    shift = 0.5
    local = lambda params, x, y: losses.logistic({"w": params["w"] + shift, "b": params["b"]}, x, y)
    x, y = everything()
    close(tg.distributed.grad(local, over=("x", "y"), client=client, fallback="error")(PARAMS, *data()), tg.grad(local)(PARAMS, x, y))
    v = {"w": np.ones(3), "b": 1.0}
    close(tg.distributed.hvp(losses.logistic, over=("x", "y"))(PARAMS, *data(), tangents=v),
          tg.hvp(lambda p: losses.logistic(p, x, y), (PARAMS,), (v,))[0])


def test_ensembles_and_starts(client):
    x = np.random.default_rng(0).standard_normal((30, 3))
    close(tg.distributed.vmap(tg.grad(losses.energy), in_axes=(0, None), client=client)(x, 2.0),
          tg.vmap(tg.grad(losses.energy), in_axes=(0, None))(x, 2.0))
    starts = [{"x": s, "y": np.ones(2)} for s in (-2.0, 2.0)]
    found = tg.distributed.minimize_from(starts, losses.wells, client=client)
    assert found[0].params["x"] < 0 < found[1].params["x"]


def test_the_graph_can_be_a_future(client):
    future = client.compute(tg.distributed.grad(losses.logistic, over=("x", "y")).delayed(PARAMS, *data()))
    close(future.result(), tg.grad(losses.logistic)(PARAMS, *everything()))
    assert future.key.startswith("add_grad_logistic-")


def test_chunks_that_are_futures(client):
    """Data that the workers hold already."""
    x, y = everything()
    held = [client.scatter(np.array_split(part, 5)) for part in (x, y)]
    f = tg.distributed.value_and_grad(losses.logistic, over=("x", "y"))
    close(f(PARAMS, *held), tg.value_and_grad(losses.logistic)(PARAMS, x, y))


def test_a_killed_worker_loses_nothing(client):
    """Its tasks run again, and the order of summation does not depend on who computes what: the results are the same bits."""
    f = tg.distributed.value_and_grad(losses.logistic, over=("x", "y"))
    expected = f(PARAMS, *data())
    killed = []

    def kill():
        time.sleep(0.6)
        process = next(iter(client.run(os.getpid).values()))
        os.kill(process, signal.SIGKILL)
        killed.append(process)
    thread = threading.Thread(target=kill)
    thread.start()
    value, gradient = f(PARAMS, *data(wait=0.1))
    thread.join()
    assert killed
    assert value == expected[0] and np.array_equal(gradient["w"], expected[1]["w"]) and gradient["b"] == expected[1]["b"]


def test_the_example(client, capsys):
    pytest.importorskip("scipy")
    from examples import larger_than_memory as example
    found = example.fit(client, 12000, 2500)
    xs = [example.features(k, n) for k, n in enumerate((2500, 2500, 2500, 2500, 2000))]
    x, y = np.concatenate(xs), np.concatenate([example.labels(k, part) for k, part in enumerate(xs)])
    theta = np.array(found["theta"])
    gradient = tg.grad(example.loss)({"weights": theta[:-1], "intercept": theta[-1]}, x, y)
    assert np.max(np.abs(gradient["weights"] / len(x) + 1e-3 * theta[:-1])) < 1e-4 and abs(gradient["intercept"]) / len(x) < 1e-4
    assert found["evaluations"] < 30 and found["killed"] is None
    results = {"rows": 12000, "chunk": 2500, "workers": 2, "memory_limit": "1GB", "gigabytes": 0.0, "undisturbed": found}
    assert "12000" not in example.report(results) and "largest error of a weight" in example.report(results)
