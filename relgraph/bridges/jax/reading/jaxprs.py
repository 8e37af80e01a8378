"""From jaxprs to graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import Literal

import relgraph.tensor as at
from relgraph.bridges.jax.opaque import JaxOp, JaxType, Parameters, PrimitiveCall, type_of
from relgraph.bridges.jax.reading import (
    control,
    elementwise,
    indexing,
    matrices,
    reductions,
    shapes,
)
from relgraph.bridges.jax.reading.equation import (
    ComputesNothing,
    Equation,
    NoCounterpart,
    Reader,
)
from relgraph.graph.basic import Variable
from relgraph.tensor.type import TensorType

READERS: dict[str, Reader] = {
    **control.READERS,
    **elementwise.READERS,
    **indexing.READERS,
    **matrices.READERS,
    **reductions.READERS,
    **shapes.READERS,
}
"""What reads a primitive, by its name."""


def read(jaxpr: Any, constants: Sequence[Variable], inputs: Sequence[Any]) -> list[Any]:
    """Return the variables of the outputs of a jaxpr.

    Parameters
    ----------
    jaxpr
        A `jax.extend.core.Jaxpr`.
    constants, inputs
        The variables of its constants and inputs.

    Raises
    ------
    ComputesNothing
        If an equation does something and computes nothing: a graph can't say when.
    """
    known: dict[Any, Any] = dict(zip(jaxpr.constvars, constants, strict=True))
    known.update(zip(jaxpr.invars, inputs, strict=True))

    def value(atom: Any) -> Any:
        return constant(atom.val, atom.aval) if isinstance(atom, Literal) else known[atom]

    for eqn in jaxpr.eqns:
        outputs = _outputs(eqn, [value(v) for v in eqn.invars])
        known.update(zip(eqn.outvars, outputs, strict=True))
    return [value(v) for v in jaxpr.outvars]


def read_closed(closed: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return the variables of the outputs of a jaxpr that has its constants with it."""
    if not hasattr(closed, "consts"):
        return read(closed, (), inputs)
    avals = [v.aval for v in closed.jaxpr.constvars]
    constants = [constant(c, aval) for c, aval in zip(closed.consts, avals, strict=True)]
    return read(closed.jaxpr, constants, inputs)


def constant(value: Any, aval: Any) -> Any:
    """Return a constant of JAX as one of a graph."""
    made = type_of(aval)
    if isinstance(made, JaxType):
        with jax.ensure_compile_time_eval():
            return made.make_constant(jax.numpy.asarray(value))
    return at.constant(np.asarray(value, made.dtype))


def _outputs(eqn: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return the variables of the outputs of an equation."""
    types = [type_of(v.aval) for v in eqn.outvars]
    reader = READERS.get(eqn.primitive.name)
    tensors = all(isinstance(v.type, TensorType) for v in inputs)
    if reader is not None and (tensors or reader is control.call):
        equation = Equation(eqn.primitive.name, inputs, eqn.params, types, read_closed)
        try:
            found = reader(equation)
        except ComputesNothing:
            raise
        except (NoCounterpart, TypeError):
            pass  # a TypeError says that an op is not for inputs of these types
        else:
            made = found if isinstance(found, list) else [found]
            return [_typed(v, t) for v, t in zip(made, types, strict=True)]
    return _opaque(eqn, inputs, types)


def _typed(v: Any, wanted: Any) -> Any:
    """Return a variable with all that is known of the type of what it stands for."""
    if isinstance(wanted, JaxType) or wanted.is_super(v.type):
        return v
    if v.type.dtype != wanted.dtype:
        v = at.cast(v, wanted.dtype)
    if v.type.ndim != wanted.ndim:
        raise AssertionError(f"{v} is a {v.type} where JAX has a {wanted}")
    return v if wanted.is_super(v.type) else at.specify_shape(v, wanted.shape)


def _opaque(eqn: Any, inputs: Sequence[Any], types: Sequence[Any]) -> list[Any]:
    """Return the outputs of a node that calls the primitive itself."""
    if not types:
        raise ComputesNothing(
            f"{eqn.primitive.name} computes nothing, so that it has no place in a graph: take it "
            "out of the function"
        )
    call = PrimitiveCall(eqn.primitive, Parameters(eqn.params))
    made: list[Any] = JaxOp(call, tuple(types), not eqn.effects)(*inputs, return_list=True)
    return made
