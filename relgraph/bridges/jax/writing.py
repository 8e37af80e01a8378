"""`to_jax`: functions of JAX from graphs, with the derivatives of the graphs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import jaxpr_as_fun
from jax.interpreters import ad

from relgraph.bridges.jax.linear import linear_part
from relgraph.bridges.jax.opaque import JaxOp, JaxType, is_continuous, struct_of
from relgraph.engines.jax import lower_graph, register
from relgraph.engines.jax.lowering.dispatch import NeedsValue
from relgraph.gradient import NullTypeGradError, Rop
from relgraph.gradient.barriers import GradientBarrier
from relgraph.graph.basic import Variable, io_toposort
from relgraph.graph.op import HasInnerGraph
from relgraph.graph.utils import MethodNotDefined

Graph = tuple[list[Variable], list[Variable]]
"""Inputs and outputs."""


class GraphFunction:
    """A graph as a function of JAX's arrays.

    JAX differentiates it by the derivative of the graph, which is stabilized as `relgraph.grad`
    does it, and rewritten with the graph. Its coefficients are a `GraphFunction` with the outputs,
    so that there are derivatives of any order. What relgraph can't differentiate, JAX does; so it
    does a graph with a call of a `jax.custom_vjp`, or with bfloat16.

    Parameters
    ----------
    inputs, outputs
        The variables of the graph.
    rewrite
        Takes inputs and outputs and returns rewritten ones; applied to derivatives.
    stabilize
        Whether derivatives are stabilized first.
    """

    def __init__(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        rewrite: Callable[[Graph], Graph] = lambda graph: graph,
        stabilize: bool = True,
    ) -> None:
        self.inputs, self.outputs = list(inputs), list(outputs)
        self._rewrite, self._stabilize = rewrite, stabilize
        self._lowered = _lowered(self.inputs, self.outputs)
        self._free = [i for i, v in enumerate(self.inputs) if is_continuous(v)]
        self._call: Any = self._lowered
        if not _is_for_jax_alone(self.inputs, self.outputs):
            self._call = jax.custom_jvp(self._lowered)
            self._call.defjvp(self._jvp)

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        """Return the outputs for some values of the inputs."""
        found: tuple[Any, ...] = self._call(*[jnp.asarray(v) for v in values])
        return found

    def _jvp(
        self, values: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        derivative = self._derivative
        if derivative is not None:
            every = derivative.values(*values)
            found, coefficients = every[: len(self.outputs)], every[len(self.outputs) :]
            directions = [tangents[i] for i in self._free]
            if derivative.is_transposable(coefficients, directions):
                moved = derivative.linear(*coefficients, *directions)
                return found, self._tangents(found, dict(zip(derivative.moved, moved, strict=True)))
        by_jax: tuple[Any, Any] = jax.jvp(self._lowered, tuple(values), tuple(tangents))
        return by_jax

    def _tangents(self, found: Sequence[Any], moved: dict[int, Any]) -> tuple[Any, ...]:
        """Return a tangent for each output: zero where there is no other."""
        made = []
        for i, (value, v) in enumerate(zip(found, self.outputs, strict=True)):
            dtype = value.dtype if is_continuous(v) else jax.dtypes.float0
            made.append(moved[i] if i in moved else np.zeros(value.shape, dtype))
        return tuple(made)

    @cached_property
    def _derivative(self) -> _Derivative | None:
        """The derivative; None if an op has none."""
        wrt = [self.inputs[i] for i in self._free]
        tangents = [v.type.make_variable() for v in wrt]
        places = [i for i, v in enumerate(self.outputs) if is_continuous(v)]
        try:
            outputs = [self.outputs[i] for i in places]
            moved = Rop(outputs, wrt, tangents, "ignore", self._stabilize) if wrt else []
        except (MethodNotDefined, NullTypeGradError):
            return None
        graph = [*self.inputs, *tangents], [*self.outputs, *moved]
        given, made = self._rewrite(graph)
        values, tangents = given[: len(self.inputs)], given[len(self.inputs) :]
        found, moved = made[: len(self.outputs)], made[len(self.outputs) :]
        part = linear_part(values, tangents, moved)
        return _Derivative(
            GraphFunction(values, [*found, *part.coefficients], self._rewrite, self._stabilize),
            _lowered([*part.coefficients, *tangents], list(part.outputs.values())),
            [places[i] for i in part.outputs],
        )


@dataclass(frozen=True)
class _Derivative:
    """The derivative of a graph.

    Attributes
    ----------
    values
        Takes the values of the inputs, and gives those of the outputs and the coefficients.
    linear
        Takes the coefficients and the tangents, in which it is linear.
    moved
        Which outputs the tangents are of that it returns.
    """

    values: GraphFunction
    linear: Callable[..., tuple[Any, ...]]
    moved: list[int]
    _transposable: dict[Any, bool] = field(default_factory=dict)

    def is_transposable(self, coefficients: Sequence[Any], directions: Sequence[Any]) -> bool:
        """Return whether JAX sees that the linear part is linear.

        It does not where an op asks something about values: whether they are finite, say.
        """
        key = _signature([*coefficients, *directions])
        if key not in self._transposable:
            self._transposable[key] = self._transposes(coefficients, directions)
        return self._transposable[key]

    def _transposes(self, coefficients: Sequence[Any], directions: Sequence[Any]) -> bool:
        tangents = tuple(struct_of(v) for v in directions)

        def transposed(*fixed: Any) -> Any:
            of_tangents = partial(self.linear, *fixed)
            rows = [jnp.zeros(v.shape, v.dtype) for v in jax.eval_shape(of_tangents, *tangents)]
            return jax.linear_transpose(of_tangents, *tangents)(tuple(rows))

        try:
            jax.eval_shape(transposed, *[struct_of(v) for v in coefficients])
        except (AssertionError, NotImplementedError, TypeError, ValueError):
            return False
        return True


def _lowered(
    inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> Callable[..., tuple[Any, ...]]:
    """Return a graph as a function of JAX's arrays.

    Lengths and places have 64 bits in a graph. Where JAX's flag for these is not set, it takes 32,
    and the function says no word of it. A graph is lowered once for all traced values of the same
    shapes and dtypes, unless some shape depends on a value that is known.
    """
    function = lower_graph(inputs, outputs)
    kept: dict[Any, Any] = {}

    def lowered(*values: Any) -> tuple[Any, ...]:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Explicitly requested dtype", UserWarning)
            if not any(isinstance(v, jax.core.Tracer) for v in values):
                return function(*values)
            key = _signature(values)
            if key not in kept:
                try:
                    kept[key] = jax.make_jaxpr(function)(*values)
                except NeedsValue:
                    # there is no jaxpr for all values of these shapes
                    kept[key] = None
            call = function if kept[key] is None else jaxpr_as_fun(kept[key])
            return tuple(call(*values))

    return lowered


def _signature(values: Sequence[Any]) -> Any:
    return tuple(map(jax.typeof, values)), jax.config.read("jax_enable_x64")


def _is_for_jax_alone(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> bool:
    """Return whether a graph has a part that only JAX can differentiate.

    That is a call of a function with its own product of row vectors with Jacobians, and floats of a
    dtype that NumPy has not.
    """
    for node in io_toposort(list(inputs), list(outputs)):
        if isinstance(node.op, JaxOp) and getattr(node.op.call, "pulls_back_by_itself", False):
            return True
        if any(_is_float_of_jax(v) for v in (*node.inputs, *node.outputs)):
            return True
        inner: Any = node.op
        if isinstance(inner, HasInnerGraph) and _is_for_jax_alone(
            inner.inner_inputs, inner.inner_outputs
        ):
            return True
    return any(_is_float_of_jax(v) for v in outputs)


def _is_float_of_jax(v: Variable) -> bool:
    return isinstance(v.type, JaxType) and v.type.is_continuous


register(JaxOp, lambda op, node, *values: op.call(*map(jnp.asarray, values)))
register(GradientBarrier, lambda op, node, x: lax.stop_gradient(x))
# Under `vmap` a `lax.cond` computes both branches, and a branch gets what it reads through
# `stop_gradient` where it is not taken: tangents too, for which JAX has no rule.
ad.primitive_transposes.setdefault(lax.stop_gradient_p, lambda cotangent, x: [ad.Zero(x.aval)])


def to_jax(inputs: Sequence[Variable], outputs: Any) -> Callable[..., Any]:
    """Return a graph as a function of JAX.

    It can be compiled, differentiated and vectorized by JAX. Its derivatives are those that
    `relgraph.grad` gives, which is stable where the graph is not.

    Parameters
    ----------
    inputs
        The variables that the function takes values for, in order.
    outputs
        A variable, or a list of them.

    Returns
    -------
    function
        It returns an array of JAX, or a list of them.

    Raises
    ------
    relgraph.engines.jax.LoweringError
        By the function, if JAX has nothing for an op; the message names it.
    """
    several = isinstance(outputs, list | tuple)
    made = GraphFunction(inputs, list(outputs) if several else [outputs])

    def function(*values: Any) -> Any:
        if len(values) != len(made.inputs):
            raise TypeError(f"the graph has {len(made.inputs)} inputs, not {len(values)}")
        found = made(*values)
        return list(found) if several else found[0]

    return function
