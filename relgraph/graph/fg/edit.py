"""An edit of a graph: done, told to its features, and undone if one of them objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg.client_lists import Client
from relgraph.graph.fg.listeners import Listeners
from relgraph.graph.fg.replacement import fitted
from relgraph.graph.fg.structure import Structure, missing_input, own_input

if TYPE_CHECKING:
    from relgraph.graph.fg.graph import FunctionGraph


class Edit:
    """One edit of a graph: the structure is changed, and the listeners are told.

    If a listener raises, what was done is undone, which those that had been told are told too, and
    the exception goes on. Pruning comes last: what is raised then undoes a replacement, but not the
    change of a single input or output.

    `FunctionGraph` has methods of the same names, which say what goes in and what is raised.

    Parameters
    ----------
    fgraph
        The graph, as features know it.
    structure, listeners
        Its parts.
    reason
        The name of the rewrite in progress.
    """

    __slots__ = ("fgraph", "listeners", "reason", "structure")

    def __init__(
        self,
        fgraph: FunctionGraph,
        structure: Structure,
        listeners: Listeners,
        reason: str | None = None,
    ) -> None:
        self.fgraph = fgraph
        self.structure = structure
        self.listeners = listeners
        self.reason = reason

    # -- nodes that come in, and nodes that go -------------------------------------------

    def import_var(self, var: Variable, import_missing: bool = False) -> None:
        if var in self.structure.variables:
            return
        if var.owner is not None:
            self.import_node(var.owner, import_missing=import_missing)
        elif import_missing and not isinstance(var, Constant):
            self.add_input(var)
        else:
            self.structure.import_leaf(var)

    def import_node(self, root: Apply, check: bool = True, import_missing: bool = False) -> None:
        structure, listeners = self.structure, self.listeners
        if root in structure.apply_nodes:
            return
        nodes, missing = structure.to_import(root)
        if not check:
            missing = {}
        if missing and not import_missing:
            raise missing_input(missing)
        if not missing and not listeners.hooks["on_import"]:
            structure.connect(nodes)
            return
        inputs_before = len(structure.inputs)
        done: list[Apply] = []
        try:
            for var in missing:
                self.add_input(var)
            for node in nodes:
                listeners.tell("on_import", self.fgraph, node, self.reason)
                if node not in structure.apply_nodes:  # else a callback has brought it in meanwhile
                    structure.connect((node,))
                done.append(node)
        except BaseException as error:
            for node in reversed(done):
                self.prune(node.outputs, error)
            self._remove_inputs_from(inputs_before, error)
            raise

    def prune(
        self, variables: Iterable[Variable], error: BaseException | None = None
    ) -> list[Apply]:
        """Take out those of `variables` that nothing reads, their owners, and so on backwards.

        Parameters
        ----------
        error
            The exception because of which an edit is being undone.

        Returns
        -------
        nodes
            The nodes that went, each before what it read.

        Raises
        ------
        BaseException
            The first that a listener raised, after all nodes have gone. With `error` none is: what
            listeners raise is noted there.
        """
        going = self.structure.disconnect_unused(variables, [])
        if not self.listeners.hooks["on_prune"]:
            return list(going)
        gone: list[Apply] = []
        raised: BaseException | None = None
        for node in going:
            gone.append(node)
            if error is not None:
                self.listeners.tell_back(error, "on_prune", self.fgraph, node, self.reason)
                continue
            try:
                self.listeners.tell("on_prune", self.fgraph, node, self.reason)
            except BaseException as objection:
                if raised is None:
                    raised = objection
        if raised is not None:
            raise raised
        return gone

    def remove_client(self, var: Variable, client: Client, remove_if_empty: bool) -> None:
        structure = self.structure
        if var not in structure.clients:
            return
        if client in structure.clients[var]:
            structure.take_client(var, client)
        gone = self.prune([var])
        if not remove_if_empty:
            structure.keep_entries((var, *(v for n in gone for v in (*n.inputs, *n.outputs))))

    def remove_node(self, node: Apply) -> None:
        if node in self.structure.apply_nodes:
            self._remove_dependents(node.outputs)
            self.prune(node.outputs)

    def _remove_dependents(self, variables: Iterable[Variable]) -> None:
        nodes, outputs = self.structure.dependents(variables)
        for i in reversed(outputs):
            self.remove_output(i)
        # what is left led to no output; pruning its last nodes takes the others along
        for node in nodes:
            self.prune(node.outputs)

    # -- inputs and outputs --------------------------------------------------------------

    def add_input(self, var: Variable) -> None:
        if var not in self.structure.input_set:
            self.insert_input(len(self.structure.inputs), var)

    def insert_input(self, i: int, var: Variable) -> None:
        self.structure.insert_input(i, var)
        try:
            self.listeners.tell("on_add_input", self.fgraph, i, var)
        except BaseException:
            self.structure.pop_input(i)
            raise

    def remove_input(self, i: int) -> None:
        structure = self.structure
        i = _from_start(i, structure.inputs, "input")
        if structure.inputs.count(structure.inputs[i]) == 1:
            self._remove_dependents([structure.inputs[i]])
        mapping = self.fgraph.update_mapping
        var = structure.pop_input(i)
        if mapping is not None:
            self.fgraph.update_mapping = {k: v - (v > i) for k, v in mapping.items() if v != i}
        try:
            self.listeners.tell("on_remove_input", self.fgraph, i, var, self.reason)
        except BaseException:
            structure.insert_input(i, var)
            self.fgraph.update_mapping = mapping
            raise

    def insert_output(self, i: int, var: Variable, import_missing: bool) -> None:
        inputs_before = len(self.structure.inputs)
        self.import_var(var, import_missing)
        self.structure.insert_output(i, var)
        try:
            self.listeners.tell("on_add_output", self.fgraph, i, var, self.reason)
        except BaseException as error:
            self.structure.pop_output(i)
            self._undo_import(var, inputs_before, error)
            raise

    def remove_output(self, i: int) -> None:
        i = _from_start(i, self.structure.outputs, "output")
        mapping = self.fgraph.update_mapping
        var = self.structure.pop_output(i)
        if mapping is not None:
            self.fgraph.update_mapping = {k - (k > i): v for k, v in mapping.items() if k != i}
        try:
            self.listeners.tell("on_remove_output", self.fgraph, i, var, self.reason)
        except BaseException:
            self.structure.insert_output(i, var)
            self.fgraph.update_mapping = mapping
            raise
        self.prune([var])

    # -- what is read where --------------------------------------------------------------

    def change_node_input(
        self,
        node: Apply | Literal["output"],
        i: int,
        new_var: Variable,
        import_missing: bool,
        check: bool,
    ) -> None:
        structure = self.structure
        if not isinstance(node, str) and node not in structure.apply_nodes:
            raise ValueError(f"{node} is not in the graph, so its input {i} can't be changed here")
        old = structure.inputs_of(node)[i]
        if new_var is old:
            return
        if check:
            new_var = fitted(old, new_var)
        if not isinstance(node, str) and new_var.owner is node:
            raise own_input(new_var, node)
        inputs_before = len(structure.inputs)
        self.import_var(new_var, import_missing)
        structure.rewire(node, i, new_var)
        try:
            self.listeners.tell("on_change_input", self.fgraph, node, i, old, new_var, self.reason)
        except BaseException as error:
            structure.rewire(node, i, old)
            self._undo_import(new_var, inputs_before, error)
            raise
        if not structure.clients[old]:
            self.prune([old])

    def replace(self, var: Variable, new_var: Variable, import_missing: bool) -> None:
        """Replace `var` for one user after the other. The types have to fit."""
        all_clients = self.structure.clients
        users = all_clients[var].copy()
        inputs_before = len(self.structure.inputs)
        try:
            for node, i in users:
                # a callback may have changed this one meanwhile
                if (node, i) in all_clients.get(var, ()):
                    self.change_node_input(node, i, new_var, import_missing, check=False)
        except BaseException as error:
            for node, i in reversed(users):
                if (node, i) in all_clients.get(new_var, ()):
                    self.import_var(var)
                    self.structure.rewire(node, i, var)
                    self.listeners.tell_back(
                        error, "on_change_input", self.fgraph, node, i, new_var, var, self.reason
                    )
            self._undo_import(new_var, inputs_before, error)
            raise

    # -- the way back --------------------------------------------------------------------

    def _undo_import(self, var: Variable, inputs_before: int, error: BaseException) -> None:
        """Take out what came in with `var` and is not used: nodes, and inputs after the first."""
        self.prune([var], error)
        self._remove_inputs_from(inputs_before, error)

    def _remove_inputs_from(self, count: int, error: BaseException) -> None:
        inputs = self.structure.inputs
        while len(inputs) > count:
            var = self.structure.pop_input(len(inputs) - 1)
            self.listeners.tell_back(
                error, "on_remove_input", self.fgraph, len(inputs), var, self.reason
            )


def _from_start(i: int, items: Sequence[Variable], kind: str) -> int:
    """Return index `i` counted from the start; raise IndexError if nothing has it."""
    if not -len(items) <= i < len(items):
        raise IndexError(f"the graph has {len(items)} {kind}s, so no {kind} {i}")
    return i % len(items)
