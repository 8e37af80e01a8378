"""Values for the inputs of an instance, decoded from bytes, and matrices of a known structure.

Hypothesis draws one string of bytes for a set of values and shrinks it towards zeros. Each byte is
an index into a table of numbers that begins with simple ones. So values are drawn fast, and a
failure shrinks to simple numbers. Structured matrices are graphs: for laws that ask what a matrix
is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np

import relgraph.sparse as sparse
import relgraph.tensor as at
from relations.kit.matrix_facts import facts_about
from relgraph.graph.basic import Variable
from relgraph.graph.reference import evaluate
from relgraph.tensor.linalg.decompositions import QR, Cholesky
from relgraph.tensor.linalg.matrix_op import FACTS, assume, eye_like
from relgraph.tensor.linalg.products import matrix_transpose
from relgraph.tensor.random.type import random_generator_type
from relgraph.testing.draw.arrays import LAYOUTS, REPEATING, Array, number_pool


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


def _diagonal(x: Any) -> Any:
    return _regular(x) * eye_like(x)


def _of_vector(x: Any) -> Any:
    """Return the diagonal matrix of the first column of a matrix."""
    return at.diag(_bounded(x[:, 0]) + at.constant(np.asarray(20, x.type.dtype)))


_OF_LAPACK = ("float32", "float64", "complex64", "complex128")

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
    "diagonal": lambda x: assume(_diagonal(x), "diagonal"),
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
    if not square or x.type.dtype not in _OF_LAPACK:
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
    wide = dtype if dtype.name in _OF_LAPACK else np.dtype("float64")
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
SHARED_RANGES = ("ordinary", "any", None, "finite", "any", "positive", "unit", None, "any")
"""The first byte selects one of these: a range for all inputs, or None for one range each."""
HEADER_BYTES = 2
"""The bytes before those of the elements of an input: they select its range and its layout."""

SIMPLE = 24
"""Where the simple numbers of a table of floats end, and those that are notable begin."""


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

    def table(self, value_range: str) -> Table:
        """Return the key of the numbers that its values are made of; see `number_table`."""
        var: Any = self.var
        return (var.type.dtype, value_range, self.notable)


Table = tuple[str, str, tuple[float, ...]]
"""The arguments of `number_table`."""


@cache
def number_table(dtype: str, value_range: str, notable: tuple[float, ...] = ()) -> Array:
    """Return the numbers of a dtype that bytes are indices of, simple ones first.

    Parameters
    ----------
    value_range
        One of `VALUE_RANGES`: ``ordinary``, ``any`` and ``finite`` as for `number_pool`,
        ``positive``, or ``unit`` for numbers from 0 to 1.
    notable
        Numbers that stand among ``any`` floats, after the simple ones.
    """
    if notable and value_range == "any" and np.dtype(dtype).kind == "f":
        usual = number_pool(dtype, "any")
        simple, others = usual[:SIMPLE], usual[SIMPLE : 256 - len(notable)]
        with np.errstate(all="ignore"):  # some are too large for the dtype
            return np.concatenate([simple, np.array(notable, dtype), others])
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
def is_edge_value(dtype: str, value_range: str, notable: tuple[float, ...] = ()) -> Array:
    """Return which numbers of a table are edges: not finite, zero, one, of extreme size, notable.

    The parameters are those of `number_table`.
    """
    values = number_table(dtype, value_range, notable)
    if values.dtype.kind == "b":
        return np.ones(len(values), dtype=bool)
    if values.dtype.kind in "iu":
        info = np.iinfo(dtype)
        edges = [0, 1, -1, info.max, info.max - 1, info.min, info.min + 1]
        return np.isin(values, [n for n in edges if info.min <= n <= info.max])
    real = np.finfo(dtype)
    edge = np.zeros(len(values), dtype=bool)
    for part in (values.real, values.imag) if values.dtype.kind == "c" else (values,):
        size = np.abs(part)
        edge |= ~np.isfinite(part) | (size > np.sqrt(real.max) / 2)
        edge |= (size < np.sqrt(real.tiny) * 2) | (size == 1)
    return edge | np.isin(values, np.array(notable, values.dtype))


@dataclass
class ValueCoverage:
    """A record of the numbers that have been used: by table a boolean for each number."""

    used: dict[Table, Array] = field(default_factory=dict)

    def note(self, table: Table, indices: Array) -> None:
        """Note that some numbers of a table are used."""
        if table not in self.used:
            self.used[table] = np.zeros(len(number_table(*table)), bool)
        self.used[table][indices] = True

    def edge_values(self) -> set[tuple[str, bytes]]:
        """Return the edge values that were used, as pairs of a dtype and the bytes of a number."""
        return {
            (table[0], number.tobytes())
            for table, used in self.used.items()
            for number in number_table(*table)[used & is_edge_value(*table)]
        }


def bytes_needed(inputs: Sequence[InputSpec]) -> int:
    """Return how many bytes encode values for some inputs."""
    return 1 + sum(HEADER_BYTES + spec.size for spec in inputs)


def decode_values(
    data: bytes, inputs: Sequence[InputSpec], coverage: ValueCoverage | None = None
) -> list[Any]:
    """Return values for some inputs, decoded from bytes.

    Parameters
    ----------
    data
        As many bytes as `bytes_needed` says.
    coverage
        Records the numbers used, if it is given.
    """
    picks = np.frombuffer(data, dtype=np.uint8).astype(np.intp)
    shared = SHARED_RANGES[data[0] % len(SHARED_RANGES)]
    values, at = [], 1
    for spec in inputs:
        value_range = VALUE_RANGES[data[at] % len(VALUE_RANGES)] if shared is None else shared
        layout = LAYOUTS[data[at + 1] % len(LAYOUTS)]
        at += HEADER_BYTES
        values.append(_array(spec, value_range, layout, picks[at : at + spec.size], coverage))
        at += spec.size
    return values


def _array(
    spec: InputSpec, value_range: str, layout: Any, picks: Array, coverage: ValueCoverage | None
) -> Any:
    var: Any = spec.var
    if spec.allowed is not None:
        if var.type is random_generator_type:
            return np.random.default_rng(spec.allowed[picks[0] % len(spec.allowed)])
        allowed = np.array(spec.allowed, var.type.dtype)
        return np.asarray(allowed[picks % len(allowed)].reshape(spec.shape))
    if spec.domain == "probabilities":
        return _probabilities(spec, picks)
    value_range = spec.domain or value_range
    table = spec.table(value_range)
    numbers = number_table(*table)
    indices = picks % len(numbers)
    if coverage is not None:
        coverage.note(table, indices)
    array: Array = numbers[indices].reshape(spec.shape)
    if spec.structure is not None:
        array = structured_values(spec.structure, array)
        layout = LAYOUTS[0] if layout in REPEATING else layout
    return np.asarray(layout(array)) if spec.shape else array


def _probabilities(spec: InputSpec, picks: Array) -> Array:
    """Return vectors of numbers that are not negative and have the sum 1."""
    var: Any = spec.var
    weights = (picks % 5 + (picks % 5 == 4)).reshape(spec.shape)
    axis = -1 if spec.shape else None
    weights = np.where(weights.sum(axis, keepdims=True) == 0, 1, weights)
    return np.asarray(weights / weights.sum(axis, keepdims=True), var.type.dtype)
