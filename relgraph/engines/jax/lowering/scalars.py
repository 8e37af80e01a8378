"""Scalar ops on arrays: the table of what each computes, and in which of NumPy's dtypes.

An op is applied by functions of JAX, or on the host with the op's derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
import scipy.special
from jax import lax
from jax.custom_derivatives import SymbolicZero

from relgraph import scalar
from relgraph.engines.jax.lowering import scalar_functions as functions
from relgraph.engines.jax.lowering.dispatch import LoweringError, is_traced
from relgraph.engines.jax.lowering.scalar_functions import FORMULAS, named_function
from relgraph.engines.jax.values import as_dtype, call_host, usable
from relgraph.graph.basic import Apply, Constant, Variable, io_toposort
from relgraph.graph.utils import MethodNotDefined, memoized
from relgraph.scalar import basic, error_free, logic
from relgraph.scalar import special as special_ops
from relgraph.scalar.basic import Cast
from relgraph.scalar.composite import Composite
from relgraph.scalar.named import SCALAR_OPS, NamedOp, opened
from relgraph.scalar.op import FoldOp, ScalarOp
from relgraph.scalar.type import constant, get_scalar_type, is_discrete


@memoized(500)
def loop_dtypes(op: ScalarOp, dtypes: tuple[str, ...], out: str) -> tuple[Any, ...]:
    """Return the dtypes that an op computes with, for some dtypes of its inputs and output."""
    ufunc = op.ufunc
    by_formula = op.formula is not None and not isinstance(ufunc, np.ufunc)
    if by_formula or isinstance(op, FoldOp | basic.Pow | special_ops.Polygamma):
        return (np.dtype(out),) * len(dtypes)
    if isinstance(ufunc, np.ufunc) and ufunc.nin == len(dtypes):
        given = (*map(np.dtype, dtypes), *[None] * ufunc.nout)
        return tuple(ufunc.resolve_dtypes(given)[: ufunc.nin])
    if isinstance(op, NamedOp) and not is_discrete(out):
        return tuple([np.dtype(out if is_discrete(d) else d) for d in dtypes])
    return tuple(map(np.dtype, dtypes))


Function = Callable[..., Any]


def by_ufunc(op: ScalarOp) -> Function | None:
    """Return JAX's function of the name of an op's function of NumPy or SciPy, if there is one."""
    for theirs, home in ((np, jnp), (scipy.special, special)):
        name = getattr(op.ufunc, "__name__", "")
        if getattr(theirs, name, None) is op.ufunc:
            return getattr(home, name, None)
    return None


_ROUNDING = (scalar.ceil, scalar.floor, scalar.trunc, scalar.round)
_COMPARING = (scalar.eq, scalar.neq, scalar.lt, scalar.le, scalar.gt, scalar.ge)

FUNCTIONS: dict[type, Function] = {
    **{type(op): f for op in SCALAR_OPS.values() if (f := by_ufunc(op)) is not None},
    **{
        type(op): partial(op.array_formula, jnp)
        for op in SCALAR_OPS.values()
        if op.array_formula is not None
    },
    basic.Sign: functions.sign,
    basic.Sqr: functions.square,
    basic.Reciprocal: functions.reciprocal,
    **{type(op): functions.rounding(by_ufunc(op)) for op in _ROUNDING},
    basic.Real: jnp.real,
    basic.Imag: jnp.imag,
    logic.Identity: lambda x: x,
    special_ops.Gammaln: functions.gammaln,
    special_ops.Digamma: functions.digamma,
    basic.Mul: functions.multiply,
    basic.IntDiv: functions.int_div,
    basic.Mod: functions.mod,
    basic.Pow: functions.power,
    basic.Maximum: lax.max,
    basic.Minimum: lax.min,
    **{type(op): functions.comparison(by_ufunc(op)) for op in _COMPARING},
    logic.Second: lambda x, y: jnp.broadcast_to(y, jnp.broadcast_shapes(x.shape, y.shape)),
    special_ops.Polygamma: functions.polygamma,
    logic.Switch: lambda condition, x, y: jnp.where(condition != 0, x, y),
    logic.Clip: functions.clip,
}
"""What a class of scalar ops computes."""


ON_THE_HOST = (
    error_free.AddError,
    error_free.MulError,
    error_free.Fma,
    error_free.ScaledProduct,
)
"""The classes that keep digits which XLA's arithmetic loses: their formulas do not."""

REAL = (
    special_ops.Erf,
    special_ops.Erfc,
    special_ops.Gammaln,
    special_ops.Digamma,
    basic.Maximum,
    basic.Minimum,
)
"""The classes whose function JAX has for real numbers alone."""


def apply_scalar(op: ScalarOp, values: Sequence[Any], dtypes: Sequence[str]) -> list[Any]:
    """Return the outputs of a scalar op for arrays that broadcast.

    Parameters
    ----------
    values
        The arrays, which have the dtypes of the inputs of a node.
    dtypes
        The dtypes of its outputs.
    """
    if isinstance(op, Composite):
        return _composite(op, values)
    if isinstance(op, Cast):
        return [as_dtype(values[0], op.dtype)]
    names = tuple([x.dtype.name for x in values])
    function = scalar_function(op, names)
    if function is None:
        formula = None if isinstance(op, ON_THE_HOST) else opened(op, names)
        if formula is not None:
            return [as_dtype(_composite(formula, values)[0], dtypes[0])]
        return [_on_the_host(op, values, dtypes[0])]
    loop = loop_dtypes(op, names, dtypes[0])
    given = [as_dtype(x, d) for x, d in zip(values, loop, strict=True)]
    if isinstance(op, NamedOp) and op.name in FORMULAS and is_traced(given):
        function = _with_derivative(op, function, function)
    found = reduce(function, given) if isinstance(op, FoldOp) else function(*given)
    return [as_dtype(found, dtypes[0])]


