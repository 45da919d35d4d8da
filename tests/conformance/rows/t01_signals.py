"""T1: spectra of pieces of a signal, windows, histograms, orthogonal polynomials, copies of views, and factors as LAPACK keeps them."""
from __future__ import annotations

from ..collect import each, ours
from ..derive import by_differences, derivatives
from ..observe import raises


@each(
    "torch.stft(b.reshape(-1), 4, return_complex=True)", "torch.stft(b.reshape(2, 12), 4, return_complex=False)",
    "b.reshape(-1).stft(6, 3, 5, torch.hann_window(5, dtype=torch.float64), return_complex=True)",
    "torch.stft(b.reshape(-1), 4, window=p[[0, 1, 2, 1]], center=False, normalized=True, onesided=False, return_complex=True)",
    "torch.stft(torch.cat([z, w]), 4, pad_mode='constant')", "torch.stft(b.reshape(-1), 4, 2, pad_mode='replicate', return_complex=True)",
    "torch.istft(torch.stft(b.reshape(-1), 4, return_complex=True), 4)", "torch.istft(torch.stft(b.reshape(-1), 4, 2, return_complex=True), 4, 2, length=20)",
    "torch.istft(torch.stft(b.reshape(2, 12), 6, win_length=5, onesided=False, return_complex=True), 6, win_length=5, length=9)",
    "torch.istft(torch.cat([z, w]).reshape(3, 2), 4, 2, window=q[[0, 1, 2, 1]])", "torch.istft(torch.cat([z, w]).reshape(3, 2), 4, 2, center=False, normalized=True)",
    "torch.istft(torch.stft(torch.cat([z, w]), 4, normalized=True), 4, normalized=True, return_complex=True)",
    "torch.istft(torch.stft(b.reshape(-1), 4, return_complex=True), 4, length=30)",
)
def spectra(torch, text):
    return derivatives(torch, text, node=False)


@each(
    "torch.diagonal_copy(a)", "torch.expand_copy(m, (2, 2, 3))", "torch.permute_copy(b, (1, 0, 2))", "torch.select_copy(m, 0, 1)", "torch.slice_copy(m, 1, 0, 2)",
    "torch.slice_copy(m, 1, -2)", "torch.split_copy(m, 1, 1)", "torch.split_with_sizes_copy(m, [1, 2], 1)", "torch.squeeze_copy(e)", "torch.squeeze_copy(m[None], 0)",
    "torch.squeeze_copy(m[None], (0, 1))", "torch.t_copy(m)", "torch.transpose_copy(b, 0, 1)", "torch.unbind_copy(m, 1)", "torch.unfold_copy(m, 1, 2, 1)",
    "torch.unsqueeze_copy(m, 1)", "torch.view_copy(m, (6,))", "torch.view_as_real_copy(z)", "torch.alias_copy(m)", "torch.as_strided_copy(m, (2,), (1,))",
    "torch.fill(m, 3)", "torch.fill(m, s)", "m.unsafe_split(1)[1]", "torch.unsafe_split_with_sizes(b, [1, 1])[0]", "m.unsafe_chunk(2)[1]",
)
def copies(torch, text):
    return derivatives(torch, text)


@each(
    "torch.ormqr(a, v, m.T)", "torch.ormqr(a, v, m, left=False)", "torch.ormqr(a, v, m.T, transpose=True)", "a.ormqr(v, m, False, True)",
    "torch.ormqr(torch.stack([a, h]), torch.stack([v, q]), torch.stack([a, a]))", "torch.segment_reduce(a, 'max', lengths=torch.tensor([1, 2]))",
)
def products_of_reflections_and_segments(torch, text):
    return derivatives(torch, text, second=False, forward=False, node=False)


