"""Calls of NumPy's functions, on arrays and on variables alike, by the names of the functions."""

import inspect
from typing import Any

import numpy as np
from scipy import special

import relgraph.tensor as at


def _tuple(made: Any) -> Any:
    return made[0] if isinstance(made, tuple | list) else made


NOT_OF_ARRAYS = (
    *("indices", "tril_indices", "triu_indices", "diag_indices_from", "iscomplexobj", "isrealobj"),
    *("unique_all", "unique_values"),
)
"""Functions whose argument or result is not an array, or whose result has no fixed order."""


def _of_one_array(name: str) -> bool:
    """Return whether a function here has NumPy's name, and one argument without a default."""
    ours = getattr(at, name)
    if name[0] == "_" or name in NOT_OF_ARRAYS or not hasattr(np, name) or not callable(ours):
        return False
    parameters = inspect.signature(ours).parameters.values()
    defaults = [p.default for p in parameters if p.kind is not p.VAR_POSITIONAL]
    return defaults.count(inspect.Parameter.empty) == 1


# Those of one argument are found; the rows are calls with more.
ONE: dict[str, Any] = {
    **{
        name: getattr(np, name)
        for name in dir(at)
        if name not in at.__all__ and _of_one_array(name)
    },
    **{f"atleast_{n}d": getattr(np, f"atleast_{n}d") for n in (1, 2, 3)},
    "along an axis: nansum": lambda x: np.nansum(x, axis=-1, keepdims=True),
    "along an axis: nanmean": lambda x: np.nanmean(x, axis=0),
    "along an axis: nanvar": lambda x: np.nanvar(x, axis=-1, ddof=1),
    "along an axis: nanmax": lambda x: np.nanmax(x, axis=0),
    "along an axis: median": lambda x: np.median(x, axis=-1, keepdims=True),
    "along axes: median": lambda x: np.median(x, axis=(0, -1)),
    "along an axis: nanmedian": lambda x: np.nanmedian(x, axis=0),
    "allclose": lambda x: np.allclose(x, x + x),
    "array_equal": lambda x: np.array_equal(x, x),
    "array_equal with nan": lambda x: np.array_equal(x, x, equal_nan=True),
    "array_equiv": lambda x: np.array_equiv(x, x[..., :1]),
    "astype": lambda x: np.astype(x, np.complex128),
    "piecewise": lambda x: np.piecewise(x, [np.less(x, 1), np.greater(x, 2)], [-1, abs]),
    "degrees": lambda x: np.degrees(x),
    "matrix_rank": lambda x: np.linalg.matrix_rank(x),
    "tensorinv": lambda x: np.linalg.tensorinv(x[..., :3] + np.eye(3), ind=1),
    "tensorsolve": lambda x: np.linalg.tensorsolve(x[..., :3] + np.eye(3), x[..., 0]),
    "quantile": lambda x: np.quantile(x, 0.3),
    "quantiles": lambda x: np.quantile(x, [0.1, 0.5, 1.0], axis=-1),
    "quantile lower": lambda x: np.quantile(x, 0.3, method="lower", axis=0),
    "quantile higher": lambda x: np.quantile(x, 0.3, method="higher", axis=0),
    "quantile nearest": lambda x: np.quantile(x, 0.4, method="nearest", axis=0),
    "quantile midpoint": lambda x: np.quantile(x, 0.3, method="midpoint", axis=0),
    **{
        f"quantile {method}": (lambda x, m=method: np.quantile(x, [0, 0.3, 0.5, 1], method=m))
        for method in [
            "inverted_cdf",
            "averaged_inverted_cdf",
            "closest_observation",
            "interpolated_inverted_cdf",
            "hazen",
            "weibull",
            "median_unbiased",
            "normal_unbiased",
        ]
    },
    "percentile": lambda x: np.percentile(x, 60, axis=-1),
    "nanquantile": lambda x: np.nanquantile(x, 0.3, axis=-1),
    "nanpercentile": lambda x: np.nanpercentile(x, 30),
    "average with weights": lambda x: np.average(x, axis=-1, weights=np.array([1.0, 2, 3, 4])),
    "average returned": lambda x: np.average(x, axis=0, returned=True)[1],
    "cov of columns": lambda x: np.cov(x, rowvar=False),
    "cov biased": lambda x: np.cov(x, bias=True),
    "cov of too few": lambda x: np.cov(x, ddof=9),
    "rint": np.rint,
    "diff twice": lambda x: np.diff(x, n=2, axis=0),
    "diff with ends": lambda x: np.diff(x, prepend=0, append=x[..., :1]),
    "ediff1d with ends": lambda x: np.ediff1d(x, to_begin=x[..., 0]),
    "gradient of an axis": lambda x: np.gradient(x, 2.0, axis=-1),
    "gradient at points": lambda x: np.gradient(x, np.array([0.0, 1.0, 3.0, 4.0]), axis=-1),
    "trapezoid at points": lambda x: np.trapezoid(x, np.array([0.0, 1.0, 3.0, 4.0])),
    "dstack": lambda x: np.dstack([x, x]),
    "column_stack": lambda x: np.column_stack([x, x]),
    "block": lambda x: np.block([[x, x], [x, x]]),
    "append": lambda x: np.append(x, 1),
    "append along": lambda x: np.append(x, x, axis=0),
    "unstack": lambda x: np.unstack(x, axis=-1)[2],
    "rot90 three times": lambda x: np.rot90(x, 3, axes=(-1, 0)),
    "rollaxis": lambda x: np.rollaxis(x, -1),
    "insert": lambda x: np.insert(x, 1, 5, axis=-1),
    "delete": lambda x: np.delete(x, 1, axis=-1),
    "insert into nothing": lambda x: np.insert(x[:0], 0, 5, axis=0),
    "delete the last": lambda x: np.delete(x, -1, axis=0),
    "delete several": lambda x: np.delete(x, [0, 2], axis=-1),
    "delete by slice": lambda x: np.delete(x, slice(1, 3), axis=-1),
    "resize": lambda x: np.resize(x, (2, 7)),
    "resize of nothing": lambda x: np.resize(x[:0], (2, 7)),
    "array_split": lambda x: np.array_split(x, 3, axis=-1)[0],
    "split between": lambda x: np.split(x, [1, 3], axis=-1)[1],
    "hsplit": lambda x: np.hsplit(x, [1])[1],
    "vsplit": lambda x: np.vsplit(x, [1])[0],
    "dsplit": lambda x: np.dsplit(x, 2)[1],
    "vander": lambda x: np.vander(x, 3),
    "vander increasing": lambda x: np.vander(x, increasing=True),
    "meshgrid": lambda x: np.meshgrid(x, x[:2])[0],
    "meshgrid ij": lambda x: np.meshgrid(x, x[:2], indexing="ij")[1],
    "ix_": lambda x: np.ix_(x)[0],
    "tril_indices_from": lambda x: np.tril_indices_from(x)[1],
    "triu_indices_from": lambda x: np.triu_indices_from(x, 1)[0],
    "linspace": lambda x: np.linspace(x, 2 * x, 5),
    "linspace to an open end": lambda x: np.linspace(0, x, 4, endpoint=False),
    "logspace": lambda x: np.logspace(0, np.clip(x, 0, 2), 3),
    **{
        f"pad {mode}": (lambda x, mode=mode: np.pad(x, (2, 1), mode=mode))
        for mode in ["constant", "edge", "wrap", "reflect", "symmetric", "maximum", "minimum"]
    },
    "pad means of integers": lambda x: np.pad(np.real(x).astype("int16"), 2, mode="mean"),
    "pad linear_ramp": lambda x: np.pad(x, (2, 1), mode="linear_ramp", end_values=(3, -1)),
    "repeat by numbers": lambda x: np.repeat(x, np.array([2, 0, 1, 3]), axis=-1),
    "round to tenths": lambda x: np.round(x, 1),
    "round to tens": lambda x: np.round(x, -1),
    "take, wrapped": lambda x: np.take(x, np.array([5, -1, 9]), axis=-1, mode="wrap"),
    "take, clipped": lambda x: np.take(x, np.array([5, -1, 9]), axis=-1, mode="clip"),
    "unique parts": lambda x: np.unique(x, axis=0),
    "unique parts along the last": lambda x: np.unique(x, return_counts=True, axis=-1)[1],
    "pad with numbers": lambda x: np.pad(x, 1, constant_values=(3, 4)),
    "take_along_axis": lambda x: np.take_along_axis(x, np.argsort(x, axis=-1, kind="stable"), -1),
    "nonzero": lambda x: _tuple(np.nonzero(x)),
    "compress": lambda x: np.compress([True, False, True], x, axis=-1),
    "extract": lambda x: np.extract(np.greater(x, 1), x),
    "isin": lambda x: np.isin(x, [1, 2, 3]),
    "isin, inverted": lambda x: np.isin(x, [1, 2, 3], invert=True),
    "digitize": lambda x: np.digitize(x, np.array([0, 2, 3])),
    "searchsorted right": lambda x: np.searchsorted(np.array([0, 1, 2]), x, side="right"),
    "unique_counts": lambda x: np.unique(x, return_counts=True)[1],
    "unique_index": lambda x: np.unique(x, return_index=True)[1],
    "unique_inverse": lambda x: np.unique(x, return_inverse=True)[1],
    "bincount": lambda x: np.bincount(x, minlength=5),
    "bincount with weights": lambda x: np.bincount(x, np.array([0.5, 1, 2, 3])),
    "histogram": lambda x: np.histogram(x, bins=3)[0],
    "histogram edges": lambda x: np.histogram(x, bins=3, range=(0, 4))[1],
    "histogram of given": lambda x: np.histogram(x, bins=np.array([0, 1, 2.5, 4]))[0],
    "histogram density": lambda x: np.histogram(x, bins=4, density=True)[0],
    "lexsort": lambda x: np.lexsort((x, np.flip(x, -1))),
    "partition": lambda x: np.partition(x, 2, axis=-1)[..., 2],
    "argpartition": lambda x: np.take_along_axis(x, np.argpartition(x, 1, axis=-1), -1)[..., 1],
    "choose": lambda x: np.choose(np.array([0, 1, 1, 0]), [x, x * x]),
    "select": lambda x: np.select([np.greater(x, 2), np.greater(x, 1)], [x, x + x], 7),
    "union1d": lambda x: np.union1d(x, [1, 2]),
    "intersect1d": lambda x: np.intersect1d(x, [1, 2]),
    "setdiff1d": lambda x: np.setdiff1d(x, [1, 2]),
    "setxor1d": lambda x: np.setxor1d(x, [1, 2]),
    "interp": lambda x: np.interp(x, [0.0, 1.0, 3.0], [1.0, 5.0, 2.0]),
    "interp with ends": lambda x: np.interp(x, [0.5, 1.5], [1.0, 5.0], left=-1, right=9),
    "cross": lambda x: np.cross(x[..., :3], x[..., 1:]),
    "polyval": lambda x: np.polyval([1, 2, 3], x),
    "polyval of coefficients": lambda x: np.polyval(x, 2),
    "polyder": lambda x: np.polyder(x),
    "polyint": lambda x: np.polyint(x, 2),
    "modf": lambda x: np.modf(x)[0],
    "frexp": lambda x: np.frexp(x)[0],
    "frexp of powers": lambda x: np.frexp(x)[1],
    "modf whole": lambda x: np.modf(x)[1],
    **{
        f"fft {name}": getattr(np.fft, name) for name in np.fft.__all__ if not name.endswith("freq")
    },
    "fft cut": lambda x: np.fft.fft(x, n=3, axis=0, norm="ortho"),
    "fft continued": lambda x: np.fft.fft(x, n=7, norm="forward"),
    "rfft continued": lambda x: np.fft.rfft(x, n=5, axis=0),
    "irfft of odd": lambda x: np.fft.irfft(x, n=5),
    "irfft cut": lambda x: np.fft.irfft(x, n=4, norm="forward"),
    "ifftn of axes": lambda x: np.fft.ifftn(x, s=(3,), axes=(0,)),
    "maximum.accumulate": lambda x: np.maximum.accumulate(x, axis=-1),
    "minimum.accumulate": lambda x: np.minimum.accumulate(x, axis=0),
    "logaddexp.accumulate": lambda x: np.logaddexp.accumulate(x, axis=-1),
    "cumulative_sum": lambda x: np.cumulative_sum(x, axis=-1),
    "array_split of many": lambda x: np.array_split(x, 5, axis=-1)[4],
    "broadcast_arrays": lambda x: np.broadcast_arrays(x, x[..., :1])[1],
    "resize to fewer": lambda x: np.resize(x, 3),
    "matrix_transpose": lambda x: np.matrix_transpose(x),
    "vecdot": lambda x: np.vecdot(x, x),
    "matvec": lambda x: np.matvec(x, x[..., 0, :]),
    "vecmat": lambda x: np.vecmat(x[..., 0, :], np.matrix_transpose(x)),
    "a number first": lambda x: np.float64(2) * x,
    "an array first": lambda x: np.ones((2, 3)) @ x,
    "matmul with an array": lambda x: x @ np.ones((4, 2)),
    "a list beside it": lambda x: np.maximum([0.0, 1.0, 2.0, 3.0], x),
    "dtype of a ufunc": lambda x: np.add(x, 1, dtype="float32"),
    "where=True": lambda x: np.add(x, 1, where=True),
    "out=None": lambda x: np.sum(x, 0, out=None),
    "dtype of a sum": lambda x: np.sum(x, dtype="float32", axis=0),
    "sum of some": lambda x: np.sum(x, where=x > 0, initial=3.0),
    "product of some": lambda x: np.prod(x, axis=1, where=x > 0),
    "greatest of some": lambda x: np.max(x, where=x < 1, initial=-5.0, axis=1),
    "least and a bound": lambda x: np.min(x, initial=-2.5),
    "all of some": lambda x: np.all(x > 0, where=x < 3),
    "any of some": lambda x: np.any(x > 2, where=x < 3, axis=0),
    "mean of some": lambda x: np.mean(x, axis=0, where=x > 0),
    "reduce": lambda x: np.add.reduce(x, axis=1),
    "reduce by default": lambda x: np.multiply.reduce(x),
    "reduce over all": lambda x: np.maximum.reduce(x, axis=None, keepdims=True),
    "reduce of some": lambda x: np.add.reduce(x, axis=1, where=x > 0),
    "reduce of logarithms": lambda x: np.logaddexp.reduce(x, axis=0),
    "accumulate": lambda x: np.add.accumulate(x, axis=1),
    "cumulative sums of a dtype": lambda x: np.cumsum(x, axis=1, dtype="complex64"),
    **{
        f"cumulative {f.__name__} of {d}": lambda x, f=f, d=d: f(np.isfinite(x), axis=0, dtype=d)
        for f in (np.cumsum, np.cumprod)
        for d in ("bool", "uint8", "float16")
    },
    "var of too few": lambda x: np.var(x[:1], axis=0, ddof=1),
    "std of nothing": lambda x: np.isnan(np.std(x[:0], axis=0, ddof=1)),
    "cond of zeros": lambda x: np.isinf(np.linalg.cond(np.zeros_like(x))),
    "ldexp by a number": lambda x: np.ldexp(x, 2),
    "of a whole order": lambda x: special.eval_hermite(3, np.clip(x, 0, 2)),
    "select among numbers": lambda x: np.select([x > 2, x > 1], [x, 1.5], default=2),
    "choose among numbers": lambda x: np.choose(np.isnan(x).astype("int8"), [x, 1.5]),
    "piecewise of large integers": lambda x: np.piecewise(
        np.isfinite(x) + 2**53, [np.less(x, 3)], [abs, 0.5]
    ),
    "outer of a ufunc": lambda x: np.subtract.outer(x[0], x[1]),
    "clip below": lambda x: np.clip(x, 0, None),
    "clip above by name": lambda x: np.clip(x, max=1),
    "the same by another name": lambda x: np.around(x, 1) + np.amax(x, initial=5.0),
    "decimals of integers": lambda x: np.round(x.astype("int64") * 37, -1),
    "other shape": lambda x: np.zeros_like(x, shape=(2,)),
    "filled": lambda x: np.full_like(x, 2, dtype="int8"),
    "order": lambda x: np.ravel(x, order="C"),
    "ravel in the other order": lambda x: np.ravel(x, order="F"),
    "reshape in the other order": lambda x: np.reshape(x, (2, -1), order="F"),
    "reshape by a method": lambda x: x.reshape(-1, 2, order="F"),
    "clip beyond the dtype": lambda x: (
        np.clip(np.isfinite(x).astype("uint8"), -1, 300)
        + np.clip(x.real.astype("int8"), -999, None)
    ),
    "conjugate by a method": lambda x: x.conj(),
    "kind": lambda x: np.sort(x, axis=0, kind="heapsort"),
    "where is it true": lambda x: np.where(x > 0)[1],
    "equal to a number": lambda x: np.equal(x, 0.5),
    "not equal": lambda x: np.not_equal(x, x.T[:2, :2].sum()),
    "rank": lambda x: x * np.ndim(x),
    "size of an axis": lambda x: np.size(x, 1),
    "a function of SciPy's": lambda x: special.expit(x),
    "two of SciPy's": lambda x: special.jv(2, special.ndtr(x)),
    "repeat along": lambda x: np.repeat(x, 3, axis=-1),
    "repeat never": lambda x: np.repeat(x, 0, axis=0),
    "transpose by axes": lambda x: np.transpose(x, (1, -1, 0)),
    "take along": lambda x: np.take(x, [[0, 2], [1, 0]], axis=-1),
    "take one": lambda x: np.take(x, 1, axis=0),
    "squeeze axes": lambda x: np.squeeze(np.expand_dims(x, (0, -1)), (0, -1)),
    **{
        f"{f.__name__} along {axis}": lambda x, f=f, axis=axis: f(x, axis, keepdims=True)
        for f in (np.sum, np.prod, np.max, np.min, np.any, np.all, np.mean)
        for axis in [0, 1, -1, (0, -1), (2, 0), (), None]
    },
    **{
        f"{f.__name__} along {axis}": lambda x, f=f, axis=axis: f(x, axis, keepdims=True, ddof=1)
        for f in (np.var, np.std)
        for axis in [0, (0, -1), None]
    },
    **{
        f"norm of vectors {ord}": lambda x, ord=ord: np.linalg.norm(x, ord, -1)
        for ord in [None, 0, 1, 2, 3, -1, 0.5, np.inf, -np.inf]
    },
    **{
        f"norm of matrices {ord}": lambda x, ord=ord: np.linalg.norm(x, ord, (-1, 0), keepdims=True)
        for ord in [None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]
    },
    "norm of all": lambda x: np.linalg.norm(x),
    "vector_norm": lambda x: np.linalg.vector_norm(x, ord=3),
    "matrix_norm": lambda x: np.linalg.matrix_norm(x, ord=1),
    **{
        f"matrix_power {n}": lambda x, n=n: np.linalg.matrix_power(x[..., :3] + 9 * np.eye(3), n)
        for n in [-3, -1, 0, 1, 2, 5]
    },
    "trace of matrices": lambda x: np.linalg.trace(x, offset=1),
    "diagonal of matrices": lambda x: np.linalg.diagonal(x, offset=-1),
    "matrix_transpose of linalg": np.linalg.matrix_transpose,
    **{f"diag {k}": lambda x, k=k: np.diag(x, k) for k in (1, -1, 7)},
    **{f"diagonal {k}": lambda x, k=k: np.diagonal(x, k, 2, 0) for k in (0, 1, -1, 7)},
    "trace moved": lambda x: np.trace(x, 1),
    "divmod": lambda x: np.divmod(x, 3)[1],
}

