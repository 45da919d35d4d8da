"""mypy --strict and pyright agree on the types of transformations, and find mistakes."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parents[1]
MARKED = {k for k, line in enumerate((FOLDER / "mistakes.py").read_text().splitlines(), 1) if line.endswith("# error")}


def _mypy(file, tmp_path):
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--show-error-codes", "--cache-dir", str(tmp_path / "cache"),
               "--config-file", "", "--follow-imports", "silent", "--python-version", "3.11", str(file)]
    env = {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env, timeout=600)
    return [line for line in done.stdout.splitlines() if ": error:" in line]


def _pyright(file, tmp_path):
    config = tmp_path / "pyrightconfig.json"
    shutil.copy(file, tmp_path)
    config.write_text(json.dumps({"include": [file.name], "extraPaths": [str(ROOT)], "pythonVersion": "3.11", "typeCheckingMode": "standard"}))
    done = subprocess.run([PYRIGHT, "--outputjson", "--pythonpath", sys.executable, "-p", str(config)], capture_output=True, text=True,
                          timeout=600)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return [f"{d['file']}:{d['range']['start']['line'] + 1}: error: {d['message']}" for d in found if d["severity"] == "error"]


def _installed_pyright():
    """Return the command, which the package of this name installs beside the interpreter; None if there is none or it does not run."""
    command = os.environ.get("PYRIGHT") or shutil.which("pyright") or shutil.which("pyright", path=str(pathlib.Path(sys.executable).parent))
    try:
        done = command and subprocess.run([command, "--version"], capture_output=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return command if done and done.returncode == 0 else None


PYRIGHT = _installed_pyright()
CHECKERS = [pytest.param(_mypy, id="mypy"),
            pytest.param(_pyright, id="pyright", marks=pytest.mark.skipif(PYRIGHT is None, reason="pyright is not installed, or does not run"))]


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_types(checker, tmp_path):
    assert checker(FOLDER / "programs.py", tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_mistakes_are_found(checker, tmp_path):
    lines = {int(line.split(":")[1]) for line in checker(FOLDER / "mistakes.py", tmp_path)}
    assert lines == MARKED
