"""A scalar op applied to arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.lowering.dispatch import is_traced
from relgraph.engines.jax.lowering.scalars.loops import as_dtype, converted, loop_dtypes
from relgraph.engines.jax.lowering.scalars.named import named_function
from relgraph.engines.jax.lowering.scalars.table import AS_OUTPUT, FUNCTIONS, REAL
from relgraph.graph.basic import Constant, Variable
from relgraph.scalar.composite import Composite
from relgraph.scalar.conversion import Cast
from relgraph.scalar.named.named_op import NamedOp
from relgraph.scalar.op import FoldOp, ScalarOp


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
    function = scalar_function(op, [x.dtype.name for x in values])
    if function is None:
        return [_on_the_host(op, values, dtypes[0])]
    names = tuple([x.dtype.name for x in values])
    same = isinstance(op, AS_OUTPUT) and not isinstance(op, FoldOp)
    loop = (dtypes[0],) * len(values) if same else loop_dtypes(op, names, dtypes[0])
    given = converted(values, loop)
    folds = isinstance(op, FoldOp)
    found = reduce(function, given) if folds else function(*given)
    return [as_dtype(found, dtypes[0])]


def scalar_function(op: ScalarOp, dtypes: Sequence[str]) -> Callable[..., Any] | None:
    """Return what computes a scalar op with JAX for inputs of some dtypes; None if that is done on
    the host.

    A ufunc of NumPy's that an op of a user's own names is JAX's function of that name.
    """
    is_complex = any(d.startswith("complex") for d in dtypes)
    for kind in type(op).__mro__:
        if kind in FUNCTIONS:
            return None if is_complex and kind in REAL else FUNCTIONS[kind]
    if isinstance(op, NamedOp):
        return None if is_complex else named_function(op)
    ufunc = op.ufunc
    if isinstance(ufunc, np.ufunc) and getattr(np, ufunc.__name__, None) is ufunc:
        found: Callable[..., Any] | None = getattr(jnp, ufunc.__name__, None)
        return found
    return None


def _composite(op: Composite, values: Sequence[Any]) -> list[Any]:
    known: dict[Variable, Any] = dict(zip(op.inputs, values, strict=True))

    def value(v: Variable) -> Any:
        return np.asarray(v.data) if isinstance(v, Constant) else known[v]

    for node in op.nodes:
        given = [value(v) for v in node.inputs]
        dtypes = [v.type.dtype for v in node.outputs]
        assert isinstance(node.op, ScalarOp)
        known.update(zip(node.outputs, apply_scalar(node.op, given, dtypes), strict=True))
    return [value(v) for v in op.outputs]


def _on_the_host(op: ScalarOp, values: Sequence[Any], dtype: str) -> Any:
    shape = jnp.broadcast_shapes(*[x.shape for x in values])

    def compute(*arrays: Any) -> Any:
        with np.errstate(all="ignore"):
            found = np.asarray(op.impl(*[np.asarray(a) for a in arrays]), dtype)
        return np.array(np.broadcast_to(found, shape))

    if not is_traced(values):
        return compute(*values)
    result = jax.ShapeDtypeStruct(shape, np.dtype(dtype))
    return jax.pure_callback(compute, result, *values, vmap_method="expand_dims")
