"""The pytest plug-in, in a project of its own."""
import os
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad as check

ROOT = pathlib.Path(__file__).parents[2]


def run(tmp_path, source, *options):
    (tmp_path / "test_project.py").write_text("import numpy as np\nimport pytest\nimport transgrad as tg\n\n" + textwrap.dedent(source))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TRANSGRAD_CACHE": "off", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "TRANSGRAD_STRICT": "0"}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "_transgrad_pytest", "-p", "no:cacheprovider", *options],
                          capture_output=True, text=True, cwd=tmp_path, env=env)
    return done.stdout


def test_the_fixture(tmp_path):
    out = run(tmp_path, """
        def loss(p, x):
            return np.sum((p["w"] * x + p["b"]) ** 2)

        def test_right(check_grad):
            check_grad(loss, ({"w": np.ones(3), "b": 0.5}, np.arange(3.0)), order=2)

        @tg.custom_vjp
        def bent(x):
            return x * x
        bent.defvjp(lambda x: (x * x, x), lambda x, g: (3.0 * x * g,))

        def test_wrong(check_grad):
            check_grad(lambda p: np.sum(bent(p["a"]) + p["b"]), {"a": np.ones(2), "b": np.ones(2)})

        def test_nothing(check_grad):
            check_grad(lambda n: n * 2, (3,))
    """)
    assert "1 passed" in out and "2 failed" in out, out
    assert "DerivativeError" in out and "p['a']" in out and "NothingCompared" in out and "ValueError" not in out.split("NothingCompared")[0][-1:]


def test_the_marker_and_the_option(tmp_path):
    source = """
        @tg.custom_vjp
        def bent(x):
            return x * x
        bent.defvjp(lambda x: (x * x, x), lambda x, g: (3.0 * x * g,))

        @pytest.mark.check_derivatives
        def test_marked():
            tg.grad(lambda x: bent(x) + 1.0)(2.0)

        def test_plain():
            tg.grad(lambda x: bent(x) + 2.0)(2.0)
    """
    out = run(tmp_path, source, "--strict-markers")
    assert "1 failed, 1 passed" in out and "DerivativeWarning" in out, out
    assert "2 failed" in run(tmp_path, source, "--check-derivatives")


def test_the_plugin_does_not_import_transgrad():
    code = "import sys, _transgrad_pytest; assert 'transgrad' not in sys.modules and 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})


@pytest.mark.parametrize("f, args", [
    (lambda x: np.sum(np.sin(x) ** 3), (np.linspace(0.1, 1.0, 3),)),
    (lambda x: {"a": x[0] * x[1], "b": [np.cumsum(x ** 3), 2.0]}, (np.linspace(0.1, 1.0, 3),)),
    (lambda p: p["w"] ** 3 * p["b"][0], ({"w": 1.5, "b": (0.5, 2.0)},)),
    (lambda z: np.abs(z) ** 3, (1.0 + 2.0j,)),
], ids=["array", "structure", "argument", "complex"])
def test_second_derivatives_of_any_structure(f, args):
    check(f, args, order=1 if isinstance(args[0], complex) else 2)


def test_a_wrong_second_derivative():
    @tg.custom_vjp
    def square(x):
        return x * x
    square.defvjp(lambda x: (x * x, x), lambda x, g: (2.0 * tg.stop_gradient(x) * g,))

    check(lambda x: square(x), (1.5,))
    with pytest.raises(tg.DerivativeError):
        check(lambda x: square(x), (1.5,), order=2)


def test_bad_order():
    with pytest.raises(ValueError, match="order is 1 or 2"):
        check(lambda x: x * x, (1.5,), order=3)
