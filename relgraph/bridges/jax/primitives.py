"""What primitives of JAX are in a graph: elementwise ones, reductions and what goes along an axis,
products, primitives that move elements, linear algebra and Fourier transforms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from jax.lax import Precision

import relgraph.tensor as at
from relgraph import scalar
from relgraph.gradient import zero_grad
from relgraph.graph.type import Type
from relgraph.scalar.type import is_complex, is_discrete
from relgraph.tensor import linalg, special
from relgraph.tensor.fft import fft, ifft
from relgraph.tensor.math import ELEMENTWISE
from relgraph.tensor.reductions import CAReduce


class NoCounterpart(Exception):
    """Raised where no op is the counterpart of a primitive, for these inputs and parameters."""


class ComputesNothing(TypeError):
    """Raised where a function does something and computes nothing."""


@dataclass(frozen=True)
class Equation:
    """One application of a primitive.

    Attributes
    ----------
    primitive
        The name of the primitive.
    parameters
        Its parameters.
    types
        The types that its outputs have.
    inline
        Takes a jaxpr that is closed, and the variables of its inputs; returns those of its outputs.
    """

    primitive: str
    parameters: dict[str, Any]
    types: Sequence[Type]
    inline: Callable[[Any, Sequence[Any]], list[Any]]

    def __getitem__(self, parameter: str) -> Any:
        return self.parameters[parameter]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first output."""
        return self.types[0].shape  # type: ignore[attr-defined, no-any-return]


Reader = Callable[..., Any]
"""Takes an equation and the variables of its inputs; returns that of the output, or several.

It raises `NoCounterpart` where there is none.
"""


def insist(condition: bool) -> None:
    """Raise `NoCounterpart` unless a condition holds."""
    if not condition:
        raise NoCounterpart


_SAME = {
    # by C's names, as those of JAX's primitives are
    **{op.scalar_op.c_name or op.scalar_op.name: op for op in ELEMENTWISE.values()},
    **{"add_any": at.add, "square": at.sqr, "logistic": at.sigmoid, "rem": at.fmod},
    **{"erf_inv": at.erfinv, "lgamma": at.gammaln, "nextafter": at.nextafter, "ne": at.neq},
    **{"and": at.and_, "or": at.or_, "not": at.invert, "is_finite": at.isfinite},
    **{"shift_left": at.left_shift, "shift_right_arithmetic": at.right_shift},
    **{"igamma": special.gammainc, "igammac": special.gammaincc, "zeta": special.zeta},
    **{"bessel_i0e": special.i0e, "bessel_i1e": special.i1e},
    **{"regularized_incomplete_beta": special.betainc},
    **{"copy": at.identity, "name": at.identity},
    **{"stop_gradient": zero_grad},
}
# These order complex numbers, or round them, as NumPy does not.
_REAL = {"max": at.maximum, "min": at.minimum, "sign": at.sign}

_TO_NEAREST_EVEN = 1


def _same(equation: Equation, *inputs: Any) -> Any:
    return _SAME[equation.primitive](*inputs)


def _real(equation: Equation, *inputs: Any) -> Any:
    insist(not is_complex(inputs[0].type.dtype))
    return _REAL[equation.primitive](*inputs)


def _div(equation: Equation, x: Any, y: Any) -> Any:
    if not is_discrete(x.type.dtype):
        return at.true_div(x, y)
    # integers are divided towards zero
    return at.int_div(at.sub(x, at.fmod(x, y)), y)


def _pow(equation: Equation, x: Any, y: Any) -> Any:
    insist(not is_discrete(x.type.dtype))
    return at.pow(x, at.cast(y, x.type.dtype))


def _integer_pow(equation: Equation, x: Any) -> Any:
    y = equation["y"]
    insist(y >= 0 or not is_discrete(x.type.dtype))
    return at.pow(x, np.asarray(y, x.type.dtype))


