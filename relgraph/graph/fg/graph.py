"""FunctionGraph: the graph between some inputs and outputs, made to be changed; its copies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeVar

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
from relgraph.graph.fg.edit import Edit, Listeners
from relgraph.graph.fg.structure import Client, Structure, check_integrity, described, fitted
from relgraph.introspection import Displayed
from relgraph.settings import config

Attached = TypeVar("Attached", bound=Feature)

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


class FunctionGraph(Displayed):
    """The graph between some inputs and outputs, made to be changed.

    It has a `Structure`, with the clients of each variable, so that the graph can be followed
    both ways, and `Listeners`, the features that are told of each change. A change is an `Edit` of
    both, and costs what it touches, not what the graph holds. One that raises leaves the graph as
    it was, but for what the callbacks of features did to it meanwhile.

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
    update_mapping
        As given, and kept right when inputs and outputs go. Replaced, never changed in place.
    merged
        Whether an optimizer is at work that sees to it that nothing is computed twice: what is
        equal is then one variable, or will be when both have been looked at.
    features
        The attached features, in the order in which they are told things.
    execute_callbacks_times, validate_time
        The seconds spent in callbacks, by feature, and validating (see `Validator`).
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
        structure, listeners = Structure(), Listeners()
        self._structure, self._listeners = structure, listeners
        # these are read everywhere and all the time, and a property takes several times as long as
        # an attribute: so both objects have the same list, set or dict, which is never replaced
        self.inputs = structure.inputs
        self.outputs = structure.outputs
        self.variables = structure.variables
        self.apply_nodes = structure.apply_nodes
        self.clients = structure.clients
        self.features = listeners.features
        self.execute_callbacks_times = listeners.seconds_by_feature
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
        made._structure.order = list(nodes)
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

    def _edit(self, reason: str | None = None) -> Edit:
        return Edit(self, self._structure, self._listeners, reason)

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
        self._edit(reason).remove_client(var, client_to_remove, remove_if_empty)

    # -- nodes that come in, and nodes that go -------------------------------------------

    def import_var(
        self, var: Variable, reason: str | None = None, import_missing: bool = False
    ) -> None:
        """Bring in `var` and all it depends on. See `import_node`."""
        self._edit(reason).import_var(var, import_missing)

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
        self._edit(reason).import_node(apply_node, check, import_missing)

    def remove_node(self, node: Apply, reason: str | None = None) -> None:
        """Remove `node`, all that depends on it (nodes, and outputs of the graph), and what is
        then used by nothing. A node that is not in the graph is taken for removed."""
        self._edit(reason).remove_node(node)

    # -- inputs and outputs --------------------------------------------------------------

    def add_input(self, var: Variable, check: bool = True) -> None:
        """Make `var` the last input of the graph; with `check`, unless it is an input already.

        Raises ValueError if a node computes `var`.
        """
        if not (check and var in self._structure.input_set):
            self.insert_input(len(self.inputs), var)

    def insert_input(self, i: int, var: Variable) -> None:
        """Make `var` input `i` of the graph; those from `i` on move up. See `add_input`."""
        self._edit().insert_input(i, var)

    def remove_input(self, input_idx: int, reason: str | None = None) -> None:
        """Remove an input and all that depends on it: nodes, and outputs of the graph.

        Raises IndexError if there is no such input.
        """
        self._edit(reason).remove_input(input_idx)

    def add_output(
        self, var: Variable, reason: str | None = None, import_missing: bool = False
    ) -> None:
        """Make `var` the last output of the graph. See `import_node` for what it depends on."""
        self.insert_output(len(self.outputs), var, reason, import_missing)

    def insert_output(
        self, i: int, var: Variable, reason: str | None = None, import_missing: bool = False
    ) -> None:
        """Make `var` output `i` of the graph; those from `i` on move up. See `add_output`."""
        self._edit(reason).insert_output(i, var, import_missing)

    def remove_output(self, output_idx: int, reason: str | None = None) -> None:
        """Remove an output, and all that only it needs. Raises IndexError if there is none."""
        self._edit(reason).remove_output(output_idx)

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
        self._edit(reason).change_node_input(node, i, new_var, import_missing, check)

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
        told = None if import_missing else self._listeners.quiet["on_replace"]
        if told is None:
            self._edit(reason).replace(var, new_var, import_missing)
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

    # -- the graph as a whole ------------------------------------------------------------

    def toposort(self, with_orderings: bool = True) -> list[Apply]:
        """Return the nodes in an order of evaluation that follows the graph and `orderings`.

        What rewrites the graph needs no `orderings`: it may be given one that can't be run yet.

        Raises ValueError if there is a cycle; the message names a node on it.
        """
        asked = with_orderings and self._listeners.hooks["orderings"]
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

    # -- features ------------------------------------------------------------------------

    def attach_feature(self, feature: Feature) -> None:
        """Attach `feature` and call its `on_attach`.

        Nothing happens if it is attached already, or if its `on_attach` raises `AlreadyThere`.
        """
        self._listeners.attach(self, feature)

    @contextmanager
    def attached(self, feature: Attached) -> Iterator[Attached]:
        """Attach a feature for the time of a block, which is given it."""
        self.attach_feature(feature)
        try:
            yield feature
        finally:
            self.remove_feature(feature)

    def remove_feature(self, feature: Feature) -> None:
        """Detach `feature`, call its `on_detach`, and remove what it published.

        Nothing happens if it is not attached.
        """
        self._listeners.remove(self, feature)

    def listen(self, feature: Feature) -> None:
        """Tell `feature` from now on, which was dormant."""
        self._listeners.wake(feature)

    def publish(self, feature: Feature, **attributes: Any) -> None:
        """Add methods (or other attributes) to the graph on behalf of `feature`.

        They go when the feature is detached, or when its `on_attach` fails. Raises AlreadyThere if
        a feature of the same class, or of one derived from it, added such a name; ValueError if the
        graph has such a name from elsewhere, and the message says from where.
        """
        self._listeners.publish(self, feature, attributes)

    def published_by(self, name: str) -> Feature | None:
        """Return the feature that added attribute `name` to the graph, or None."""
        return self._listeners.publishers.get(name)

    def listens(self, name: str) -> bool:
        """Return whether some feature has a callback `name` that does something."""
        return bool(self._listeners.hooks[name])

    @property
    def execute_callbacks_time(self) -> float:
        """The seconds spent in callbacks in all."""
        return self._listeners.seconds

    def execute_callbacks(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Call ``feature.name(fgraph, *args, **kwargs)`` for each feature that has the method."""
        self._listeners.call(name, self, *args, **kwargs)

    def collect_callbacks(self, name: str, *args: Any) -> dict[Feature, Any]:
        """Return what ``feature.name(fgraph, *args)`` returns, by feature that has the method."""
        return self._listeners.collect(name, self, *args)

    def orderings(self) -> dict[Apply, list[Apply]]:
        """Return, for some nodes, the nodes that features want computed before them.

        What follows from the graph itself is not included.
        """
        return self._listeners.collect_lists("orderings", self)
