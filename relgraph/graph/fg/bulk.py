"""The part of a FunctionGraph that changes much at a time, with nobody to be told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.fg.clients import SHORT, Client, easily_taken_from
from relgraph.graph.fg.events import FeatureHost
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
    _kept_entries: bool

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
                try:
                    all_clients[var].append((node, i))
                except KeyError:
                    variables.add(var)
                    all_clients[var] = [(node, i)]
            for out in node.outputs:
                variables.add(out)
                if out not in all_clients:
                    all_clients[out] = []
            if self._kept_entries:
                variables.update(node.inputs)

    def _take_client(self, var: Variable, client: Client) -> None:
        clients = self.clients[var] = easily_taken_from(self.clients[var], client)
        clients.remove(client)

    def _disconnect_unused(
        self, variables: Iterable[Variable], single: list[Variable]
    ) -> Iterator[Apply]:
        """Take out those of `variables` that nothing uses, their owners, and so on backwards.

        Each node is yielded when it has gone, and what is computed and has one client left then is
        added to `single`.
        """
        self._order = None
        here, nodes, all_clients = self.variables, self.apply_nodes, self.clients
        stack = list(variables)
        while stack:
            var = stack.pop()
            if all_clients.get(var):
                continue
            node = var.owner
            if node is None or node not in nodes:
                if var not in self._input_set:
                    here.discard(var)
                    all_clients.pop(var, None)
                continue
            outputs = node.outputs
            if len(outputs) > 1 and any(all_clients.get(out) for out in outputs):
                continue
            nodes.discard(node)
            for out in outputs:
                here.discard(out)
                del all_clients[out]
            for i, read in enumerate(node.inputs):
                clients = all_clients.get(read)
                if clients:
                    if len(clients) > SHORT:
                        clients = all_clients[read] = easily_taken_from(clients, (node, i))
                    try:  # noqa: SIM105  (what that suggests costs more than the rest of this)
                        clients.remove((node, i))
                    except ValueError:
                        pass  # `remove_client` has taken it already
                if not clients:
                    stack.append(read)
                elif len(clients) == 1 and read.owner is not None:
                    single.append(read)
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
