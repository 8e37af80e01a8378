"""`grad`: reverse-mode differentiation.

A forward pass finds the nodes that depend on the variables of interest. A backward pass from the
cost asks each of these ops for its vector-Jacobian product. Both passes are loops over the sorted
nodes, so that deep graphs need no recursion. The gradients that a variable gets from its clients
are added in one node.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, get_args

from relgraph.gradient.gradient_terms import (
    converted_gradient,
    filled_like,
    has_no_gradient,
    sum_of_gradients,
)
from relgraph.gradient.loops import gradients_of_loop
from relgraph.gradient.stabilization import Definitions, Step, stabilized, steps
from relgraph.gradient.timing import grad_stopwatch
from relgraph.graph.basic import Apply, Variable
from relgraph.graph.opt.base import paused_collector
from relgraph.graph.type import DisconnectedType, NullType, disconnected
from relgraph.tensor.elemwise.elemwise import Elemwise
from relgraph.tensor.loops.scan_op import Scan

Policy = Literal["raise", "warn", "ignore"]
DisconnectedValue = Literal["zero", "None", "disconnected"]


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
    return_disconnected: DisconnectedValue = "zero",
    stabilize: bool = True,
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
    stabilize
        Whether to rewrite the graph by the laws of `relations.STABILIZE` first, so that the
        gradient is as accurate as the value: that of ``log(1 + exp(x))`` is 1 at 1000, not nan.
        The variables in `wrt`, `known_grads` and `consider_constant`, and the arguments of
        `zero_grad` and `disconnected_grad`, are not rewritten. The given graph does not change.

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
    known = {} if known_grads is None else known_grads
    seeds = {
        v: given_gradient(v, known[v], f"known_grads of {v}")
        for v in variables_in(list(known), "grad: known_grads")
    }
    if cost is not None:
        _check_cost(cost)
        seeds.setdefault(cost, filled_like(cost, 1))
    elif not seeds:
        raise ValueError("grad: there is neither a cost nor are there known_grads")
    pull_back = PullBack(
        seeds, wrt, consider_constant, disconnected_inputs, return_disconnected, stabilize
    )
    results = pull_back(seeds)
    return results if isinstance(wrt, list | tuple) else results[0]


class PullBack:
    """Maps gradients of some outputs to gradients of the variables that these depend on.

    The outputs are stabilized once; then the map can be called several times.

    Parameters
    ----------
    outputs
        The variables to differentiate.
    wrt, consider_constant, disconnected_inputs, return_disconnected, stabilize
        As for `grad`.
    """

    def __init__(
        self,
        outputs: Collection[Variable],
        wrt: Any,
        consider_constant: Sequence[Variable] | None,
        disconnected_inputs: Policy = "raise",
        return_disconnected: DisconnectedValue = "zero",
        stabilize: bool = True,
    ) -> None:
        check_choice("grad: disconnected_inputs", disconnected_inputs, get_args(Policy))
        check_choice("grad: return_disconnected", return_disconnected, get_args(DisconnectedValue))
        self.wrt = variables_in(wrt, "grad: wrt")
        given = () if consider_constant is None else consider_constant
        given = list(given) if isinstance(given, set | frozenset) else given
        self.constants = frozenset(variables_in(given, "grad: consider_constant"))
        self.policy = disconnected_inputs
        self.kind = return_disconnected
        self.definitions: Definitions = {}
        if stabilize:
            with grad_stopwatch.running(), paused_collector():
                self.definitions = stabilized(outputs, self.wrt, self.constants)

    def __call__(self, seeds: Mapping[Variable, Any], fixed: bool = True) -> list[Any]:
        """Return the gradient with respect to each variable in `wrt`.

        Parameters
        ----------
        seeds
            The gradients with respect to the outputs.
        fixed
            Whether these are complete; if not, the gradient that an output gets from another
            output, which depends on it, is added.
        """
        with grad_stopwatch.running(), paused_collector():
            found = _Backpropagation(seeds, self.wrt, self.constants, self.definitions, fixed).run()
            without = [v for v, g in zip(self.wrt, found, strict=True) if g is None]
            connected: set[Variable] = set()
            if without and self.definitions:
                # A variable that stabilization has removed is connected, with a gradient of zero,
                # if it was connected in the given graph.
                unchanged = _Backpropagation(seeds, without, self.constants, {}, fixed).run()
                connected = {v for v, g in zip(without, unchanged, strict=True) if g is not None}
        for i, v in enumerate(self.wrt):
            if found[i] is None:
                found[i] = filled_like(v, 0) if v in connected else self._disconnected_gradient(v)
        return found

    def _disconnected_gradient(self, v: Variable) -> Any:
        """Return the gradient with respect to a disconnected variable, or warn, or raise."""
        message = (
            f"grad: the cost is not a differentiable function of {v} ({v.type}): it does not "
            "depend on it, or only by way of shapes, indices and the like "
            "(disconnected_inputs='ignore' takes the gradient for zero)"
        )
        if self.policy == "raise":
            raise DisconnectedInputError(message)
        if self.policy == "warn":
            warnings.warn(message, stacklevel=4)
        if self.kind == "zero":
            return filled_like(v, 0)
        return None if self.kind == "None" else disconnected()


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise a ValueError if the value of an argument is none of some choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} is {value!r}, not one of {', '.join(choices)}")


def variables_in(given: Any, what: str) -> list[Any]:
    """Return a variable, or several, as a list.

    Parameters
    ----------
    given
        A variable, or a list or tuple of variables.
    what
        What it is called in the TypeError that is raised if it is anything else.
    """
    several = list(given) if isinstance(given, list | tuple) else [given]
    for v in several:
        if isinstance(v, set | frozenset):
            raise TypeError(f"{what} is a set, which has no order; give a list of variables")
        if not isinstance(v, Variable):
            raise TypeError(f"{what} holds {v!r}, which is no variable")
    return several


def given_gradient(v: Variable, g: Any, what: str) -> Any:
    """Return a gradient with respect to `v` that the user gives as a variable of the same rank.

    Parameters
    ----------
    what
        What it is called in the TypeError or ValueError that is raised if it is none.
    """
    if not isinstance(g, Variable):
        try:
            g = v.type.filter_variable(g)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{what}: {error}") from None
    if not isinstance(g.type, DisconnectedType):
        _check_rank(v, g, what)
    return g


def _check_cost(cost: Any) -> None:
    if not isinstance(cost, Variable):
        raise TypeError(f"grad: the cost is {cost!r}, which is no variable")
    if isinstance(cost.type, NullType):
        raise NullTypeGradError(f"grad: the cost is itself undefined: {cost.type.why_null}")
    rank = getattr(cost.type, "ndim", 0)
    if rank != 0:
        raise TypeError(f"grad: the cost {cost} is a {cost.type}; it must be of rank 0 (sum it?)")
    if has_no_gradient(cost):
        raise TypeError(f"grad: the cost {cost} is a {cost.type}; it must be float or complex")


def _check_rank(v: Any, g: Any, what: str) -> None:
    """Raise a ValueError if the gradient `g` has another rank than the variable `v`."""
    own_rank, gradient_rank = getattr(v.type, "ndim", None), getattr(g.type, "ndim", None)
    if own_rank is not None and gradient_rank is not None and own_rank != gradient_rank:
        raise ValueError(
            f"{what} has {gradient_rank} dimensions where {v} ({v.type}) has {own_rank}"
        )


class _Backpropagation:
    """The two passes of one differentiation.

    Parameters
    ----------
    seeds
        The gradients that the backward pass starts from.
    wrt
        The variables whose gradients are wanted.
    constants
        The variables that are treated as constants.
    definitions
        Variables that are differentiated in place of others; see `stabilized`.
    fixed
        Whether nothing is added to `seeds`.

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
        self,
        seeds: Mapping[Variable, Any],
        wrt: Sequence[Variable],
        constants: Collection[Variable],
        definitions: Definitions,
        fixed: bool,
    ) -> None:
        self.seeds = seeds
        self.fixed: Collection[Variable] = seeds if fixed else ()
        self.wrt = wrt
        self.constants = constants
        self.definitions = definitions
        self.terms: dict[Variable, list[Any]] = {}
        self.zero_gradients: set[Variable] = set()
        self.undefined: dict[Variable, str] = {}
        self.gradients: dict[Variable, Any] = {}
        for v, g in seeds.items():
            if isinstance(g.type, DisconnectedType):
                continue
            if has_no_gradient(v):
                self.gradients[v] = g
            elif fixed:
                self.gradients[v] = converted_gradient(g, v)
            else:
                self.terms[v] = [converted_gradient(g, v)]

    def run(self) -> list[Any]:
        """Return the gradient with respect to each variable; None for a disconnected one."""
        order = steps(self.seeds, self.constants, self.definitions)
        patterns = self._connected_nodes(order)
        for node in reversed(order):
            if node in patterns:
                self._backpropagate(node, patterns[node])
        return [self._result(v) for v in self.wrt]

    def _connected_nodes(self, order: Sequence[Step]) -> dict[Step, list[list[bool]]]:
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

    def _backpropagate(self, node: Step, pattern: list[list[bool]]) -> None:
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
            and v not in self.fixed
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

    def _add_term(self, node: Step, i: int, v: Variable, g: Any) -> None:
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
            if g.type != v.type:
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
    node: Step, output_grads: Sequence[Any], wrt: Sequence[int]
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
    if isinstance(node, Apply) and isinstance(node.op, Scan):
        return gradients_of_loop(node, output_grads, wrt, PullBack)
    results = node.op.L_op(node.inputs, node.outputs, output_grads)
    if not isinstance(results, list | tuple):
        raise TypeError(f"the gradient of {node.op} is {results!r}, not a list or a tuple")
    if len(results) != len(node.inputs):
        raise ValueError(
            f"the gradient of {node.op} has {len(results)} elements for {len(node.inputs)} inputs"
        )
    return [results[i] for i in wrt]
