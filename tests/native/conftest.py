import pytest

pytest.importorskip("numba")


@pytest.fixture(scope="session", autouse=True)
def cache_directory(tmp_path_factory):
    """A cache of this run's own, so that what is measured and compiled is what the sources say now."""
    patch = pytest.MonkeyPatch()
    patch.setenv("TRANSGRAD_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()
