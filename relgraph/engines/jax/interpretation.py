"""A graph run by the lowerings of its nodes, traced by JAX or not.

`Scan` becomes ``lax.scan``, or ``lax.while_loop`` where a condition may end it; `IfElse` becomes
``lax.cond``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from relgraph.engines.jax.lowering.dispatch import (
    NeedsValue,
    is_known,
    is_traced,
    lower,
    performed,
    static,
)
from relgraph.engines.jax.values import as_dtype, to_engine
from relgraph.graph.basic import Apply, Constant, Variable, io_toposort, walk
from relgraph.graph.op import GraphOp
from relgraph.tensor.assembly import Alloc, ARange, Eye
from relgraph.tensor.basic import Assert, TensorOp
from relgraph.tensor.conditional import IfElse
from relgraph.tensor.loops.scan_op import LoopParts, Scan, number_of_steps, run_steps, wrong_state
from relgraph.tensor.shapes import Shape, Shape_i
from relgraph.vm.schedule import Branch, Schedule, schedule_of_nodes

Step = Callable[..., tuple[list[Any], Any]]
"""Takes a list for the messages of checks and the values of the inputs of a step; returns those of
its outputs, and whether the checks hold."""


def values_needed(variables: Iterable[Variable]) -> list[Variable]:
    """Return the variables without an owner that values depend on, not counting their shapes."""

    def inputs(v: Variable) -> list[Variable] | None:
        if v.owner is None or isinstance(v.owner.op, Shape | Shape_i):
            return None
        return v.owner.inputs

    leaves = [v for v in walk(variables, inputs) if v.owner is None]
    return [v for v in leaves if not isinstance(v, Constant)]


def outer_variables(
    op: Scan, node: Apply, variables: Sequence[Variable] | None
) -> list[Variable] | None:
    """Return what variables of a step depend on outside of the loop; None if they change in it."""
    if variables is None:
        return None
    outside = dict(zip(op.step.fixed, op.parts(node.inputs[1:]).fixed, strict=True))
    needed = values_needed(variables)
    return [outside[v] for v in needed] if all(v in outside for v in needed) else None


def run_loop(
    op: Scan, node: Apply, values: Sequence[Any], step: Step, checks: list[tuple[str, Any]]
) -> tuple[Any, ...]:
    """Return the outputs of a loop.

    Parameters
    ----------
    op, node, values
        The loop, its node, and the values of its inputs.
    step
        Computes a step.
    checks
        What has to hold is added to it.

    Raises
    ------
    NeedsValue
        If the number of steps or of rows that are kept depends on what is traced.
    """
    steps = number_of_steps(op, [static(node, 0, values[0]), *values[1:]])
    loop = _Loop(op, values, steps, step)
    traced = is_traced(list(values))
    if op.has_condition and traced and any(kept != 1 for kept in op.kept):
        raise NeedsValue(node)
    try:
        found, holds = loop.until() if op.has_condition else loop.scanned()
    except NeedsValue:
        if traced:
            raise
        found, holds = loop.one_by_one()
    if loop.texts:
        checks.append((" or ".join(dict.fromkeys(loop.texts)), holds))
    return tuple(found)


class _Loop:
    """A loop with the values that it starts from."""

    def __init__(self, op: Scan, values: Sequence[Any], steps: int, step: Step) -> None:
        self.op = op
        self.steps = steps
        self.texts: list[str] = []
        outer = op.parts(values[1:])
        self.sequences = [jnp.asarray(x)[:steps] for x in outer.sequences]
        self.first = [jax.tree.map(jnp.asarray, x) for x in outer.states]
        self.fixed = outer.fixed
        self._step = step

    def made(self, rows: Sequence[Any], states: Sequence[Any]) -> tuple[Any, Any]:
        """Return the outputs of a step by use, and whether its checks hold."""
        found, holds = self._step(self.texts, *rows, *states, *self.fixed)
        results = self.op.split_results([jax.tree.map(jnp.asarray, x) for x in found])
        for i, (old, new) in enumerate(zip(states, results.states, strict=True)):
            if jnp.shape(old) != jnp.shape(new):
                wrong_state(self.op, i, jnp.shape(old), jnp.shape(new))
        return results, holds

    def _buffers(self) -> list[Any]:
        """Return an array for the rows of each result that are kept of all."""

        def rows(*values: Any) -> Any:
            return self.made(values[: len(self.sequences)], values[len(self.sequences) :])[0].rows

        first = [jax.ShapeDtypeStruct(x.shape[1:], x.dtype) for x in self.sequences]
        shapes = jax.eval_shape(rows, *first, *self.first)
        return [
            jnp.zeros((self.steps if kept is None else min(kept, self.steps), *s.shape), s.dtype)
            for s, kept in zip(shapes, self.op.kept, strict=True)
        ]

    def scanned(self) -> tuple[list[Any], Any]:
        """Run all steps; of rows of which the last ones are kept no others are stored."""
        op = self.op
        buffers = (
            self._buffers() if any(kept is not None for kept in op.kept) else [None] * op.n_rows
        )
        last = [b if kept is not None else None for b, kept in zip(buffers, op.kept, strict=True)]

        def body(carry: Any, given: Any) -> tuple[Any, Any]:
            states, last, holds = carry
            t, rows = given
            results, held = self.made(rows, states)
            last = [
                b if b is None else _put(b, t, r) for b, r in zip(last, results.rows, strict=True)
            ]
            every = [r if b is None else None for b, r in zip(last, results.rows, strict=True)]
            return (results.states, last, holds & held), every

        start = (self.first, last, jnp.asarray(True))
        given = (jnp.arange(self.steps), self.sequences)
        (states, last, holds), every = lax.scan(body, start, given, length=self.steps)
        rows = [
            e if b is None else _last_rows(b, self.steps) for b, e in zip(last, every, strict=True)
        ]
        return [*states, *rows], holds

    def until(self) -> tuple[list[Any], Any]:
        """Run steps until the condition holds."""
        buffers = self._buffers()

        def goes_on(carry: Any) -> Any:
            t, stop = carry[:2]
            return (t < self.steps) & ~stop

        def body(carry: Any) -> Any:
            t, _, states, buffers, holds = carry
            results, held = self.made([x[t] for x in self.sequences], states)
            buffers = [_put(b, t, r) for b, r in zip(buffers, results.rows, strict=True)]
            return t + 1, results.stop[0] != 0, results.states, buffers, holds & held

        start = (jnp.asarray(0), jnp.asarray(False), self.first, buffers, jnp.asarray(True))
        if self.steps == 0:
            t, states, holds = start[0], self.first, start[4]
        else:
            t, _, states, buffers, holds = lax.while_loop(goes_on, body, start)
        if not is_traced(t):
            buffers = [_last_rows(b, int(t)) for b in buffers]
        return [*states, *buffers, as_dtype(t, "int64")], holds

    def one_by_one(self) -> tuple[list[Any], Any]:
        """Run the steps in Python: something in them depends on values."""

        def step(*values: Any) -> list[Any]:
            return [jax.tree.map(jnp.asarray, x) for x in self._step(self.texts, *values)[0]]

        given = LoopParts(self.sequences, self.first, self.fixed)
        states, collected, count = run_steps(self.op, step, self.steps, given)
        arrays = [jnp.stack(rows) for rows in collected] if count else self._buffers()
        made = [jnp.asarray(count)] if self.op.has_condition else []
        return [*states, *arrays, *made], True


def _put(buffer: Any, t: Any, row: Any) -> Any:
    """Return the last rows with that of step `t` among them."""
    return buffer.at[t % len(buffer)].set(row)


def _last_rows(buffer: Any, made: int) -> Any:
    """Return the rows of the steps that were made, in order."""
    length = max(len(buffer), 1)
    return buffer[:made] if made <= len(buffer) else jnp.roll(buffer, -(made % length), axis=0)


FEW = 128
"""What is known and has no more elements than this is computed by NumPy when a graph is traced; the
rest is left to JAX, so that no large constants are made."""

_MAKERS = (Alloc, ARange, Eye)


def schedule_between(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> Schedule:
    """Return the schedule of what computes outputs from inputs."""
    return schedule_of_nodes(io_toposort(inputs, outputs), inputs, outputs)


@dataclass
class Run:
    """One run of a graph.

    Attributes
    ----------
    known
        The values so far.
    checks
        What has to hold: a message, and whether it does; see `Assert`.
    """

    known: dict[Variable, Any]
    checks: list[tuple[str, Any]] = field(default_factory=list)

    def value(self, var: Variable) -> Any:
        """Return the value of a variable."""
        if isinstance(var, Constant) and var not in self.known:
            self.known[var] = to_engine(var.data, var.type)
        return self.known[var]

    def outputs(self, plan: Schedule, outputs: Sequence[Variable]) -> list[Any]:
        """Run the nodes of a schedule; return the values of outputs."""
        for node in plan.nodes:
            try:
                found = self._node(plan, node)
            except NeedsValue:
                raise
            except Exception as error:
                _add_note(error, node, self.known)
                raise
            if len(node.outputs) == 1 and not isinstance(found, tuple):
                self.known[node.outputs[0]] = found
            else:
                self.known.update(zip(node.outputs, found, strict=True))
        return [self.value(v) for v in outputs]

    def all_hold(self, texts: list[str]) -> Any:
        """Return whether all checks hold; their messages are added to a list."""
        holds: Any = jnp.asarray(True)
        for text, held in self.checks:
            texts.append(text)
            holds = holds & held
        return holds

    def _node(self, plan: Schedule, node: Apply) -> Any:
        op = node.op
        if isinstance(op, IfElse):
            return self._chosen(plan, node)
        values = [self.value(v) for v in node.inputs]
        if _by_numpy(node, values):
            return tuple(performed(node, values))
        if isinstance(op, Scan):
            return run_loop(op, node, values, _step(op, node), self.checks)
        if isinstance(op, Assert):
            return self._asserted(op, node, values)
        if isinstance(op, GraphOp):
            inner = Run(dict(zip(op.inputs, values, strict=True)), self.checks)
            return tuple(inner.outputs(schedule_between(op.inputs, op.outputs), op.outputs))
        if isinstance(op, TensorOp):
            op.check(node, *values)
        return lower(op, node, *values)

    def _asserted(self, op: Assert, node: Apply, values: Sequence[Any]) -> Any:
        for var, holds in zip(node.inputs[1:], values[1:], strict=True):
            prefix = f"{op.message}: " if op.message else ""
            message = f"{prefix}{var} does not hold, a condition of {node}"
            if is_traced(holds):
                self.checks.append((message, jnp.all(holds)))
            elif not np.all(holds):
                raise AssertionError(message)
        return values[0]

    def _chosen(self, plan: Schedule, node: Apply) -> Any:
        """Return the outputs of an `IfElse`: of a condition that is known only a branch is run."""
        condition = self.value(node.inputs[0])
        then, other = plan.branches[node]
        if not is_traced(condition):
            taken = then if np.asarray(condition) else other
            return tuple(self.outputs(taken.plan, taken.outputs))
        texts: list[str] = []

        def run(branch: Branch) -> Any:
            inner = Run(dict(self.known))
            found = inner.outputs(branch.plan, branch.outputs)
            return as_arrays(found), inner.all_hold(texts)

        try:
            found, holds = lax.cond(condition != 0, partial(run, then), partial(run, other))
        except TypeError:
            # the branches have different shapes
            raise NeedsValue(node, node.inputs[:1]) from None
        if texts:
            self.checks.append((" or ".join(dict.fromkeys(texts)), holds))
        return tuple(found)


def _add_note(error: Exception, node: Apply, known: Mapping[Variable, Any]) -> None:
    """Say at which node an error was raised, and the shapes of its inputs; inside of what is said
    already nothing is added."""
    if getattr(error, "__notes__", None):
        return
    shapes = [getattr(known.get(v), "shape", "?") for v in node.inputs]
    error.add_note(
        f"at the node {node}, whose inputs have the shapes {', '.join(map(str, shapes))}"
    )


def as_arrays(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return values as JAX's, of fixed dtypes."""
    return tuple(jax.tree.map(jnp.asarray, v) for v in values)