TWO: dict[str, Any] = {
    **{
        name: getattr(np, name)
        for name in [
            "fmax",
            "fmin",
            "fmod",
            "copysign",
            "heaviside",
            "nextafter",
            "logaddexp2",
            "float_power",
            "gcd",
            "lcm",
            "left_shift",
            "right_shift",
            "inner",
            "vdot",
            "polyadd",
            "polysub",
            "convolve",
        ]
    },
    "shift operators": lambda x, y: (x << y) + (y >> x) + (x << 2) + (np.int32(64) >> y),
    "convolve same": lambda x, y: np.convolve(x, y[:3], "same"),
    "convolve valid": lambda x, y: np.convolve(x[:2], y, "valid"),
    "correlate": lambda x, y: np.correlate(x, y[:2]),
    "correlate same": lambda x, y: np.correlate(x[:2], y, "same"),
    "correlate full": lambda x, y: np.correlate(x, y[:3], "full"),
    "cov of two": lambda x, y: np.cov(x, y),
    "corrcoef of two": lambda x, y: np.corrcoef(x, y),
    "trapezoid of both": lambda x, y: np.trapezoid(x, np.sort(y)),
    "append both": lambda x, y: np.append(x, y, axis=0),
    "kron of other ranks": lambda x, y: np.kron(x, y[0]),
    "vecdot of linalg": np.linalg.vecdot,
    "matmul of stacks": lambda x, y: np.matmul(x, np.swapaxes(y, 1, 2)),
    "matmul of one with a stack": lambda x, y: np.matmul(x[:1], np.swapaxes(y, 1, 2)),
    "matmul with a matrix": lambda x, y: np.matmul(x, np.swapaxes(y, 1, 2)[0]),
    "matmul of a vector": lambda x, y: np.matmul(x[0, 0], np.swapaxes(y, 1, 2)),
    "matmul with a vector": lambda x, y: np.matmul(x, y[0, 0]),
    "dot of stacks": lambda x, y: np.dot(x, np.swapaxes(y, 1, 2)),
    "dot with a vector": lambda x, y: np.dot(x, y[0]),
    "dot of a vector": lambda x, y: np.dot(x[0], y),
    "dot of a number": lambda x, y: np.dot(x.sum(), y),
    **{
        f"tensordot {axes}": lambda x, y, axes=axes: np.tensordot(x, y, axes)
        for axes in [0, 3, ((1, 2), (1, 2)), (2, 2), ((0,), (0,)), ((-1,), (2,))]
    },
    "ravel_multi_index": lambda x, y: np.ravel_multi_index(
        (np.clip(x, 0, 2), np.clip(y, 0, 3)), (3, 4)
    ),
}

