"""Programs by chance that add to shifted parts of arrays, in one to three dimensions, with writes and reads between."""
import importlib.util

import numpy as np
import pytest

import transgrad as tg
from tests.oracles import complex_step


def program(rng):
    """The text of a function of an array, and by how many elements its parts are shorter along each dimension."""
    spread = [int(rng.integers(0, 4)) for _ in range(rng.integers(1, 4))]
    spread[-1] = spread[-1] or 2

    def part(name):
        starts = [int(rng.integers(0, w + 1)) for w in spread]
        slices = [f"{s}:{s - w}" if s < w else f"{s}:" for s, w in zip(starts, spread)]
        return f"{name}[{', '.join(slices)}]"

    lines = [f"z = {rng.choice(['u * 1.0', 'np.zeros_like(u)'])}", "y = u * 2.0", f"w = {part('u')} * {part('y')}"]
    indent = ""
    if rng.random() < 0.4:
        lines.append("for _ in range(2):")
        indent = "    "
    for _ in range(rng.integers(2, 6)):
        value = rng.choice(["w", "w * c", f"{part('u')} * w", f"{part('z')} * 0.5", f"c * {part('y')} * w", "np.sin(w)"])
        lines.append(f"{indent}{part(rng.choice(['z', 'z', 'z', 'y']))} {rng.choice(['+=', '-='])} {value}")
        if rng.random() < 0.15:
            lines.append(f"{indent}w = w + 0.1 * {part('z')}")
        if rng.random() < 0.1:
            lines.append(f"{indent}{part('z')} = w")
    body = "\n".join(f"    {line}" for line in lines)
    return f"import numpy as np\n\n\ndef f(u, c):\n{body}\n    return np.sum(z * z * 0.3) + np.sum(y * z)\n", spread


@pytest.mark.parametrize("seed", range(6))
def test_the_gradient_is_that_of_complex_steps(seed, tmp_path):
    rng = np.random.default_rng(seed)
    text, spread = program(rng)
    path = tmp_path / f"stencil_{seed}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    g = tg.grad(module.f, fallback="error", backend="numba")
    for more in ([0] * len(spread), [2, 0, 3], [2, 3, 2], [4, 5, 3]):
        shape = tuple(w + n for w, n in zip(spread, more))
        u = rng.normal(size=shape) * 0.5
        want = complex_step(lambda x, shape=shape: module.f(x.reshape(shape), 0.7), u.ravel()).reshape(shape)
        np.testing.assert_allclose(g(u, 0.7), want, rtol=1e-9, atol=1e-10, err_msg=f"{shape}\n{text}")
