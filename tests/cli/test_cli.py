"""The command line: what it prints and the exit codes scripts go by."""
from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

from transgrad.cli import main
from transgrad.cli.target import TargetError, load

MODEL = '''
import numpy as np
import transgrad as tg

SCALE = 2.0


def rates(z, p):
    return p * z


def misfit(p, z):
    """The misfit."""
    return np.sum(rates(z, p) ** 2) * SCALE


def power(x: float, n: float = 2.0):
    return x ** n


def wrong(x):
    return eval("x")


def fails(x):
    raise ValueError("no luck")


class Model:
    @staticmethod
    def loss(x):
        return x * x


@tg.grad
def ready(x):
    return x ** 3





def bent(x):
    return x * x


@tg.rule(bent)
def _(g, y, x):
    return 3.0 * x * g


def uses_bent(x):
    return bent(x) + 1.0
'''


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model_of_cli.py"
    path.write_text(MODEL)
    yield str(path)
    sys.modules.pop("model_of_cli", None)


def run(capsys, *argv):
    code = main(list(argv))
    out, err = capsys.readouterr()
    return code, out, err


def test_show(model, capsys):
    code, out, err = run(capsys, "show", f"{model}:misfit", "--args", "np.ones(2), np.ones(2)")
    assert (code, err) == (0, "") and out.startswith("def ") and "def grad_misfit(p, z):" in out and "\x1b" not in out
    code, out, _ = run(capsys, "show", f"{model}:misfit", "--wrt", "p,z", "--value", "--args", "np.ones(2), np.ones(2)")
    assert code == 0 and "Value and gradient of misfit with respect to p, z." in out


def test_show_without_arguments_takes_annotations_and_defaults(model, capsys):
    code, out, _ = run(capsys, "show", f"{model}:power")
    assert code == 0 and "def grad_power(x, n=2.0)" in out


def test_show_forward(model, capsys):
    code, out, _ = run(capsys, "show", f"{model}:power", "--mode", "forward", "--args", "2.0, 3.0")
    assert code == 0 and "x_dot" in out


def test_show_methods_and_derivatives(model, capsys):
    assert run(capsys, "show", f"{model}:Model.loss", "--args", "2.0")[0] == 0
    code, out, _ = run(capsys, "show", f"{model}:ready", "--args", "2.0")
    assert code == 0 and "def grad_ready(x)" in out


def test_show_of_a_module(capsys):
    code, out, _ = run(capsys, "show", "examples.lotka_volterra:misfit", "--args", "np.zeros(6), np.ones((3, 2)), 2")
    assert code == 0 and "def grad_misfit(theta, observed, substeps)" in out


def test_export(model, capsys, tmp_path):
    target = tmp_path / "out.py"
    code, out, _ = run(capsys, "export", f"{model}:misfit", "-o", str(target), "--args", "np.ones(2), np.ones(2)")
    assert code == 0 and out.strip() == str(target)
    space: dict[str, object] = {}
    exec(target.read_text(), space)
    import numpy as np
    np.testing.assert_allclose(space["grad_misfit"](np.ones(2), np.ones(2)), [4.0, 4.0])


def test_explain(model, capsys):
    code, out, _ = run(capsys, "explain", f"{model}:misfit", "--args", "np.ones(2), np.ones(2)")
    assert code == 0 and "rates" in out and "saved" in out


def test_check(model, capsys):
    code, out, err = run(capsys, "check", f"{model}:misfit", "--args", "np.ones(2), np.arange(2.0)")
    assert (code, err) == (0, "") and out.count(" ok") == 3 and "reverse  p" in out and "forward" in out
    assert run(capsys, "check", f"{model}:power", "--wrt", "x")[0] == 0


def test_check_that_fails(model, capsys):
    code, out, err = run(capsys, "check", f"{model}:uses_bent", "--args", "2.0")
    assert code == 1 and "WRONG" in out and "differs from central differences" in err


@pytest.mark.parametrize("argv, code, message", [
    (["show", "nowhere.py:f"], 2, "there is no file nowhere.py"),
    (["show", "nofunction"], 2, "is not a target"),
    (["show", "no_such_module:f"], 2, "cannot be imported"),
    (["show", "{model}:mis"], 2, "has no 'mis'; is it 'misfit'?"),
    (["show", "{model}:SCALE"], 2, "is float, not a function"),
    (["show", "{model}:misfit", "--wrt", "q"], 2, "has no argument 'q'"),
    (["show", "{model}:misfit", "--args", "oops"], 2, "--args 'oops' cannot be evaluated: NameError"),
    (["show", "{model}:misfit", "--args", "1.0"], 2, "missing a required argument"),
    (["show", "{model}:power", "--args", "2"], 2, "argument x of power is to be differentiated, but is int"),
    (["check", "{model}:misfit"], 2, "there is no value for p, z. Hint: pass the arguments with --args"),
    (["show", "{model}:wrong", "--args", "1.0"], 3, "eval"),
])
def test_errors(model, capsys, argv, code, message):
    found, out, err = run(capsys, *(a.format(model=model) for a in argv))
    assert found == code and message in err and out == "" and "Traceback" not in err


