"""The part of a FunctionGraph that changes what its inputs and outputs are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from relgraph.graph.basic import Apply, Variable, io_toposort
from relgraph.graph.cloning import Listing
from relgraph.graph.fg.connections import Connections


class Boundary(Connections):
    """Adding and removing inputs and outputs, and removing what depends on something."""

    def __getstate__(self) -> dict[str, Any]:
        """Return what the graph consists of, and clones of its features, to be attached anew."""
        known = vars(Boundary())
        return {
            "nodes": Listing(io_toposort(self.inputs, self.outputs)),
            "inputs": self.inputs,
            "outputs": self.outputs,
            "update_mapping": self.update_mapping,
            "features": [feature.clone() for feature in self.features],
            "others": {
                name: value
                for name, value in vars(self).items()
                if name not in known and name not in self._published
            },
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        Boundary.__init__(self)
        self._put_first_inputs(state["inputs"])
        self._connect(state["nodes"])
        for var in state["outputs"]:
            self.add_output(var, reason="init")
        self.update_mapping = state["update_mapping"]
        vars(self).update(state["others"])
        for feature in state["features"]:
            self.attach_feature(feature)

    def add_output(
        self, var: Variable, reason: str | None = None, import_missing: bool = False
    ) -> None:
        """Make `var` the last output of the graph.

        Parameters
        ----------
        import_missing
            Make inputs of variables that are neither inputs nor constants.

        Raises
        ------
        MissingInputError
            If there are such variables.
        """
        self.insert_output(len(self.outputs), var, reason, import_missing)

    def insert_output(
        self, i: int, var: Variable, reason: str | None = None, import_missing: bool = False
    ) -> None:
        """Make `var` output `i` of the graph; those from `i` on move up. See `add_output`."""
        inputs_before = len(self.inputs)
        self.import_var(var, reason, import_missing)
        self._put_output(i, var)
        if not self._hooks["on_add_output"]:
            return
        event = (i, var, reason)
        try:
            self._tell("on_add_output", event, "on_remove_output", event)
        except BaseException as error:
            self._take_output(i)
            self._prune([var], reason, error=error)
            self._drop_inputs_from(inputs_before, reason, error)
            raise

    def remove_output(self, output_idx: int, reason: str | None = None) -> None:
        """Remove output `output_idx`, and all that only it needs.

        Raises
        ------
        IndexError
            If there is no such output.
        """
        i = _place(output_idx, self.outputs, "output")
        mapping = self.update_mapping
        var = self._take_output(i)
        if mapping is not None:
            self.update_mapping = {k - (k > i): v for k, v in mapping.items() if k != i}
        try:
            self._tell("on_remove_output", (i, var, reason), "on_add_output", (i, var, reason))
        except BaseException:
            self._put_output(i, var)
            self.update_mapping = mapping
            raise
        self._prune([var], reason)

    def _put_output(self, i: int, var: Variable) -> None:
        self._order = None
        for k in range(len(self.outputs) - 1, i - 1, -1):
            moved = self.outputs[k]
            self._take_client(moved, ("output", k))
            self.add_client(moved, ("output", k + 1))
        self.outputs.insert(i, var)
        self.add_client(var, ("output", i))

    def _take_output(self, i: int) -> Variable:
        self._order = None
        var = self.outputs.pop(i)
        self._take_client(var, ("output", i))
        for k in range(i, len(self.outputs)):
            moved = self.outputs[k]
            self._take_client(moved, ("output", k + 1))
            self.add_client(moved, ("output", k))
        return var

    def insert_input(self, i: int, var: Variable) -> None:
        """Make `var` input `i` of the graph; those from `i` on move up. See `add_input`."""
        self._put_input(i, var)

    def remove_input(self, input_idx: int, reason: str | None = None) -> None:
        """Remove input `input_idx` and all that depends on it: nodes, and outputs of the graph.

        Raises
        ------
        IndexError
            If there is no such input.
        """
        i = _place(input_idx, self.inputs, "input")
        if self.inputs.count(self.inputs[i]) == 1:
            self._remove_dependents([self.inputs[i]], reason)
        mapping = self.update_mapping
        var = self._take_input(i)
        if mapping is not None:
            self.update_mapping = {k: v - (v > i) for k, v in mapping.items() if v != i}
        try:
            self._tell("on_remove_input", (i, var, reason), "on_add_input", (i, var))
        except BaseException:
            self.inputs.insert(i, var)
            self._input_set.add(var)
            self.setup_var(var)
            self.update_mapping = mapping
            raise

    def remove_node(self, node: Apply, reason: str | None = None) -> None:
        """Remove `node`, all that depends on it (nodes, and outputs of the graph), and what is
        then used by nothing. A node that is not in the graph is taken for removed."""
        if node in self.apply_nodes:
            self._remove_dependents(node.outputs, reason)
            self._prune(node.outputs, reason)

    def _remove_dependents(self, variables: Iterable[Variable], reason: str | None) -> None:
        doomed: dict[Apply, None] = {}
        places: set[int] = set()
        stack = list(variables)
        while stack:
            for node, i in self.clients.get(stack.pop(), ()):
                if isinstance(node, str):
                    places.add(i)
                elif node not in doomed:
                    doomed[node] = None
                    stack.extend(node.outputs)
        for i in sorted(places, reverse=True):
            self.remove_output(i, reason)
        # what is left led to no output; pruning its last nodes takes the others along
        for node in doomed:
            self._prune(node.outputs, reason)


def _place(i: int, items: Sequence[Variable], kind: str) -> int:
    if not -len(items) <= i < len(items):
        raise IndexError(f"the graph has {len(items)} {kind}s, so no {kind} {i}")
    return i % len(items)
