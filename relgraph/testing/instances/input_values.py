"""Values for the inputs of an instance, and matrices of a known structure.

The elements of an input are drawn from a table of numbers that begins with simple ones, so that a
failure can be made simpler. Structured matrices are graphs: for laws that ask what a matrix is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random
from typing import Any, NamedTuple

import numpy as np

import relgraph.sparse as sparse
import relgraph.tensor as at
from relations.kit.matrix_facts import facts_about
from relgraph.graph.basic import Variable
from relgraph.graph.reference import evaluate
from relgraph.tensor.linalg.decompositions import QR, Cholesky
from relgraph.tensor.linalg.matrix_op import FACTS, assume, eye_like
from relgraph.tensor.linalg.products import matrix_transpose
from relgraph.tensor.math import BLAS_DTYPES
from relgraph.tensor.random.type import random_generator_type
from relgraph.testing.random_arrays import LAYOUTS, REPEATING, Array, number_pool


def _bounded(x: Any) -> Any:
    """Return `x` with its numbers moved into the unit circle."""
    return x / (1 + at.abs(x))


def _regular(x: Any) -> Any:
    """Return a matrix with large numbers on its diagonal, which is far from singular."""
    bounded = _bounded(x)
    large = bounded + at.constant(np.asarray(20, x.type.dtype))
    return at.where(
        at.neq(eye_like(x), 0), large, bounded
    )  # the sum with a zero loses the sign of another


def _adjoint(x: Any) -> Any:
    """Return the conjugate transpose, which stays one when the graph is made complex."""
    return at.conj(matrix_transpose(x))


def _positive(x: Any) -> Any:
    regular = _regular(x)
    return regular + _adjoint(regular)


def _of_vector(x: Any) -> Any:
    """Return the diagonal matrix of the first column of a matrix."""
    return at.diag(_bounded(x[:, 0]) + at.constant(np.asarray(20, x.type.dtype)))


STRUCTURES: dict[str, Callable[[Any], Any]] = {
    "regular": _regular,
    "positive": _positive,
    "declared positive": lambda x: assume(_positive(x), "positive definite"),
    "symmetric": lambda x: assume(x + _adjoint(x), "symmetric"),
    "lower": lambda x: assume(at.tril(_regular(x)), "lower triangular"),
    "upper": lambda x: assume(at.triu(_regular(x)), "upper triangular"),
    "lower of any": lambda x: assume(at.tril(x), "lower triangular"),
    "upper of any": lambda x: assume(at.triu(x), "upper triangular"),
    "factor": lambda x: Cholesky(True)(_positive(x)),
    "diagonal": lambda x: assume(_regular(x) * eye_like(x), "diagonal"),
    "diagonal of vector": _of_vector,
    "orthogonal": lambda x: assume(QR("complete")(x)[0], "orthogonal"),
    "identity": lambda x: at.constant(np.eye(x.type.shape[-1], dtype=x.type.dtype)),
}
"""By their names, functions that make such matrices of a square input."""


def structured(kind: str, x: Any) -> Any:
    """Return a matrix of a kind of `STRUCTURES`, made of a variable.

    It is the variable itself if that is no square matrix of a dtype that LAPACK has.
    """
    shape = x.type.shape
    square = len(shape) > 1 and (shape[-1] == shape[-2] or None in shape[-2:])
    if not square or x.type.dtype not in BLAS_DTYPES:
        return x
    if len(shape) > 2 and kind in ("diagonal of vector", "identity"):
        return x
    try:
        return STRUCTURES[kind](x)
    except (TypeError, ValueError, IndexError):
        return x


def declared(kind: str, x: Any) -> Any:
    """Return an input that is declared to be what is known of `structured` of it."""
    facts = _facts_of(kind, x.type)
    return assume(x, *facts) if facts else x


@cache
def _facts_of(kind: str, type: Any) -> frozenset[str]:
    return frozenset(facts_about(structured(kind, type())).intersection(FACTS))


@cache
def tensor_type(dtype: str, shape: tuple[int | None, ...]) -> at.TensorType:
    """Return the type of tensors of a dtype and of lengths that may be open."""
    return at.TensorType(dtype, shape)


def structured_values(kind: str, values: Any) -> Any:
    """Return the value of `structured` for the value of an input, in its dtype."""
    dtype = values.dtype
    if dtype.kind in "biu" and kind == "orthogonal":
        return np.broadcast_to(np.eye(values.shape[-1], dtype=dtype), values.shape)
    wide = dtype if dtype.name in BLAS_DTYPES else np.dtype("float64")
    x, made = _graph_of(kind, wide.name, values.shape)
    with np.errstate(all="ignore"):
        return evaluate([made], {x: values.astype(wide)})[0].astype(dtype)


@cache
def _graph_of(kind: str, dtype: str, shape: tuple[int, ...]) -> tuple[Any, Any]:
    x: Any = at.TensorType(dtype, shape)()
    return x, structured(kind, x)


def sparse_matrix(format: str, data: Any, places: Sequence[int], shape: Sequence[int]) -> Any:
    """Return the sparse matrix of a vector of elements.

    Parameters
    ----------
    format
        Its format: ``csr`` or ``csc``.
    data
        The elements, a variable.
    places
        Where they are: for each a number, in the order of the rows of a CSR matrix, or of the
        columns of a CSC matrix. They increase.
    shape
        The two lengths.
    """
    outer, inner = shape if format == "csr" else shape[::-1]
    majors = [place // max(inner, 1) for place in places]
    indptr = np.searchsorted(majors, range(outer + 1))
    indices = np.array([place % inner for place in places], "int32")
    compressed = sparse.CSR if format == "csr" else sparse.CSC
    return compressed(data, indices, indptr.astype("int32"), tuple(shape))


VALUE_RANGES = ("ordinary", "any", "finite", "positive", "unit")
# All inputs of a set of random values are from one range, or each is from one of all.
_SHARED_RANGES = (
    *(("ordinary",), ("any",), VALUE_RANGES, ("finite",), ("any",), ("positive",), ("unit",)),
    *(VALUE_RANGES, ("any",)),
)
PLAIN = LAYOUTS[0]
"""The memory layout of an array in C order."""
# Divided by their sum, such numbers are probabilities.
_WEIGHTS = (0, 1, 2, 3, 5)
# Nearly all complex numbers of a table have an edge value in a part.
_MOST_EDGES = 64


@dataclass(frozen=True)
class InputSpec:
    """An input of an instance, and the values that it may have.

    Attributes
    ----------
    var
        The variable.
    shape
        The shape of its values, which its type may leave open.
    allowed
        The numbers that its values are made of; None for any numbers of its dtype. Lengths and
        indices are restricted so, and the seeds of generators.
    notable
        Numbers that stand among the edge values of floats, besides those of the dtype.
    structure
        A key of `STRUCTURES`: its values are such matrices; None if they are any.
    domain
        One of `VALUE_RANGES` that all its values are from, or ``probabilities`` whose sum along
        the last axis is 1; None if they are from any.
    """

    var: Variable
    shape: tuple[int, ...]
    allowed: tuple[int, ...] | None = None
    notable: tuple[float, ...] = ()
    structure: str | None = None
    domain: str | None = None

    @cached_property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def numbers(self, value_range: str) -> Array:
        """Return the numbers that its values are made of, simple ones first.

        Parameters
        ----------
        value_range
            One of `VALUE_RANGES`; an input that has a domain has numbers of that.
        """
        var: Any = self.var
        if self.allowed is not None:
            return np.array(self.allowed, getattr(var.type, "dtype", "int64"))
        return number_table(var.type.dtype, self.domain or value_range, self.notable)

    @property
    def edges(self) -> Array:
        """Its edge values, each once; there are none if only some numbers are allowed."""
        var: Any = self.var
        if self.allowed is not None:
            return np.array([])
        return _edges_in_table(var.type.dtype, self.domain or "any", self.notable)


@cache
def number_table(dtype: str, value_range: str, notable: tuple[float, ...] = ()) -> Array:
    """Return the numbers of a dtype that elements are drawn from, simple ones first.

    Parameters
    ----------
    value_range
        One of `VALUE_RANGES`: ``ordinary``, ``any`` and ``finite`` as for `number_pool`,
        ``positive``, or ``unit`` for numbers from 0 to 1; or ``probabilities``.
    notable
        Numbers that stand among ``any`` floats.
    """
    if value_range == "probabilities":
        return np.array(_WEIGHTS, dtype)
    if notable and value_range == "any" and np.dtype(dtype).kind == "f":
        with np.errstate(all="ignore"):  # some are too large for the dtype
            return np.concatenate([number_pool(dtype, "any"), np.array(notable, dtype)])
    if value_range in ("ordinary", "any", "finite"):
        known: Any = value_range
        return number_pool(dtype, known)
    ordinary, finite = number_pool(dtype, "ordinary"), number_pool(dtype, "finite")
    if np.dtype(dtype).kind not in "iuf":
        return ordinary
    both = np.concatenate([ordinary, finite])
    among = (both > 0) if value_range == "positive" else (both >= 0) & (both <= 1)
    return both[among][:256]


@cache
def _edges_in_table(dtype: str, value_range: str, notable: tuple[float, ...]) -> Array:
    return edges_among(number_table(dtype, value_range, notable), notable)[:_MOST_EDGES]


def edges_among(numbers: Array, notable: tuple[float, ...] = ()) -> Array:
    """Return which of some numbers are edges, each once: not finite, zero, one, of extreme size,
    notable."""
    by_bits = {n.tobytes(): n for n in numbers[_is_edge(numbers, notable)]}
    return np.array([*by_bits.values()], numbers.dtype)


def _is_edge(values: Array, notable: tuple[float, ...]) -> Array:
    if values.dtype.kind == "b":
        return np.ones(len(values), dtype=bool)
    if values.dtype.kind in "iu":
        info = np.iinfo(values.dtype)
        edges = [0, 1, -1, info.max, info.max - 1, info.min, info.min + 1]
        return np.isin(values, [n for n in edges if info.min <= n <= info.max])
    real = np.finfo(values.dtype)
    edge = np.zeros(len(values), dtype=bool)
    for part in (values.real, values.imag) if values.dtype.kind == "c" else (values,):
        size = np.abs(part)
        edge |= ~np.isfinite(part) | (size > np.sqrt(real.max) / 2)
        edge |= (size < np.sqrt(real.tiny) * 2) | (size == 1)
    return edge | np.isin(values, np.array(notable, values.dtype))


class Elements(NamedTuple):
    """The elements of an input, an array of its shape, and the memory layout that they get."""

    numbers: Array
    layout: Callable[[Array], Array] = PLAIN


Given = Sequence[Elements]
"""The elements of each input of an instance."""


def drawn_from(numbers: Array, shape: tuple[int, ...], random: Random) -> Array:
    """Return an array of some numbers at random."""
    places = random.choices(range(len(numbers)), k=math.prod(shape))
    return numbers[places].reshape(shape)


def drawn_values(inputs: Sequence[InputSpec], random: Random) -> Given:
    """Return random elements for some inputs."""
    ranges = random.choice(_SHARED_RANGES)
    return [
        Elements(
            drawn_from(spec.numbers(random.choice(ranges)), spec.shape, random),
            random.choice(LAYOUTS),
        )
        for spec in inputs
    ]


def drawn_of_range(
    inputs: Sequence[InputSpec], value_range: str, random: Random, most: int | None = None
) -> Given:
    """Return elements at random for some inputs: of the `most` simplest numbers of a range."""
    tables = [spec.numbers(value_range)[:most] for spec in inputs]
    return [
        Elements(drawn_from(table, spec.shape, random))
        for spec, table in zip(inputs, tables, strict=True)
    ]


def filled(inputs: Sequence[InputSpec], place: int = 0) -> Given:
    """Return arrays of one number for some inputs: that at a place of the numbers each may have."""
    tables = [spec.numbers("any") for spec in inputs]
    return [
        Elements(np.full(spec.shape, table[place % len(table)]))
        for spec, table in zip(inputs, tables, strict=True)
    ]


def values_of(inputs: Sequence[InputSpec], given: Given) -> list[Any]:
    """Return the values of some inputs that have some elements."""
    return [_value(spec, *of_input) for spec, of_input in zip(inputs, given, strict=True)]


def _value(spec: InputSpec, numbers: Array, layout: Callable[[Array], Array]) -> Any:
    var: Any = spec.var
    if var.type is random_generator_type:
        return np.random.default_rng(int(numbers))
    if spec.allowed is not None:
        return numbers
    if spec.domain == "probabilities":
        return _probabilities(numbers, var.type.dtype)
    if spec.structure is not None:
        numbers = structured_values(spec.structure, numbers)
        layout = PLAIN if layout in REPEATING else layout
    return np.asarray(layout(numbers)) if numbers.ndim else numbers


def _probabilities(weights: Array, dtype: str) -> Array:
    """Return vectors of numbers that are not negative and have the sum 1."""
    axis = -1 if weights.ndim else None
    weights = np.where(weights.sum(axis, keepdims=True) == 0, 1, weights)
    return np.asarray(weights / weights.sum(axis, keepdims=True), dtype)
