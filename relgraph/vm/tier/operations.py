"""Which nodes are compiled, and how the operations on their elements are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from relgraph import scalar
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.scalar.composite import Composite
from relgraph.tensor.contraction import Dot
from relgraph.tensor.elemwise.dimshuffle import DimShuffle
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.elemwise.fused_elemwise import FusedElemwise
from relgraph.tensor.linalg.blas import BLAS_DTYPES, Dot22, Gemv
from relgraph.tensor.linalg.gemm import BlasUpdate, Dot22Scalar, Gemm, GemvAdd, Ger
from relgraph.tensor.linalg.systems.determinants import SLogDet
from relgraph.tensor.linalg.systems.inverses import Inverse
from relgraph.tensor.linalg.systems.solving import Solve
from relgraph.tensor.reductions.fused_reduction import FusedReduction
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.tensor.type import TensorType
from relgraph.vm.tier.faster import FORMULAS, MOST_FACTORS, power
from relgraph.vm.tier.numpy_loops import Loop, find_loop
from relgraph.vm.tier.scalar_code import MEMORY, NATIVE, Code, Native, kind, literal, native
from relgraph.vm.tier.tracing import Call, Known, traced

How = Native | Loop

REDUCTIONS: dict[type[Any], str] = {
    type(op): name
    for op, name in (
        (scalar.add, "add"),
        (scalar.mul, "mul"),
        (scalar.maximum, "maximum"),
        (scalar.minimum, "minimum"),
        (scalar.and_, "and"),
        (scalar.or_, "or"),
    )
}
"""The scalar ops by which is reduced."""

_ELEMENTWISE = (Elemwise, FusedElemwise)

ON_WHOLE_ARRAYS = (Dot, Dot22, Dot22Scalar, Gemv, Gemm, GemvAdd, Ger, Inverse, Solve, SLogDet)
"""The ops that are computed by `whole_arrays`."""

_OF_UFUNC = {
    kind_of_op.ufunc: kind_of_op()
    for kind_of_op in NATIVE
    if isinstance(kind_of_op.ufunc, np.ufunc)
}


def _is_tensor(var: Any) -> bool:
    return isinstance(var.type, TensorType) and var.type.dtype in MEMORY


@dataclass(frozen=True)
class Part:
    """An operation that an op is made of.

    Attributes
    ----------
    how
        How it is computed.
    arguments
        For each argument a number, or the position of a value: those of the inputs of the op, then
        of the results of its parts.
    dtypes
        The dtypes of the arguments.
    dtype
        That of the result.
    """

    how: How
    arguments: tuple[Known | int, ...]
    dtypes: tuple[str, ...]
    dtype: str


def parts_of(inner: Any, exact: bool) -> list[Part] | None:
    """Return what the scalar op of an `Elemwise`, or of a node of a Composite, is made of.

    Parameters
    ----------
    inner
        The op, its inputs and its outputs.
    exact
        Whether the bits have to be NumPy's.

    Returns
    -------
    list
        The last part gives the result. None if the op is not compiled.
    """
    op, inputs, (out, *others) = inner
    dtypes = tuple([v.type.dtype for v in inputs])
    dtype = out.type.dtype
    if others or dtype not in MEMORY or any(d not in MEMORY for d in dtypes):
        return None
    everything = tuple(range(len(inputs)))
    if op == scalar.pow:
        return _power(inputs[1], dtypes, dtype, exact)
    how = native(op, dtypes, dtype, exact)
    if how is not None:
        return [Part(how, everything, dtypes, dtype)]
    # integers have no negative, or none of the least one
    floats = all(kind(d) == "f" for d in dtypes)
    formula = FORMULAS.get(str(op)) if floats and not exact else None
    if formula is None:
        formula = op.ufunc
        loop = _loop(formula, dtypes, dtype)
        if loop is not None:
            return [Part(loop, everything, dtypes, dtype)]
        if isinstance(formula, np.ufunc):
            return None
    calls = traced(formula, dtypes)
    if calls is None or calls[-1].dtype != dtype:
        return None
    return _parts(calls, exact)


def _parts(calls: Sequence[Call], exact: bool) -> list[Part] | None:
    parts = [_part(call, exact) for call in calls]
    found = [part for part in parts if part is not None]
    return found if len(found) == len(parts) else None


def written(code: Code, xs: Sequence[str], function: Any) -> str:
    """Add the instructions for a formula of numbers of float64; return the result."""
    values = list(xs)
    for call in traced(function, ["float64"] * len(xs)) or ():
        part = _part(call, False)
        assert part is not None and not isinstance(part.how, Loop)
        given = [
            literal(a.value, d) if isinstance(a, Known) else values[a]
            for a, d in zip(part.arguments, part.dtypes, strict=True)
        ]
        found = part.how(code, given, part.dtypes, part.dtype, False)
        assert found is not None
        values.append(found)
    return values[-1]


def _power(exponent: Variable, dtypes: Sequence[str], dtype: str, exact: bool) -> list[Part] | None:
    op = _simple_power(exponent, dtype)
    if op is None:
        return None
    if op is np.power:
        value = known_number(exponent)
        if not exact and value == int(value) and 0 < value <= MOST_FACTORS:
            calls = traced(power(int(value)), dtypes)
            return None if calls is None else _parts(calls, exact)
        loop = _loop(np.power, tuple(dtypes), dtype)
        return None if loop is None else [Part(loop, (0, 1), tuple(dtypes), dtype)]
    how = native(op, dtypes[:1], dtype, exact)
    return None if how is None else [Part(how, (0,), tuple(dtypes[:1]), dtype)]


def _part(call: Call, exact: bool) -> Part | None:
    if any(d not in MEMORY for d in (*call.dtypes, call.dtype)):
        return None
    op: Any = _OF_UFUNC.get(call.function)
    if call.function is np.where:
        op = scalar.switch
    elif call.function is None:
        op = scalar.identity
    how: How | None = None
    if op is not None:
        how = native(op, call.dtypes, call.dtype, exact)
    if how is None:
        how = _loop(call.function, call.dtypes, call.dtype)
    return None if how is None else Part(how, call.arguments, call.dtypes, call.dtype)


def _loop(ufunc: Any, dtypes: tuple[str, ...], dtype: str) -> Loop | None:
    loop = find_loop(ufunc, dtypes)
    fits = loop is not None and all(d in MEMORY for d in loop.dtypes) and loop.dtypes[-1] == dtype
    return loop if fits else None


def _simple_power(exponent: Variable, dtype: str) -> Any:
    """Return what a power to a constant is; None if the exponent, or the dtype, is another one."""
    value = known_number(exponent)
    if value is None or kind(dtype) != "f":
        return None
    special = {1: scalar.identity, 2: scalar.sqr, 0.5: scalar.sqrt, -1: scalar.reciprocal}
    return special.get(value, np.power)


def known_number(var: Variable) -> Any:
    """Return the number that a constant is; None if it is no constant, or has more elements."""
    if not isinstance(var, Constant):
        return None
    data = np.asarray(var.data)
    ones = not isinstance(var.type, TensorType) or all(var.type.broadcastable)
    return data.item() if data.size == 1 and ones else None


def operations(node: Apply, exact: bool) -> int | None:
    """Return how many operations a node takes; None if it is not compiled.

    Parameters
    ----------
    node
        The node.
    exact
        Whether the bits have to be those of the `perform` of its op.
    """
    if not all(map(_is_tensor, (*node.inputs, *node.outputs))):
        return None
    op = node.op
    if type(op) is DimShuffle:
        (x,) = node.inputs
        in_order = list(op.shuffle) == sorted(op.shuffle)
        is_view = in_order and all(x.type.broadcastable[a] for a in op.drop)
        return 0 if is_view or (not exact and is_transpose(node)) else None
    if type(op) in ON_WHOLE_ARRAYS:
        return 1 if not exact and _is_on_whole_arrays(node) else None
    if isinstance(op, CAReduce):
        return _reduced_operations(node, exact)
    if type(op) is FusedReduction:
        if exact or any(
            r is not None and type(r.scalar_op) not in REDUCTIONS for r in op.reductions
        ):
            return None
        kept = [v for v, r in zip(node.outputs, op.reductions, strict=True) if r is None]
        return _elementwise_operations(op.elemwise.scalar_op, node.inputs, kept, exact)
    if type(op) in _ELEMENTWISE:
        return _elementwise_operations(op.scalar_op, node.inputs, node.outputs, exact)
    return None


def is_transpose(node: Apply) -> bool:
    """Return whether a node transposes a matrix of floats that does not broadcast."""
    (x, *_), op = node.inputs, node.op
    if type(op) is not DimShuffle or list(op.new_order) != [1, 0]:
        return False
    return x.type.dtype in BLAS_DTYPES and not any(x.type.broadcastable)


def whole_arrays_of(node: Apply) -> tuple[Any, Any, Any]:
    """Return the Z, X and Y of ``Z + XY``, or what takes their places; None for what is not there.

    The node is of an op in `ON_WHOLE_ARRAYS`.
    """
    if isinstance(node.op, BlasUpdate):
        z, _, x, y, *_ = node.inputs
        return z, x, y
    x, *others = node.inputs
    return None, x, others[0] if others else None


def factors_of(node: Apply) -> tuple[Variable | None, Variable | None]:
    """Return the α and β of ``αXY + βZ``; None for what is not there."""
    if isinstance(node.op, BlasUpdate):
        _, alpha, _, _, *rest = node.inputs
        return alpha, rest[0] if rest else None
    return (node.inputs[2] if type(node.op) is Dot22Scalar else None), None


def _is_on_whole_arrays(node: Apply) -> bool:
    """Return whether a node of an op in `ON_WHOLE_ARRAYS` has inputs that are taken.

    The half of a product of a matrix and its transpose that NumPy computes is less.
    """
    variables: list[Any] = [*node.inputs, *node.outputs]
    _, x, y = whole_arrays_of(node)
    dtypes = {v.type.dtype for v in variables}
    if len(dtypes) > 1 or not dtypes <= {"float32", "float64"}:
        return False
    if any(v.type.ndim > 2 or (v.type.ndim and all(v.type.broadcastable)) for v in variables):
        return False
    beta = factors_of(node)[1]
    if beta is not None and known_number(beta) is None:
        return False
    if type(node.op) in (SLogDet, Inverse, Solve):
        if x.type.ndim != 2 or any(True in v.type.broadcastable for v in variables):
            return False
        if type(node.op) is SLogDet:
            return dtypes == {"float64"}
        return type(node.op) is Inverse or node.op.assume_a == "gen"
    if type(node.op) is Ger:
        return not any(True in v.type.broadcastable for v in variables)
    if not (x.type.ndim and y.type.ndim) or _are_transposes(x, y):
        return False
    return bool(x.type.broadcastable[-1] == y.type.broadcastable[0])


def _are_transposes(x: Variable, y: Variable) -> bool:
    return any(
        a.owner is not None and a.owner.inputs[0] is b and is_transpose(a.owner)
        for a, b in ((x, y), (y, x))
    )


def _reduced_operations(node: Apply, exact: bool) -> int | None:
    (x,) = node.inputs
    op = node.op
    if exact or type(op.scalar_op) not in REDUCTIONS or not x.type.ndim:
        return None
    kept = kept_axes(node)
    at_an_end = kept in (sorted(kept), sorted(kept, reverse=True))
    return 1 if at_an_end and not all(kept) else None


def kept_axes(node: Apply) -> list[bool]:
    """Return for each axis along which the input of a `CAReduce` does not broadcast whether it is
    kept."""
    (x,) = node.inputs
    reduced = node.op.axes(x.type.ndim)
    return [axis not in reduced for axis, b in enumerate(x.type.broadcastable) if not b]


def _elementwise_operations(
    op: Any, inputs: Sequence[Any], outputs: Sequence[Any], exact: bool
) -> int | None:
    pattern = tuple(map(all, zip(*[v.type.broadcastable for v in inputs], strict=True)))
    if any(v.type.broadcastable != pattern for v in outputs):
        return None
    parts: list[Any] = [(op, inputs, outputs)]
    if isinstance(op, Composite):
        parts = [(inner.op, inner.inputs, inner.outputs) for inner in op.nodes]
        if any(v.owner is None for v in op.outputs):
            return None
    found = [parts_of(part, exact) for part in parts]
    return None if None in found else sum(len(of_part or ()) for of_part in found)
