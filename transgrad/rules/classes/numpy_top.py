"""Classification of the functions of the namespace numpy."""
from __future__ import annotations

from .namespace import Namespace

NAMESPACES = (Namespace(
    "numpy",
    differentiable="""
        abs absolute acos acosh add amax amin angle append arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh array array_split
        asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray asin asinh astype atan atan2 atanh atleast_1d
        atleast_2d atleast_3d average bincount block broadcast_arrays broadcast_to cbrt cdouble choose clip clongdouble column_stack
        complex128 complex256 complex64 compress concat concatenate conj conjugate convolve copy copysign corrcoef correlate cos
        cosh cov cross csingle cumprod cumsum cumulative_prod cumulative_sum deg2rad degrees delete diag diagflat diagonal diff
        divide divmod dot double dsplit dstack ediff1d einsum exp exp2 expand_dims expm1 extract fabs flip fliplr flipud float128
        float16 float32 float64 float_power fmax fmin fmod frexp full full_like geomspace gradient half heaviside histogram
        histogram2d histogram_bin_edges histogramdd hsplit hstack hypot i0 imag inner insert interp intersect1d kaiser kron ldexp
        linspace log log10 log1p log2 logaddexp logaddexp2 logspace longdouble matmul matrix_transpose matvec max maximum mean
        median meshgrid min minimum mod modf moveaxis multiply nan_to_num nancumprod nancumsum nanmax nanmean nanmedian nanmin
        nanpercentile nanprod nanquantile nanstd nansum nanvar negative nextafter outer pad partition percentile permute_dims poly poly1d
        polyadd polyder polydiv polyfit polyint polymul polysub polyval positive pow power prod ptp quantile rad2deg radians ravel
        real real_if_close reciprocal remainder repeat require reshape resize roll rollaxis roots rot90 row_stack select setdiff1d
        setxor1d sign sin sinc single sinh sort sort_complex split sqrt square squeeze stack std subtract sum swapaxes take
        take_along_axis tan tanh tensordot tile trace transpose trapezoid trapz tril trim_zeros triu true_divide union1d unique
        unique_all unique_counts unique_inverse unique_values unstack unwrap vander var vdot vecdot vecmat vsplit vstack where
    """,
    handled="""
        apply_along_axis apply_over_axes copyto fill_diagonal fromfunction fromiter ndenumerate ndindex piecewise place put
        put_along_axis putmask vectorize
    """,
    constant="""
        all allclose any argmax argmin argpartition argsort argwhere around array_equal array_equiv bartlett bitwise_and
        bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor blackman bool bool_
        byte ceil count_nonzero diag_indices diag_indices_from digitize empty empty_like equal eye fix flatnonzero floor
        floor_divide gcd greater greater_equal hamming hanning identity in1d indices int16 int32 int64 int8 int_ intc intp invert
        isclose iscomplex isfinite isin isinf isnan isneginf isposinf isreal lcm left_shift less less_equal lexsort logical_and
        logical_not logical_or logical_xor long longlong mask_indices nanargmax nanargmin nonzero not_equal ones ones_like packbits
        ravel_multi_index right_shift rint round searchsorted short signbit spacing tri tril_indices tril_indices_from triu_indices
        triu_indices_from trunc ubyte uint uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong unpackbits unravel_index ushort
        zeros zeros_like
    """,
    structural="""
        array2string array_repr array_str base_repr binary_repr broadcast broadcast_shapes can_cast common_type dtype einsum_path errstate
        finfo format_float_positional format_float_scientific get_include get_printoptions getbufsize geterr geterrcall iinfo
        iscomplexobj isdtype isfortran isrealobj isscalar issubdtype iterable may_share_memory min_scalar_type mintypecode ndim
        printoptions promote_types result_type shape shares_memory size typename ufunc
    """,
    missing={
        "an index consists of integers; reshape an array with np.reshape or x[:, None]": "ix_",
        "np.matrix has its own rules for products and shapes; use two-dimensional arrays": "asmatrix bmat matrix",
        "memory of other objects is not supported; make an array with np.array": "frombuffer from_dlpack ndarray",
        "iteration over raw buffers is not supported; loop over the array": "flatiter nditer nested_iters",
        "arrays of Python objects are not supported; np.vectorize makes an array of numbers": "frompyfunc",
        "record arrays are not supported; use one array for each field": "recarray record",
    },
    refused={
        "dates have no derivative": "busday_count busday_offset busdaycalendar datetime_as_string datetime_data is_busday isnat",
        "it changes or shows how NumPy behaves": "info set_printoptions setbufsize seterr seterrcall show_config show_runtime test",
        "it reads or writes files or strings": """
            fromfile fromregex fromstring genfromtxt load loadtxt memmap save savetxt savez savez_compressed
        """,
    },
),)
