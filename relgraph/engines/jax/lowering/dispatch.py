"""`lower`: what an Op computes, with JAX; and what becomes of Ops that have no lowering.

While a graph is lowered a value is one of three:

- a NumPy array: it is known when the function is traced. What depends on such values alone is
  computed by NumPy then and there, so that arithmetic with shapes stays Python;
- a JAX array: the graph is run a node at a time, without ``jax.jit``;
- a tracer of JAX, of which only dtype and shape are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from relgraph.engines.jax.values import as_dtype, call_host, seen_by_numpy, to_engine
from relgraph.graph import reference
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import Op
from relgraph.graph.utils import MethodNotDefined, MissingInputError
from relgraph.sparse.type import SparseTensorType
from relgraph.tensor.type import TensorType

Lowering = Callable[..., Any]
"""Takes an Op, a node of it and the values of its inputs; returns the value of the output, or a
tuple of several."""


class LoweringError(NotImplementedError):
    """An Op that can't be lowered to JAX; the message names it."""


class NeedsValue(Exception):
    """The value of an input is needed when a function is traced, and is not known then.

    Attributes
    ----------
    node
        The node that needs it.
    variables
        What it needs the values of; None where that can't be said outside of a loop.
    """

    def __init__(self, node: Apply, variables: Sequence[Variable] | None = None) -> None:
        what = "a value" if not variables else f"the value of {', '.join(map(str, variables))}"
        super().__init__(f"{node.op} needs {what}, which is not known while it is traced")
        self.node = node
        self.variables = variables


def is_traced(value: Any) -> bool:
    """Return whether only the dtype and the shape of a value are known."""
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(value))


def is_known(value: Any) -> bool:
    """Return whether a value is known when a function is traced."""
    return isinstance(value, np.ndarray)


def static(node: Apply, position: int, value: Any) -> np.ndarray[Any, Any]:
    """Return the value of an input of a node as a NumPy array.

    Raises
    ------
    NeedsValue
        If it is traced.
    """
    if is_traced(value):
        raise NeedsValue(node, [node.inputs[position]])
    return np.asarray(value)


@singledispatch
def lower(op: Any, node: Apply, *values: Any) -> Any:
    """Return the value of the output of a node, or a tuple of several, computed with JAX.

    An Op without a lowering of its own is computed by its `array_formula`; if it has none, by its
    `perform`: on the values where they are not traced, else by ``jax.pure_callback``.

    Raises
    ------
    LoweringError
        If a node can't be computed so.
    NeedsValue
        If the value of an input is needed, and is traced, as all are that sparse matrices need.
    """
    if op.is_identity:
        return values[0]
    return on_the_host(op, node, *values) if _formula(op) is None else by_formula(op, node, *values)


def _formula(op: Any) -> Callable[..., Any] | None:
    return getattr(op, "array_formula", None)


def by_formula(op: Any, node: Apply, *values: Any) -> Any:
    """Compute an op by its `array_formula`, in the dtype of its output."""
    dtype = node.outputs[0].type.dtype
    return as_dtype(
        op.array_formula(jnp, *[as_dtype(jnp.asarray(x), dtype) for x in values]), dtype
    )


def register(kind: type[Op], function: Lowering | None = None) -> Any:
    """Say how Ops of a class are lowered; a decorator if there is no `function`.

    Parameters
    ----------
    kind
        The class; its subclasses are lowered alike.
    function
        Takes the Op, the node and the values of the inputs, which are arrays of JAX or NumPy;
        returns the value of the output, or a tuple of several.
    """
    return lower.register(kind, function)


def is_native(op: Op) -> bool:
    """Return whether an Op is computed with JAX's functions, and not by its `perform`."""
    if op.is_identity or _formula(op) is not None:
        return True
    return lower.dispatch(type(op)) is not lower.dispatch(object)


def on_the_host(op: Op, node: Apply, *values: Any) -> Any:
    """Compute a node by the `perform` of its Op, on the host."""
    if not is_traced(values):
        return _one_or_all(performed(node, values))
    types = [v.type for v in (*node.inputs, *node.outputs)]
    if any(isinstance(t, SparseTensorType) for t in types):
        raise NeedsValue(node)
    if not op.pure or not all(isinstance(t, TensorType) for t in types):
        reason = "is not pure" if not op.pure else "has inputs or outputs that are no tensors"
        raise LoweringError(
            f"{op} ({type(op).__name__}) has no lowering to JAX, and {reason}: say how it is "
            "lowered by relgraph.engines.jax.register"
        )
    pairs = zip(output_shapes(node, values), node.outputs, strict=True)
    results = [(shape, out.type.numpy_dtype) for shape, out in pairs]

    def compute(*arrays: Any) -> list[Any]:
        return performed(node, arrays)

    return _one_or_all(call_host(compute, results, values, "sequential"))


def by_perform(op: Op, node: Apply, *values: Any) -> Any:
    """Compute a node by the `perform` of its Op, which takes traced arrays as well: it asks for
    shapes and moves elements, no more."""
    return _one_or_all(reference.performed(node, values))


def performed(node: Apply, values: Sequence[Any]) -> list[Any]:
    """Return what the `perform` of a node makes of values, none of which it changes."""
    given = [seen_by_numpy(x, v.type) for x, v in zip(values, node.inputs, strict=True)]
    found = reference.performed_on_copies(node, given)
    return [to_engine(x, v.type) for v, x in zip(node.outputs, found, strict=True)]


def _one_or_all(found: Sequence[Any]) -> Any:
    return found[0] if len(found) == 1 else tuple(found)


def output_shapes(node: Apply, values: Sequence[Any]) -> list[tuple[int, ...]]:
    """Return the shapes of the outputs of a node; NeedsValue if they depend on traced values."""
    pairs = zip(node.inputs, values, strict=True)
    known = {v: value for v, value in pairs if is_known(value)}
    try:
        return reference.output_shapes(node, [tuple(np.shape(v)) for v in values], known)
    except MethodNotDefined:
        raise NeedsValue(node) from None
    except MissingInputError as error:
        raise NeedsValue(node, None if error.variable is None else [error.variable]) from None
