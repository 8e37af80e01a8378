"""FunctionGraph: the graph between some inputs and outputs, made to be changed; its copies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from relgraph.graph.basic import (
    Apply,
    Constant,
    Listing,
    Variable,
    as_string,
    clone_get_equiv,
    graph_inputs,
    io_toposort,
)
from relgraph.graph.features import Feature
from relgraph.graph.fg.listeners import Listeners
from relgraph.graph.fg.structure import (
    ORDER,
    Client,
    Structure,
    check_integrity,
    described,
    fitted,
    missing_input,
    own_input,
)
from relgraph.introspection import Displayed
from relgraph.settings import config

# nodes, inputs, outputs, features, and other attributes by name
State = tuple[Sequence[Apply], list[Variable], list[Variable], list[Feature], dict[str, Any]]


def copied(
    inputs: Sequence[Variable], outputs: Sequence[Variable], **kwargs: Any
) -> tuple[list[Variable], list[Apply], list[Variable]]:
    """Return copies of the inputs, of the nodes (each after what it reads), and of the outputs.

    `kwargs` are for `relgraph.graph.basic.clone_get_equiv`.
    """
    equiv = clone_get_equiv(inputs, outputs, **kwargs)
    nodes = [copy for copy in equiv.values() if type(copy) is Apply]
    return [equiv[v] for v in inputs], nodes, [equiv[v] for v in outputs]


class FunctionGraph(Listeners, Displayed):
    """The graph between some inputs and outputs, made to be changed.

    It has a `Structure`, with the clients of each variable, so that the graph can be followed
    both ways. A change is made there, and then the features are told of it. It costs what it
    touches, not what the graph holds. If a feature raises, the change is undone, which the features
    that had been told before are told too, and the exception goes on; what callbacks did to the
    graph meanwhile stays. Pruning comes last: what is raised then undoes a replacement, but not the
    change of a single input or output.

    Many methods take `reason`, the name of the rewrite in progress, which the features are told;
    and `import_missing`: whether variables that are to come in, and are neither inputs nor
    constants, become inputs. If not, they raise MissingInputError.

    Parameters
    ----------
    inputs
        What the graph depends on, constants aside. Found from `outputs` if None.
    outputs
        What it computes.
    features
        What to attach once the graph is there.
    clone
        Work on a copy. Without it the variables and nodes themselves are changed, and no input
        may be computed by a node.
    update_mapping
        From the index of an output to the index of the input that takes its value after a call.
    clone_kwds
        Arguments for `relgraph.graph.basic.clone_get_equiv`, where `clone` is true.

    Raises
    ------
    MissingInputError
        If the outputs depend on what is neither an input nor a constant.
    ValueError
        If a node computes an input, and `clone` is false; if there are no outputs given.

    Attributes
    ----------
    inputs, outputs, variables, apply_nodes, clients
        What the graph consists of, see `Structure`. To be changed by the methods only.
    known
        What was found out about the graph as it is; a change empties it, see `Structure`.
    update_mapping
        As given, and kept right when inputs and outputs go. Replaced, never changed in place.
    merged
        Whether an optimizer is at work that sees to it that nothing is computed twice: what is
        equal is then one variable, or will be when both have been looked at.
    validate_time
        The seconds spent validating (see `Validator`).
    profile
        Set by who wants every rewriter timed, however large the graph is; None by default.
    """

    def __init__(
        self,
        inputs: Sequence[Variable] | None = None,
        outputs: Sequence[Variable] | None = None,
        features: Sequence[Feature] | None = None,
        clone: bool = True,
        update_mapping: Mapping[int, int] | None = None,
        **clone_kwds: Any,
    ) -> None:
        super().__init__()
        self._structure = structure = Structure()
        # these are read everywhere and all the time, and a property takes several times as long as
        # an attribute: so both objects have the same list, set or dict, which is never replaced
        self.inputs = structure.inputs
        self.outputs = structure.outputs
        self.variables = structure.variables
        self.apply_nodes = structure.apply_nodes
        self.clients = structure.clients
        self.known = structure.known
        self.update_mapping = None if update_mapping is None else dict(update_mapping)
        self.merged = False
        self.validate_time = 0.0
        self.profile: Any = None
        if outputs is None:
            raise ValueError("a FunctionGraph needs outputs (an empty list is possible)")
        complete = inputs is None
        if inputs is None:
            inputs = [v for v in graph_inputs(outputs) if not isinstance(v, Constant)]
        nodes: list[Apply] = []
        if clone:
            inputs, nodes, outputs = copied(inputs, outputs, **clone_kwds)
            if not complete or clone_kwds:
                nodes = []  # to be found, for something may be missing
        elif clone_kwds:
            raise TypeError(f"{', '.join(clone_kwds)} can't be used with clone=False")
        structure.start(inputs, nodes, outputs)
        for feature in features or ():
            self.attach_feature(feature)

    @classmethod
    def of_nodes(
        cls, inputs: Sequence[Variable], nodes: Sequence[Apply], outputs: Sequence[Variable]
    ) -> FunctionGraph:
        """Return the graph of some nodes, without a copy and without a walk to find them.

        `inputs` are the leaves that are not constants, `nodes` all that the outputs depend on and
        nothing else, each after what it reads.
        """
        made = cls([], [], clone=False)
        made._structure.start(inputs, nodes, outputs)
        made.known[ORDER] = list(nodes)
        return made

    def __getstate__(self) -> State:
        made_anew = vars(type(self)([], []))
        others = {
            name: value
            for name, value in vars(self).items()
            if name not in made_anew and self.published_by(name) is None
        }
        others["update_mapping"] = self.update_mapping
        features = [feature.clone() for feature in self.features]
        # the nodes come first: a `Listing` is what they are pickled as without recursion
        nodes: Any = Listing(io_toposort(self.inputs, self.outputs))
        return nodes, self.inputs, self.outputs, features, others

    def __setstate__(self, state: State) -> None:
        nodes, inputs, outputs, features, others = state
        FunctionGraph.__init__(self, [], [])
        self._structure.start(inputs, nodes, outputs)
        vars(self).update(others)
        for feature in features:
            self.attach_feature(feature)

    if TYPE_CHECKING:
        # features add methods, so the type is open; a `__getattr__` that is there when the code
        # runs would make each look at an attribute several times as slow
        def __getattr__(self, name: str) -> Any: ...

    # -- variables and their clients -----------------------------------------------------

    def setup_var(self, var: Variable) -> None:
        """Make `var` a variable of this graph, without clients if it is new."""
        self._structure.setup_var(var)

    def get_clients(self, var: Variable) -> list[Client]:
        """Return the (node, i) pairs such that ``node.inputs[i]`` is `var`.

        An output of the graph counts as input i of the node ``"output"``. This is the list that
        the graph keeps: copy it to change the graph while looping over it. KeyError is raised if
        `var` is not in the graph.
        """
        return self._structure.get_clients(var)

    def add_client(self, var: Variable, new_client: Client) -> None:
        """Note that ``node.inputs[i]`` is `var`, where `new_client` is ``(node, i)``.

        Raises KeyError if `var` is not in the graph.
        """
        self._structure.get_clients(var).append(new_client)
        self.known.clear()

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
        taken for removed. What goes keeps its entry in `clients`, an empty list, unless
        `remove_if_empty` is true.
        """
        structure = self._structure
        if var not in structure.clients:
            return
        if client_to_remove in structure.clients[var]:
            structure.take_client(var, client_to_remove)
            self.known.clear()
        gone = self._prune([var], reason)
        if not remove_if_empty:
            structure.keep_entries((var, *(v for n in gone for v in (*n.inputs, *n.outputs))))

    # -- nodes that come in, and nodes that go -------------------------------------------

    def import_var(
        self, var: Variable, reason: str | None = None, import_missing: bool = False
    ) -> None:
        """Bring in `var` and all it depends on. See `import_node`."""
        if var in self.variables:
            return
        if var.owner is not None:
            self.import_node(var.owner, reason=reason, import_missing=import_missing)
        elif import_missing and not isinstance(var, Constant):
            self.add_input(var)
        else:
            self._structure.import_leaf(var)

    def import_node(
        self,
        apply_node: Apply,
        check: bool = True,
        reason: str | None = None,
        import_missing: bool = False,
    ) -> None:
        """Bring in `apply_node` and all it depends on, each node after the ones it needs.

        Raises MissingInputError, with `check`, if there is a variable that is neither an input, nor
        a constant, nor computed; the message names it and the node that uses it.
        """
        structure = self._structure
        if apply_node in self.apply_nodes:
            return
        nodes, missing = structure.to_import(apply_node)
        if not check:
            missing = {}
        if missing and not import_missing:
            raise missing_input(missing)
        if not missing and not self._hooks["on_import"]:
            structure.connect(nodes)
            return
        inputs_before = len(self.inputs)
        done: list[Apply] = []
        try:
            for var in missing:
                self.add_input(var)
            for node in nodes:
                self._tell("on_import", node, reason)
                if node not in self.apply_nodes:  # else a callback has brought it in meanwhile
                    structure.connect((node,))
                done.append(node)
        except BaseException as error:
            for node in reversed(done):
                self._prune(node.outputs, reason, error)
            self._remove_inputs_from(inputs_before, reason, error)
            raise

    def remove_node(self, node: Apply, reason: str | None = None) -> None:
        """Remove `node`, all that depends on it (nodes, and outputs of the graph), and what is
        then used by nothing. A node that is not in the graph is taken for removed."""
        if node in self.apply_nodes:
            self._remove_dependents(node.outputs, reason)
            self._prune(node.outputs, reason)

    def _remove_dependents(self, variables: Iterable[Variable], reason: str | None) -> None:
        nodes, outputs = self._structure.dependents(variables)
        for i in reversed(outputs):
            self.remove_output(i, reason)
        # what is left led to no output; pruning its last nodes takes the others along
        for node in nodes:
            self._prune(node.outputs, reason)

    def _prune(
        self,
        variables: Iterable[Variable],
        reason: str | None,
        error: BaseException | None = None,
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
        going = self._structure.disconnect_unused(variables, [])
        if not self._hooks["on_prune"]:
            return list(going)
        gone: list[Apply] = []
        raised: BaseException | None = None
        for node in going:
            gone.append(node)
            if error is not None:
                self._tell_back(error, "on_prune", node, reason)
                continue
            try:
                self._tell("on_prune", node, reason)
            except BaseException as objection:
                if raised is None:
                    raised = objection
        if raised is not None:
            raise raised
        return gone

    # -- inputs and outputs --------------------------------------------------------------

    def add_input(self, var: Variable, check: bool = True) -> None:
        """Make `var` the last input of the graph; with `check`, unless it is an input already.

        Raises ValueError if a node computes `var`.
        """
        if not (check and var in self._structure.input_set):
            self.insert_input(len(self.inputs), var)

    def insert_input(self, i: int, var: Variable) -> None:
        """Make `var` input `i` of the graph; those from `i` on move up. See `add_input`."""
        self._structure.insert_input(i, var)
        try:
            self._tell("on_add_input", i, var)
        except BaseException:
            self._structure.pop_input(i)
            raise

    def remove_input(self, input_idx: int, reason: str | None = None) -> None:
        """Remove an input and all that depends on it: nodes, and outputs of the graph.

        Raises IndexError if there is no such input.
        """
        structure = self._structure
        i = _from_start(input_idx, self.inputs, "input")
        if self.inputs.count(self.inputs[i]) == 1:
            self._remove_dependents([self.inputs[i]], reason)
        mapping = self.update_mapping
        var = structure.pop_input(i)
        if mapping is not None:
            self.update_mapping = {k: v - (v > i) for k, v in mapping.items() if v != i}
        try:
            self._tell("on_remove_input", i, var, reason)
        except BaseException:
            structure.insert_input(i, var)
            self.update_mapping = mapping
            raise

    def add_output(
        self, var: Variable, reason: str | None = None, import_missing: bool = False
    ) -> None:
        """Make `var` the last output of the graph. See `import_node` for what it depends on."""
        self.insert_output(len(self.outputs), var, reason, import_missing)

    def insert_output(
        self, i: int, var: Variable, reason: str | None = None, import_missing: bool = False
    ) -> None:
        """Make `var` output `i` of the graph; those from `i` on move up. See `add_output`."""
        inputs_before = len(self.inputs)
        self.import_var(var, reason, import_missing)
        self._structure.insert_output(i, var)
        try:
            self._tell("on_add_output", i, var, reason)
        except BaseException as error:
            self._structure.pop_output(i)
            self._undo_import(var, inputs_before, reason, error)
            raise

    def remove_output(self, output_idx: int, reason: str | None = None) -> None:
        """Remove an output, and all that only it needs. Raises IndexError if there is none."""
        i = _from_start(output_idx, self.outputs, "output")
        mapping = self.update_mapping
        var = self._structure.pop_output(i)
        if mapping is not None:
            self.update_mapping = {k - (k > i): v for k, v in mapping.items() if k != i}
        try:
            self._tell("on_remove_output", i, var, reason)
        except BaseException:
            self._structure.insert_output(i, var)
            self.update_mapping = mapping
            raise
        self._prune([var], reason)

    # -- what is read where --------------------------------------------------------------

    def change_node_input(
        self,
        node: Apply | Literal["output"],
        i: int,
        new_var: Variable,
        reason: str | None = None,
        import_missing: bool = False,
        check: bool = True,
    ) -> None:
        """Make `new_var` input `i` of `node`, and prune what only its predecessor needed.

        Parameters
        ----------
        node
            A node of the graph, or ``"output"`` to change output `i` of the graph.
        check
            Whether the types have to fit: ``old.type.is_super(new.type)``, or `new_var` is
            something that ``old.type.filter_variable`` turns into such a variable. (The document
            writes the two types the other way round; but it is narrowing a type that is safe for
            the users of a variable, and that rewrites do.)

        Raises TypeError, with both variables and both types, if the types don't fit; ValueError if
        `node` is not in the graph; InconsistencyError if it would be an input of itself (`toposort`
        finds longer cycles); and what `import_node` raises.
        """
        structure = self._structure
        if not isinstance(node, str) and node not in self.apply_nodes:
            raise ValueError(f"{node} is not in the graph, so its input {i} can't be changed here")
        old = structure.inputs_of(node)[i]
        if new_var is old:
            return
        if check:
            new_var = fitted(old, new_var)
        if not isinstance(node, str) and new_var.owner is node:
            raise own_input(new_var, node)
        inputs_before = len(self.inputs)
        self.import_var(new_var, reason, import_missing)
        structure.rewire(node, i, new_var)
        try:
            self._tell("on_change_input", node, i, old, new_var, reason)
        except BaseException as error:
            structure.rewire(node, i, old)
            self._undo_import(new_var, inputs_before, reason, error)
            raise
        if not self.clients[old]:
            self._prune([old], reason)

    def replace(
        self,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
        verbose: bool | None = None,
        import_missing: bool = False,
    ) -> None:
        """Make every user of `var` use `new_var`, and prune what only `var` needed.

        `new_var` may be built from `var`: what the call brings into the graph keeps using `var`,
        so that replacing ``exp(x)`` by ``neg(neg(exp(x)))`` does what it says. Only the users that
        are in the graph already are changed; if `new_var` depends on one of them the result has a
        cycle, which costs a walk over the graph to find: `toposort` and `check_integrity` do.
        Nothing happens if `var` is not in the graph (an earlier replacement may have pruned it).

        `verbose` is whether to print what is replaced; ``config.optimizer_verbose`` if None.

        Raises what `change_node_input` does; all users of `var` use `var` again then.
        """
        if config.optimizer_verbose if verbose is None else verbose:
            print(f"rewrite {reason} replaces {described(var)} with {described(new_var)}")
        if var not in self.variables or new_var is var:
            return
        if not (isinstance(new_var, Variable) and new_var.type is var.type):
            new_var = fitted(var, new_var)
        told = None if import_missing else self._quiet["on_replace"]
        if told is None:
            self._replace_one_by_one(var, new_var, reason, import_missing)
            return
        # nobody who listens can object or interfere
        replacement = self._structure.replace(var, new_var, reason)
        if replacement is not None:
            for note in told:
                note(self, replacement)

    def replace_all(self, pairs: Iterable[tuple[Variable, Variable]], **kwargs: Any) -> None:
        """Replace variables, one (var, new_var) pair after the other, as `replace` does.

        If one fails those before it stand; see `ReplaceValidate` for all or none.
        """
        for var, new_var in pairs:
            self.replace(var, new_var, **kwargs)

    def _replace_one_by_one(
        self, var: Variable, new_var: Variable, reason: str | None, import_missing: bool
    ) -> None:
        """Replace `var` for one user after the other. The types have to fit."""
        clients = self.clients
        users = clients[var].copy()
        inputs_before = len(self.inputs)
        try:
            for node, i in users:
                # a callback may have changed this one meanwhile
                if (node, i) in clients.get(var, ()):
                    self.change_node_input(node, i, new_var, reason, import_missing, check=False)
        except BaseException as error:
            for node, i in reversed(users):
                if (node, i) in clients.get(new_var, ()):
                    self.import_var(var, reason)
                    self._structure.rewire(node, i, var)
                    self._tell_back(error, "on_change_input", node, i, new_var, var, reason)
            self._undo_import(new_var, inputs_before, reason, error)
            raise

    def _undo_import(
        self, var: Variable, inputs_before: int, reason: str | None, error: BaseException
    ) -> None:
        """Take out what came in with `var` and is not used: nodes, and inputs after the first."""
        self._prune([var], reason, error)
        self._remove_inputs_from(inputs_before, reason, error)

    def _remove_inputs_from(self, count: int, reason: str | None, error: BaseException) -> None:
        while len(self.inputs) > count:
            var = self._structure.pop_input(len(self.inputs) - 1)
            self._tell_back(error, "on_remove_input", len(self.inputs), var, reason)

    # -- the graph as a whole ------------------------------------------------------------

    def toposort(self, with_orderings: bool = True) -> list[Apply]:
        """Return the nodes in an order of evaluation that follows the graph and `orderings`.

        What rewrites the graph needs no `orderings`: it may be given one that can't be run yet.

        Raises ValueError if there is a cycle; the message names a node on it.
        """
        asked = with_orderings and self._hooks["orderings"]
        orderings = self.orderings() if asked else None
        if orderings:
            return io_toposort(self.inputs, self.outputs, orderings)
        return self._structure.toposort()

    def check_integrity(self) -> None:
        """Check that everything the graph keeps about itself is right.

        Raises InconsistencyError if not; the message names the variable or node at fault.
        """
        check_integrity(self, self._structure)

    def clone(self, check_integrity: bool = True) -> FunctionGraph:
        """Return a copy of the graph, with copies of its features. See `clone_get_equiv`."""
        return self.clone_get_equiv(check_integrity)[0]

    def __copy__(self) -> FunctionGraph:
        return self.clone(check_integrity=False)

    def clone_get_equiv(
        self, check_integrity: bool = True, attach_feature: bool = True, **kwargs: Any
    ) -> tuple[FunctionGraph, dict[Any, Any]]:
        """Return a copy of the graph, and a dict from each variable and node to its copy.

        Both graphs are checked if `check_integrity` is true, and clones of the features attached
        to the copy if `attach_feature` is. The rest is for `relgraph.graph.basic.clone_get_equiv`.
        """
        equiv = clone_get_equiv(self.inputs, self.outputs, **kwargs)
        if check_integrity:
            self.check_integrity()
        copy = type(self)(
            [equiv[v] for v in self.inputs],
            [equiv[v] for v in self.outputs],
            clone=False,
            update_mapping=self.update_mapping,
        )
        if check_integrity:
            copy.check_integrity()
        for feature in self.features if attach_feature else ():
            copy.attach_feature(feature.clone())
        return copy, equiv

    def __contains__(self, item: object) -> bool:
        return item in self.variables or item in self.apply_nodes

    def __repr__(self) -> str:
        return f"FunctionGraph({', '.join(as_string(self.inputs, self.outputs))})"


def _from_start(i: int, items: Sequence[Variable], kind: str) -> int:
    """Return index `i` counted from the start; raise IndexError if nothing has it."""
    if not -len(items) <= i < len(items):
        raise IndexError(f"the graph has {len(items)} {kind}s, so no {kind} {i}")
    return i % len(items)


def outputs_of(graph: Any) -> list[Variable]:
    """Return the outputs of a graph.

    Parameters
    ----------
    graph
        A variable, a sequence of variables, a FunctionGraph or a compiled function.

    Raises
    ------
    TypeError
        If it is none of these.
    """
    graph = getattr(getattr(graph, "maker", None), "fgraph", graph)
    if isinstance(graph, FunctionGraph):
        return list(graph.outputs)
    outputs = [graph] if isinstance(graph, Variable) else graph
    if not isinstance(outputs, list | tuple) or not outputs:
        kind = "empty" if outputs == [] else f"a value of class {type(graph).__name__}"
        raise TypeError(
            f"wanted is a variable, a list of them, a graph or a function, and this is {kind}"
        )
    for out in outputs:
        if not isinstance(out, Variable):
            kind = type(out).__name__
            raise TypeError(
                "wanted is a list of variables, the outputs of a graph, and a value of class "
                f"{kind} is in it"
            )
    return list(outputs)
