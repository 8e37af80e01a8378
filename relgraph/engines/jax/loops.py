"""`Scan` by ``lax.scan``, and by ``lax.while_loop`` where a condition may end it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from relgraph.engines.jax.lowering.dispatch import NeedsValue, is_traced, static
from relgraph.engines.jax.lowering.scalars.loops import as_dtype
from relgraph.graph.basic import Apply, Constant, Variable, walk
from relgraph.tensor.loops.running import number_of_steps, wrong_state
from relgraph.tensor.loops.scan_op import Scan
from relgraph.tensor.shapes.shape import Shape, Shape_i

Step = Callable[..., tuple[list[Any], Any]]
"""Takes a list for the messages of checks and the values of the inputs of a step; returns those of
its outputs, and whether the checks hold."""


def values_needed(variables: Iterable[Variable]) -> list[Variable]:
    """Return the variables without an owner that values depend on, not counting their shapes."""
    found: list[Variable] = []

    def inputs(v: Variable) -> list[Variable] | None:
        if v.owner is None:
            if not isinstance(v, Constant):
                found.append(v)
            return None
        return None if isinstance(v.owner.op, Shape | Shape_i) else v.owner.inputs

    for _ in walk(list(variables), inputs):
        pass
    return found


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
            e if b is None else jnp.roll(b, -(self.steps % max(len(b), 1)), axis=0)
            for b, e in zip(last, every, strict=True)
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
        states, collected = list(self.first), [list[Any]() for _ in range(self.op.n_rows)]
        count = 0
        for t in range(self.steps):
            results, _ = self.made([x[t] for x in self.sequences], states)
            states = results.states
            for rows, row in zip(collected, results.rows, strict=True):
                rows.append(row)
            count += 1
            if results.stop and bool(results.stop[0]):
                break
        arrays = [
            jnp.stack(rows[-kept:] if kept else rows) if rows else empty
            for rows, kept, empty in zip(
                collected, self.op.kept, self._buffers() if count == 0 else collected, strict=True
            )
        ]
        made = [jnp.asarray(count)] if self.op.has_condition else []
        return [*states, *arrays, *made], True


def _put(buffer: Any, t: Any, row: Any) -> Any:
    """Return the last rows with that of step `t` among them."""
    return buffer.at[t % len(buffer)].set(row)


def _last_rows(buffer: Any, made: int) -> Any:
    """Return the rows of the steps that were made, in order."""
    length = max(len(buffer), 1)
    return buffer[:made] if made <= len(buffer) else jnp.roll(buffer, -(made % length), axis=0)