def test_a_refusal_for_want_of_types_names_the_arguments(model, capsys):
    target = f"{model}:wrong"
    code = main(["show", target])
    assert code == 3 and "The types of x are not known. Hint: pass arguments, for example --args" in capsys.readouterr().err
    code = main(["show", target, "--args", "1.0"])
    assert code == 3 and "Nothing is known" not in capsys.readouterr().err


def test_usage():
    with pytest.raises(SystemExit) as caught:
        main(["show"])
    assert caught.value.code == 2


def test_broken_module(tmp_path):
    path = tmp_path / "broken_module.py"
    path.write_text("1 / 0\n")
    with pytest.raises(TargetError, match="ZeroDivisionError"):
        load(f"{path}:f")


def test_module_is_a_command(model):
    done = subprocess.run([sys.executable, "-m", "transgrad", "show", f"{model}:power"], capture_output=True, text=True,
                          cwd=pathlib.Path(__file__).resolve().parents[2])
    assert done.returncode == 0 and "def grad_power" in done.stdout and done.stderr == ""


def test_colours_in_a_terminal(model, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert main(["show", f"{model}:power"]) == 0
    assert "\x1b[" in capsys.readouterr().out


def test_version(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    import transgrad
    assert caught.value.code == 0 and capsys.readouterr().out == f"transgrad {transgrad.__version__}\n"


@pytest.mark.parametrize("name, found", [
    ("jacobian", "def jacobian_power("), ("hessian", "def hessian_power("), ("value_and_grad", "def value_and_grad_power("),
    ("jvp", "x_dot"), ("compile", "def compiled_power("),
])
def test_transformations(model, capsys, name, found):
    code, out, err = run(capsys, "show", f"{model}:power", "--transform", name, "--args", "2.0, 3.0")
    assert (code, err) == (0, "") and found in out
    code, out, _ = run(capsys, "check", f"{model}:power", "--wrt", "x", "--args", "2.0, 3.0", "--transform", name)
    assert code == 0 and ("jacobian a direction" in out) == (name == "jacobian")


def test_vmap_and_back_ends(model, capsys):
    code, out, _ = run(capsys, "show", f"{model}:power", "--transform", "vmap", "--args", "np.ones(3), np.ones(3)")
    assert code == 0 and "def vmap_power(" in out
    code, out, _ = run(capsys, "show", f"{model}:power", "--optimize", "scalars=off,lists=off")
    assert code == 0 and "def grad_power" in out
    assert run(capsys, "show", f"{model}:power", "--optimize", "nothing=off")[0] == 2
    assert run(capsys, "show", f"{model}:power", "--optimize", "scalars")[0] == 2
    code, out, _ = run(capsys, "show", f"{model}:wrong", "--fallback", "tape", "--args", "1.0")
    assert code == 0 and "on the tape" in out


def test_axes_of_vmap(model, capsys):
    target = [f"{model}:rates", "--transform", "vmap", "--args", "np.arange(6.0).reshape(2, 3), np.ones(2)"]
    code, out, _ = run(capsys, "export", *target, "--in-axes", "1, None", "--out-axes", "1", "-o", "-")
    space: dict[str, object] = {}
    exec(out, space)
    import numpy as np
    found = space["vmap_rates"](np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0]))
    np.testing.assert_allclose(found, [[0.0, 1.0, 2.0], [6.0, 8.0, 10.0]])
    assert code == 0 and run(capsys, "check", *target, "--in-axes", "1,None", "--out-axes", "1")[0] == 0
    code, out, err = run(capsys, "show", *target, "--in-axes", "0,x")
    assert code == 2 and out == "" and "--in-axes '0,x': expected an axis" in err


