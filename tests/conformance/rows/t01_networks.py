"""T1: what `torch.nn.functional` has for signals, images and losses, with the names that torch has at its top for them."""
from __future__ import annotations

import functools
import warnings

from ..collect import each
from ..derive import derivatives
from ..observe import raises


def quiet(function):
    @functools.wraps(function)
    def run(torch, text):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(torch, text)
    return run


def of(*texts: str) -> tuple[str, ...]:
    return tuple(f"torch.nn.functional.{text}" for text in texts)


@each(
    "torch.conv1d(b, b[:, :, :2])", "torch.conv1d(b, b[:, :, :2], p[:2], stride=2, padding=1)", "torch.conv1d(b[:, :2], b[:, :1, :2], q[:2], dilation=2, groups=2)", "torch.conv2d(b[None], b[:, None, :2, :2], groups=2)",
    "torch.conv2d(b[None], b.reshape(3, 2, 2, 2), v, (2, 1), (0, 1))", "torch.conv3d(b[None, None], b[None, None, :, :2, :2])",
    "torch.conv_transpose1d(b, b[0].reshape(3, 2, 2), p[:2], stride=2)", "torch.conv_transpose1d(b, b[0].reshape(3, 2, 2), stride=2, padding=1, output_padding=1, dilation=2)",
    "torch.conv_transpose2d(b[None], b[:, None, :2, :3], groups=2)", "torch.conv_transpose3d(b[None, None], b[None, None, :, :2, :2], stride=2)",
    "torch.conv1d(b, b[:, :, :2], padding='valid')",
)
def convolutions(torch, text):
    return derivatives(torch, text)


@each(*of(
    "unfold(b[None], 2)", "unfold(b, (2, 3), dilation=1, padding=1, stride=(1, 2))", "fold(b.reshape(1, 4, 6), (3, 4), 2)", "fold(b.reshape(4, 6), (4, 3), 2, stride=1)",
    "conv1d(b[0], b[:, :, :2])", "conv1d(b, b[:, :, :3], padding='same')", "conv1d(z[None, None], w[None, None, :2])",
    "avg_pool1d(b, 2)", "avg_pool1d(b, 3, 2, 1, True, False)", "avg_pool2d(b, 2, (1, 2), 1)", "avg_pool2d(b[None], (2, 3), ceil_mode=True, divisor_override=5)", "avg_pool3d(b[None], 2)",
    "max_pool1d(b, 2)", "max_pool1d(b, 2, 1, 1, 2)", "max_pool2d(b[None], (2, 3), 1)", "max_pool2d(b, 2, ceil_mode=True, return_indices=True)", "max_pool3d(b[None], 2)",
    "adaptive_avg_pool1d(b, 3)", "adaptive_avg_pool2d(b, (2, None))", "adaptive_avg_pool3d(b[None], (1, 2, 3))",
    "adaptive_max_pool1d(b, 3)", "adaptive_max_pool1d_with_indices(b, 3)", "adaptive_max_pool2d(b, (2, 3), True)", "adaptive_max_pool3d(b[None], 2)", "max_pool1d_with_indices(b, 2)",
    "layer_norm(b, (4,))", "layer_norm(m, (2, 3), n, m)", "layer_norm(b, (4,), eps=0.1)", "rms_norm(b, (3, 4))", "rms_norm(m, (3,), v)", "rms_norm(m, (3,), eps=0.01)",
    "group_norm(b, 3)", "group_norm(b[None], 1, p[:2], u[:2])", "instance_norm(b)", "instance_norm(b, weight=v, bias=u)", "batch_norm(b, None, None, v, u, True)",
    "batch_norm(b, torch.tensor([0.2, 0.55, 0.85], dtype=torch.float64), torch.tensor([1.5, 2.25, 3.75], dtype=torch.float64), v, u)", "batch_norm(m, torch.tensor([0.2, 0.55, 0.85], dtype=torch.float64), torch.tensor([1.5, 2.25, 3.75], dtype=torch.float64))", "instance_norm(b, torch.tensor([0.2, 0.55, 0.85], dtype=torch.float64), torch.tensor([1.5, 2.25, 3.75], dtype=torch.float64), use_input_stats=False)", "local_response_norm(b, 2, alpha=0.5)",
    "pixel_shuffle(b.reshape(1, 4, 2, 3), 2)", "pixel_unshuffle(b.reshape(1, 1, 4, 6), 2)", "channel_shuffle(b.reshape(1, 4, 2, 3), 2)",
    "scaled_dot_product_attention(m, n, m)", "scaled_dot_product_attention(b, b.flip(0), b * 2, is_causal=True)", "scaled_dot_product_attention(m, n, m, a[:2, :2], scale=0.3)",
    "scaled_dot_product_attention(m, n, m, torch.tensor([[True, False], [False, False]]))", "scaled_dot_product_attention(b[:, None], b[:, None], b[:, None], enable_gqa=True)",
    "multi_head_attention_forward(b.reshape(3, 2, 4), b.reshape(3, 2, 4), b.reshape(3, 2, 4), 4, 2, b.reshape(6, 4).repeat(2, 1), None, None, None, False, 0.0, b.reshape(6, 4)[:4], None)[0]",
    "multi_head_attention_forward(a, h, h, 3, 1, torch.cat([a, h, a]), torch.cat([v, u, p]), None, None, True, 0.0, h, q, average_attn_weights=False)",
    "interpolate(b, 7)", "interpolate(b, scale_factor=1.7, mode='linear')", "interpolate(b, 3, mode='linear', align_corners=True)", "interpolate(b, 5, mode='nearest-exact')", "interpolate(b, 3, mode='area')",
    "interpolate(b[None], (5, 3), mode='bilinear')", "interpolate(b[None], scale_factor=(1.5, 0.5), mode='bilinear', recompute_scale_factor=True)", "interpolate(b[None], (4, 7), mode='bicubic')",
    "interpolate(b[None], (2, 3), mode='bilinear', antialias=True)", "interpolate(b[None], (2, 3), mode='bicubic', antialias=True)",
    "interpolate(b[None, None], (3, 2, 5), mode='trilinear')",
    "affine_grid(m[None], (1, 1, 2, 3), False)", "affine_grid(m[None], (1, 1, 2, 3), True)", "affine_grid(b[:1], (1, 1, 1, 2, 2), False)",
    "bilinear(m, n[:, :2], b[:, :, :2])", "bilinear(m, n, a[None], p[:1])", "pairwise_distance(m, n)", "pairwise_distance(v, u, 1.0, keepdim=True)",
    "embedding(i, a, max_norm=100.0)",
    "normalize(m)",
))
@quiet
def signals_and_images(torch, text):
    return derivatives(torch, text, node=False)


