"""Who may overwrite what, and where a result has to be copied.

Nothing that is passed to a function is modified unless it was declared mutable, and no result
shares storage unless it was declared borrowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from relgraph.compile.sharedvalue import copy_value
from relgraph.graph.basic import Apply, Constant, Variable, walk
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import TypedOp
from relgraph.graph.type import Type


class DeepCopyOp(TypedOp):
    """Gives a copy that shares no storage with its input."""

    __props__ = ()

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
    """Return the variables whose storage the value of `var` may be in.

    That is seen through views and through nodes that overwrite an input.
    """
    roots: set[Variable] = set()

    def behind(v: Variable) -> Iterable[Variable] | None:
        node = v.owner
        if node is None:
            shared: Sequence[int] = ()
        else:
            shared = [*node.op.view_map.get(v.index, ()), *node.op.destroy_map.get(v.index, ())]
        if node is None or not shared:
            roots.add(v)
            return None
        return [node.inputs[i] for i in shared]

    for _ in walk([var], behind):
        pass
    return roots


def destroyed_inputs(fgraph: FunctionGraph) -> set[Variable]:
    """Return the inputs of the graph whose storage some node overwrites."""
    inputs = set(fgraph.inputs)
    found: set[Variable] = set()
    for node in fgraph.apply_nodes:
        for overwritten in node.op.destroy_map.values():
            for i in overwritten:
                found |= storage_roots(node.inputs[i]) & inputs
    return found


def insert_copies(
    fgraph: FunctionGraph,
    may_share: Callable[[int, Variable, int | None], bool],
    own_input: dict[int, Variable],
    order: Sequence[int],
) -> None:
    """Put a copy before each output whose storage would be somebody else's too.

    Parameters
    ----------
    may_share
        Whether the output of an index may share the storage of a variable: an input of the graph,
        or what an earlier output, whose index is the third argument, has taken.
    own_input
        The input whose place the output of an index takes afterwards: it may use its storage.
    order
        The indices of the outputs; a later one is copied rather than an earlier one.
    """
    inputs = set(fgraph.inputs)
    taken: dict[Variable, int] = {}

    def shares_wrongly(i: int, root: Variable) -> bool:
        if isinstance(root, Constant):
            return True  # a constant is part of the graph: nobody may get hold of it
        if root in taken:
            return not may_share(i, root, taken[root])
        if root not in inputs or root is own_input.get(i):
            return False
        return not may_share(i, root, None)

    for i in order:
        var = fgraph.outputs[i]
        roots = storage_roots(var)
        if any(shares_wrongly(i, root) for root in roots):
            fgraph.change_node_input("output", i, deep_copy(var), reason="insert_copies")
        else:
            taken.update((root, i) for root in roots if root not in taken)
