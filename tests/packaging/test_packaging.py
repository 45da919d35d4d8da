"""The wheel and the source distribution: what is in them, that they are reproducible, and the version from one place."""
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile

import pytest

import transgrad

ROOT = pathlib.Path(__file__).parents[2]
pytest.importorskip("hatchling")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folders = [tmp_path_factory.mktemp(f"dist{k}") for k in range(2)]
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    for folder in folders:
        subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, env=env, check=True, capture_output=True)
    return folders


def test_builds_are_reproducible(built):
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in built)
    assert first.keys() == second.keys() == {f"transgrad-{transgrad.__version__}-py3-none-any.whl", f"transgrad-{transgrad.__version__}.tar.gz"}
    assert first == second


def test_the_wheel_has_the_package_and_nothing_else(built):
    wheel, = built[0].glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        metadata = file.read(f"transgrad-{transgrad.__version__}.dist-info/METADATA").decode()
        entries = file.read(f"transgrad-{transgrad.__version__}.dist-info/entry_points.txt").decode()
    own = {path.relative_to(ROOT).as_posix() for path in (ROOT / "transgrad").rglob("*")
           if path.is_file() and "__pycache__" not in path.parts and path.suffix in (".py", ".pyi", ".typed", ".css", ".js", ".md", ".json", ".txt")}
    packaged = {name for name in names if ".dist-info/" not in name}
    assert packaged == own | {"_transgrad_pytest.py"}
    assert {"transgrad/py.typed", "transgrad/api.pyi", "transgrad/view/view.css", "transgrad/view/view.js"} <= packaged
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert f"Version: {transgrad.__version__}\n" in metadata and "Requires-Python: <3.14,>=3.11" in metadata
    assert "transgrad = transgrad.cli:main" in entries and "transgrad = _transgrad_pytest" in entries


def test_the_source_distribution_builds_and_tests_itself(built):
    archive, = built[0].glob("*.tar.gz")
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Makefile", "_transgrad_pytest.py", "transgrad/__init__.py",
            "tests/conftest.py", "docs/conf.py", "packaging/RELEASING.md"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith(("out/", "docs/_build/", ".venv"))]


def test_the_version_is_in_one_place():
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", transgrad.__version__)
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text()
    done = subprocess.run([sys.executable, "-m", "transgrad", "--version"], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == f"transgrad {transgrad.__version__}\n"


def test_imports_are_light():
    heavy = ("rich", "IPython", "pytest", "scipy", "numba", "pygments", "transgrad.view", "transgrad.notebook", "transgrad.cli", "transgrad.autograd")
    code = f"import sys, transgrad; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "[]\n"


def test_the_stub_is_up_to_date():
    code = "import sys; sys.path.insert(0, 'packaging'); import stubs; print(stubs.text() == stubs.PATH.read_text())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "True\n", "run python packaging/stubs.py"


def test_the_conda_recipe_has_the_dependencies_of_the_package():
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    run = recipe.partition("  run:\n")[2].partition("  run_constrained:")[0]
    found = {line.strip("- ").replace(" ", "") for line in run.splitlines() if line.strip()}
    python = ",".join(sorted(project["requires-python"].split(","), reverse=True))
    assert found == {*project["dependencies"], f"python{python}"}
    optional = {d for extra in ("numba", "examples") for d in project["optional-dependencies"][extra]}
    constrained = recipe.partition("  run_constrained:\n")[2].partition("\n\n")[0]
    assert {line.strip("- ").replace(" ", "") for line in constrained.splitlines()} <= optional
    path, pattern = re.search(r"load_file=\"(.*?)\", regex_pattern='(.*?)'", recipe).groups()
    assert re.search(pattern, (ROOT / path).read_text())["value"] == transgrad.__version__
    entry, = project["scripts"].items()
    assert f"- {' = '.join(entry)}" in recipe


def test_the_lowest_versions_are_those_of_the_metadata():
    """What the package and its extras ask for at least is what is tested as the lowest."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    tools = {"test", "test-all", "docs", "lint", "bench", "survey", "dev"}
    asked = [*project["dependencies"], *(r for name, group in project["optional-dependencies"].items() if name not in tools for r in group)]
    pattern = re.compile(r"(?P<name>[\w-]+)(\[.*?\])?>=(?P<version>[\d.]+)")
    lowest = {found["name"]: found["version"] for found in map(pattern.match, asked) if found}
    assert len(lowest) > 15
    pins = dict(line.split("==") for line in (ROOT / "packaging/lowest.txt").read_text().splitlines() if not line.startswith("#"))
    assert pins.keys() == lowest.keys() | {"jaxlib"}
    for name, version in lowest.items():
        assert (version + ".0.0").startswith(pins[name].rstrip("*")), name
