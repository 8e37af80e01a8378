"""Kernels: functions that compute one node by the `perform` or the thunk of its op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import Op
from relgraph.vm.schedule import Branch, Schedule

Kernel = Callable[[Sequence[Any], Sequence[list[Any]]], None]
"""Takes the values of a node's inputs, and a list of length 1 for each output, which it fills."""


def kernel_of(node: Apply) -> Kernel:
    """Return the kernel of a node."""
    if type(node.op).make_thunk is not Op.make_thunk:
        return _from_thunk(node)
    return partial(node.op.perform, node)


Runner = Callable[..., list[Any]]
"""Takes the values of some inputs; returns the list of the values of some outputs."""


def lazy_kernel(plan: Schedule, node: Apply, link: Callable[[Branch], Runner]) -> Kernel:
    """Return a kernel of an `IfElse` that runs the branch that is taken.

    Parameters
    ----------
    plan
        The schedule of the graph. The kernel takes what it says that the node reads.
    node
        The node.
    link
        Returns a function that computes a branch from its inputs.
    """
    position = {v: i for i, v in enumerate(plan.reads(node))}
    then, other = (
        (link(branch), [position[v] for v in branch.inputs]) for branch in plan.branches[node]
    )

    def kernel(inputs: Sequence[Any], cells: Sequence[list[Any]]) -> None:
        run, taken = then if inputs[0] else other
        for cell, value in zip(cells, run(*[inputs[i] for i in taken]), strict=True):
            cell[0] = value

    return kernel


def _from_thunk(node: Apply) -> Kernel:
    """Return a kernel that runs the thunk that the op makes for a node.

    The thunk has one set of storage cells, so two threads can't run the kernel at the same time.
    """
    storage: dict[Variable, list[Any]] = {v: [None] for v in (*node.inputs, *node.outputs)}
    thunk = node.op.make_thunk(node, storage, None, list(node.outputs))
    input_cells = [storage[v] for v in node.inputs]
    output_cells = [storage[v] for v in node.outputs]

    def kernel(inputs: Sequence[Any], cells: Sequence[list[Any]]) -> None:
        for cell, value in zip(input_cells, inputs, strict=True):
            cell[0] = value
        try:
            thunk()
            for cell, result in zip(cells, output_cells, strict=True):
                cell[0] = result[0]
        finally:
            for cell in (*input_cells, *output_cells):
                cell[0] = None  # Values are not kept alive between calls.

    return kernel