@each(
    "torch.segment_reduce(a, 'mean', lengths=torch.tensor([1, 0, 2]))", "torch.segment_reduce(a, 'sum', offsets=torch.tensor([0, 1, 3]), initial=2.0)",
    "torch.segment_reduce(v, 'prod', lengths=torch.tensor([1, 0, 2]), initial=2.0)", "torch.segment_reduce(a, 'min', lengths=torch.tensor([0, 3]), initial=0.1)",
    "torch.range(1, 4)", "torch.range(1, 4, 0.5)", "torch.nonzero_static(m, size=8)", "torch.nonzero_static(m > 0, size=2, fill_value=7)",
    "torch.histogram(m, 3)", "torch.histogram(m, bins=4, range=(0.0, 2.0), weight=m.abs(), density=True)", "torch.histogram(m * 0, 3)", "m[:0].histogram(3)",
    "torch.histogram(v, torch.tensor([-2.0, 0.0, 1.91], dtype=torch.float64))", "torch.histogramdd(a, [2, 3, 2])", "torch.histogramdd(a, 2)",
    "torch.histogramdd(a[:, :2], [2, 3], range=[0.0, 1.0, 0.0, 2.0], density=True)", "torch.histogramdd(a[:, :2], [q, q], weight=v)",
    "torch.geqrf(a)", "torch.geqrf(b)", "m.geqrf()", "torch.linalg.ldl_factor(h)", "torch.linalg.ldl_factor(torch.stack([h, h * 0 + 1 - torch.eye(3)]))",
    "torch.linalg.ldl_factor_ex(h)", "torch.linalg.ldl_solve(*torch.linalg.ldl_factor(h), m.T)", "torch.linalg.ldl_factor(Z + Z.mT)",
    "torch.linalg.ldl_solve(*torch.linalg.ldl_factor(Z + Z.mH, hermitian=True), Z, hermitian=True)", "torch.is_same_size(m, n)", "torch.is_same_size(m, a)",
    "torch.typename(m)", "torch.typename(3)", "torch.is_storage(m)", "torch.typename(torch.float32)", "torch.detach(m)", "torch.detach_copy(m)", "torch.view_as_complex_copy(m[:, :2].contiguous())", "torch.view_copy(m, dtype=torch.int64)",
    "torch.fill_(m, 2)", "torch.zero_(m)", "[x.shape for x in torch.svd_lowrank(b, 2)]", "[x.shape for x in torch.pca_lowrank(m)]",
    "(lambda u, s, v: (u * s) @ v.mT)(*torch.svd_lowrank(m))", "(lambda u, s, v: (u * s) @ v.mT)(*torch.svd_lowrank(m, M=m * 0.5))",
    "(lambda u, s, v: (u * s) @ v.mH)(*torch.svd_lowrank(Z))", "(lambda u, s, v: (u * s) @ v.mT)(*torch.pca_lowrank(a))",
)
def without_derivative(torch, text):
    import warnings

    from ..derive import INDICES, VALUES, expression, inputs
    chosen = [name for name in VALUES if name not in INDICES]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return expression(torch, text, chosen)(*[x.detach() for x in inputs(torch, chosen)])


WINDOWS = tuple(f"torch.signal.windows.{text}" for text in (
    "hann(5)", "hann(5, sym=False)", "hamming(6)", "blackman(7, sym=False)", "bartlett(6)", "cosine(4)", "nuttall(5)", "kaiser(5, beta=3.0)", "kaiser(1)",
    "gaussian(5, std=2.0, dtype=torch.float64)", "exponential(5, tau=2.0)", "exponential(5, tau=2.0, center=1, sym=False)", "blackman(0)",
    "general_cosine(5, a=[0.5, 0.3, 0.2])", "general_hamming(5, alpha=0.6)", "hamming(3, requires_grad=True).requires_grad",
))


@each(*WINDOWS)
def windows(torch, text):
    return eval(text, {"torch": torch})


FAMILIES = ("chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w", "hermite_polynomial_h",
            "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p", "shifted_chebyshev_polynomial_t",
            "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w")


@each(*FAMILIES)
def polynomials(torch, text):
    family = getattr(torch.special, text)
    x = torch.tensor([0.3, -0.5, 0.9, 1.7], dtype=torch.float64)
    degrees = torch.tensor([0, 1, 5, 2])
    return (family(x, 4), family(x, degrees), family(x, torch.tensor([-1.0, 2.5, 2.0, 0.0])), family(x, -2), family(0.5, degrees),
            family(x.float(), 3), family(degrees, 2))


@ours
@each(*(f"torch.special.{family}(v, {n})" for family in FAMILIES for n in ("4", "torch.tensor([3, 0, 5])")), "torch.special.airy_ai(v)",
      "torch.special.spherical_bessel_j0(v)")
def derivatives_that_pytorch_lacks(torch, text):
    """Orthogonal polynomials and two functions of Bessel's and Airy's have derivatives that PyTorch 2.13 lacks"""
    return by_differences(torch, text)


@each("airy_ai", "spherical_bessel_j0")
def other_special_functions(torch, text):
    return getattr(torch.special, text)(torch.tensor([0.3, -0.5, 0.0, 4.5], dtype=torch.float64))


