import pytest

pytest.importorskip("numba")


@pytest.fixture(scope="session")
def cache_of_the_run(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module", autouse=True)
def cache_directory(cache_of_the_run):
    """A cache of this run's own, so that what is measured and compiled is what the sources say now; other tests have none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRANSGRAD_CACHE", str(cache_of_the_run))
        yield
