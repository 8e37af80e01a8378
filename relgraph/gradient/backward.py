"""`grad`: reverse-mode differentiation.

A forward pass finds the nodes that depend on the variables of interest. A backward pass from the
cost asks each of these ops for its vector-Jacobian product. Both passes are loops over the sorted
nodes, so that deep graphs need no recursion. The gradients that a variable gets from its clients
are added in one node.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from relgraph.gradient.gradient_terms import (
    converted_gradient,
    filled_like,
    has_no_gradient,
    sum_of_gradients,
)
from relgraph.gradient.timing import grad_stopwatch
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.opt.base import paused_collector
from relgraph.graph.traversal import io_toposort
from relgraph.graph.type import DisconnectedType, NullType, disconnected
from relgraph.tensor.elemwise.elemwise import Elemwise

Policy = Literal["raise", "warn", "ignore"]


class DisconnectedInputError(ValueError):
    """The cost is not a differentiable function of a variable in `wrt`."""


class NullTypeGradError(TypeError):
    """An op is not differentiable with respect to an input whose gradient is needed."""


def grad(
    cost: Variable | None,
    wrt: Any,
    consider_constant: Sequence[Variable] | None = None,
    disconnected_inputs: Policy = "raise",
    known_grads: Mapping[Variable, Any] | None = None,
    return_disconnected: Literal["zero", "None", "disconnected"] = "zero",
) -> Any:
    """Return the gradient of a cost with respect to each variable in `wrt`.

    Parameters
    ----------
    cost
        A float or complex variable of rank 0; of a complex one the real part is differentiated.
        None if the backward pass starts from `known_grads` only.
    wrt
        A variable, or a list or tuple of variables.
    consider_constant
        Variables that are treated as constants.
    disconnected_inputs
        What to do if the cost does not depend on a variable in `wrt`, or only through ops without
        a gradient (a shape, say): ``"raise"``, ``"warn"`` or ``"ignore"``.
    known_grads
        The gradients of the cost with respect to some variables; nothing is added to them.
    return_disconnected
        The gradient with respect to such a variable: ``"zero"``, ``"None"``, or
        ``"disconnected"`` for a variable of type `DisconnectedType`.

    Returns
    -------
    gradient
        A variable, or a list of them if `wrt` is a list or tuple. Each has the dtype and shape of
        its variable in `wrt`; that of an integer variable is zeros of ``config.floatX``.

    Raises
    ------
    TypeError
        If the cost has not rank 0, or is an integer.
    DisconnectedInputError
        See `disconnected_inputs`.
    NullTypeGradError
        If an op is not differentiable with respect to an input whose gradient is needed.
    MethodNotDefined
        If an op has no gradient.
    """
    check_choice("grad: disconnected_inputs", disconnected_inputs, ("raise", "warn", "ignore"))
    check_choice("grad: return_disconnected", return_disconnected, ("zero", "None", "disconnected"))
    variables = list(wrt) if isinstance(wrt, list | tuple) else [wrt]
    for v in variables:
        if not isinstance(v, Variable):
            raise TypeError(f"grad: wrt holds {v!r}, which is no variable")
    with grad_stopwatch.running(), paused_collector():
        seeds = _seeds(cost, known_grads)
        found = _Backpropagation(seeds, variables, consider_constant or ()).run()
    results = [
        g if g is not None else _disconnected_gradient(v, disconnected_inputs, return_disconnected)
        for v, g in zip(variables, found, strict=True)
    ]
    return results if isinstance(wrt, list | tuple) else results[0]


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise a ValueError if the value of an argument is none of some choices."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}, not one of {', '.join(choices)}")


def _seeds(
    cost: Variable | None, known_grads: Mapping[Variable, Any] | None
) -> dict[Variable, Any]:
    """Return the gradients, by variable, that the backward pass starts from."""
    seeds: dict[Variable, Any] = {}
    for v, g in (known_grads or {}).items():
        if not isinstance(g, Variable):
            g = v.type.filter_variable(g)
        if not isinstance(g.type, DisconnectedType):
            _check_rank(v, g, f"known_grads of {v}")
        seeds[v] = g
    if cost is None:
        if not seeds:
            raise ValueError("grad: there is neither a cost nor are there known_grads")
        return seeds
    if not isinstance(cost, Variable):
        raise TypeError(f"grad: the cost is {cost!r}, which is no variable")
    if isinstance(cost.type, NullType):
        raise NullTypeGradError(f"grad: the cost is itself undefined: {cost.type.why_null}")
    rank = getattr(cost.type, "ndim", 0)
    if rank != 0:
        raise TypeError(f"grad: the cost {cost} is a {cost.type}; it must be of rank 0 (sum it?)")
    if has_no_gradient(cost):
        raise TypeError(f"grad: the cost {cost} is a {cost.type}; it must be float or complex")
    seeds.setdefault(cost, filled_like(cost, 1))
    return seeds


def _check_rank(v: Any, g: Any, what: str) -> None:
    """Raise a ValueError if the gradient `g` has another rank than the variable `v`."""
    own_rank, gradient_rank = getattr(v.type, "ndim", None), getattr(g.type, "ndim", None)
    if own_rank is not None and gradient_rank is not None and own_rank != gradient_rank:
        raise ValueError(
            f"{what} has {gradient_rank} dimensions where {v} ({v.type}) has {own_rank}"
        )


def _disconnected_gradient(v: Variable, policy: Policy, kind: str) -> Any:
    """Return the gradient with respect to a disconnected variable, or warn, or raise."""
    message = (
        f"grad: the cost is not a differentiable function of {v} ({v.type}): it does not depend "
        "on it, or only by way of shapes, indices and the like "
        "(disconnected_inputs='ignore' takes the gradient for zero)"
    )
    if policy == "raise":
        raise DisconnectedInputError(message)
    if policy == "warn":
        warnings.warn(message, stacklevel=3)
    if kind == "zero":
        return filled_like(v, 0)
    return None if kind == "None" else disconnected()


class _Backpropagation:
    """The two passes of one call of `grad`.

    Parameters
    ----------
    seeds
        The gradients that the backward pass starts from.
    wrt
        The variables whose gradients are wanted.
    constants
        The variables that are treated as constants.

    Attributes
    ----------
    terms
        For each variable the gradients it has got from its clients so far.
    zero_gradients
        The variables whose gradient is zero, since the cost depends on them only through functions
        that are constant almost everywhere. The zeros are made only where they are needed.
    undefined
        The variables whose gradient is not defined, and why.
    gradients
        The gradients that are complete.
    """

    def __init__(
        self, seeds: dict[Variable, Any], wrt: Sequence[Variable], constants: Collection[Variable]
    ) -> None:
        self.seeds = seeds
        self.wrt = wrt
        self.constants = set(constants)
        self.terms: dict[Variable, list[Any]] = {}
        self.zero_gradients: set[Variable] = set()
        self.undefined: dict[Variable, str] = {}
        self.gradients: dict[Variable, Any] = {}
        for v, g in seeds.items():
            if not isinstance(g.type, DisconnectedType):
                self.gradients[v] = converted_gradient(g, v) if not has_no_gradient(v) else g

    def run(self) -> list[Any]:
        """Return the gradient with respect to each variable; None for a disconnected one."""
        order = io_toposort(list(self.constants), list(self.seeds))
        patterns = self._connected_nodes(order)
        for node in reversed(order):
            if node in patterns:
                self._backpropagate(node, patterns[node])
        return [self._result(v) for v in self.wrt]

    def _connected_nodes(self, order: Sequence[Apply]) -> dict[Apply, list[list[bool]]]:
        """Return the connection patterns of the nodes that depend on `wrt`: the forward pass."""
        self.dependent = set(self.wrt)
        dependent = self.dependent
        patterns = {}
        for node in order:
            if dependent.isdisjoint(node.inputs):
                continue
            pattern = node.op.connection_pattern(node)
            rows = [row for v, row in zip(node.inputs, pattern, strict=True) if v in dependent]
            reached = [out for o, out in enumerate(node.outputs) if any(row[o] for row in rows)]
            if reached:
                dependent.update(reached)
                patterns[node] = pattern
        return patterns

    def _backpropagate(self, node: Apply, pattern: list[list[bool]]) -> None:
        """Add to the gradients of a node's inputs what follows from those of its outputs."""
        grads = [None if out in self.constants else self._gradient(out) for out in node.outputs]
        zero_outputs = [
            o
            for o, out in enumerate(node.outputs)
            if grads[o] is None and out in self.zero_gradients and out not in self.constants
        ]
        live = [o for o, g in enumerate(grads) if g is not None]
        contributing = [*live, *zero_outputs]
        reached = [
            i
            for i, v in enumerate(node.inputs)
            if v in self.dependent
            and v not in self.seeds
            and any(pattern[i][o] for o in contributing)
        ]
        if not live:
            self.zero_gradients.update([node.inputs[i] for i in reached])
            return
        for o in zero_outputs:
            grads[o] = filled_like(node.outputs[o], 0)
        discrete = [i for i in reached if has_no_gradient(node.inputs[i])]
        if discrete:
            self.zero_gradients.update([node.inputs[i] for i in discrete])
            reached = [i for i in reached if i not in discrete]
        output_grads = [disconnected() if g is None else g for g in grads]
        for i, g in zip(reached, _gradients_of_inputs(node, output_grads, reached), strict=True):
            self._add_term(node, i, node.inputs[i], g)

    def _add_term(self, node: Apply, i: int, v: Variable, g: Any) -> None:
        """Add the gradient `g` that a node gives for its input `v`, which has position `i`."""
        if g is None:
            self.undefined.setdefault(v, f"{node.op} is not differentiable by its input {i}, {v}")
        elif not isinstance(g, Variable):
            raise TypeError(
                f"the gradient of {node.op} gives {g!r} for input {i}, which is no variable"
            )
        elif isinstance(g.type, NullType):
            self.undefined.setdefault(v, f"{node.op}, input {i}: {g.type.why_null}")
        elif not isinstance(g.type, DisconnectedType):
            if g.type is not v.type:
                _check_rank(v, g, f"the gradient of {node.op} for input {i}")
            self.terms.setdefault(v, []).append(converted_gradient(g, v))

    def _gradient(self, v: Variable) -> Any:
        """Return the gradient with respect to `v`, after all its clients.

        None if `v` is disconnected, or its gradient is zero; then it is in `zero_gradients`.
        """
        if v in self.undefined:
            raise NullTypeGradError(f"grad: there's no gradient by {v}: {self.undefined[v]}")
        if has_no_gradient(v) and v in self.gradients:
            self.zero_gradients.add(v)
            return None
        if v not in self.gradients:
            terms = self.terms.pop(v, None)
            if terms is None:
                return None
            self.gradients[v] = (
                terms[0] if len(terms) == 1 else converted_gradient(sum_of_gradients(terms), v)
            )
        return self.gradients[v]

    def _result(self, v: Variable) -> Any:
        g = self._gradient(v)
        if g is None and v in self.zero_gradients:
            return filled_like(v, 0)
        return g


def _gradients_of_inputs(
    node: Apply, output_grads: Sequence[Any], wrt: Sequence[int]
) -> Sequence[Any]:
    """Return the gradients that an op gives for its inputs at the positions `wrt`.

    Raises
    ------
    TypeError
        If its `L_op` returns no list or tuple.
    ValueError
        If there is not one gradient for each input.
    """
    if isinstance(node.op, Elemwise):
        return node.op.gradients(node.inputs, node.outputs, output_grads, tuple(wrt))
    results = node.op.L_op(node.inputs, node.outputs, output_grads)
    if not isinstance(results, list | tuple):
        raise TypeError(f"the gradient of {node.op} is {results!r}, not a list or a tuple")
    if len(results) != len(node.inputs):
        raise ValueError(
            f"the gradient of {node.op} has {len(results)} elements for {len(node.inputs)} inputs"
        )
    return [results[i] for i in wrt]