WRONG = {
    "torch.stft(v.repeat(4), 4)": "stft requires the return_complex parameter be given for real inputs",
    "torch.stft(v.long(), 4, return_complex=True)": "expected a tensor of floating point or complex values",
    "torch.stft(v[None, None], 4, return_complex=True)": "expected a 1D or 2D tensor",
    "torch.stft(v, 40, return_complex=True)": "Padding size should be less than the corresponding input dimension",
    "torch.stft(v, 4, hop_length=0, return_complex=True)": "expected hop_length > 0, but got hop_length=0",
    "torch.stft(v.repeat(4), 4, win_length=5, return_complex=True)": "expected 0 < win_length <= n_fft, but got win_length=5",
    "torch.stft(v.repeat(4), 4, window=v, return_complex=True)": "expected a 1D window tensor of size equal to win_length=4, but got window with size",
    "torch.stft(v.repeat(4) * 1j, 4, onesided=True)": "Cannot have onesided output if window or input is complex",
    "torch.istft(v, 4)": "istft requires a complex-valued input tensor matching the output from stft with return_complex=True.",
    "torch.istft(torch.ones(3, 5) * 1j, 6)": "expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1",
    "torch.istft(torch.ones(3, 5) * 1j, 4, hop_length=9)": "expected 0 < hop_length <= win_length",
    "torch.istft(torch.ones(3, 5) * 1j, 4, window=torch.hann_window(4), center=False)": "window overlap add min",
    "torch.histogram(v.long(), 3)": "\"histogramdd\" not implemented for 'Long'",
    "torch.histogram(v, -1)": "torch.histogram(): bins must be > 0, but got -1 for dimension 0",
    "torch.histogram(v, v.double())": "input tensor and bins tensors should have the same dtype, but got input with dtype float and bins for dimension 0",
    "torch.histogram(v, 3, range=(2.0, 1.0))": "torch.histogramdd: min should not exceed max, but got min 2 max 1 for dimension 0",
    "torch.histogram(v, 3, weight=v[:2])": "if weight tensor is provided it should have the same shape as the input tensor",
    "torch.histogramdd(v, 2)": "torch.histogramdd: input tensor should have at least 2 dimensions",
    "torch.histogramdd(m, [2, 2])": "The size of bins must be equal to the innermost dimension of the input.",
    "torch.geqrf(v)": "input must have at least 2 dimensions",
    "torch.ormqr(a, v, m)": "torch.ormqr: other.shape[-2] must be equal to input.shape[-2]",
    "torch.linalg.ldl_factor(m)": "A must be batches of square matrices, but they are 2 by 3 matrices",
    "torch.pca_lowrank(m, 9)": "must be non-negative integer and not greater than min(m, n)=2",
    "torch.segment_reduce(a, 'max', lengths=torch.tensor([1, 1]))": "Expected all rows of lengths along axis to sum to",
    "torch.signal.windows.hann(-1)": "requires non-negative window length, got M=-1",
    "torch.signal.windows.gaussian(4, std=0.0)": "Standard deviation must be positive, got: 0.0 instead.",
    "torch.signal.windows.exponential(4, tau=0.0)": "Tau must be positive, got: 0.0 instead.",
    "torch.signal.windows.exponential(4, center=1)": "Center must be None for symmetric windows",
    "torch.set_num_threads(0)": "set_num_threads expects a positive integer", "torch.set_default_tensor_type('torch.LongTensor')": "only floating-point types",
    "torch.cuda.current_device() and None or torch.zeros(2).cuda()": "",
    "torch.geqrf(r)[0].sum().backward()": "the derivative for 'geqrf' is not implemented.",
    "torch.histogram(r, 3)[0].sum().backward()": "derivative for aten::histogram is not implemented",
    "torch.linalg.ldl_factor(r)[0].sum().backward()": "derivative for aten::linalg_ldl_factor_ex is not implemented",
    "torch.fill(v, m)": "0-dimension value tensor but got tensor with 2 dimensions",
    "forward(lambda x: torch.geqrf(x))": "Trying to use forward AD with geqrf that does not support it because it has not been implemented yet",
    "forward(lambda x: torch.histogram(x, 3))": "histogram that does not support it",
}


@each(*WRONG)
def wrong_arguments(torch, text):
    def forward(call):
        with torch.autograd.forward_ad.dual_level():
            return call(torch.autograd.forward_ad.make_dual(torch.eye(3), torch.eye(3)))
    scope = {"torch": torch, "v": torch.tensor([1.0, 2.0, 3.0]), "m": torch.ones(2, 3), "a": torch.eye(3), "forward": forward,
             "r": torch.eye(3, requires_grad=True)}
    return raises(lambda: eval(text, scope), *filter(None, [WRONG[text]]))


def settings_at_the_start_of_programs(torch):
    torch.use_deterministic_algorithms(True)
    seen = [torch.are_deterministic_algorithms_enabled(), torch.cuda.is_available(), torch.cuda.device_count(), torch.backends.mps.is_available(),
            str(torch.device("cuda" if torch.cuda.is_available() else "cpu")), str(torch.get_default_device())]
    torch.use_deterministic_algorithms(False)
    torch.cuda.manual_seed_all(0)
    torch.backends.cudnn.deterministic = True
    torch.set_default_device("cpu")
    torch.set_default_tensor_type("torch.DoubleTensor")
    try:
        seen.append(torch.zeros(2))
    finally:
        torch.set_default_tensor_type(torch.FloatTensor)
        torch.set_default_device(None)
    torch.set_float32_matmul_precision("high")
    seen.append(torch.get_float32_matmul_precision())
    torch.set_float32_matmul_precision("highest")
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    seen.append(torch.get_num_threads())
    torch.set_num_threads(before)
    return seen, torch.zeros(2)
