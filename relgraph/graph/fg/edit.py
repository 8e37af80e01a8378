"""An edit of a graph: done, told to its features, and undone if one of them objects.

`Listeners` knows which feature listens to what, and tells them; it does not know the structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.features import AlreadyThere, Feature, takes_notes
from relgraph.graph.fg.structure import (
    Client,
    Replacement,
    Structure,
    fitted,
    missing_input,
    own_input,
)

if TYPE_CHECKING:
    from relgraph.graph.fg.graph import FunctionGraph

Hook = tuple[Feature, Callable[..., Any]]
Args = tuple[Any, ...]


class Listeners:
    """The features that are attached to a graph.

    What a graph is does not matter here. It is the `host` that features are attached to; what
    their callbacks get is said with each event, and begins with the host.

    Attributes
    ----------
    features
        The features in the order in which they are told things. The list is never replaced, nor
        is the dict `seconds_by_feature`, so that `FunctionGraph` can have them, too.
    hooks
        By event, the listeners: pairs of a feature and its callback. Found on first use.
    quiet
        By event, the callbacks, if all of them only take notes (see `takes_notes`); None if not.
        Those for ``on_replace`` are of all who listen to a part of a replacement.
    publishers
        By name, the feature that added an attribute to the host.
    seconds, seconds_by_feature
        The time spent in callbacks. It is not taken where all who listen only take notes.
    """

    __slots__ = ("features", "hooks", "publishers", "quiet", "seconds", "seconds_by_feature")

    def __init__(self) -> None:
        self.features: list[Feature] = []
        self.hooks = _Hooks(self.features)
        self.quiet = _QuietHooks(self.hooks)
        self.publishers: dict[str, Feature] = {}
        self.seconds = 0.0
        self.seconds_by_feature: dict[Feature, float] = {}

    # -- who listens ---------------------------------------------------------------------

    def attach(self, host: Any, feature: Feature) -> None:
        """Attach `feature`. See `FunctionGraph.attach_feature`."""
        if any(feature is other for other in self.features):
            return
        try:
            on_attach = getattr(feature, "on_attach", None)
            if on_attach is not None:
                on_attach(host)
        except BaseException as error:
            self._withdraw(host, feature)
            if isinstance(error, AlreadyThere):
                return
            raise
        self.features.append(feature)
        self._find_hooks_again()

    def remove(self, host: Any, feature: Feature) -> None:
        """Detach `feature`. See `FunctionGraph.remove_feature`."""
        if not any(feature is other for other in self.features):
            return
        self.features[:] = [other for other in self.features if other is not feature]
        self._find_hooks_again()
        try:
            on_detach = getattr(feature, "on_detach", None)
            if on_detach is not None:
                on_detach(host)
        finally:
            self._withdraw(host, feature)
            self.seconds_by_feature.pop(feature, None)

    def wake(self, feature: Feature) -> None:
        """Tell `feature`, which was dormant, from now on."""
        feature.dormant = False
        self._find_hooks_again()

    def _find_hooks_again(self) -> None:
        self.hooks.clear()
        self.quiet.clear()

    # -- what they add to the host -------------------------------------------------------

    def publish(self, host: Any, feature: Feature, attributes: dict[str, Any]) -> None:
        """Add attributes to the host. See `FunctionGraph.publish`."""
        for name in attributes:
            publisher = self.publishers.get(name)
            if isinstance(publisher, type(feature)):
                raise AlreadyThere(f"{type(feature).__name__} is attached already")
            if publisher is not None or hasattr(host, name):
                origin = "the graph itself" if publisher is None else f"feature {publisher}"
                raise ValueError(
                    f"feature {feature} can't add {name!r} to the graph: it is there already, "
                    f"from {origin}"
                )
        for name, value in attributes.items():
            self.publishers[name] = feature
            setattr(host, name, value)

    def _withdraw(self, host: Any, feature: Feature) -> None:
        """Take away what `feature` has published."""
        for name in [name for name, other in self.publishers.items() if other is feature]:
            del self.publishers[name]
            vars(host).pop(name, None)

    # -- how they are told ---------------------------------------------------------------

    def call(self, event: str, *args: Any, **kwargs: Any) -> None:
        """Call the method `event` of each feature that has it."""
        for feature, hook in self.hooks[event]:
            self._timed(feature, hook, *args, **kwargs)

    def collect(self, event: str, *args: Any) -> dict[Feature, Any]:
        """Return what the method `event` returns, by feature that has it."""
        return {feature: self._timed(feature, hook, *args) for feature, hook in self.hooks[event]}

    def collect_lists(self, event: str, *args: Any) -> dict[Any, list[Any]]:
        """Return what the method `event` returns, dicts of lists, as one dict of joined lists."""
        merged: dict[Any, dict[Any, None]] = {}
        for mapping in self.collect(event, *args).values():
            for key, things in mapping.items():
                merged.setdefault(key, {}).update(dict.fromkeys(things))
        return {key: list(things) for key, things in merged.items()}

    def tell(self, event: str, *args: Any) -> None:
        """Tell all who listen to `event`.

        If one of them raises, those before it are told the opposite, and the exception goes on.
        """
        hooks = self.hooks[event]
        if not hooks:
            return
        quiet = self.quiet[event]
        if quiet is not None:
            for note in quiet:
                note(*args)
            return
        for feature, hook in hooks:
            try:
                self._timed(feature, hook, *args)
            except BaseException as error:
                if event in _OPPOSITES:
                    opposite, turned = _OPPOSITES[event]
                    told = self.features[: self.features.index(feature)]
                    self._tell_noting(error, told, opposite, turned(*args))
                raise

    def tell_back(self, error: BaseException, event: str, *args: Any) -> None:
        """Tell all who listen to `event`, which undoes something because of `error`.

        What they raise is noted on `error`.
        """
        self._tell_noting(error, self.features, event, args)

    def _tell_noting(
        self, error: BaseException, told: list[Feature], event: str, args: Args
    ) -> None:
        among = {id(feature) for feature in told}
        for feature, hook in self.hooks[event]:
            if id(feature) in among:
                try:
                    self._timed(feature, hook, *args)
                except Exception as second:
                    error.add_note(f"{feature} then raised {second!r} in {event}")

    def _timed(self, feature: Feature, hook: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        start = perf_counter()
        try:
            return hook(*args, **kwargs)
        finally:
            spent = perf_counter() - start
            self.seconds += spent
            times = self.seconds_by_feature
            times[feature] = times.get(feature, 0.0) + spent


class ReplacementListener(Feature):
    """A feature that only takes notes, and hears of each part of a change as of a replacement.

    A subclass defines `on_replace`.
    """

    @takes_notes
    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        made = node.outputs[0]
        self.on_replace(fgraph, Replacement(made, made, (), (node,), (), (), reason))

    @takes_notes
    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Apply | Literal["output"],
        i: int,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
    ) -> None:
        left = () if var.owner is None else (var,)
        self.on_replace(fgraph, Replacement(var, new_var, [(node, i)], (), (), left, reason))

    @takes_notes
    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        gone = node.outputs[0]
        left = [var for var in node.inputs if var.owner is not None]
        self.on_replace(fgraph, Replacement(gone, gone, (), (), (node,), left, reason))


class _Hooks(dict[str, tuple[Hook, ...]]):
    """See `Listeners.hooks`."""

    def __init__(self, features: list[Feature]) -> None:
        self._features = features

    def __missing__(self, event: str) -> tuple[Hook, ...]:
        ignores = getattr(Feature, event, None)
        found: list[Hook] = []
        for feature in self._features:
            if getattr(feature, "dormant", False):
                continue
            hook = getattr(feature, event, None)
            if hook is not None and getattr(hook, "__func__", hook) is not ignores:
                found.append((feature, hook))
        self[event] = tuple(found)
        return self[event]


class _QuietHooks(dict[str, "tuple[Callable[..., Any], ...] | None"]):
    """See `Listeners.quiet`."""

    PARTS = ("on_import", "on_change_input", "on_prune")

    def __init__(self, hooks: _Hooks) -> None:
        self._hooks = hooks

    def __missing__(self, event: str) -> tuple[Callable[..., Any], ...] | None:
        parts = self.PARTS if event == "on_replace" else (event,)
        hooks = [pair for part in parts for pair in self._hooks[part]]
        found: tuple[Callable[..., Any], ...] | None = None
        if all(getattr(hook, "quiet", False) for _, hook in hooks):
            if event == "on_replace":
                told = {id(feature): feature for feature, _ in hooks}
                found = tuple(feature.on_replace for feature in told.values())
            else:
                found = tuple(hook for _, hook in hooks)
        self[event] = found
        return found


def _same(*args: Any) -> Args:
    return args


def _input_back(host: Any, i: int, var: Any, reason: str | None) -> Args:
    return host, i, var


def _input_gone(host: Any, i: int, var: Any) -> Args:
    return host, i, var, None


def _change_back(host: Any, node: Any, i: int, var: Any, new_var: Any, reason: str | None) -> Args:
    return host, node, i, new_var, var, reason


# for an event the opposite, and what makes its arguments of those of the event; nothing is the
# opposite of `on_prune`, which is told when there is no way back
_OPPOSITES: dict[str, tuple[str, Callable[..., Args]]] = {
    "on_import": ("on_prune", _same),
    "on_change_input": ("on_change_input", _change_back),
    "on_add_input": ("on_remove_input", _input_gone),
    "on_remove_input": ("on_add_input", _input_back),
    "on_add_output": ("on_remove_output", _same),
    "on_remove_output": ("on_add_output", _same),
}


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