def _polynomial(equation: Equation, x: Any, *coefficients: Any) -> Any:
    """Read a polynomial by its coefficients, the constant first: by Horner's rule, as JAX does."""
    found = at.second(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        found = found * x + coefficient
    return found


def _round(equation: Equation, x: Any) -> Any:
    insist(int(equation["rounding_method"]) == _TO_NEAREST_EVEN)
    return at.round(x)


def _shift_right_logical(equation: Equation, x: Any, y: Any) -> Any:
    insist(x.type.dtype.startswith("u"))
    return at.right_shift(x, y)


def _population_count(equation: Equation, x: Any) -> Any:
    insist(x.type.dtype.startswith("u"))  # of others NumPy counts the bits of the absolute value
    return at.cast(at.bitwise_count(x), x.type.dtype)


def _select_n(equation: Equation, which: Any, *cases: Any) -> Any:
    if which.type.dtype == "bool":
        return at.where(which, cases[1], cases[0])
    found = cases[-1]
    for i, case in reversed(list(enumerate(cases[:-1]))):
        found = at.where(at.eq(which, np.asarray(i, which.type.dtype)), case, found)
    return found


_REDUCTIONS = {
    **{"reduce_sum": scalar.add, "reduce_prod": scalar.mul},
    **{"reduce_max": scalar.maximum, "reduce_min": scalar.minimum},
    **{"reduce_and": scalar.and_, "reduce_or": scalar.or_, "reduce_xor": scalar.xor},
}
_PLACES = {"argmax": at.argmax, "argmin": at.argmin}
_RUNNING = {
    **{"cumsum": at.cumsum, "cumprod": at.cumprod},
    **{"cummax": at.cummax, "cummin": at.cummin, "cumlogsumexp": at.logcumsumexp},
}


def _integers(values: Iterable[Any]) -> tuple[int, ...]:
    return tuple(int(n) for n in values)


def _reduced(equation: Equation, x: Any) -> Any:
    op, axes = _REDUCTIONS[equation.primitive], _integers(equation["axes"])
    # of no elements JAX knows an extreme, and NumPy none
    is_extreme = op in (scalar.maximum, scalar.minimum)
    nonempty = not is_complex(x.type.dtype) and all(x.type.shape[i] for i in axes)
    insist(nonempty or not is_extreme)
    return at.cast(CAReduce(op, axes)(x), x.type.dtype) if axes else x


def _place(equation: Equation, x: Any) -> Any:
    (axis,) = _integers(equation["axes"])
    insist(bool(x.type.shape[axis]) and not is_complex(x.type.dtype))
    return at.cast(_PLACES[equation.primitive](x, axis), str(equation["index_dtype"]))


def _running(equation: Equation, x: Any) -> Any:
    axis = int(equation["axis"])
    insist(not is_complex(x.type.dtype) or equation.primitive in ("cumsum", "cumprod"))
    insist(bool(x.type.shape[axis]))
    key = (*[slice(None)] * axis, slice(None, None, -1))
    found = _RUNNING[equation.primitive](x[key] if equation["reverse"] else x, axis)
    return at.cast(found[key] if equation["reverse"] else found, x.type.dtype)


def _sort(equation: Equation, key: Any, *others: Any) -> Any:
    axis = int(equation["dimension"])
    # nan comes last here and there; -0 comes before 0 in JAX alone, and is equal to it
    insist(equation["num_keys"] == 1 and not is_complex(key.type.dtype))
    if not others:
        return [at.sort(key, axis)]
    order = at.argsort(key, axis)
    return [at.take_along_axis(v, order, axis) for v in (key, *others)]


def _dot_general(equation: Equation, x: Any, y: Any) -> Any:
    (x_summed, y_summed), (x_batch, y_batch) = [
        [[int(i) for i in axes] for axes in pair] for pair in equation["dimension_numbers"]
    ]
    # products are computed in the highest precision, whatever less was asked for
    precision = equation["precision"]
    insist(precision is None or all(isinstance(p, Precision) for p in precision))
    insist(equation.parameters.get("out_sharding") is None)
    dtype = equation.types[0].dtype
    x, y = (v if v.type.dtype == dtype else at.cast(v, dtype) for v in (x, y))
    insist(dtype != "bool")
    x_free = [i for i in range(x.type.ndim) if i not in (*x_summed, *x_batch)]
    y_free = [i for i in range(y.type.ndim) if i not in (*y_summed, *y_batch)]
    few = len(x_summed) == 1 and len(x_free) <= 1 and len(y_free) <= 1
    if few and not x_batch:
        return at.dot(ordered(x, [*x_free, *x_summed]), ordered(y, [*y_summed, *y_free]))
    x = _as_matrices(ordered(x, [*x_batch, *x_free, *x_summed]), len(x_batch), len(x_free))
    y = _as_matrices(ordered(y, [*y_batch, *y_summed, *y_free]), len(y_batch), len(y_summed))
    found = at.matmul(x, y)
    return found if found.type.shape == equation.shape else at.reshape(found, equation.shape)


def ordered(x: Any, order: list[Any]) -> Any:
    """Return a tensor with its axes in an order, in which an "x" is a new one."""
    return x if order == list(range(x.type.ndim)) else x.dimshuffle(*order)


def _as_matrices(x: Any, batch: int, rows: int) -> Any:
    """Return a tensor with one axis in the place of so many, and one in the place of the rest."""
    lengths = x.type.shape
    first, last = lengths[batch : batch + rows], lengths[batch + rows :]
    shape = (*lengths[:batch], prod(first), prod(last))
    return x if shape == lengths else at.reshape(x, shape)


def _broadcast_in_dim(equation: Equation, x: Any) -> Any:
    places = [int(i) for i in equation["broadcast_dimensions"]]
    order = [places.index(i) if i in places else "x" for i in range(len(equation.shape))]
    return spread(ordered(x, order), equation.shape)


def spread(x: Any, shape: tuple[int, ...]) -> Any:
    """Return a tensor that is broadcast to a shape of its rank."""
    return x if x.type.shape == shape else at.broadcast_to(x, shape)


def _reshape(equation: Equation, x: Any) -> Any:
    insist(equation["dimensions"] is None)
    shape = equation.shape
    kept = [i for i, n in enumerate(x.type.shape) if n != 1]
    if [x.type.shape[i] for i in kept] != [n for n in shape if n != 1]:
        return at.reshape(x, shape)
    # laws see through an order of axes: axes of length 1 go and come
    return x.dimshuffle(*("x" if n == 1 else kept.pop(0) for n in shape))


def _split(equation: Equation, x: Any) -> Any:
    ends = np.cumsum([0, *equation["sizes"]]).tolist()
    axis = int(equation["axis"])
    return [x[(*[slice(None)] * axis, slice(i, j))] for i, j in pairwise(ends)]


def _pad(equation: Equation, x: Any, value: Any) -> Any:
    config = [tuple(map(int, entry)) for entry in equation["padding_config"]]
    # Elements that a negative number takes away are taken away at the end.
    added = [(max(low, 0), max(high, 0), between) for low, high, between in config]
    lengths = x.type.shape
    insist(all(lengths) or not any(between for _, _, between in config))
    spans = [n + max(n - 1, 0) * between for n, (_, _, between) in zip(lengths, added, strict=True)]
    whole = at.full(
        [low + n + high for n, (low, high, _) in zip(spans, added, strict=True)], value, value.dtype
    )
    inner = tuple(
        slice(low, low + n, between + 1) for n, (low, _, between) in zip(spans, added, strict=True)
    )
    if not config:
        return x
    padded = at.set_subtensor(whole[inner], x)
    kept = tuple(
        slice(max(-low, 0), max(low, 0) + n + max(high, 0) - max(-high, 0))
        for n, (low, high, _) in zip(spans, config, strict=True)
    )
    return padded[kept] if any(low < 0 or high < 0 for low, high, _ in config) else padded


def _slice(equation: Equation, x: Any) -> Any:
    starts, limits = equation["start_indices"], equation["limit_indices"]
    strides = equation["strides"] or [1] * len(starts)
    key = tuple(
        slice(int(i), int(j), None if step == 1 else int(step))
        for i, j, step in zip(starts, limits, strides, strict=True)
    )
    return x[_without_whole(key, x.type.shape)]


def _without_whole(key: tuple[slice, ...], shape: tuple[int, ...]) -> tuple[slice, ...]:
    """Return an index in which slices of whole axes say no numbers."""
    return tuple(
        slice(None) if (part.start, part.stop, part.step) == (0, n, None) else part
        for part, n in zip(key, shape, strict=True)
    )


def _iota(equation: Equation) -> Any:
    axis, shape = int(equation["dimension"]), equation.shape
    along = at.arange(shape[axis], dtype=str(equation.types[0].dtype))
    order = ["x" if i != axis else 0 for i in range(len(shape))]
    return spread(along.dimshuffle(*order), shape)


def _triangular_solve(equation: Equation, a: Any, b: Any) -> Any:
    left, lower, transpose = (equation[k] for k in ("left_side", "lower", "transpose_a"))
    conjugate = equation["conjugate_a"] and transpose
    insist(bool(conjugate) is bool(equation["conjugate_a"]) and (left or not conjugate))
    unit = bool(equation["unit_diagonal"])
    if left:
        how = "C" if conjugate else "T" if transpose else "N"
        return linalg.solve_triangular(a, b, how, bool(lower), unit)
    # x op(a) = b is op(a)' x' = b'
    turned = linalg.solve_triangular(a, b.mT, "N" if transpose else "T", bool(lower), unit)
    return turned.mT


def _qr(equation: Equation, a: Any) -> Any:
    insist(not equation.parameters.get("pivoting"))
    return linalg.qr(a, "complete" if equation["full_matrices"] else "reduced")


def _eigh(equation: Equation, a: Any) -> Any:
    insist(equation["sort_eigenvalues"] and equation["subset_by_index"] is None)
    values, vectors = linalg.eigh(a, "L" if equation["lower"] else "U")
    return [vectors, values]


def _svd(equation: Equation, a: Any) -> Any:
    insist(equation["subset_by_index"] is None)
    if not equation["compute_uv"]:
        return [linalg.svdvals(a)]
    u, s, vh = linalg.svd(a, bool(equation["full_matrices"]))
    return [s, u, vh]


def _fft(equation: Equation, x: Any) -> Any:
    kind = str(getattr(equation["fft_type"], "name", equation["fft_type"])).upper()
    kind = kind.rpartition(".")[2]
    insist(kind in ("FFT", "IFFT") and len(equation["fft_lengths"]) == 1)
    insist(equation["fft_lengths"][0] == x.type.shape[-1])
    found = (fft if kind == "FFT" else ifft)(x)
    insist(found.type.dtype == x.type.dtype)
    return found


READERS: dict[str, Reader] = {
    **dict.fromkeys(_SAME, _same),
    **dict.fromkeys(_REAL, _real),
    "clamp": lambda eq, low, x, high: at.clip(x, low, high),
    "convert_element_type": lambda eq, x: at.cast(x, str(eq.types[0].dtype)),
    "div": _div,
    "integer_pow": _integer_pow,
    "polynomial": _polynomial,
    "population_count": _population_count,
    "pow": _pow,
    "round": _round,
    "rsqrt": lambda eq, x: at.reciprocal(at.sqrt(x)),
    "select_n": _select_n,
    "shift_right_logical": _shift_right_logical,
    **dict.fromkeys(_REDUCTIONS, _reduced),
    **dict.fromkeys(_PLACES, _place),
    **dict.fromkeys(_RUNNING, _running),
    "dot_general": _dot_general,
    "sort": _sort,
    "broadcast_in_dim": _broadcast_in_dim,
    "concatenate": lambda eq, *xs: at.concatenate(xs, int(eq["dimension"])),
    "iota": _iota,
    "pad": _pad,
    "reshape": _reshape,
    "rev": lambda eq, x: at.flip(x, _integers(eq["dimensions"])),
    "slice": _slice,
    "split": _split,
    "squeeze": lambda eq, x: at.squeeze(x, _integers(eq["dimensions"])),
    "stack": lambda eq, *xs: at.stack(xs, int(eq["axis"])),
    "tile": lambda eq, x: at.tile(x, _integers(eq["reps"])),
    "transpose": lambda eq, x: x.dimshuffle(*_integers(eq["permutation"])),
    # JAX varies values over shards where it has to
    "pvary": lambda eq, *xs: xs,
    "cholesky": lambda eq, a: linalg.cholesky(a),
    "eigh": _eigh,
    "fft": _fft,
    "qr": _qr,
    "svd": _svd,
    "triangular_solve": _triangular_solve,
}
