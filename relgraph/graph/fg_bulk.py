"""The part of a FunctionGraph that changes much at a time, with nobody to be told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.clients import SHORT, Client, with_client
from relgraph.graph.fg_events import FeatureHost
from relgraph.graph.utils import MissingInputError


class BulkEdits(FeatureHost):
    """What a graph consists of, and how much of it comes and goes at once.

    See `FunctionGraph` for the attributes.
    """

    inputs: list[Variable]
    variables: set[Variable]
    apply_nodes: set[Apply]
    clients: dict[Variable, list[Client]]
    _input_set: set[Variable]
    _order: list[Apply] | None

    def _put_first_inputs(self, inputs: Iterable[Variable]) -> None:
        """Make these the inputs of a graph that has nothing yet, and nobody to be told."""
        for var in inputs:
            if var in self._input_set:
                continue
            if var.owner is not None:
                raise computed_input(var)
            self.inputs.append(var)
            self._input_set.add(var)
            self.variables.add(var)
            self.clients[var] = []

    def _connect(self, nodes: Collection[Apply]) -> None:
        """Connect nodes that are not in the graph, each after what it reads."""
        self._order = None
        variables, all_clients = self.variables, self.clients
        self.apply_nodes.update(nodes)
        for node in nodes:
            for i, var in enumerate(node.inputs):
                if var in variables:
                    clients = all_clients[var]
                else:
                    variables.add(var)
                    # `remove_client` may have kept an entry for what has gone
                    clients = all_clients.setdefault(var, [])
                if len(clients) < SHORT:
                    clients.append((node, i))
                else:
                    all_clients[var] = with_client(clients, (node, i))
            for out in node.outputs:
                if out not in variables:
                    variables.add(out)
                    all_clients.setdefault(out, [])

    def _disconnect_unused(
        self, variables: Iterable[Variable], keep_entries: bool = False
    ) -> Iterator[Apply]:
        """Take out those of `variables` that nothing uses, their owners, and so on backwards; yield
        each node when it has gone."""
        self._order = None
        here, nodes, all_clients = self.variables, self.apply_nodes, self.clients
        stack = list(variables)
        while stack:
            var = stack.pop()
            if all_clients.get(var) or var not in here:
                continue
            node = var.owner
            if node is None or node not in nodes:
                if var not in self._input_set:
                    here.discard(var)
                    if not keep_entries:
                        all_clients.pop(var, None)
                continue
            outputs = node.outputs
            if len(outputs) > 1 and any(all_clients.get(out) for out in outputs):
                continue
            nodes.discard(node)
            for out in outputs:
                here.discard(out)
                if not keep_entries:
                    all_clients.pop(out, None)
            for i, read in enumerate(node.inputs):
                clients = all_clients.get(read)
                if clients:
                    try:  # noqa: SIM105  (what that suggests costs more than the rest of this)
                        clients.remove((node, i))
                    except ValueError:
                        pass  # `remove_client` has taken it already
                if not clients:
                    stack.append(read)
            yield node


def missing_input(missing: dict[Variable, Apply]) -> MissingInputError:
    var, node = next(iter(missing.items()))
    return MissingInputError(
        f"{var} ({var.type}), which {node} uses, is neither an input of the graph nor a constant",
        var,
    )


def computed_input(var: Variable) -> ValueError:
    return ValueError(
        f"{var} can't be an input of the graph: {var.owner} computes it. Clone the graph "
        "(which clone=True does), or take what it is computed from as inputs"
    )