def _by_numpy(node: Apply, values: Sequence[Any]) -> bool:
    """Return whether a node is computed by NumPy when the graph is traced."""
    if not node.op.pure or isinstance(node.op, (*_MAKERS, Scan, Assert)):
        return False
    return all(is_known(v) and v.size <= FEW for v in values)


def _step(op: Scan, node: Apply) -> Step:
    """Return a function that computes the outputs of a step of a loop, and whether its checks
    hold; their messages are collected."""
    plan = schedule_of_nodes(op.nodes, op.inputs, op.outputs)

    def step(texts: list[str], *values: Any) -> tuple[list[Any], Any]:
        run = Run(dict(zip(op.inputs, values, strict=True)))
        try:
            found = run.outputs(plan, op.outputs)
        except NeedsValue as needed:
            raise NeedsValue(node, outer_variables(op, node, needed.variables)) from None
        return found, run.all_hold(texts)

    return step


def lower_graph(
    inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> Callable[..., tuple[Any, ...]]:
    """Return a graph as a function on JAX arrays, which JAX can trace, differentiate and map.

    The dtypes are as in the graph where JAX's flag for 64 bits is set, else those that JAX takes
    in their place. What `Assert` checks is not checked where it is traced.

    Parameters
    ----------
    inputs, outputs
        The variables that are given and that are wanted. The function takes a value for each input
        and returns the tuple of the outputs. Values that are NumPy arrays are taken for known while
        the function is traced: lengths and shapes are to be such.

    Raises
    ------
    NeedsValue
        By the function, if the shape of something depends on a value that is traced.
    LoweringError
        By the function, if an Op can't be lowered; the message names it.
    """
    wanted = list(outputs)
    plan = schedule_between(inputs, wanted)

    def function(*values: Any) -> tuple[Any, ...]:
        given = (to_engine(x, v.type) for v, x in zip(inputs, values, strict=True))
        return as_arrays(Run(dict(zip(inputs, given, strict=True))).outputs(plan, wanted))

    return function