OF_A_MODULE: dict[str, Any] = {
    **{
        name: lambda m, x, name=name: getattr(m, name)(x)
        for name in at.__all__
        if _of_one_array(name)
    },
    **{
        name: (lambda m, x, y, name=name: getattr(m, name)(x, y))
        for name in (
            *("add", "arctan2", "bitwise_and", "bitwise_or", "bitwise_xor", "divide", "dot"),
            *("equal", "floor_divide", "greater", "greater_equal", "isclose", "less"),
            *("less_equal", "logaddexp", "logical_and", "logical_or", "logical_xor", "matmul"),
            *("maximum", "minimum", "mod", "multiply", "not_equal", "outer", "pow", "power"),
            *("remainder", "subtract", "true_divide", "hypot"),
        )
    },
    "arange": lambda m, x: m.arange(m.equal(x, x).sum()),
    "broadcast_to": lambda m, x: m.broadcast_to(x, (2, *x.shape)),
    "clip": lambda m, x, y: m.clip(x, y, x),
    "clip to numbers": lambda m, x: m.clip(x, 1, 3),
    "concatenate": lambda m, x, y: m.concatenate([x, y]),
    "cumprod of an axis": lambda m, x: m.cumprod(x, axis=-1),
    "cumsum of an axis": lambda m, x: m.cumsum(x, axis=-1),
    "einsum": lambda m, x, y: m.einsum("i...,i...->...", x, y),
    "expand_dims": lambda m, x: m.expand_dims(x, 0),
    "eye": lambda m, x: m.eye(3, dtype=x.dtype),
    "full": lambda m, x: m.full((2, 2), x.sum()),
    "hstack": lambda m, x, y: m.hstack([x, y]),
    "identity": lambda m, x: m.eye(2, dtype=x.dtype),
    "isclose of nan": lambda m, x, y: m.isclose(x, y, equal_nan=True),
    "isclose to a number": lambda m, x: m.isclose(x, 1),
    "kron": lambda m, x, y: m.kron(x, y),
    "max of an axis": lambda m, x: m.max(x, axis=0),
    "mean of an axis": lambda m, x: m.mean(x, axis=0),
    "min of an axis": lambda m, x: m.min(x, axis=-1),
    "moveaxis": lambda m, x: m.moveaxis(x, 0, -1),
    "ones": lambda m, x: m.ones((2, 3), dtype=x.dtype),
    "power of a number": lambda m, x: m.power(x, 2),
    "repeat": lambda m, x: m.repeat(x, 2),
    "reshape": lambda m, x: m.reshape(x, (-1, 1)),
    "roll": lambda m, x: m.roll(x, 1),
    "sort of an axis": lambda m, x: m.sort(x, axis=0),
    "split": lambda m, x: m.split(x, [1, x.shape[0] - 1] if m is at else [1])[1],
    "squeeze": lambda m, x: m.squeeze(x),
    "stack": lambda m, x, y: m.stack([x, y]),
    "std of an axis": lambda m, x: m.std(x, axis=0, ddof=1),
    "sum of an axis": lambda m, x: m.sum(x, axis=-1),
    "swapaxes": lambda m, x: m.swapaxes(x, 0, -1),
    "take": lambda m, x: m.take(x, [0, 0]),
    "tensordot": lambda m, x, y: m.tensordot(x, y, 1),
    "tile": lambda m, x: m.tile(x, (2, 2)),
    "tri": lambda m, x: m.tri(3, dtype=x.dtype),
    "tril": lambda m, x: m.tril(x),
    "tril moved": lambda m, x: m.tril(x, -1),
    "triu moved": lambda m, x: m.triu(x, 1),
    "vstack": lambda m, x, y: m.vstack([x, y]),
    "where": lambda m, x, y: m.where(x, x, y),
    "argsort of an axis": lambda m, x: m.argsort(x, axis=0, kind="stable"),
    "concatenate along": lambda m, x, y: m.concatenate([x, y, x], -1),
    "cumprod down": lambda m, x: m.cumprod(x, axis=0),
    "cumsum down": lambda m, x: m.cumsum(x, axis=0),
    "expand_dims of several": lambda m, x: m.expand_dims(x, (-1, 0)),
    **{
        f"{name} {args}": lambda m, x, name=name, args=args: getattr(m, name)(*args, dtype=x.dtype)
        for name in ("eye", "tri")
        for args in [(2, 4), (4, 2), (3, 3, 1), (3, 4, -2), (0, 2)]
    },
    "flip of an axis": lambda m, x: m.flip(x, 0),
    "flip of axes": lambda m, x: m.flip(x, (0, 1)),
    **{
        f"{name} {shape}": lambda m, x, name=name, s=shape: getattr(m, name)(s, dtype=x.dtype)
        for name in ("zeros", "ones")
        for shape in [(), 3, (0, 2)]
    },
    **{
        f"{name} of a dtype": lambda m, x, name=name: getattr(m, name)(x, dtype="int8")
        for name in ("zeros_like", "ones_like")
    },
    "full_like of a dtype": lambda m, x: m.full_like(x, 3, "int8"),
    "full_like": lambda m, x: m.full_like(x, 3),
    **{
        f"reshape to {shape}": lambda m, x, shape=shape: m.reshape(x, shape)
        for shape in [(6,), (3, 2), (-1,), (1, -1, 3), 6, -1]
    },
    **{
        f"roll by {shift} along {axis}": lambda m, x, s=shift, a=axis: m.roll(x, s, a)
        for shift, axis in [
            (0, 0),
            (-1, 1),
            (7, -1),
            (7, None),
            (1, (0, 1)),
            ((1, 2), (0, 1)),
            (2, [1]),
        ]
    },
    "sort of all": lambda m, x: m.sort(x, axis=None),
    "stack along": lambda m, x, y: m.stack([x, y], -1),
    **{
        f"{name} in {dtype}": lambda m, x, name=name, d=dtype: getattr(m, name)(m.real(x), dtype=d)
        for name in ("sum", "prod")
        for dtype in ("float32", "int8", "bool", "complex128")
    },
    **{
        f"tile {reps}": lambda m, x, reps=reps: m.tile(x, reps)
        for reps in [2, (2, 1), (2, 1, 3), (0, 2), ()]
    },
    "zeros": lambda m, x: m.zeros((2, 3), dtype=x.dtype),
}
