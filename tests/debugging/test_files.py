"""Generated code is a file: pdb, line_profiler, coverage, inspect and tracebacks find it."""
import inspect
import linecache
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
import traceback

import numpy as np
import pytest

import transgrad as tg

ROOT = pathlib.Path(__file__).parents[2]


def heat(u0, c, steps):
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


@pytest.fixture
def gradient():
    g = tg.grad(heat, argnums=(0, 1))
    g(np.linspace(0.0, 1.0, 9), 0.2, 3)
    return g


def run(script, tmp_path, **env):
    """What a script prints that differentiates `heat`, in another process with a cache of its own."""
    file = tmp_path / "script.py"
    file.write_text("import numpy as np\nimport transgrad as tg\n\n" + inspect.getsource(heat) + textwrap.dedent(script))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TRANSGRAD_CACHE": str(tmp_path / "cache"), "COLUMNS": "200", **env}
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=env, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_file_has_the_source_and_the_name(gradient):
    path = pathlib.Path(gradient.file)
    assert path.name.startswith("grad_heat_") and path.suffix == ".py" and path.read_text() == gradient.source
    assert inspect.getsource(gradient) == gradient.source


def test_source_is_found_without_the_file(gradient):
    os.unlink(gradient.file)
    linecache.checkcache()
    assert inspect.getsource(gradient) == gradient.source


def test_the_same_file_in_every_process(tmp_path):
    script = """
        g = tg.grad(heat)
        g(np.linspace(0.0, 1.0, 9), 0.2, 3)
        print(g.file, len(g.source_map))
    """
    first, second = run(script, tmp_path), run(script, tmp_path)     # compiled, and read from the cache
    assert first == second and first.startswith(str(tmp_path / "cache"))


def test_a_deleted_file_is_written_again(tmp_path):
    script = """
        import pathlib
        g = tg.grad(heat)
        g(np.linspace(0.0, 1.0, 9), 0.2, 3)
        assert pathlib.Path(g.file).read_text() == g.source
        pathlib.Path(g.file).unlink()
    """
    run(script, tmp_path)
    run(script, tmp_path)


def test_a_cache_that_has_been_moved(tmp_path):
    script = """
        g = tg.grad(heat)
        g(np.linspace(0.0, 1.0, 9), 0.2, 3)
        print(g.file)
    """
    run(script, tmp_path)
    (tmp_path / "cache").rename(tmp_path / "other")
    found = run(script, tmp_path, TRANSGRAD_CACHE=str(tmp_path / "other"))
    assert found.startswith(str(tmp_path / "other"))


def test_without_a_cache_the_file_is_temporary(tmp_path):
    script = """
        import os
        g = tg.grad(heat)
        g(np.linspace(0.0, 1.0, 9), 0.2, 3)
        assert os.path.exists(g.file)
        print(g.file)
    """
    file = run(script, tmp_path, TRANSGRAD_CACHE="off").strip()
    assert not os.path.exists(file) and not os.path.exists(os.path.dirname(os.path.dirname(file)))


def test_breakpoint_by_file_and_line(tmp_path):
    script = """
        import io, pdb
        g = tg.grad(heat, argnums=(0, 1))
        x = np.linspace(0.0, 1.0, 9)
        g(x, 0.2, 3)
        line = next(k for k, text in enumerate(g.source.splitlines(), 1) if "c_bar +=" in text)
        out = io.StringIO()
        commands = io.StringIO(f"b {g.file}:{line}\\ncontinue\\np 'c_bar is', c_bar\\nw\\nl\\nq\\n")
        debugger = pdb.Pdb(stdin=commands, stdout=out, nosigint=True, readrc=False)
        debugger.use_rawinput = False
        try:
            debugger.runcall(g, x, 0.2, 3)
        except pdb.bdb.BdbQuit:
            pass
        print(out.getvalue())
    """
    shown = run(script, tmp_path)
    assert "Breakpoint 1 at" in shown and "('c_bar is', 0.0)" in shown and "B->" in shown and "c_bar += np.vdot" in shown


def test_line_profiler(gradient):
    line_profiler = pytest.importorskip("line_profiler")
    profiler = line_profiler.LineProfiler(gradient.__wrapped__)
    profiler.enable()
    gradient(np.linspace(0.0, 1.0, 9), 0.2, 3)
    profiler.disable()
    (file, _, name), timings = next(iter(profiler.get_stats().timings.items()))
    hits = {line: count for line, count, _ in timings}
    line = next(k for k, text in enumerate(gradient.source.splitlines(), 1) if "c_bar +=" in text)
    assert file == gradient.file and name.endswith("grad_heat") and hits[line] == 3


