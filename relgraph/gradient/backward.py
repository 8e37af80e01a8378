"""Reverse-mode differentiation: `grad`.

One walk down from the variables asked for finds what depends on them; one walk back up from the
cost asks each op on the way for its vector-Jacobian product. Both are loops over a sorted list of
nodes, so that depth costs nothing, and what a variable gets from its clients is added up once.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, get_args

from relgraph.gradient.gradient_terms import added, conformed, filled_like, has_no_gradient
from relgraph.gradient.stabilization import Definitions, Step, stabilized, steps
from relgraph.gradient.timing import grad_clock
from relgraph.graph.basic import Variable
from relgraph.graph.opt.base import paused_collector
from relgraph.graph.type import DisconnectedType, NullType, disconnected
from relgraph.tensor.elemwise.op import Elemwise

Policy = Literal["raise", "warn", "ignore"]
Unreached = Literal["zero", "None", "disconnected"]


class DisconnectedInputError(ValueError):
    """A gradient is asked for by a variable that the cost is not a differentiable function of."""


class NullTypeGradError(TypeError):
    """A gradient is needed that does not exist, or that an op does not offer."""


def grad(
    cost: Variable | None,
    wrt: Any,
    consider_constant: Sequence[Variable] | None = None,
    disconnected_inputs: Policy = "raise",
    known_grads: Mapping[Variable, Any] | None = None,
    return_disconnected: Unreached = "zero",
    stabilize: bool = True,
) -> Any:
    """Return the gradient of `cost` by each variable in `wrt`.

    Parameters
    ----------
    cost
        A float or complex variable of rank 0 (of a complex one, the real part is meant). None if
        `known_grads` says all.
    wrt
        A variable, or a list or tuple of them.
    consider_constant
        Variables through which no gradient is to pass.
    disconnected_inputs
        What to do about a variable in `wrt` that the cost is not a function of, or only through
        what has no gradient (a shape, say): ``"raise"``, ``"warn"`` or ``"ignore"``.
    known_grads
        Gradients that are taken as given, by variable; nothing is added to them.
    return_disconnected
        What stands for the gradient by such a variable: ``"zero"``, ``"None"``, or
        ``"disconnected"`` for a variable of type `DisconnectedType`.
    stabilize
        Rewrite what is differentiated by the laws of `relations.STABILIZE` first, so that the
        gradient is as good as the value: that of ``log(1 + exp(x))`` is 1 at 1000, not nan. The
        variables in `wrt`, `known_grads` and `consider_constant`, and what stands behind
        `zero_grad` and `disconnected_grad`, stay what they are. No graph is changed in place, and
        one that has nothing to be stabilized is differentiated as it is.

    Returns
    -------
    gradient
        One for a variable, a list of them for a list or tuple; each of the dtype and shape of its
        variable. An integer variable has a gradient of zeros, of dtype ``config.floatX``.

    Raises
    ------
    TypeError
        If the cost is no scalar, or an integer.
    DisconnectedInputError
        See `disconnected_inputs`.
    NullTypeGradError
        If an op on the way is not differentiable by an input that matters.
    MethodNotDefined
        If an op on the way has no gradient.
    """
    seeds = {v: given_gradient(v, g) for v, g in (known_grads or {}).items()}
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
    """Differentiates some variables by others, as often as there are gradients to start from.

    Parameters
    ----------
    outputs
        What is differentiated. It is stabilized here, once.
    wrt, consider_constant, disconnected_inputs, return_disconnected, stabilize
        As in `grad`.
    """

    def __init__(
        self,
        outputs: Collection[Variable],
        wrt: Any,
        consider_constant: Sequence[Variable] | None,
        disconnected_inputs: Policy = "raise",
        return_disconnected: Unreached = "zero",
        stabilize: bool = True,
    ) -> None:
        check_choice("grad: disconnected_inputs", disconnected_inputs, get_args(Policy))
        check_choice("grad: return_disconnected", return_disconnected, get_args(Unreached))
        self.wanted: list[Variable] = list(wrt) if isinstance(wrt, list | tuple) else [wrt]
        for v in self.wanted:
            if not isinstance(v, Variable):
                raise TypeError(f"grad: wrt holds {v!r}, which is no variable")
        self.barred = frozenset(consider_constant or ())
        self.policy = disconnected_inputs
        self.kind = return_disconnected
        self.definitions: Definitions = {}
        if stabilize:
            with grad_clock.running(), paused_collector():
                self.definitions = stabilized(outputs, self.wanted, self.barred)

    def __call__(self, seeds: Mapping[Variable, Any], fixed: bool = True) -> list[Any]:
        """Return the gradient by each variable that was asked for.

        Parameters
        ----------
        seeds
            The gradients by the outputs.
        fixed
            Whether these are all there is; if not, what an output gets from another one that is a
            function of it is added.
        """
        with grad_clock.running(), paused_collector():
            found = _Backward(seeds, self.wanted, self.barred, self.definitions, fixed).run()
            lost = [v for v, g in zip(self.wanted, found, strict=True) if g is None]
            connected: set[Variable] = set()
            if lost and self.definitions:
                # what a variable is connected to is said of the graph as it was written; where it
                # has gone from it since, it makes no difference to the value
                written = _Backward(seeds, lost, self.barred, {}, fixed).run()
                connected = {v for v, g in zip(lost, written, strict=True) if g is not None}
        for i, v in enumerate(self.wanted):
            if found[i] is None:
                found[i] = filled_like(v, 0) if v in connected else self._unreached(v)
        return found

    def _unreached(self, v: Variable) -> Any:
        """Return what stands for the gradient by a variable that got none."""
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
    if value not in choices:
        raise ValueError(f"{name} is {value!r}, not one of {', '.join(choices)}")


def given_gradient(v: Variable, g: Any) -> Any:
    """Return the gradient `g` by `v`, which a user gives, as a variable of the right rank."""
    if not isinstance(g, Variable):
        g = v.type.filter_variable(g)
    if not isinstance(g.type, DisconnectedType):
        _check_rank(v, g, f"known_grads of {v}")
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
    mine, its = getattr(v.type, "ndim", None), getattr(g.type, "ndim", None)
    if mine is not None and its is not None and mine != its:
        raise ValueError(f"{what} has {its} dimensions where {v} ({v.type}) has {mine}")


class _Backward:
    """The two walks of one differentiation.

    `terms` holds what a variable has got so far from its clients; `flat` the variables that the
    cost is connected to, but only by what is constant nearly everywhere: their gradient is zero,
    which is written down only where somebody needs it.
    """

    def __init__(
        self,
        seeds: Mapping[Variable, Any],
        wanted: Sequence[Variable],
        barred: Collection[Variable],
        definitions: Definitions,
        fixed: bool,
    ) -> None:
        self.seeds = seeds
        self.fixed: Collection[Variable] = seeds if fixed else ()
        self.wanted = wanted
        self.barred = barred
        self.definitions = definitions
        self.terms: dict[Variable, list[Any]] = {}
        self.flat: set[Variable] = set()
        self.null: dict[Variable, str] = {}
        self.done: dict[Variable, Any] = {}
        for v, g in seeds.items():
            if isinstance(g.type, DisconnectedType):
                continue
            if has_no_gradient(v):
                self.done[v] = g
            elif fixed:
                self.done[v] = conformed(g, v)
            else:
                self.terms[v] = [conformed(g, v)]

    def run(self) -> list[Any]:
        """Return the gradient by each variable that was asked for; None where there's none."""
        order = steps(self.seeds, self.barred, self.definitions)
        patterns = self._forward(order)
        for node in reversed(order):
            if node in patterns:
                self._visit(node, patterns[node])
        return [self._result(v) for v in self.wanted]

    def _forward(self, order: Sequence[Step]) -> dict[Step, list[list[bool]]]:
        """Return the connection patterns of the nodes on the way, and find what depends on what."""
        self.dependent = set(self.wanted)
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

    def _visit(self, node: Step, pattern: list[list[bool]]) -> None:
        """Pass the gradients of the outputs of `node` on to its inputs."""
        grads = [None if out in self.barred else self._gradient(out) for out in node.outputs]
        flat = [
            o
            for o, out in enumerate(node.outputs)
            if grads[o] is None and out in self.flat and out not in self.barred
        ]
        live = [o for o, g in enumerate(grads) if g is not None]
        passing = [*live, *flat]
        reached = [
            i
            for i, v in enumerate(node.inputs)
            if v in self.dependent and v not in self.fixed and any(pattern[i][o] for o in passing)
        ]
        if not live:
            self.flat.update([node.inputs[i] for i in reached])
            return
        for o in flat:
            grads[o] = filled_like(node.outputs[o], 0)
        steps = [i for i in reached if has_no_gradient(node.inputs[i])]
        if steps:
            self.flat.update([node.inputs[i] for i in steps])
            reached = [i for i in reached if i not in steps]
        given = [disconnected() if g is None else g for g in grads]
        for i, g in zip(reached, _input_grads(node, given, reached), strict=True):
            self._receive(node, i, node.inputs[i], g)

    def _receive(self, node: Step, i: int, v: Variable, g: Any) -> None:
        """Take note of the gradient `g` that `node` gives for its input `v`."""
        if g is None:
            self.null.setdefault(v, f"{node.op} is not differentiable by its input {i}, {v}")
        elif not isinstance(g, Variable):
            raise TypeError(
                f"the gradient of {node.op} gives {g!r} for input {i}, which is no variable"
            )
        elif isinstance(g.type, NullType):
            self.null.setdefault(v, f"{node.op}, input {i}: {g.type.why_null}")
        elif not isinstance(g.type, DisconnectedType):
            if g.type != v.type:
                _check_rank(v, g, f"the gradient of {node.op} for input {i}")
            self.terms.setdefault(v, []).append(conformed(g, v))

    def _gradient(self, v: Variable) -> Any:
        """Return the gradient by `v`, all clients of which have been visited; None if it has
        none, or one that is zero (then `v` is in `flat`)."""
        if v in self.null:
            raise NullTypeGradError(f"grad: there's no gradient by {v}: {self.null[v]}")
        if has_no_gradient(v) and v in self.done:
            self.flat.add(v)
            return None
        if v not in self.done:
            terms = self.terms.pop(v, None)
            if terms is None:
                return None
            self.done[v] = terms[0] if len(terms) == 1 else conformed(added(terms), v)
        return self.done[v]

    def _result(self, v: Variable) -> Any:
        g = self._gradient(v)
        if g is None and v in self.flat:
            return filled_like(v, 0)
        return g


def _input_grads(node: Step, output_grads: Sequence[Any], wanted: Sequence[int]) -> Sequence[Any]:
    """Return what an op gives for the gradients by its inputs at the positions `wanted`.

    Raises
    ------
    TypeError, ValueError
        If that isn't one for each.
    """
    if isinstance(node.op, Elemwise):
        return node.op.gradients(node.inputs, node.outputs, output_grads, tuple(wanted))
    results = node.op.L_op(node.inputs, node.outputs, output_grads)
    if not isinstance(results, list | tuple):
        raise TypeError(f"the gradient of {node.op} is {results!r}, not a list or a tuple")
    if len(results) != len(node.inputs):
        raise ValueError(
            f"the gradient of {node.op} has {len(results)} elements for {len(node.inputs)} inputs"
        )
    return [results[i] for i in wanted]