GRIDS = tuple(f"torch.nn.functional.grid_sample(b[None], b.reshape(1, 4, 3, 2) * 1.3, '{mode}', '{padding}', {corners})"
              for mode in ("bilinear", "nearest") for padding in ("zeros", "border", "reflection") for corners in (False, True))


@each(*GRIDS, "torch.nn.functional.grid_sample(b[None, None], b.reshape(1, 2, 2, 2, 3) * 0.9, 'bilinear', 'border', True)")
def places_of_a_grid(torch, text):
    return derivatives(torch, text, second=False, forward=False, node=False)


SIGNS = "torch.tensor([1.0, -1.0, 1.0], dtype=torch.float64)"


@each(*of(
    "soft_margin_loss(v, " + SIGNS + ")", "hinge_embedding_loss(v, " + SIGNS + ")", "margin_ranking_loss(v, u, " + SIGNS + ", margin=0.3)",
    "cosine_embedding_loss(a, h, " + SIGNS + ")", "cosine_embedding_loss(v, u, torch.tensor(-1), margin=0.1)", "triplet_margin_loss(m, n, a[:2])", "triplet_margin_loss(m, n, a[:2], swap=True, p=1)",
    "triplet_margin_with_distance_loss(m, n, a[:2], distance_function=torch.nn.functional.pairwise_distance, swap=True)", "poisson_nll_loss(v, u)",
    "poisson_nll_loss(v, torch.tensor([0.0, 1.0, 4.0], dtype=torch.float64), full=True)", "poisson_nll_loss(p, u, log_input=False, reduction='sum')", "gaussian_nll_loss(v, u, p)", "gaussian_nll_loss(m, n, p[:2], full=True)",
    "gaussian_nll_loss(v, u, 0.5, reduction='none')",
    "multilabel_soft_margin_loss(m, torch.tensor([[1.2, 0.5, -0.8], [-0.4, 2.1, 0.9]], dtype=torch.float64), torch.tensor([0.2, 0.55, 0.85], dtype=torch.float64))",
    "mse_loss(v, u, weight=torch.tensor([0.2, 0.55, 0.85], dtype=torch.float64))", "l1_loss(v, u, weight=torch.tensor([0.2, 0.55, 0.85], dtype=torch.float64), reduction='sum')", "huber_loss(v, u, weight=torch.tensor([0.2, 0.55, 0.85], dtype=torch.float64))", "smooth_l1_loss(v, u, beta=0.5)", "kl_div(v, torch.tensor([0.2, 0.55, 0.85], dtype=torch.float64), reduction='sum')",
    "mse_loss(v, u, size_average=False)", "mse_loss(v, u, reduce=False)", "mse_loss(v, u, None, None, 'sum')", "binary_cross_entropy_with_logits(v, torch.tensor([0.2, 0.55, 0.85], dtype=torch.float64), torch.tensor([1.5, 2.25, 3.75], dtype=torch.float64))",
    "cross_entropy(m, torch.tensor([2, 0]), torch.tensor([0.2, 0.55, 0.85], dtype=torch.float64), label_smoothing=0.1)", "cross_entropy(m, torch.tensor([2, 0]), ignore_index=0, label_smoothing=0.1)", "cross_entropy(b, torch.tensor([[0, 1, 2, 0], [1, 1, 0, 2]]))",
))
@quiet
def losses(torch, text):
    return derivatives(torch, text, node=False)