def test_coverage(tmp_path):
    pytest.importorskip("coverage")
    script = """
        import coverage
        g = tg.grad(heat)
        x = np.linspace(0.0, 1.0, 9)
        g.source_for(x, 0.2, 0)
        found = coverage.Coverage(include=[str(__import__("pathlib").Path(g.variants[0].function.__code__.co_filename))], data_file=None)
        found.start()
        g(x, 0.2, 0)        # the loops do not run
        found.stop()
        _, lines, _, missing, _ = found.analysis2(g.file)
        text = g.source.splitlines()
        print(len(lines), *[text[k - 1].strip() for k in missing], sep="\\n")
    """
    count, *missing = run(script, tmp_path, TRANSGRAD_CACHE="off").splitlines()
    assert int(count) > 8 and "u[1:-1] += 0.2 * s" not in missing and any(line.startswith("u_bar") for line in missing)


def test_py_spy(tmp_path):
    py_spy = shutil.which("py-spy") or shutil.which("py-spy", path=str(pathlib.Path(sys.executable).parent))
    if py_spy is None:
        pytest.skip("could not import py-spy")
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent("""
        import time
        import numpy as np
        import transgrad as tg
        def slow(u, n):
            for k in range(n):
                u = np.sin(u) * 1.01
            return np.sum(u)
        g = tg.grad(slow)
        g(np.ones(100_000), 3)
        print("compiled", flush=True)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            g(np.ones(100_000), 10)
    """))
    profiled = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)})
    try:
        assert profiled.stdout is not None and profiled.stdout.readline() == b"compiled\n"
        out = tmp_path / "samples.txt"
        done = subprocess.run([py_spy, "record", "-d", "1", "-f", "raw", "-o", str(out), "-p", str(profiled.pid)], capture_output=True, text=True)
    finally:
        profiled.kill()
        profiled.wait()
    if done.returncode and "permission" in done.stderr.lower():
        pytest.skip("the system does not let py-spy read another process")
    assert re.search(r"grad_slow \(\S*grad_slow_\w+\.py:\d+\)", out.read_text())


def test_tracebacks_name_the_users_line():
    def f(x, y):
        z = np.sin(x)
        w = z @ y
        return np.sum(w)

    g = tg.grad(f)
    g(np.ones(3), np.ones(3))
    with pytest.raises(ValueError) as error:
        g(np.ones(3), np.ones(4))
    note, = error.value.__notes__
    first = inspect.getsourcelines(f)[1]
    # the product raises, or its derivative, where the code computes no product
    (line, part, statement), = {(first + 1, "reverse sweep", "z = np.sin(x)"), (first + 2, "forward part", "w = z @ y")} & {
        (int(re.search(r"line (\d+) ", note)[1]), re.search(r"\((.*)\)", note)[1], note.splitlines()[-1].strip())}
    assert __file__ in note
    shown = "".join(traceback.format_exception(error.value))
    assert g.file in shown and statement in shown


def test_one_note_for_an_exception_through_two_derivatives():
    def inner(x):
        return np.sum(x @ np.ones(3))

    def outer(x):
        return tg.value_and_grad(inner)(x)[0]

    with pytest.raises(ValueError) as error:
        tg.value_and_grad(inner)(np.ones(2)), tg.compile(outer)(np.ones(2))
    assert len(error.value.__notes__) == 1


@pytest.mark.parametrize("call", [
    lambda f, x: tg.vjp(f, x)[1](np.ones(3)), lambda f, x: tg.jvp(f, (x,), (x,)), lambda f, x: tg.linearize(f, x)[1](x),
    lambda f, x: tg.vmap(f)(np.stack([x, x])),
], ids=["vjp", "jvp", "linearize", "vmap"])
def test_notes_in_every_transformation(call):
    table = np.ones((4, 4))

    def f(x):
        return table[:3] @ x        # x has the wrong length

    with pytest.raises(ValueError) as error:
        call(f, np.ones(3))
    assert "table[:3] @ x" in error.value.__notes__[0]


def test_source_map(gradient):
    lines = gradient.source.splitlines()
    first = inspect.getsourcelines(heat)[1]
    found = {lines[k - 1].strip(): origin for k, origin in gradient.source_map.items()}
    update = found["u_bar[2:] += q"]
    assert (update.file, update.line, update.part) == (__file__, first + 3, "adjoint")
    assert update.text == "u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])"
    assert found["u[1:-1] += c * s"] == update._replace(part="primal")
    assert found["u_bar = 2.0 * u"].text == "return np.sum(u ** 2)"


def test_source_map_of_both_halves_of_a_pullback():
    derivative = tg.transforms.at_arguments.derivative_of(tg.transforms.transformations.Split(False), heat, 2, tg.transforms.options.Options())
    variant = derivative.variant({"u0": np.ones(5), "c": 0.1, "steps": 2})
    lines = variant.source.splitlines()
    update = next(k for k, text in enumerate(lines, 1) if "u_bar[2:] +=" in text)
    assert variant.source_map[update].part == "adjoint" and variant.source_map[update].text.startswith("u[1:-1] +=")
