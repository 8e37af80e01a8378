"""Aliasing: which variables share storage, and copies of outputs that must not share it.

A function modifies an argument only if its `In` is mutable, and a result shares storage only if its
`Out` borrows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from relgraph.compile.functions.specification import FunctionSpecification
from relgraph.compile.sharedvalue import copy_value
from relgraph.graph.basic import Apply, Constant, Variable, walk
from relgraph.graph.features.aliasing import destroyed_indices, sharers
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import TypedOp
from relgraph.graph.type import Type


class DeepCopyOp(TypedOp):
    """A copy of its input, which shares no storage with it."""

    __props__ = ()
    is_identity = True

    def output_types(self, *input_types: Type) -> Sequence[Type]:
        if len(input_types) != 1:
            raise TypeError(f"{self} takes one input, not {len(input_types)}")
        return input_types

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        output_storage[0][0] = copy_value(inputs[0])

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> Any:
        return list(output_gradients)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return list(shapes)

    def __str__(self) -> str:
        return "deep_copy"


deep_copy = DeepCopyOp()


def storage_roots(var: Variable) -> set[Variable]:
    """Return the variables in whose storage the value of `var` may be.

    They are found through views, and through nodes that overwrite an input.
    """
    roots: set[Variable] = set()

    def aliased_inputs(v: Variable) -> Iterable[Variable] | None:
        node = v.owner
        if node is None:
            shared: Sequence[int] = ()
        else:
            shared = [*node.op.view_map.get(v.index, ()), *node.op.destroy_map.get(v.index, ())]
        if node is None or not shared:
            roots.add(v)
            return None
        return [node.inputs[i] for i in shared]

    for _ in walk([var], aliased_inputs):
        pass
    return roots


def destroyed_inputs(fgraph: FunctionGraph) -> set[Variable]:
    """Return the inputs of the graph whose storage a node overwrites."""
    if not any(node.op.destroy_map for node in fgraph.apply_nodes):
        return set()
    return {
        v
        for v in fgraph.inputs
        if any(
            i in destroyed_indices(node)
            for shared in sharers(fgraph, v)
            for node, i in fgraph.clients[shared]
            if not isinstance(node, str)
        )
    }


def insert_copies(fgraph: FunctionGraph, spec: FunctionSpecification) -> None:
    """Insert copies of results and updates that would share storage they must not share."""
    n_results = len(spec.outputs)
    updated = {n_results + k: fgraph.inputs[i] for k, i in enumerate(spec.update_positions)}
    borrowed = {v for v, p in zip(fgraph.inputs, spec.inputs, strict=False) if p.borrow}
    borrowed.update(fgraph.inputs[len(spec.inputs) :])
    borrows = [out.borrow for out in spec.outputs]

    def may_share(i: int, root: Variable, used_by: int | None) -> bool:
        if i >= n_results or not borrows[i]:
            return False
        if used_by is None:
            return root in borrowed
        return used_by >= n_results or borrows[used_by]

    # Updates are the last to be copied, results that borrow the first.
    order = [*updated, *sorted(range(n_results), key=borrows.__getitem__)]
    _copy_outputs(fgraph, may_share, updated, order)


def _copy_outputs(
    fgraph: FunctionGraph,
    may_share: Callable[[int, Variable, int | None], bool],
    updated_input: dict[int, Variable],
    order: Sequence[int],
) -> None:
    """Replace each output by a copy whose storage must not be shared.

    Parameters
    ----------
    fgraph
        The graph.
    may_share
        Takes the index of an output, a variable, and the index of an earlier output or None.
        Returns whether the output may share the storage of the variable, which is an input of the
        graph or the storage of the earlier output.
    updated_input
        For the index of an update, the input that it updates: it may use the storage of that.
    order
        The indices of the outputs; of two that must not share storage, the later one is copied.
    """
    inputs = set(fgraph.inputs)
    used_by: dict[Variable, int] = {}

    def shares_wrongly(i: int, root: Variable) -> bool:
        if isinstance(root, Constant):
            return True  # The caller could modify the constant.
        if root in used_by:
            return not may_share(i, root, used_by[root])
        if root not in inputs or root is updated_input.get(i):
            return False
        return not may_share(i, root, None)

    for i in order:
        var = fgraph.outputs[i]
        roots = storage_roots(var)
        if any(shares_wrongly(i, root) for root in roots):
            fgraph.change_node_input("output", i, deep_copy(var), reason="insert_copies")
        else:
            used_by.update((root, i) for root in roots if root not in used_by)
