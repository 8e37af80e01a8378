"""The part of a FunctionGraph that keeps who uses what: nodes come in, and go when unused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg.bulk import BulkEdits, computed_input, missing_input
from relgraph.graph.fg.clients import Client
from relgraph.graph.utils import MissingInputError


class Connections(BulkEdits):
    """The variables and nodes of a graph and the clients of each variable.

    Every operation costs what it touches. `FunctionGraph` says what the attributes are.
    """

    outputs: list[Variable]
    update_mapping: dict[int, int] | None

    def __init__(self) -> None:
        super().__init__()
        self.inputs = []
        self.outputs = []
        self.variables = set()
        self.apply_nodes = set()
        self.clients = {}
        self.update_mapping = None
        # `inputs` again, to be asked in constant time
        self._input_set = set()
        # whether `clients` may have entries for what has gone, as `remove_client` leaves them
        self._kept_entries = False
        # the nodes in topological order, while nothing has changed since that was found
        self._order = None

    def setup_var(self, var: Variable) -> None:
        """Make `var` a variable of this graph, without clients if it is new."""
        if var not in self.variables:
            self.variables.add(var)
            self.clients.setdefault(var, [])

    def get_clients(self, var: Variable) -> list[Client]:
        """Return the (node, i) pairs such that ``node.inputs[i]`` is `var`.

        An output of the graph counts as input i of the node ``"output"``. This is the list that
        the graph keeps: copy it to change the graph while looping over it.

        Raises
        ------
        KeyError
            If `var` is not in the graph.
        """
        try:
            return self.clients[var]
        except KeyError:
            raise KeyError(f"{var} is not in the graph, so it has no clients there") from None

    def add_client(self, var: Variable, new_client: Client) -> None:
        """Note that ``node.inputs[i]`` is `var`, where `new_client` is ``(node, i)``.

        Raises
        ------
        KeyError
            If `var` is not in the graph.
        """
        self.get_clients(var).append(new_client)

    def remove_client(
        self,
        var: Variable,
        client_to_remove: Client,
        reason: str | None = None,
        remove_if_empty: bool = False,
    ) -> None:
        """Note that ``node.inputs[i]`` will not be `var` any more, and prune what nothing uses.

        If `var` has no clients left it goes, unless it is an input of the graph. If no output of
        its owner has any, the owner goes too, and so on backwards. A client that is not there is
        taken for removed.

        Parameters
        ----------
        remove_if_empty
            Whether variables that go lose their entry in `clients` too. By default they keep one,
            an empty list.
        """
        if var not in self.clients:
            return
        if client_to_remove in self.clients[var]:
            self._take_client(var, client_to_remove)
        gone = self._prune([var], reason)
        if not remove_if_empty:
            self._kept_entries = True
            for other in (var, *(v for node in gone for v in (*node.inputs, *node.outputs))):
                self.clients.setdefault(other, [])

    def import_var(
        self, var: Variable, reason: str | None = None, import_missing: bool = False
    ) -> None:
        """Bring in `var` and all it depends on.

        Parameters
        ----------
        import_missing
            Make inputs of the variables that are neither inputs nor constants.

        Raises
        ------
        MissingInputError
            If there are such variables; the graph is as before then.
        """
        if var in self.variables:
            return
        if var.owner is not None:
            self.import_node(var.owner, True, reason, import_missing)
        elif isinstance(var, Constant):
            self.setup_var(var)
        elif import_missing:
            self.add_input(var)
        else:
            raise MissingInputError(
                f"{var} ({var.type}) is neither an input of the graph nor a constant", var
            )

    def import_node(
        self,
        apply_node: Apply,
        check: bool = True,
        reason: str | None = None,
        import_missing: bool = False,
    ) -> None:
        """Bring in `apply_node` and all it depends on, each node after the ones it needs.

        Parameters
        ----------
        check
            Whether a variable that is neither an input, nor a constant, nor computed is an error.
        import_missing
            Make inputs of those variables instead.

        Raises
        ------
        MissingInputError
            If there are such variables; the message names one and the node that uses it, and the
            graph is as before.
        """
        if apply_node in self.apply_nodes:
            return
        new_nodes, missing = self._not_here(apply_node)
        if missing and not check:
            missing = {}
        if missing and not import_missing:
            raise missing_input(missing)
        inputs_before = len(self.inputs)
        done: list[Apply] = []
        try:
            for var in missing:
                self.add_input(var)
            told = self._hooks["on_import"]
            quiet = self._quiet["on_import"]
            for node in new_nodes:
                if quiet is not None:
                    for hook in quiet:
                        hook(self, node, reason)
                elif told:
                    self._tell("on_import", (node, reason), "on_prune", (node, reason))
                if node not in self.apply_nodes:  # else a callback has brought it in meanwhile
                    self._connect((node,))
                done.append(node)
        except BaseException as error:
            for node in reversed(done):
                self._prune(node.outputs, reason, error=error)
            self._drop_inputs_from(inputs_before, reason, error)
            raise

    def _importable(self, node: Apply) -> list[Apply]:
        """Return the nodes that come in with `node`, in topological order; raises like
        `import_node`."""
        if node in self.apply_nodes:
            return []
        variables = self.variables
        if all(var in variables or var.head is Constant for var in node.inputs):
            return [node]
        nodes, missing = self._not_here(node)
        if missing:
            raise missing_input(missing)
        return nodes

    def _not_here(self, root: Apply) -> tuple[list[Apply], dict[Variable, Apply]]:
        """Return what `root` depends on that is not in the graph: nodes, in topological order; and
        undeclared inputs, each with a node that uses it."""
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

    def _prune(
        self,
        variables: Iterable[Variable],
        reason: str | None,
        error: BaseException | None = None,
    ) -> list[Apply]:
        """Remove those of `variables` that nothing uses, their owners, and so on backwards; return
        the nodes.

        What a callback raises is raised when all is done, or noted on `error`.
        """
        told = self._hooks["on_prune"]
        quiet = self._quiet["on_prune"]
        raised: BaseException | None = None
        gone: list[Apply] = []
        for node in self._disconnect_unused(variables, []):
            gone.append(node)
            if quiet is not None:
                for hook in quiet:
                    hook(self, node, reason)
            elif told and error is not None:
                self._tell_back("on_prune", (node, reason), error)
            elif told:
                try:
                    self._tell("on_prune", (node, reason))
                except BaseException as first:
                    raised = raised or first
        if raised is not None:
            raise raised
        return gone

    def _rewire(
        self, node: Apply | Literal["output"], i: int, old: Variable, new: Variable
    ) -> None:
        """Put `new` in place `i` of `node`; `old` stays in the graph, used or not."""
        self._order = None
        (self.outputs if isinstance(node, str) else node.inputs)[i] = new
        self.add_client(new, (node, i))
        self._take_client(old, (node, i))

    def add_input(self, var: Variable, check: bool = True) -> None:
        """Make `var` the last input of the graph.

        Parameters
        ----------
        check
            Whether to look if it is an input already, in which case nothing happens.

        Raises
        ------
        ValueError
            If a node computes `var`.
        """
        if check and var in self._input_set:
            return
        self._put_input(len(self.inputs), var)

    def _put_input(self, i: int, var: Variable) -> None:
        if var.owner is not None:
            raise computed_input(var)
        self.inputs.insert(i, var)
        self._input_set.add(var)
        self.setup_var(var)
        if self._hooks["on_add_input"]:
            try:
                self._tell("on_add_input", (i, var), "on_remove_input", (i, var, None))
            except BaseException:
                self._take_input(i)
                raise

    def _take_input(self, i: int) -> Variable:
        var = self.inputs.pop(i)
        # `add_input(check=False)` may have listed it twice
        if all(var is not other for other in self.inputs):
            self._input_set.discard(var)
            if not self.clients.get(var):
                self.variables.discard(var)
                self.clients.pop(var, None)
        return var

    def _drop_inputs_from(self, count: int, reason: str | None, error: BaseException) -> None:
        """Remove the inputs from number `count` on, which came in before `error` did."""
        while len(self.inputs) > count:
            var = self._take_input(len(self.inputs) - 1)
            self._tell_back("on_remove_input", (len(self.inputs), var, reason), error)
