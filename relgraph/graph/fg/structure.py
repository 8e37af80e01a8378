"""The structure of a graph: inputs, outputs, nodes, variables, and who reads each of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal

from relgraph.graph.basic import Apply, Constant, Variable, io_toposort
from relgraph.graph.fg.client_lists import SHORT, Client, easily_taken_from, with_clients
from relgraph.graph.fg.replacement import Replacement
from relgraph.graph.utils import InconsistencyError, MissingInputError


class Structure:
    """What a graph consists of. It knows no features, and tells nobody of what changes.

    Each operation costs what it touches, not what the graph holds. The lists, the sets and the
    dict are changed in place and never replaced, so that `FunctionGraph` can have them, too.

    Attributes
    ----------
    inputs, outputs
        Lists of variables.
    input_set
        The inputs again, to look one up in constant time.
    variables, apply_nodes
        The sets of what is in the graph.
    clients
        For each variable the list of (node, i) such that it is input i of the node; output i of
        the graph counts as input i of the node ``"output"``.
    order
        The nodes in topological order, if known: None after a change.
    """

    __slots__ = (
        "_kept_entries",
        "apply_nodes",
        "clients",
        "input_set",
        "inputs",
        "order",
        "outputs",
        "variables",
    )

    def __init__(self) -> None:
        self.inputs: list[Variable] = []
        self.outputs: list[Variable] = []
        self.input_set: set[Variable] = set()
        self.variables: set[Variable] = set()
        self.apply_nodes: set[Apply] = set()
        self.clients: dict[Variable, list[Client]] = {}
        self.order: list[Apply] | None = None
        # whether `clients` may have entries of variables that have gone
        self._kept_entries = False

    def start(
        self, inputs: Iterable[Variable], nodes: Collection[Apply], outputs: Iterable[Variable]
    ) -> None:
        """Fill an empty structure.

        Parameters
        ----------
        inputs
            The inputs. One that is listed twice counts once.
        nodes
            Nodes that the outputs depend on, each after what it reads. Others are found.
        outputs
            The outputs.

        Raises
        ------
        ValueError
            If an input is computed.
        MissingInputError
            If an output depends on what is neither an input nor a constant.
        """
        for var in inputs:
            if var in self.input_set:
                continue
            if var.owner is not None:
                raise computed_input(var)
            # the same as `insert_input`, but faster: there may be many
            self.inputs.append(var)
            self.input_set.add(var)
            self.variables.add(var)
            self.clients[var] = []
        self.connect(nodes)
        for var in outputs:
            if var not in self.variables:
                self.connect(self._to_bring_in(var))
            self.insert_output(len(self.outputs), var)

    # -- variables and their clients -----------------------------------------------------

    def setup_var(self, var: Variable) -> None:
        """Make `var` a variable of the graph, without clients if it is new."""
        if var not in self.variables:
            self.variables.add(var)
            self.clients.setdefault(var, [])

    def import_leaf(self, var: Variable) -> None:
        """Make `var`, which no node computes, a variable of the graph.

        Raises
        ------
        MissingInputError
            If it is neither an input nor a constant.
        """
        if not isinstance(var, Constant) and var not in self.variables:
            raise MissingInputError(
                f"{var} ({var.type}) is neither an input of the graph nor a constant", var
            )
        self.setup_var(var)

    def get_clients(self, var: Variable) -> list[Client]:
        """Return the list of the clients of `var`; raise KeyError if it is not in the graph."""
        try:
            return self.clients[var]
        except KeyError:
            raise KeyError(f"{var} is not in the graph, so it has no clients there") from None

    def take_client(self, var: Variable, client: Client) -> None:
        """Take one client from `var`, which stays in the graph, used or not."""
        clients = self.clients[var] = easily_taken_from(self.clients[var], client)
        clients.remove(client)

    def keep_entries(self, variables: Iterable[Variable]) -> None:
        """Give `variables` an entry in `clients`, whether they are in the graph or not."""
        self._kept_entries = True
        for var in variables:
            self.clients.setdefault(var, [])

    # -- nodes that come in, and nodes that go -------------------------------------------

    def to_import(self, root: Apply) -> tuple[list[Apply], dict[Variable, Apply]]:
        """Return what `root` depends on that is not in the graph.

        Returns
        -------
        nodes
            The nodes, each after what it reads; `root` is the last.
        missing
            The variables that are neither inputs nor constants, each with a node that reads it.
        """
        here, variables = self.apply_nodes, self.variables
        order: list[Apply] = []
        missing: dict[Variable, Apply] = {}
        seen: set[Apply] = {root}
        path: list[tuple[Apply, Iterator[Variable]]] = []
        node, rest = root, iter(root.inputs)
        while True:
            for var in rest:
                owner = var.owner
                if owner is None:
                    if var.head is None and var not in variables:
                        missing.setdefault(var, node)
                elif owner not in here and owner not in seen:
                    seen.add(owner)
                    path.append((node, rest))
                    node, rest = owner, iter(owner.inputs)
                    break
            else:
                order.append(node)
                if not path:
                    return order, missing
                node, rest = path.pop()

    def connect(self, nodes: Collection[Apply]) -> None:
        """Bring in nodes that are not in the graph, each after what it reads."""
        self.order = None
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

    def disconnect_unused(
        self, variables: Iterable[Variable], single_use: list[Variable]
    ) -> Iterator[Apply]:
        """Take out those of `variables` that nothing reads, their owners, and so on backwards.

        Each node is yielded when it has gone, before the next one goes. What loses a client, has
        one left then, and is computed by a node, is added to `single_use`.
        """
        self.order = None
        here, nodes, all_clients = self.variables, self.apply_nodes, self.clients
        stack = list(variables)
        while stack:
            var = stack.pop()
            if all_clients.get(var):
                continue
            node = var.owner
            if node is None or node not in nodes:
                if var not in self.input_set:
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
                        pass  # `FunctionGraph.remove_client` has taken it already
                if not clients:
                    stack.append(read)
                elif len(clients) == 1 and read.owner is not None:
                    single_use.append(read)
            yield node

    def dependents(self, variables: Iterable[Variable]) -> tuple[dict[Apply, None], list[int]]:
        """Return the nodes that depend on `variables`, and the indices of the outputs that do."""
        nodes: dict[Apply, None] = {}
        outputs: set[int] = set()
        stack = list(variables)
        while stack:
            for node, i in self.clients.get(stack.pop(), ()):
                if isinstance(node, str):
                    outputs.add(i)
                elif node not in nodes:
                    nodes[node] = None
                    stack.extend(node.outputs)
        return nodes, sorted(outputs)

    # -- what is read where --------------------------------------------------------------

    def inputs_of(self, node: Apply | Literal["output"]) -> list[Variable]:
        """Return the list of what `node` reads: the outputs of the graph for ``"output"``."""
        return self.outputs if isinstance(node, str) else node.inputs

    def rewire(self, node: Apply | Literal["output"], i: int, new: Variable) -> None:
        """Make `new` input `i` of `node`; its predecessor stays in the graph, used or not."""
        self.order = None
        inputs = self.inputs_of(node)
        old = inputs[i]
        inputs[i] = new
        self.clients[new].append((node, i))
        self.take_client(old, (node, i))

    def replace(self, var: Variable, new_var: Variable, reason: str | None) -> Replacement | None:
        """Make every client of `var` one of `new_var`: bring that in, and take out what is unused.

        Returns
        -------
        replacement
            What happened; None if `var` has no clients, and nothing did.

        Raises
        ------
        MissingInputError
            If `new_var` depends on what is neither an input nor a constant.
        InconsistencyError
            If a client of `var` computes `new_var`.
        """
        all_clients = self.clients
        users = all_clients[var]
        if not users:
            return None
        imported: Sequence[Apply] = ()
        owner = new_var.owner
        if new_var not in self.variables:
            imported = self._to_bring_in(new_var)
        elif owner is not None:
            for user, _ in users:
                if user is owner:
                    raise own_input(new_var, owner)
        # what the new nodes read of `var` goes into a list of its own, and so stays
        all_clients[var] = []
        self.order = None
        if imported:
            self.connect(imported)
        for user, i in users:
            (self.outputs if isinstance(user, str) else user.inputs)[i] = new_var
        known = all_clients[new_var]
        all_clients[new_var] = with_clients(known, users) if known else users
        single_use = [var] if len(all_clients[var]) == 1 else []
        pruned = () if all_clients[var] else list(self.disconnect_unused((var,), single_use))
        return Replacement(var, new_var, users, imported, pruned, single_use, reason)

    def _to_bring_in(self, var: Variable) -> Sequence[Apply]:
        """Return the nodes to connect so that `var` is there; a constant is there at once.

        Raises MissingInputError if it depends on what is neither an input nor a constant.
        """
        node, variables = var.owner, self.variables
        if node is None:
            self.import_leaf(var)
            return ()
        if node in self.apply_nodes:
            return ()
        for read in node.inputs:
            if read not in variables and read.head is not Constant:
                break
        else:
            return (node,)
        nodes, missing = self.to_import(node)
        if missing:
            raise missing_input(missing)
        return nodes

    # -- inputs and outputs --------------------------------------------------------------

    def insert_input(self, i: int, var: Variable) -> None:
        """Make `var` input `i`; those from `i` on move up. Raises ValueError if it is computed."""
        if var.owner is not None:
            raise computed_input(var)
        self.inputs.insert(i, var)
        self.input_set.add(var)
        self.setup_var(var)

    def pop_input(self, i: int) -> Variable:
        """Take input `i` out; it stays a variable of the graph if something reads it."""
        var = self.inputs.pop(i)
        # it may be listed twice: `FunctionGraph.add_input(var, check=False)` does not look
        if all(var is not other for other in self.inputs):
            self.input_set.discard(var)
            if not self.clients.get(var):
                self.variables.discard(var)
                self.clients.pop(var, None)
        return var

    def insert_output(self, i: int, var: Variable) -> None:
        """Make `var`, a variable of the graph, output `i`; those from `i` on move up."""
        self.order = None
        for k in range(len(self.outputs) - 1, i - 1, -1):
            self._move_output(k, k + 1)
        self.outputs.insert(i, var)
        self.clients[var].append(("output", i))

    def pop_output(self, i: int) -> Variable:
        """Take output `i` out; those after it move down, and the variable stays, used or not."""
        self.order = None
        var = self.outputs[i]
        self.take_client(var, ("output", i))
        for k in range(i + 1, len(self.outputs)):
            self._move_output(k, k - 1)
        del self.outputs[i]
        return var

    def _move_output(self, k: int, to: int) -> None:
        var = self.outputs[k]
        self.take_client(var, ("output", k))
        self.clients[var].append(("output", to))

    def toposort(self) -> list[Apply]:
        """Return the nodes, each after what it reads; raise ValueError if there is a cycle."""
        if self.order is None:
            self.order = io_toposort(self.inputs, self.outputs)
        return self.order.copy()


def missing_input(missing: dict[Variable, Apply]) -> MissingInputError:
    """Return the error that names the first of `missing`, see `Structure.to_import`."""
    var, node = next(iter(missing.items()))
    return MissingInputError(
        f"{var} ({var.type}), which {node} uses, is neither an input of the graph nor a constant",
        var,
    )


def computed_input(var: Variable) -> ValueError:
    """Return the error of making `var`, which a node computes, an input of the graph."""
    return ValueError(
        f"{var} can't be an input of the graph: {var.owner} computes it. Clone the graph "
        "(which clone=True does), or take what it is computed from as inputs"
    )


def own_input(var: Variable, node: Apply) -> InconsistencyError:
    """Return the error of making `var` an input of `node`, which computes it."""
    return InconsistencyError(f"{var} would become an input of its own node, {node}")