@each(*(f"torch.{text}" for text in (
    "layer_norm(b, (4,))", "group_norm(b, 3)", "rms_norm(m, (3,))",
    "avg_pool1d(b, 2)", "max_pool1d(b, 2)", "max_pool1d_with_indices(b, 2)", "max_pool2d(b, 2)", "max_pool3d(b[None], 2)", "adaptive_avg_pool1d(b, 2)", "adaptive_max_pool1d(b, 2)", "bilinear(m, n, a[None])",
    "pairwise_distance(m, n)", "pixel_shuffle(b.reshape(1, 4, 2, 3), 2)", "pixel_unshuffle(b.reshape(1, 1, 4, 6), 2)", "channel_shuffle(b.reshape(1, 4, 2, 3), 2)",
    "rnn_tanh_cell(m, m * 0.5, a, h)", "rnn_relu_cell(m, n, a, h, v, u)", "gru_cell(m, n, b.reshape(8, 3)[:3].repeat(3, 1), a.repeat(3, 1), v.repeat(3), u.repeat(3))",
    "lstm_cell(m, (n, m * 0.5), a.repeat(4, 1), h.repeat(4, 1), v.repeat(4), u.repeat(4))", "rnn_tanh(m[:, None], v[None, None], [a, h], False, 1, 0.0, False, False, False)",
    "rnn_relu(m[None], torch.stack([v, u])[:, None], [a, h, v, u, h, a, u, v], True, 1, 0.0, False, True, True)",
    "gru(m[:, None], torch.stack([v, u])[:, None], [a.repeat(3, 1), h.repeat(3, 1), h.repeat(3, 1), a.repeat(3, 1)], False, 2, 0.0, False, False, False)",
    "lstm(m[:, None], (v[None, None], u[None, None]), [a.repeat(4, 1), h.repeat(4, 1), v.repeat(4), u.repeat(4)], True, 1, 0.0, False, False, False)",
    "lstm(m[:, None], (v[None, None, :2], u[None, None]), [a.repeat(4, 1), h.repeat(4, 1)[:, :2], a[:2]], False, 1, 0.0, False, False, False)",
    "lobpcg((h + h.T) / 2, 1)[0]", "lobpcg((h + h.T) / 2, 1, largest=False)[0]", "lobpcg(torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]), 1, torch.tensor([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 3.0]]))[0]",
    "func.rearrange(b, 'x y z -> z (x y)')", "func.rearrange(b, 'x ... -> ... x')", "func.rearrange(b, '(p q) y z -> y q () z p', p=2)", "func.rearrange([m, n], 'k i j -> (i k) j')",
)))
@quiet
def at_the_top(torch, text):
    return derivatives(torch, text, second="lobpcg" not in text, forward="lobpcg" not in text, node=False)


