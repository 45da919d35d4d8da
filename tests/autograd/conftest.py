"""The tests run on transgrad, and the same lines on PyTorch where it is installed: it is the reference for each of them."""
import pytest


@pytest.fixture(params=["transgrad", "torch"])
def torch(request):
    if request.param == "torch":
        found = pytest.importorskip("torch")
        if not found.__version__.startswith("2.13."):
            pytest.skip(f"PyTorch 2.13 is the reference, this is {found.__version__}")
        return found
    import transgrad
    return transgrad
