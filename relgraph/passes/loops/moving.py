"""What a step computes of what is the same at each step is computed once, before the loop."""

from __future__ import annotations

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.passes.loops.open_loop import Given, OpenLoop
from relgraph.tensor.assertion import Assert


def push_out(loop: OpenLoop, fgraph: FunctionGraph) -> bool:
    """Move the nodes that depend on no row and no state out of the step.

    What is made of constants alone stays, and so does what may raise an error on purpose or is not
    pure: where there is no step it must not be computed.
    """
    outside: dict[Variable, Variable] = {part.inner: part.outer for part in loop.fixed}
    moved: set[Variable] = set()
    inside: list[Apply] = []
    for node in loop.nodes():
        movable = (
            node.op.pure
            and not isinstance(node.op, Assert)
            and all(v in outside or isinstance(v, Constant) for v in node.inputs)
            and any(v in outside for v in node.inputs)
        )
        if not movable:
            inside.append(node)
            continue
        made = node.clone_with_new_inputs([outside.get(v, v) for v in node.inputs], strict=False)
        outside.update(zip(node.outputs, made.outputs, strict=True))
        moved.update(node.outputs)
    read = dict.fromkeys([*(v for node in inside for v in node.inputs), *loop.outputs])
    stands_for = {v: v.type.make_variable(v.name) for v in read if v in moved}
    if not stands_for:
        return False
    loop.fixed += [Given(inner, outside[v]) for v, inner in stands_for.items()]
    loop.substitute(stands_for)
    return True