@each(*of(
    "relu(m, inplace=True)", "relu_(m)", "elu(m, 0.5, True)", "elu_(m)", "celu_(m)", "selu_(m)", "leaky_relu(m, inplace=True)", "leaky_relu_(m, 0.2)", "hardtanh_(m)", "threshold_(m, 0.1, 2.0)",
    "rrelu_(m)", "silu(m, inplace=True)", "mish(m, inplace=True)", "hardswish(m, inplace=True)", "hardsigmoid(m, inplace=True)", "relu6(m, True)", "softmax(m)", "log_softmax(m)", "softmin(m)",
))
@quiet
def in_place(torch, text):
    """Activations written into their input, and with the dimension left to PyTorch"""
    call = eval(f"lambda torch, m: {text}")
    x = torch.tensor([[0.3, -1.1, 0.7], [1.9, 0.4, -0.6]], dtype=torch.float64, requires_grad=True)
    held = x * 1
    out = call(torch, held)
    (out * torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)).sum().backward()
    return out.detach(), held.detach(), x.grad


@each(*(f"torch.nn.functional.{name}(x, 0.3, {flag})" for name in ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout") for flag in ("True", "False")),
      "torch.nn.functional.gumbel_softmax(x, 0.7)", "torch.nn.functional.gumbel_softmax(x, hard=True, dim=0)")
@quiet
def drawn(torch, text):
    """Dropout and Gumbel noise of a seed: the same elements are drawn"""
    torch.manual_seed(5)
    leaf = torch.linspace(-1.0, 2.0, 24, dtype=torch.float64).reshape(2, 4, 3).requires_grad_()
    out = eval(text, {"torch": torch, "x": (leaf if "dropout3d" not in text else leaf[None]) * 1})
    out.sum().backward()
    return out.detach(), leaf.grad


def running_statistics(torch):
    """Running means and variances are moved while training"""
    seen = []
    x = torch.arange(24.0).reshape(2, 3, 4)
    for norm in (torch.nn.functional.batch_norm, torch.nn.functional.instance_norm):
        mean, var = torch.zeros(3), torch.ones(3)
        norm(x, mean, var, None, None, True, 0.3)
        seen += [mean, var]
    return seen


def shortened_rows(torch):
    """Rows that are too long are shortened in the matrix itself"""
    w = torch.arange(8.0).reshape(4, 2)
    out = torch.nn.functional.embedding(torch.tensor([1, 3, 1]), w, max_norm=2.0)
    return out, w


WRONG = {
    "conv1d(t(2, 3), t(2, 3, 3))": "expected input[1, 2, 3] to have 3 channels, but got 2 channels instead",
    "conv1d(t(2), t(2, 3, 3))": "Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: [2]",
    "conv2d(t(1, 3, 2, 2), t(2, 3, 3, 3))": "Kernel size can't be greater than actual input size",
    "conv1d(t(1, 3, 4).double(), t(2, 3, 3))": "expected scalar type Double but found Float",
    "conv1d(t(1, 3, 4), t(2, 3, 3), t(3))": "expected bias to be 1-dimensional with 2 elements, but got bias of size [3] instead",
    "conv1d(t(1, 3, 4), t(2, 3, 3), stride=0)": "non-positive stride is not supported",
    "conv1d(t(1, 3, 4), t(2, 3, 3), padding=-1)": "negative padding is not supported",
    "conv1d(t(1, 4, 4), t(3, 2, 3), groups=2)": "expected weight to be divisible by 2 at dimension 0",
    "conv1d(t(1, 3, 4), t(2, 3, 3), padding='same', stride=2)": "padding='same' is not supported for strided convolutions",
    "conv1d(t(1, 3, 4), t(2, 3, 3), padding='full')": "Invalid padding string: 'full'",
    "conv1d(t(1, 3, 4), t(2, 3, 3), stride=(1, 2))": "expected stride to be a single integer value or a list of 1 values to match the convolution dimensions",
    "conv_transpose1d(t(1, 3, 4), t(2, 2, 3))": "Given transposed=1, weight of size [2, 2, 3], expected input[1, 3, 4] to have 2 channels",
    "conv_transpose1d(t(1, 3, 4), t(3, 2, 3), output_padding=1)": "output padding must be smaller than either stride or dilation",
    "unfold(t(1, 1, 2, 2), 3)": "its components must be at least one", "fold(t(1, 5, 4), (3, 3), 2)": "to be divisible by the product of kernel_size",
    "fold(t(1, 4, 5), (3, 3), 2)": "to match the calculated number of sliding blocks 2 * 2 = 4", "max_pool2d(t(1, 1, 2, 2), 3)": "Output size is too small",
    "max_pool2d(t(1, 1, 4, 4), 2, padding=2)": "pad should be at most half of effective kernel size", "avg_pool2d(t(1, 1, 4, 4), 2, divisor_override=0)": "divisor must be not zero",
    "max_pool2d(t(1, 1, 4, 4), 2, stride=0)": "stride should not be zero", "adaptive_avg_pool2d(t(4), 2)": "Expected 3D or 4D", "max_pool1d(t(3), 2)": "Expected 2D or 3D (batch mode)",
    "layer_norm(t(2, 3), (2,))": "Given normalized_shape=[2], expected input with shape [*, 2], but got input of size[2, 3]",
    "layer_norm(t(2, 3), (3,), t(2))": "Expected weight to be of same shape as normalized_shape", "group_norm(t(2, 3), 2)": "Expected number of channels in input to be divisible by num_groups",
    "layer_norm(t(2, 3).long(), (3,))": "\"LayerNormKernelImpl\" not implemented for 'Long'", "rms_norm(t(2, 3), (2,))": "expected input with shape [*2]",
    "batch_norm(t(1, 3), None, None, training=True)": "Expected more than 1 value per channel when training", "batch_norm(t(2, 3), None, None)": "running_mean must be defined in evaluation mode",
    "batch_norm(t(2, 3), t(2), t(2))": "running_mean should contain 3 elements not 2", "instance_norm(t(2, 3, 1))": "Expected more than 1 spatial element when training",
    "local_response_norm(t(2, 3), 2)": "Expected 3D or higher dimensionality", "pixel_shuffle(t(1, 3, 2, 2), 2)": "input.size(-3)=3 is not divisible by 4",
    "pixel_unshuffle(t(1, 3, 3, 3), 2)": "input.size(-2)=3 is not divisible by 2", "channel_shuffle(t(1, 3, 3, 3), 2)": "Got 3 channels and 2 groups.",
    "bilinear(t(2, 3), t(2, 3), t(2, 3, 4))": "input2 size does not match weight size: got 3 but expected 4", "interpolate(t(1, 2, 3))": "either size or scale_factor should be defined",
    "interpolate(t(1, 2, 3), 2, 2.0)": "only one of size or scale_factor should be defined", "interpolate(t(1, 2, 3), 2, mode='bilinear')": "Got 3D input, but bilinear mode needs 4D input",
    "interpolate(t(1, 2, 3), 2, mode='cubic')": "(got cubic)", "interpolate(t(1, 2, 3), 2, align_corners=True)": "align_corners option can only be set with the interpolating modes",
    "interpolate(t(1, 2, 3), 0)": "Input and output sizes should be greater than 0", "interpolate(t(1, 2, 3), (2, 2))": "Input and output must have the same number of spatial dimensions",
    "interpolate(t(1, 2, 3), 2, mode='linear', antialias=True)": "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes",
    "grid_sample(t(1, 1, 2, 2), t(1, 2, 2, 3))": "expected grid to have size 2 in last dimension", "grid_sample(t(1, 1, 2, 2), t(2, 2, 2, 2))": "expected grid and input to have same batch size",
    "grid_sample(t(1, 1, 2, 2), t(1, 2, 2, 2), mode='x')": "expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: 'x'",
    "grid_sample(t(1, 1, 2, 2), t(1, 2, 2, 2), padding_mode='x')": "expected padding_mode to be 'zeros', 'border', or 'reflection', but got: 'x'",
    "affine_grid(t(1, 2, 2), (1, 1, 2, 2))": "Expected a batch of 2D affine matrices of shape Nx2x3", "affine_grid(t(1, 2, 3), (1, 1, 2))": "affine_grid only supports 4D and 5D sizes",
    "scaled_dot_product_attention(t(2, 3), t(2, 3), t(2, 3), t(2, 2), is_causal=True)": "Explicit attn_mask should not be set when is_causal=True",
    "alpha_dropout(t(2), 2)": "dropout probability has to be between 0 and 1, but got 2", "dropout1d(t(3))": "dropout1d: Expected 2D or 3D input, but received a 1D input",
    "margin_ranking_loss(t(2), t(2, 1), t(2))": "All input tensors should have same dimension", "hinge_embedding_loss(t(2), t(2), reduction='x')": "x is not a valid value for reduction",
    "triplet_margin_loss(t(2, 3), t(2, 3), t(3))": "anchor 2D, positive 2D, and negative 1D inputs", "triplet_margin_loss(t(2, 3), t(2, 3), t(2, 3), margin=-1)": "margin must be greater than 0, got -1",
    "cosine_embedding_loss(t(2, 3), t(2, 3), t(2, 3))": "multi-target not supported", "cosine_embedding_loss(t(3), t(3), t(2))": "1D target tensor expects 2D input tensors",
    "gaussian_nll_loss(t(2), t(2), -t(2))": "var has negative entry/entries", "gaussian_nll_loss(t(2, 3), t(2, 3), t(2, 2))": "var is of incorrect size", "mse_loss(t(2, 3), t(2, 3), weight=t(2))": "Weights and input must have the same size",
    "cross_entropy(t(2, 3), torch.tensor([1, 2]), label_smoothing=2.0)": "label_smoothing must be between 0.0 and 1.0. Got: 2", "huber_loss(t(2), t(2), delta=0.0)": "does not support non-positive values for delta",
    "hardtanh(t(2), 1.0, -1.0)": "min_val cannot be greater than max_val",
    "binary_cross_entropy_with_logits(t(2, 3), t(2))": "must be the same as input size",
}


@each(*WRONG)
@quiet
def what_is_wrong(torch, text):
    return raises(lambda: eval(f"torch.nn.functional.{text}", {"torch": torch, "t": torch.ones}), WRONG[text])


@each("F.silu(a)", "F.mish(a)", "F.gelu(a)", "F.gelu(a, approximate='tanh')", "F.hardtanh(a, -0.5, 1.5)", "F.relu6(a)", "F.leaky_relu(a, 0.2)",
      "F.mse_loss(a, b)", "F.mse_loss(a, b, reduction='sum')", "F.mse_loss(a, b, reduction='none')", "F.smooth_l1_loss(a, b)",
      "F.smooth_l1_loss(a, b, reduction='none', beta=0.3)", "F.huber_loss(a, b)", "F.huber_loss(a, b, delta=0.4, reduction='sum')",
      "F.binary_cross_entropy_with_logits(a, t)", "F.binary_cross_entropy_with_logits(a, t, reduction='sum')", "F.soft_margin_loss(a, s)",
      "F.cross_entropy(a, k)", "F.cross_entropy(a, k, reduction='none')", "F.cross_entropy(a, k, weight=w)", "F.cross_entropy(a[0], k[0])",
      "F.cross_entropy(a, k, reduction='sum', ignore_index=2)", "F.nll_loss(a, k, weight=w)", "F.cross_entropy(a, k, label_smoothing=0.1)")
def computed_in_one_node(torch, text):
    """Losses and activations are nodes of their own, with their derivatives in all modes."""
    F, fw = torch.nn.functional, torch.autograd.forward_ad
    a = torch.tensor([[0.3, -1.2, 2.5], [1.1, -0.4, -3.0]], dtype=torch.float64, requires_grad=True)
    b = torch.tensor([[0.1, 0.7, -0.2], [2.0, 0.3, -2.5]], dtype=torch.float64, requires_grad=True)
    names = {"F": F, "b": b, "t": b.detach().sigmoid(), "s": b.detach().sign(), "k": torch.tensor([2, 0]),
             "w": torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)}
    y = eval(text, {**names, "a": a})
    grads = torch.autograd.grad((y ** 2).sum(), (a, b) if "b" in text.replace("beta", "").replace("binary", "").replace("huber", "").replace("label", "")
                                else a, create_graph=True)
    second = torch.autograd.grad((grads[0] ** 2).sum(), a)
    with fw.dual_level():
        tangent = fw.unpack_dual(eval(text, {**names, "a": fw.make_dual(a.detach(), torch.cos(a.detach()))})).tangent
    batched = torch.func.vmap(torch.func.grad(lambda row: eval(text, {**names, "a": row}).sum()))(torch.stack([a.detach(), b.detach()]))
    return y, [g.detach() for g in grads], second, tangent.detach(), batched.detach()


def losses_of_integers(torch):
    x, y = torch.ones(2, dtype=torch.int64), torch.zeros(2, dtype=torch.int64)
    return [raises(lambda f=f: f(x, y), "not implemented for 'Long'") for f in (torch.nn.functional.mse_loss, torch.nn.functional.smooth_l1_loss)]
