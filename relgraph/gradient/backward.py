"""`grad`: the gradient of a cost, by a backward pass over the graph.

The graph is stabilized first: its variables get definitions that are as accurate as their values.
`grad_stopwatch` has the time of all calls, for the profiles of functions.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from time import perf_counter
from typing import Any, Literal, get_args

import relations
from relgraph.gradient.barriers import (
    GradientGate,
    converted_gradient,
    filled_like,
    has_no_gradient,
    sum_of_gradients,
)
from relgraph.gradient.loops import LoopBackwards
from relgraph.graph.basic import Apply, Variable, clone_get_equiv
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import EquilibriumOptimizer
from relgraph.graph.traversal import general_toposort, io_toposort
from relgraph.graph.type import DisconnectedType, NullType, disconnected
from relgraph.graph.utils import paused_collector
from relgraph.tensor.elemwise import Elemwise
from relgraph.tensor.loops.scan_op import Scan


class Stopwatch:
    """A stopwatch that adds up the time of many runs.

    Attributes
    ----------
    seconds
        The total time of all runs; a run inside another one is not counted twice.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._running = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Return a context manager whose time is added to the total."""
        if self._running:
            yield
            return
        self._running = True
        start = perf_counter()
        try:
            yield
        finally:
            self._running = False
            self.seconds += perf_counter() - start


grad_stopwatch = Stopwatch()


Definitions = Mapping[Variable, Variable]
"""For some variables, variables of the same value that are differentiated in their place."""


class Link:
    """An edge from a definition to its variable, used in place of the node of the variable.

    It acts as a node and as its op, the identity. It is part of no graph: both variables keep their
    owners.
    """

    def __init__(self, variable: Variable, definition: Variable) -> None:
        self.op = self
        self.inputs = [definition]
        self.outputs = [variable]

    def connection_pattern(self, node: Any) -> list[list[bool]]:
        return [[True]]

    def L_op(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], grads: Sequence[Variable]
    ) -> list[Variable]:
        return list(grads)


Step = Apply | Link


def steps(
    outputs: Iterable[Variable], barred: Collection[Variable], definitions: Definitions
) -> list[Step]:
    """Return the steps that compute some outputs, in topological order.

    Parameters
    ----------
    outputs
        The outputs.
    barred
        Variables that are treated as inputs.
    definitions
        The step of a variable with a definition is a `Link`; that of any other is its node.
    """
    if not definitions:
        return list(io_toposort(barred, outputs))
    links = {v: Link(v, definition) for v, definition in definitions.items()}

    def steps_of(variables: Iterable[Variable]) -> list[Step]:
        found = [links.get(v, v.owner) for v in variables if v not in barred]
        return [step for step in found if step is not None]

    return general_toposort(steps_of(outputs), lambda step: steps_of(step.inputs))


def stabilized(
    outputs: Collection[Variable], named: Collection[Variable], barred: Collection[Variable]
) -> Definitions:
    """Return more stable definitions of the variables that are to be differentiated.

    Parameters
    ----------
    outputs
        The variables to differentiate.
    named
        The variables that they are differentiated with respect to, or whose gradient is given. In a
        definition these, the barred variables and the outputs of a `GradientGate` are inputs,
        and so are those of an op that is not pure: its node denotes one call, which is not made
        again.
    barred
        Variables that are treated as constants; they get no definition.

    Returns
    -------
    definitions
        The definitions of the outputs, and of the named variables and the inputs of such nodes that
        they depend on, unless they are inputs of the graph. Empty if no stabilizing law was
        applied. The given graph does not change.
    """
    defined, leaves = _parts(outputs, named, barred)
    if not defined:
        return {}
    stand_ins: dict[Any, Any] = {v: v.clone() for v in leaves}
    graph = FunctionGraph(outputs=_copies(defined, stand_ins), clone=False)
    canonicalize, stabilize, names = _phases()
    canonicalize.optimize(graph)
    if names.isdisjoint(stabilize.optimize(graph).applied):
        return {}
    found = list(graph.outputs)
    graph.remove_features()
    memo: dict[Any, Any] = {new: old for old, new in stand_ins.items()}
    clone_get_equiv([], found, copy_inputs=False, copy_orphans=False, memo=memo)
    return {v: memo[new] for v, new in zip(defined, found, strict=True)}


@cache
def _phases() -> tuple[EquilibriumOptimizer, EquilibriumOptimizer, frozenset[str]]:
    """Return the optimizers, and the names of the laws that are not in the first one."""
    first, second = (
        [law for law in laws if law.sound not in ("finite", "domain")]
        for laws in (relations.CANONICALIZE, relations.STABILIZE)
    )
    canonical = {law.name for law in first}
    names = frozenset(law.name for law in second if law.name not in canonical)
    # New nodes are visited before their clients, as in the phases of `optdb`.
    canonicalize = EquilibriumOptimizer(first, ignore_newtrees=False)
    stabilize = EquilibriumOptimizer(second, ignore_newtrees=False)
    return canonicalize, stabilize, names


def _parts(
    outputs: Collection[Variable], named: Collection[Variable], barred: Collection[Variable]
) -> tuple[list[Variable], set[Variable]]:
    """Return the variables that get definitions, and the computed ones that are inputs of these."""
    cuts = {*named, *barred}
    defined = {v: None for v in outputs if v.owner is not None and v not in barred}
    leaves = {v for v in cuts if v.owner is not None}
    for node in io_toposort(barred, outputs):
        kept = isinstance(node.op, GradientGate) or not node.op.pure
        for v in node.outputs:
            if kept:
                leaves.add(v)
                defined.pop(v, None)
            elif v in cuts and v not in barred:
                defined[v] = None
        if not node.op.pure:
            formulas = (v for v in _differentiated(node) if v.owner is not None)
            defined.update((v, None) for v in formulas if v not in leaves and v not in barred)
    return list(defined), leaves


def _differentiated(node: Apply) -> list[Variable]:
    """Return the inputs of a node by which it may be differentiated."""
    pattern = node.op.connection_pattern(node)
    return [v for v, connected in zip(node.inputs, pattern, strict=True) if any(connected)]


def _copies(variables: Sequence[Variable], stand_ins: dict[Any, Any]) -> list[Variable]:
    """Return copies of computed variables, in which some variables are replaced by `stand_ins`."""
    nodes = {v: v.owner for v in variables if v.owner is not None}
    memo = dict(stand_ins)
    inputs = [v for node in nodes.values() for v in node.inputs]
    clone_get_equiv([], inputs, copy_inputs=False, copy_orphans=False, memo=memo)
    copies = []
    for v, node in nodes.items():
        outputs = node.copy_with_inputs([memo[i] for i in node.inputs]).outputs
        copies.append(outputs[node.outputs.index(v)])
    return copies


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


def subgraph_grad(
    wrt: Sequence[Variable],
    end: Sequence[Variable],
    start: Mapping[Variable, Any] | None = None,
    cost: Variable | None = None,
    details: bool = False,
) -> tuple[list[Any], ...]:
    """Return gradients of a part of a graph: backwards from its outputs to where it ends.

    The gradients at the end of one part are the start of the part before it.

    Parameters
    ----------
    wrt
        The variables of the part whose gradients are wanted.
    end
        The variables where the part ends; nothing passes through them.
    start
        The gradients of the cost with respect to some variables, as ``known_grads`` of `grad`.
    cost
        A cost that depends on the part; its gradient is added.
    details
        Whether the gradients of the start alone, and those of the cost alone, are returned too.

    Returns
    -------
    gradients
        With respect to `wrt`, and with respect to `end`. With `details` also the lists of those of
        the start and of the cost, each with respect to `wrt` and then `end`.
    """
    if cost is None and start is None:
        raise ValueError("subgraph_grad: there is neither a cost nor a start")
    variables = [*wrt, *end]

    def gradients(of: Variable | None, known: Mapping[Variable, Any] | None) -> list[Any]:
        if of is None and known is None:
            return [filled_like(v, 0) for v in variables]
        found: list[Any] = grad(of, variables, end, "ignore", known)
        return found

    of_start, of_cost = gradients(None, start), gradients(cost, None)
    if start is None or cost is None:
        total = of_cost if start is None else of_start
    else:
        total = [sum_of_gradients(pair) for pair in zip(of_start, of_cost, strict=True)]
    parts = total[: len(wrt)], total[len(wrt) :]
    return (*parts, of_start, of_cost) if details else parts


class PullBack:
    """Maps gradients of some outputs to gradients of the variables that these depend on.

    The outputs are stabilized once; then the map can be called several times.

    Parameters
    ----------
    outputs
        The variables to differentiate.
    wrt, consider_constant, disconnected_inputs, return_disconnected, stabilize
        As for `grad`.
    fixed
        Whether the gradients of the outputs are complete; if not, the gradient that an output gets
        from another output, which depends on it, is added.
    """

    def __init__(
        self,
        outputs: Collection[Variable],
        wrt: Any,
        consider_constant: Sequence[Variable] | None,
        disconnected_inputs: Policy = "raise",
        return_disconnected: DisconnectedValue = "zero",
        stabilize: bool = True,
        fixed: bool = True,
    ) -> None:
        check_choice("grad: disconnected_inputs", disconnected_inputs, get_args(Policy))
        check_choice("grad: return_disconnected", return_disconnected, get_args(DisconnectedValue))
        self.wrt = variables_in(wrt, "grad: wrt")
        given = () if consider_constant is None else consider_constant
        given = list(given) if isinstance(given, set | frozenset) else given
        self.constants = frozenset(variables_in(given, "grad: consider_constant"))
        self.policy = disconnected_inputs
        self.kind = return_disconnected
        self.fixed = fixed
        self.definitions: Definitions = {}
        if stabilize:
            named = [*self.wrt, *outputs] if fixed else self.wrt
            with grad_stopwatch.running(), paused_collector():
                self.definitions = stabilized(outputs, named, self.constants)

    def __call__(self, seeds: Mapping[Variable, Any]) -> list[Any]:
        """Return the gradient with respect to each variable in `wrt`.

        Parameters
        ----------
        seeds
            The gradients with respect to the outputs.
        """
        fixed = self.fixed
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
        Its name in the TypeError or ValueError that is raised if it is no gradient.
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
            self.gradients[v] = converted_gradient(sum_of_gradients(terms), v)
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
        return LoopBackwards(node, output_grads, wrt, PullBack).gradients()
    results = node.op.L_op(node.inputs, node.outputs, output_grads)
    if not isinstance(results, list | tuple):
        raise TypeError(f"the gradient of {node.op} is {results!r}, not a list or a tuple")
    if len(results) != len(node.inputs):
        raise ValueError(
            f"the gradient of {node.op} has {len(results)} elements for {len(node.inputs)} inputs"
        )
    return [results[i] for i in wrt]
