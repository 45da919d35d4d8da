"""What a node saves, found by writing: an operand or a result that changes before backward is an error here where it is one in PyTorch."""
from __future__ import annotations

import re

import pytest

import transgrad

from .collect import all_cases
from .derive import expression, inputs, names, weights
from .observe import is_tensor

#: where ours reads less, or saves at another place of a composition; ``…`` stands for any text
OWN = """
2 ** z / torch.pow(2.0, v) / m.norm(p=0) / torch.combinations(v) / torch.triangular_solve(h, a).solution / v[:, None].cholesky_solve(h.tril())
torch.linalg.vecdot(z, w) / z.mul(w.conj()).real / torch.fft.… / torch.linalg.… / a.slogdet() / m.svd()[1] / …trace() / torch.trace(a)
torch.nuclear_norm(… / …kron(… / p.erfinv() / p.clone().erfinv_() / torch.einsum(… / torch.matmul(a, b)
…expm1(… / …expm1_() / torch.polar(p, v) / torch.special.i1(v) / torch.special.ndtr(v) / v.ldexp(i)
…stft(… / …segment_reduce(… / …ormqr(… / …_lowrank(… / …histogram… / …geqrf(… / …ldl_… / torch.detach_copy(m)
torch.special.…_polynomial_… / torch.special.airy_ai(v) / torch.special.spherical_bessel_j0(v)
torch.nn.functional.… / torch.…_norm(… / torch.…pool…(… / torch.pixel_… / torch.channel_shuffle(…
torch.bilinear(… / torch.pairwise_distance(…
torch.rnn_… / torch.gru… / torch.lstm… / torch.lobpcg(… / torch.func.rearrange(…
v.div(u, rounding_mode=… / v.nextafter(u) / torch.sgn(v) / v.sgn() / b.sgn()
"""


#: where ours saves more, or less, if one operand alone requires grad
ALONE = """
torch.conv… / m.clone().scatter_reduce_(1, J, n, 'sum') / m.index_reduce(… / m.scatter_reduce(… / …cross(… / torch.tensordot(… / …vdot(… / v.prelu(p[:1])
torch.special.xlog1py(p, q) / torch.special.zeta(q, p)
"""


def listed(text: str, entries: str) -> bool:
    """Whether an expression is among the entries."""
    patterns = [re.escape(entry).replace("…", ".*") for line in entries.strip().splitlines() for entry in line.split(" / ")]
    return any(re.fullmatch(pattern, text) for pattern in patterns)


def texts() -> list[str]:
    cases = [c for c in all_cases() if c.text is not None and c.module.startswith(("rows.t01", "rows.t11"))]
    return sorted({c.text for c in cases if names(c.text) and not listed(c.text, OWN)})


def outcomes(torch, text: str) -> list[str]:
    """What backward does after a write to one of the operands, and to one of the first two results; then where one alone requires grad."""
    chosen = names(text)
    alone = [[name] for name in chosen] if len(chosen) > 1 and not listed(text, ALONE) else []
    return [outcome(torch, text, chosen, wanted, place) for wanted in [chosen, *alone] for place in [*chosen, 0, 1]]


def outcome(torch, text: str, chosen: list[str], wanted: list[str], place: object) -> str:
    xs = [x.requires_grad_(name in wanted).clone() for name, x in zip(chosen, inputs(torch, chosen))]
    found = expression(torch, text, chosen)(*xs)
    outs = [t for t in (found if isinstance(found, (tuple, list)) else [found]) if is_tensor(t) and t.requires_grad]
    if not outs or place == 1 and len(outs) < 2:
        return "nothing to write to"
    torch.autograd.graph.increment_version(xs[chosen.index(place)] if place in chosen else outs[place])
    try:
        torch.autograd.backward(outs, [weights(torch, t) for t in outs])
    except RuntimeError as error:
        return "modified" if "modified by an inplace operation" in str(error) else "ran"
    return "ran"


TEXTS = texts()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(10))
def test_as_in_pytorch(part):
    torch = pytest.importorskip("torch")
    differing, compared = {}, 0
    for text in TEXTS[part::10]:
        try:
            expected = outcomes(torch, text)
        except Exception:       # not a program of PyTorch's
            continue
        compared += 1
        if (seen := outcomes(transgrad, text)) != expected:
            differing[text] = (seen, expected)
    assert not differing
    assert compared > 50
