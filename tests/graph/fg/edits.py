"""Random edits of a FunctionGraph, each followed by a check of everything.

By hand: ``python -m tests.graph.fg.edits 100000 [seed]``.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from relgraph.graph.basic import Apply, Constant, Variable, io_toposort
from relgraph.graph.destroyhandler import DestroyHandler
from relgraph.graph.features import Bookkeeper, Feature, History, NodeFinder, ReplaceValidate
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.utils import InconsistencyError, MissingInputError
from tests.graph.toys import MyOp, Objector, f, inplace, my_type, pair, variables, view

T = TypeVar("T")

OPS = (f, pair, view, MyOp("choice", view_map={0: [0, 1]}), inplace)
LARGE = 40
EVENTS = ("on_import", "on_prune", "on_change_input", "on_add_input", "on_add_output")


def state(fg: FunctionGraph) -> tuple[Any, ...]:
    """Return what a graph is, as something to compare."""
    return (
        list(fg.inputs),
        list(fg.outputs),
        set(fg.variables),
        {node: list(node.inputs) for node in fg.apply_nodes},
        {var: set(clients) for var, clients in fg.clients.items()},
        fg.update_mapping,
    )


class Mirror(Bookkeeper):
    """Knows a graph by hearsay: what its nodes, inputs and outputs are."""

    def on_attach(self, fgraph: FunctionGraph) -> None:
        self.nodes: dict[Apply, list[Variable]] = {}
        self.inputs = list(fgraph.inputs)
        self.outputs = list(fgraph.outputs)
        super().on_attach(fgraph)

    def on_detach(self, fgraph: FunctionGraph) -> None:
        super().on_detach(fgraph)
        assert not self.nodes

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        assert node not in self.nodes
        self.nodes[node] = list(node.inputs)

    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        assert self.nodes.pop(node) == node.inputs

    def on_change_input(self, fgraph, node, i, var, new_var, reason=None) -> None:  # type: ignore[no-untyped-def]
        known = self.outputs if isinstance(node, str) else self.nodes[node]
        assert known[i] is var
        known[i] = new_var

    def on_add_input(self, fgraph: FunctionGraph, i: int, var: Variable) -> None:
        self.inputs.insert(i, var)

    def on_remove_input(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        assert self.inputs.pop(i) is var

    def on_add_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self.outputs.insert(i, var)

    def on_remove_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        assert self.outputs.pop(i) is var

    def clone(self) -> Feature:
        return Mirror()

    def compare(self, fgraph: FunctionGraph) -> None:
        assert self.nodes == {node: node.inputs for node in fgraph.apply_nodes}
        assert self.inputs == fgraph.inputs
        assert self.outputs == fgraph.outputs


class Editor:
    """A graph and the ways to edit it.

    Parameters
    ----------
    pick
        Takes one thing of a sequence.
    """

    def __init__(self, pick: Callable[[Sequence[Any]], Any]) -> None:
        self.pick = pick
        x, y, z = variables("x y z")
        a = OPS[0](x, y)
        self.fg = FunctionGraph([x, y, z], [OPS[0](a, z), a], clone=False, update_mapping={0: 1})
        self.mirror = Mirror()
        self.fg.attach_feature(self.mirror)
        self.features: list[Feature] = []
        self.checkpoints: list[tuple[Any, tuple[Any, ...]]] = []
        self.edits = 0

    def inputs_at(self, clients: Iterable[tuple[Apply | str, int]]) -> list[Variable]:
        """Return what some clients that are still there read."""
        return [
            self.fg.outputs[i] if isinstance(node, str) else node.inputs[i]
            for node, i in clients
            if isinstance(node, str) or node in self.fg.apply_nodes
        ]

    def check(self) -> None:
        """Check all that should hold between edits."""
        self.fg.check_integrity()
        self.mirror.compare(self.fg)
        for feature in self.features:
            if isinstance(feature, NodeFinder):
                found = [node for op in OPS for node in self.fg.get_nodes(op)]
                assert len(found) == len(self.fg.apply_nodes)
                assert set(found) == self.fg.apply_nodes

    def nodes(self) -> list[Apply]:
        """Return the nodes in an order that does not change from run to run."""
        return io_toposort(self.fg.inputs, self.fg.outputs)

    def variables(self) -> list[Variable]:
        """Return the variables of the graph, in an order that does not change from run to run."""
        found: dict[Variable, None] = dict.fromkeys(self.fg.inputs)
        for node in self.nodes():
            found.update(dict.fromkeys(node.inputs))
            found.update(dict.fromkeys(node.outputs))
        found.update(dict.fromkeys(self.fg.outputs))
        return list(found)

    def independent_of(self, roots: Iterable[Apply | str]) -> list[Variable]:
        """Return the variables that depend on none of some nodes."""
        dependent: set[Variable] = set()
        stack = list(roots)
        while stack:
            node = stack.pop()
            if isinstance(node, Apply):
                for out in node.outputs:
                    if out not in dependent:
                        dependent.add(out)
                        stack.extend(client for client, _ in self.fg.clients[out])
        return [var for var in self.variables() if var not in dependent]

    def outputs_without(self, removed: Sequence[Variable]) -> list[Variable]:
        """Return the outputs that depend on none of some variables."""
        users = [client for var in removed for client, _ in self.fg.clients[var]]
        kept = set(self.independent_of(users)).difference(removed)
        return [out for out in self.fg.outputs if out in kept]

    def built_from(self, known: list[Variable], extra: Sequence[Variable] = ()) -> Variable:
        """Return one of some variables, or something new on top of some."""
        known = [*known, *extra] or [Constant(my_type, 0)]
        if len(self.fg.apply_nodes) > LARGE:
            return self.pick([*self.fg.inputs, Constant(my_type, 1)])
        pool = [Constant(my_type, 1), *known]
        new = self.pick(pool)
        for _ in range(self.pick(range(4))):
            made = self.pick(OPS)(new, self.pick(pool), return_list=True)
            new = self.pick(made)
            pool.extend(made)
        return new

    def replace(self) -> None:
        known = self.variables()
        if known:
            var = self.pick(known)
            users = list(self.fg.clients[var])
            new = self.built_from(self.independent_of([client for client, _ in users]))
            self.fg.replace(var, new)
            assert all(found is new for found in self.inputs_at(users))

    def replace_validated(self) -> None:
        known = self.variables()
        if known and hasattr(self.fg, "replace_validate"):
            var = self.pick(known)
            users = [client for client, _ in self.fg.clients[var]]
            new = self.built_from(self.independent_of(users))
            before = state(self.fg)
            try:
                self.fg.replace_validate(var, new)
            except InconsistencyError:
                assert state(self.fg) == before
            else:
                # the handler looks at what changed; a new one at everything
                assert self.fg.consistent() == self.fg.clone().consistent()

    def replace_and_fail(self) -> None:
        """Replace by what needs a stranger, or while a feature objects: nothing may change."""
        known = self.variables()
        if not known:
            return
        var = self.pick(known)
        users = [client for client, _ in self.fg.clients[var]]
        known = self.independent_of(users)
        objector = Objector(*EVENTS, nth=self.pick(range(1, 8)))
        missing = self.pick([True, False])
        if missing:
            new = OPS[0](self.built_from(known), my_type("stranger"))
        else:
            new = self.built_from(known)
            self.fg.attach_feature(objector)
        before = state(self.fg)
        try:
            self.fg.replace(var, new)
        except (MissingInputError, RuntimeError):
            assert state(self.fg) == before
        else:
            assert not (missing and users)
        self.fg.remove_feature(objector)

    def change_node_input(self) -> None:
        nodes = self.nodes()
        node = self.pick([*nodes, *(["output"] if self.fg.outputs else [])] or [None])
        if node is not None:
            inputs = self.fg.outputs if node == "output" else node.inputs
            i = self.pick(range(len(inputs)))
            new = self.built_from(self.independent_of([node]))
            self.fg.change_node_input(node, i, new)
            assert all(found is new for found in self.inputs_at([(node, i)]))

    def add_output(self) -> None:
        if len(self.fg.outputs) < 6:
            extra = self.pick([(), (my_type("new"),)])
            new = self.built_from(self.variables(), extra)
            before = list(self.fg.outputs)
            self.fg.add_output(new, import_missing=True)
            assert self.fg.outputs == [*before, new]

    def remove_output(self) -> None:
        if len(self.fg.outputs) > self.pick(range(4)):
            i, expected = self.pick(range(len(self.fg.outputs))), list(self.fg.outputs)
            self.fg.remove_output(i)
            del expected[i]
            assert self.fg.outputs == expected

    def add_input(self) -> None:
        if len(self.fg.inputs) < 6:
            self.fg.add_input(my_type("another"))

    def remove_input(self) -> None:
        if len(self.fg.inputs) > self.pick(range(4)):
            i, expected = self.pick(range(len(self.fg.inputs))), list(self.fg.inputs)
            left = self.outputs_without([expected.pop(i)])
            self.fg.remove_input(i)
            assert (self.fg.inputs, self.fg.outputs) == (expected, left)

    def remove_node(self) -> None:
        nodes = self.nodes()
        if len(nodes) > self.pick(range(LARGE)):
            node = self.pick(nodes)
            left = self.outputs_without(node.outputs)
            self.fg.remove_node(node)
            assert self.fg.outputs == left and node not in self.fg.apply_nodes

    def attach(self) -> None:
        kinds = (History, NodeFinder, ReplaceValidate, DestroyHandler)
        feature = self.pick(kinds)()
        self.fg.attach_feature(feature)
        if feature in self.fg.features:
            self.features.append(feature)

    def detach(self) -> None:
        if self.features:
            feature = self.pick(self.features)
            self.features.remove(feature)
            if isinstance(feature, History):
                self.checkpoints.clear()
            self.fg.remove_feature(feature)

    def checkpoint(self) -> None:
        if hasattr(self.fg, "checkpoint"):
            self.checkpoints.append((self.fg.checkpoint(), state(self.fg)))

    def revert(self) -> None:
        if self.checkpoints:
            k = self.pick(range(len(self.checkpoints)))
            checkpoint, before = self.checkpoints[k]
            self.fg.revert(checkpoint)
            assert state(self.fg) == before
            # it may be used again; those taken since may not
            del self.checkpoints[k + 1 :]

    EDITS = (
        *(replace, replace, replace, replace_validated, replace_validated, replace_and_fail),
        *(change_node_input, change_node_input, add_output, add_output, add_output, add_output),
        *(remove_output, add_input, add_input, remove_input, remove_node),
        *(attach, attach, detach, checkpoint, checkpoint, revert),
    )

    def edit(self) -> None:
        """Make one random edit and check the result."""
        self.pick(self.EDITS)(self)
        self.edits += 1
        # what checkpoints keep grows with the edits since
        if len(self.checkpoints) > 20:
            self.checkpoints.clear()
        self.check()


def run(count: int, seed: int = 0) -> Editor:
    """Make `count` random edits, each followed by a check."""
    editor = Editor(random.Random(seed).choice)
    for _ in range(count):
        editor.edit()
    return editor


if __name__ == "__main__":
    start = time.perf_counter()
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    done = run(wanted, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(f"{done.edits} edits, all checked, {time.perf_counter() - start:.0f} s; at the end:")
    print(done.fg)
