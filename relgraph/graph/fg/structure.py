"""The structure of a graph: inputs, outputs, nodes, variables, and the clients of each variable.

A list of clients is one from which a pair (node, input index) is cheap to take. `Replacement` says
what happened when one variable took the place of another; `check_integrity` checks all of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from relgraph.graph.basic import Apply, Constant, Variable, io_toposort
from relgraph.graph.traversal import toposort_and_leaves
from relgraph.graph.utils import InconsistencyError, MissingInputError

if TYPE_CHECKING:
    from relgraph.graph.fg.graph import FunctionGraph

Client: TypeAlias = tuple[Apply | Literal["output"], int]

# up to here looking through the list costs no more than a hash would
SHORT = 16
# up to here taking one of the first out of a list costs no more either
LONG = 1024


# `super` takes longer than what it finds
_append, _pop, _put = list.append, list.pop, list.__setitem__


class ManyClients(list[Client]):
    """A long list of clients that also knows where each of them stands: what a list becomes when
    one is taken from it.

    Removing one takes constant time, and puts the last in its place. Only `append` and `remove`
    keep the positions right: everything else that changes a list is refused.
    """

    __slots__ = ("_where",)

    _where: dict[Client, int]

    def __init__(self, clients: list[Client]) -> None:
        super().__init__(clients)
        self._where = {client: k for k, client in enumerate(clients)}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self),)

    def __contains__(self, client: object) -> bool:
        return client in self._where

    def append(self, client: Client) -> None:
        self._where[client] = len(self)
        _append(self, client)

    def remove(self, client: Client) -> None:
        place = self._where.pop(client, None)
        if place is None:
            raise ValueError(f"{client} is not in the list of clients")
        last = _pop(self)
        if place < len(self):
            _put(self, place, last)
            self._where[last] = place

    def misplaced(self) -> list[Client]:
        """Return the clients whose recorded position is wrong."""
        listed = {client: k for k, client in enumerate(self)}
        return [c for c in {**listed, **self._where} if listed.get(c) != self._where.get(c)]

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            "a list of clients belongs to its FunctionGraph: use add_client and remove_client, "
            "or change a copy of it"
        )

    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refuse
    clear = extend = insert = pop = reverse = sort = _refuse


def easily_taken_from(clients: list[Client], client: Client) -> list[Client]:
    """Return `clients` as a list from which to take one of them: the same one, or its successor."""
    if len(clients) <= SHORT or type(clients) is not list:
        return clients
    # nodes most often go in the order in which they came
    if len(clients) <= LONG and client in clients[:SHORT]:
        return clients
    return ManyClients(clients)


def with_clients(clients: list[Client], more: list[Client]) -> list[Client]:
    """Return `clients` with all of `more` at its end."""
    if type(clients) is list:
        clients.extend(more)
    else:
        for client in more:
            clients.append(client)
    return clients


class _Unknown(dict[Any, list[Client]]):
    """Readers of whom nothing is known but that there may be more than one."""

    _SOME: list[Client] = [("output", 0), ("output", 1)]

    def get(self, var: Any, default: Any = None) -> Any:
        return self._SOME

    def __missing__(self, var: Any) -> list[Client]:
        return self._SOME


class _Every:
    """Contains everything."""

    def __contains__(self, item: object) -> bool:
        return True


class UnknownReaders:
    """Takes the place of a graph where there is none: each variable may have several clients.

    Patterns then look at a node and what it reads, and take no sum in a sum apart. What is equal
    is one variable.
    """

    clients: dict[Any, list[Client]] = _Unknown()
    apply_nodes: Any = _Every()
    merged = True


UNKNOWN_READERS = UnknownReaders()

ORDER = "order"
"""The key of the nodes in topological order in `Structure.known`."""


@dataclass(slots=True)
class Replacement:
    """What happened when a variable was replaced, as `Feature.on_replace` is told it.

    Attributes
    ----------
    var, new_var
        What was replaced, and what has taken its place.
    users
        The clients of `var` that are clients of `new_var` now: (node, input index) pairs. The list
        may be the one that the graph keeps: copy it to keep it.
    imported
        The nodes that came in, each after what it reads.
    pruned
        The nodes that went, each before what it read.
    single_use
        Variables that have lost clients and had one left then. Some of them may have gone since, or
        have more, and leaves are not always listed.
    reason
        The name of the rewrite, if the caller gave one.
    """

    var: Variable
    new_var: Variable
    users: Sequence[Client]
    imported: Sequence[Apply]
    pruned: Sequence[Apply]
    single_use: Sequence[Variable]
    reason: str | None


def fitted(old: Variable, new: Any) -> Variable:
    """Return `new` as a variable that can take the place of `old`.

    Raises
    ------
    TypeError
        If its type does not fit, and `old.type` can't convert it; the message names both.
    """
    if isinstance(new, Variable) and (old.type is new.type or old.type.is_super(new.type)):
        return new
    try:
        converted: Variable = old.type.filter_variable(new)
    except (TypeError, ValueError) as error:
        kind = new.type if isinstance(new, Variable) else type(new).__name__
        raise TypeError(
            f"{new}, of type {kind}, can't replace {old}, of type {old.type}: {error}"
        ) from error
    return converted


def described(var: Any) -> str:
    """Return `var` and the node that computes it, as text."""
    owner = getattr(var, "owner", None)
    return str(var) if owner is None else f"{var} of {owner}"


class Structure:
    """What a graph consists of. It has no features, and announces no changes.

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
    known
        What was found out about the graph as it is, by keys of those who found it; a change empties
        it.
    """

    __slots__ = (
        "_kept_entries",
        "apply_nodes",
        "clients",
        "input_set",
        "inputs",
        "known",
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
        self.known: dict[Any, Any] = {}
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
        self.known.clear()
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
        self.known.clear()
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
                    client = (node, i)
                    if len(clients) > SHORT and type(clients) is list:
                        clients = all_clients[read] = easily_taken_from(clients, client)
                    try:  # noqa: SIM105  (what that suggests costs more than the rest of this)
                        clients.remove(client)
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
        self.known.clear()
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
        self.known.clear()
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
        self.known.clear()
        for k in range(len(self.outputs) - 1, i - 1, -1):
            self._move_output(k, k + 1)
        self.outputs.insert(i, var)
        self.clients[var].append(("output", i))

    def pop_output(self, i: int) -> Variable:
        """Take output `i` out; those after it move down, and the variable stays, used or not."""
        self.known.clear()
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
        order: list[Apply] | None = self.known.get(ORDER)
        if order is None:
            order = self.known[ORDER] = io_toposort(self.inputs, self.outputs)
        return order.copy()


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


# what a graph and its structure have in common
SHARED = ("inputs", "outputs", "variables", "apply_nodes", "clients")


def check_integrity(fgraph: FunctionGraph, structure: Structure) -> None:
    """Check a graph and its structure: compare it with one that is made of its inputs and outputs.

    The cost is proportional to its size.

    Raises
    ------
    InconsistencyError
        If anything is broken; the message names the variable or node.
    """
    for name in SHARED:
        if getattr(fgraph, name) is not getattr(structure, name):
            raise InconsistencyError(
                f"fgraph.{name} was assigned to: change it in place, by the graph's methods"
            )
    right = Structure()
    try:
        toposort_and_leaves(structure.outputs)
        right.start(structure.inputs, (), structure.outputs)
    except (ValueError, MissingInputError) as error:
        raise InconsistencyError(str(error)) from error
    _check_outputs_of_nodes(right)
    _check_members("inputs", structure.input_set, right.input_set)
    _check_members("nodes", structure.apply_nodes, right.apply_nodes)
    _check_members("variables", structure.variables, right.variables)
    for var in structure.variables.union(structure.clients):
        if var not in structure.clients:
            raise InconsistencyError(f"{var} has no entry in clients")
        _check_clients(var, structure.clients[var], right.clients.get(var, []))
    _check_update_mapping(structure, fgraph.update_mapping)


def _check_outputs_of_nodes(right: Structure) -> None:
    for node in right.apply_nodes:
        for k, out in enumerate(node.outputs):
            if out.owner is not node or out.index != k:
                raise InconsistencyError(
                    f"output {k} of {node}, {out}, says that it is output {out.index} of "
                    f"{out.owner}"
                )


def _check_members(what: str, kept: set[Any], right: set[Any]) -> None:
    for item in kept - right:
        why = "it was taken from the inputs" if what == "inputs" else "no output depends on it"
        raise InconsistencyError(f"{item} is among the {what} of the graph, but {why}")
    for item in right - kept:
        raise InconsistencyError(f"{item} is not among the {what} of the graph, but should be")


def _check_clients(var: Variable, kept: list[Client], right: list[Client]) -> None:
    if kept == right and type(kept) is list:
        return
    listed, used = set(kept), set(right)
    for client in listed - used:
        raise InconsistencyError(f"{var} lists {_place(client)} as a client, which it is not")
    for client in used - listed:
        raise InconsistencyError(f"{var} is {_place(client)}, but its clients don't list that")
    if len(kept) != len(listed):
        raise InconsistencyError(f"a client of {var} is listed twice: {kept}")
    if isinstance(kept, ManyClients) and kept.misplaced():
        raise InconsistencyError(f"the index of the clients of {var} is out of step")


def _place(client: Client) -> str:
    node, i = client
    return f"output {i} of the graph" if node == "output" else f"input {i} of {node}"


def _check_update_mapping(structure: Structure, mapping: Mapping[int, int] | None) -> None:
    for i, j in (mapping or {}).items():
        if not (0 <= i < len(structure.outputs) and 0 <= j < len(structure.inputs)):
            raise InconsistencyError(f"update_mapping has {i}: {j}, which is out of range")
