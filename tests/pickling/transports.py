"""Ways from one process to another, as functions from pairs (callable, arguments) to the results of the calls there."""
from __future__ import annotations

import concurrent.futures
import copy
import multiprocessing
import pickle
import warnings
from collections.abc import Callable, Sequence
from typing import Any

Job = tuple[Callable[..., Any], tuple[Any, ...]]


def run(job: Job) -> Any:
    """Call it, and return the exception if it raises one."""
    f, args = job
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f(*args)
        except Exception as error:
            return error


def by_pickle(jobs: Sequence[Job]) -> list[Any]:
    return [run(pickle.loads(pickle.dumps(job))) for job in jobs]


def by_copy(jobs: Sequence[Job]) -> list[Any]:
    return [run(copy.deepcopy(job)) for job in jobs]


def _unpacked(data: bytes) -> Any:
    return run(pickle.loads(data))


def by_cloudpickle(jobs: Sequence[Job]) -> list[Any]:
    import cloudpickle
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.map(_unpacked, [cloudpickle.dumps(job) for job in jobs])


def by_pool(method: str) -> Callable[[Sequence[Job]], list[Any]]:
    def transport(jobs: Sequence[Job]) -> list[Any]:
        with multiprocessing.get_context(method).Pool(1) as pool:
            return pool.map(run, jobs)
    return transport


def by_joblib(jobs: Sequence[Job]) -> list[Any]:
    import joblib
    return list(joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(run)(job) for job in jobs))


def by_futures(jobs: Sequence[Job]) -> list[Any]:
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(run, jobs))


TRANSPORTS: dict[str, Callable[[Sequence[Job]], list[Any]]] = {
    "pickle": by_pickle, "copy": by_copy, "cloudpickle": by_cloudpickle, "fork": by_pool("fork"), "spawn": by_pool("spawn"),
    "forkserver": by_pool("forkserver"), "joblib": by_joblib, "futures": by_futures,
}