def scalar_function(op: ScalarOp, dtypes: Sequence[str]) -> Callable[..., Any] | None:
    """Return what computes a scalar op with JAX for inputs of some dtypes; None if that is done on
    the host.

    A ufunc that an op of a user's own names is JAX's function of that name.
    """
    is_complex = any(d.startswith("complex") for d in dtypes)
    for kind in type(op).__mro__:
        if kind in FUNCTIONS:
            return None if is_complex and kind in REAL else FUNCTIONS[kind]
    if isinstance(op, NamedOp):
        return None if is_complex else named_function(op)
    return by_ufunc(op)


def _composite(op: Composite, values: Sequence[Any]) -> list[Any]:
    return _run(op.nodes, dict(zip(op.inputs, values, strict=True)), op.outputs)


def _run(
    nodes: Sequence[Apply], known: dict[Variable, Any], outputs: Sequence[Variable]
) -> list[Any]:
    """Return the values of outputs of a graph of scalar ops, where others are known."""

    def value(v: Variable) -> Any:
        return np.asarray(v.data) if isinstance(v, Constant) else known[v]

    for node in nodes:
        given = [value(v) for v in node.inputs]
        dtypes = [v.type.dtype for v in node.outputs]
        assert isinstance(node.op, ScalarOp)
        known.update(zip(node.outputs, apply_scalar(node.op, given, dtypes), strict=True))
    return [value(v) for v in outputs]


@dataclass(frozen=True)
class _Computed:
    """What an op computes on the host, in a dtype."""

    op: ScalarOp
    dtype: Any

    def __call__(self, *arrays: Any) -> tuple[Any]:
        shape = np.broadcast_shapes(*[x.shape for x in arrays])
        with np.errstate(all="ignore"):
            found = np.asarray(self.op.impl(*arrays), self.dtype)
        return (np.array(np.broadcast_to(found, shape)),)


def _on_the_host(op: ScalarOp, values: Sequence[Any], dtype: str) -> Any:
    """Compute an op by NumPy or SciPy."""
    computed = _Computed(op, usable(dtype))
    if not is_traced(values):
        return computed(*map(np.asarray, values))[0]
    rank = max(np.ndim(x) for x in values)
    # of equal ranks, so that an axis that `jax.vmap` puts in front of some is in front of all
    given = [jnp.reshape(x, (1,) * (rank - np.ndim(x)) + np.shape(x)) for x in values]

    def call(*arrays: Any) -> Any:
        shape = jnp.broadcast_shapes(*[x.shape for x in arrays])
        return call_host(computed, [(shape, computed.dtype)], arrays, "expand_dims")[0]

    return _with_derivative(op, call, None)(*given)


def _with_derivative(
    op: ScalarOp, function: Function, differentiable: Function | None
) -> Callable[..., Any]:
    """Return a function that JAX differentiates by the derivative of an op.

    Parameters
    ----------
    op, function
        The op, and what computes it.
    differentiable
        What JAX differentiates by inputs by which the op has no derivative in closed form.
    """
    call: Any = jax.custom_jvp(function)

    def moved(values: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        found = call(*values)
        if found.dtype.kind not in "fc":
            return found, np.zeros(found.shape, jax.dtypes.float0)
        moving = [(i, t) for i, t in enumerate(tangents) if not _is_still(t)]
        slopes = _slopes(op, values, found, [i for i, _ in moving])
        total = jnp.zeros_like(found)
        for (i, tangent), slope in zip(moving, slopes, strict=True):
            if slope is not None:
                total = total + slope * tangent
            elif differentiable is not None:
                total = total + _moved_by(differentiable, values, i, tangent)
            else:
                raise LoweringError(f"{op} has no derivative by its input {i} in closed form")
        return found, as_dtype(total, found.dtype)

    call.defjvp(moved, symbolic_zeros=True)
    return call  # type: ignore[no-any-return]


def _is_still(tangent: Any) -> bool:
    return isinstance(tangent, SymbolicZero) or tangent.dtype == jax.dtypes.float0


def _moved_by(function: Function, values: Sequence[Any], i: int, tangent: Any) -> Any:
    """Return how a function moves with one of its inputs, by JAX."""

    def of_one(x: Any) -> Any:
        return function(*values[:i], x, *values[i + 1 :])

    return jax.jvp(of_one, (values[i],), (tangent,))[1]


def _slopes(op: ScalarOp, values: Sequence[Any], found: Any, wanted: Sequence[int]) -> list[Any]:
    """Return the derivatives of an op by some of its inputs, at values at which its own is known;
    None for each that it has none by in closed form."""
    inputs = [get_scalar_type(x.dtype.name)() for x in values]
    out = get_scalar_type(found.dtype.name)()
    try:
        slopes = op.pullback(inputs, out, constant(1.0, dtype=found.dtype.name))
    except MethodNotDefined:
        return [None] * len(wanted)
    graph = [slopes[i] for i in wanted if slopes[i] is not None]
    known = dict(zip([*inputs, out], [*values, found], strict=True))
    computed = iter(_run(list(io_toposort([*inputs, out], graph)), known, graph))
    return [None if slopes[i] is None else next(computed) for i in wanted]