def test_check_of_jacobians(model, capsys):
    target = f"{model}:rates"
    for transform in ("jacobian", "jacfwd", "jacrev"):      # two arguments, in another order than the alphabet's
        code, out, _ = run(capsys, "check", target, "--transform", transform, "--wrt", "z,p", "--args", "np.ones(2), np.arange(2.0)")
        assert code == 0 and "jacobian a direction  relative error" in out
    code, out, err = run(capsys, "check", f"{model}:uses_bent", "--transform", "jacobian", "--args", "2.0")
    assert code == 1 and out.count("WRONG") == 3 and "jacobian mode, a direction" in err
    assert run(capsys, "check", target, "--transform", "hessian", "--args", "np.ones(2), np.arange(2.0)")[0] == 0


def test_json(model, capsys):
    import json
    target = f"{model}:misfit"
    found = json.loads(run(capsys, "show", target, "--json", "--args", "np.ones(2), np.ones(2)")[1])
    assert found["name"] == "grad_misfit" and found["types"] == {"p": "float64[n]", "z": "float64[n]"} and found["source_map"]
    found, = json.loads(run(capsys, "explain", target, "--json", "--args", "np.ones(2), np.ones(2)")[1])
    assert found["derivative"].startswith("grad_misfit") and "saved" in found
    found = json.loads(run(capsys, "check", target, "--json", "--args", "np.ones(2), np.arange(2.0)")[1])
    assert found["compared"] and all(row["verdict"] == "ok" for row in found["rows"])
    found = json.loads(run(capsys, "doctor", "--json")[1])
    assert found["backends"]["numpy"] == "works" and found["python"].startswith("3.")


def test_output(model, capsys, tmp_path):
    target = [f"{model}:misfit", "--args", "np.ones(2), np.ones(2)", "-o"]
    code, out, _ = run(capsys, "export", *target, "-")
    assert code == 0 and "def grad_misfit" in out
    code, out, err = run(capsys, "export", *target, str(tmp_path / "missing" / "out.py"))
    assert code == 2 and out == "" and "cannot be written: No such file or directory" in err
    code, out, _ = run(capsys, "view", *target, str(tmp_path / "page.html"))
    assert code == 0 and "<!DOCTYPE html>" in (tmp_path / "page.html").read_text()
    code, out, _ = run(capsys, "view", f"{model}:power", "--args", "2.0", "--profile", "-o", "-")
    assert code == 0 and out.startswith("<!DOCTYPE html>") and 'class="cost"' in out


def test_methods_of_instances_with_default_arguments(tmp_path, capsys):
    file = tmp_path / "oscillator.py"
    file.write_text("class Oscillator:\n    def __init__(self, k=2.0):\n        self.k = k\n\n"
                    "    def energy(self, x: float = 1.0):\n        return 0.5 * self.k * x * x\n")
    code, out, err = run(capsys, "show", f"{file}:Oscillator.energy")
    assert (code, err) == (0, "") and "x_bar" in out
    assert run(capsys, "check", f"{file}:Oscillator.energy", "--args", "1.5")[0] == 0
    code, out, _ = run(capsys, "check", f"{file}:Oscillator.energy", "--args", "Oscillator(3.0), 1.5")
    assert code == 0 and "reverse  x" in out and "self" not in out
    file.write_text(file.read_text().replace("k=2.0", "k"))
    sys.modules.pop("oscillator")
    code, out, err = run(capsys, "show", f"{file}:Oscillator.energy")
    assert code == 2 and out == "" and "Hint: pass the instance as the first argument: --args 'Oscillator(…), …'" in err
    assert run(capsys, "show", f"{file}:Oscillator.energy", "--args", "Oscillator(3.0), 1.5")[0] == 0


def test_doctor(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("TRANSGRAD_CACHE", str(tmp_path / "cache"))
    out = run(capsys, "doctor")[1]
    assert "back end   numpy: works" in out and str(tmp_path / "cache") in out
    monkeypatch.chdir(tmp_path)
    (tmp_path / "numpy.py").write_text("")
    code, out, _ = run(capsys, "doctor")
    assert code == 1 and "numpy is in several places" in out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell, capsys, tmp_path):
    code, out, _ = run(capsys, "completion", shell)
    assert code == 0 and "--transform" in out.replace("-l transform", "--transform") and "hessian" in out
    if shell == "bash":
        import shutil
        if shutil.which("bash"):
            script = out + '\nCOMP_WORDS=(transgrad sh); COMP_CWORD=1; _transgrad; echo "${COMPREPLY[@]}"\n' \
                'COMP_WORDS=(transgrad show --transform hes); COMP_CWORD=3; _transgrad; echo "${COMPREPLY[@]}"\n'
            done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
            assert done.stdout.split() == ["show", "hessian"]
