"""Which batching rule a function has; those that are missing run an example at a time."""
from __future__ import annotations

from collections.abc import Callable
from operator import getitem, matmul
from typing import Any

import numpy as np

from ..functions import (
    affine,
    complexes,
    extrema,
    factors,
    losses,
    lu,
    masks,
    moments,
    places,
    shape,
    slabs,
    softmax,
    sums,
    windows,
    writes,
)
from ..functions import indexing as places_read
from ..functions import products as torch_products
from . import indexing, products, shapes
from .axes import Shifted, all_axes, vector_norm, whole
from .call import Call
from .elementwise import elementwise
from .loop import loop

__all__ = ["RULES"]

RULES: dict[Callable[..., Any], Callable[[Call], Any]] = {
    getitem: indexing.read,
    places_read.index: indexing.read,
    matmul: products.matmul,
    np.matmul: products.matmul,
    torch_products.mm: products.matmul,
    torch_products.folded: products.matmul,
    torch_products.mv: products.matmul,
    torch_products.vm: products.matmul,
    torch_products.dot: products.matmul,
    torch_products.bmm: products.matmul,
    np.linalg.matmul: products.matmul,
    np.dot: products.dot,
    np.outer: products.outer,
    np.einsum: products.einsum,
    np.linalg.solve: products.solve,
    np.reshape: shapes.reshape,
    shape.view: shapes.reshape,
    shape.unsafe_view: shapes.reshape,
    np.broadcast_to: shapes.broadcast,
    shape.expand: shapes.broadcast,
    shape.squeeze: shapes.squeeze,
    np.squeeze: shapes.squeeze,
    np.transpose: shapes.permute,
    shape.permute: shapes.permute,
    shape.t: shapes.permute,
    shape.t_: shapes.permute,
    shape.squeeze_: shapes.squeeze,
    np.moveaxis: shapes.move,
    np.roll: shapes.roll,
    shape.roll: shapes.roll,
    np.tile: shapes.tile,
    shape.repeat: shapes.tile,
    np.pad: shapes.pad,
    np.concatenate: shapes.concatenate,
    np.stack: shapes.stack,
    np.unwrap: loop,
    np.atleast_1d: shapes.at_least_one,
    writes.copied: shapes.copied,
    masks.masked_select: indexing.masked_select,
    np.linalg.vector_norm: vector_norm,
    sums.sum_all: whole(sums.sum_dim),
    sums.mean_all: whole(sums.mean_dim),
    sums.prod_all: whole(sums.prod_dim),
    sums.max_all: whole(np.max),
    sums.min_all: whole(np.min),
    affine.addmm: products.plus_product,
    affine.baddbmm: products.plus_product,
}

RULES |= all_axes(elementwise, [
    np.clip, np.isclose, np.where, np.real, np.imag, np.angle, np.nan_to_num, np.round, np.around, np.isreal, np.iscomplex,
    np.isneginf, np.isposinf, masks.masked_fill, masks.masked_fill_tensor, complexes.sgn,
    losses.mse_loss, losses.huber_loss, losses.smooth_l1_loss, losses.binary_cross_entropy_with_logits, losses.soft_margin_loss])
RULES |= all_axes(Shifted(none="all"), [
    np.sum, np.mean, np.prod, np.max, np.min, np.amax, np.amin, np.any, np.all, np.var, np.std, np.count_nonzero, np.ptp, np.median,
    np.nansum, np.nanmean, np.nanprod, np.nanmax, np.nanmin, np.nanvar, np.nanstd, np.nanmedian, np.flip,
    np.add.reduce, np.multiply.reduce, np.maximum.reduce, np.minimum.reduce, np.logical_and.reduce, np.logical_or.reduce,
    np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn, np.fft.fftshift, np.fft.ifftshift,
    sums.sum_dim, sums.mean_dim, sums.prod_dim, softmax.logsumexp, moments.var_mean, moments.std_mean, extrema.aminmax, extrema.amax,
    extrema.amin, shape.flip])
RULES |= all_axes(Shifted(none="flat"), [
    np.argmax, np.argmin, np.cumsum, np.cumprod, np.nancumsum, np.nancumprod, np.sort, np.argsort, np.repeat,
    np.add.accumulate, np.multiply.accumulate, np.maximum.accumulate, np.minimum.accumulate])
RULES |= all_axes(Shifted(), [
    np.swapaxes, np.diagonal, np.trace, np.diff, np.rot90,
    np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.hfft, np.fft.ihfft, np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2,
    softmax.softmax, softmax.log_softmax, softmax.logcumsumexp,
    shape.transpose, shape.transpose_, shape.squeeze_dim, shape.squeeze_dim_, shape.squeeze_dims, shape.squeeze_dims_,
    shape.select, shape.slice_, shape.unbind, shape.split, shape.split_with_sizes, shape.rot90,
    extrema.max_at, extrema.min_at, extrema.kthvalue, extrema.median_at, extrema.nanmedian_at, extrema.mode, extrema.sort,
    extrema.topk, extrema.cummax, extrema.cummin, slabs.index_select, slabs.index_fill, windows.unfold, windows.diagonal])
RULES |= all_axes(Shifted(grows=1), [np.expand_dims, shape.unsqueeze, shape.unsqueeze_, windows.diag_embed])
RULES |= all_axes(Shifted(data=(0, 1)), [np.take_along_axis])
RULES |= all_axes(Shifted(data=(0, 2)), [places.gather, places.scatter_value])
RULES |= all_axes(Shifted(data=(0, 2, 3)), [places.scatter, places.scatter_add, places.scatter_reduce])
RULES |= all_axes(Shifted(data=(0, 3)), [slabs.index_add, slabs.index_copy])
RULES |= all_axes(products.leading, [
    np.tril, np.triu, shape.tril, shape.triu, shape.clone, shape.to_copy, np.copy, np.zeros_like, np.ones_like, np.full_like, np.empty_like,
    writes.zeroed, writes.filled, complexes.view_as_real, complexes.view_as_complex,
    np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.cholesky, np.linalg.eigh, np.linalg.eigvalsh, np.linalg.eig,
    np.linalg.eigvals, np.linalg.svd, np.linalg.svdvals, np.linalg.qr, np.linalg.pinv, np.linalg.matrix_power, np.linalg.matrix_transpose,
    np.matrix_transpose, factors.cholesky, factors.linalg_cholesky, factors.eigh, factors.eigvalsh, factors.matrix_exp,
    lu.swapped, lu.lu_factor, lu.lu])
RULES |= all_axes(indexing.dynamic_shape, [
    np.nonzero, np.argwhere, np.flatnonzero, np.unique, np.extract, np.compress])
