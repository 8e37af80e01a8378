"""Which feature listens to what, and how features are told; they know nothing of graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.features import AlreadyThere, Feature, takes_notes
from relgraph.graph.fg.structure import Replacement

if TYPE_CHECKING:
    from relgraph.graph.fg.graph import FunctionGraph

Hook = tuple[Feature, Callable[..., Any]]
Args = tuple[Any, ...]
Attached = TypeVar("Attached", bound=Feature)


class Listeners:
    """An object that features are attached to: the base class of `FunctionGraph`.

    What a graph is does not matter here.

    Attributes
    ----------
    features
        The attached features, in the order in which they are told things.
    execute_callbacks_time, execute_callbacks_times
        The seconds spent in callbacks, in all and by feature. The time is not taken where all
        listeners only take notes.
    """

    def __init__(self) -> None:
        self.features: list[Feature] = []
        # by event, pairs of a feature and its callback; found on first use
        self._hooks = _Hooks(self.features)
        # by event, the callbacks, if all of them only take notes (see `takes_notes`); None if not.
        # Those of ``on_replace`` belong to all listeners of a part of a replacement.
        self._quiet = _QuietHooks(self._hooks)
        # by name, the feature that added an attribute
        self._publishers: dict[str, Feature] = {}
        self.execute_callbacks_time = 0.0
        self.execute_callbacks_times: dict[Feature, float] = {}

    # -- who listens ---------------------------------------------------------------------

    def attach_feature(self, feature: Feature) -> None:
        """Attach `feature` and call its `on_attach`.

        Nothing happens if it is attached already, or if its `on_attach` raises `AlreadyThere`.
        """
        if any(feature is other for other in self.features):
            return
        try:
            on_attach = getattr(feature, "on_attach", None)
            if on_attach is not None:
                on_attach(self)
        except BaseException as error:
            self._withdraw(feature)
            if isinstance(error, AlreadyThere):
                return
            raise
        self.features.append(feature)
        self._find_hooks_again()

    @contextmanager
    def attached(self, feature: Attached) -> Iterator[Attached]:
        """Attach a feature for the time of a block, which is given it."""
        self.attach_feature(feature)
        try:
            yield feature
        finally:
            self.remove_feature(feature)

    def remove_features(self) -> None:
        """Detach all features.

        They and the methods that they add refer to the graph. Without these cycles its memory is
        freed at once, and not only by the garbage collector.
        """
        for feature in list(self.features):
            self.remove_feature(feature)

    def remove_feature(self, feature: Feature) -> None:
        """Detach `feature`, call its `on_detach`, and remove what it published.

        Nothing happens if it is not attached.
        """
        if not any(feature is other for other in self.features):
            return
        self.features[:] = [other for other in self.features if other is not feature]
        self._find_hooks_again()
        try:
            on_detach = getattr(feature, "on_detach", None)
            if on_detach is not None:
                on_detach(self)
        finally:
            self._withdraw(feature)
            self.execute_callbacks_times.pop(feature, None)

    def listen(self, feature: Feature) -> None:
        """Tell `feature` from now on, which was dormant."""
        feature.dormant = False
        self._find_hooks_again()

    def listens(self, name: str) -> bool:
        """Return whether some feature has a callback `name` that does something."""
        return bool(self._hooks[name])

    def _find_hooks_again(self) -> None:
        self._hooks.clear()
        self._quiet.clear()

    # -- what they add -------------------------------------------------------------------

    def publish(self, feature: Feature, **attributes: Any) -> None:
        """Add methods (or other attributes) on behalf of `feature`.

        They go when the feature is detached, or when its `on_attach` fails. Raises AlreadyThere if
        a feature of the same class, or of one derived from it, added such a name; ValueError if
        there is such a name from elsewhere, and the message says from where.
        """
        for name in attributes:
            publisher = self._publishers.get(name)
            if isinstance(publisher, type(feature)):
                raise AlreadyThere(f"{type(feature).__name__} is attached already")
            if publisher is not None or hasattr(self, name):
                origin = "the graph itself" if publisher is None else f"feature {publisher}"
                raise ValueError(
                    f"feature {feature} can't add {name!r} to the graph: it is there already, "
                    f"from {origin}"
                )
        for name, value in attributes.items():
            self._publishers[name] = feature
            setattr(self, name, value)

    def published_by(self, name: str) -> Feature | None:
        """Return the feature that added attribute `name`, or None."""
        return self._publishers.get(name)

    def _withdraw(self, feature: Feature) -> None:
        """Take away what `feature` has published."""
        for name in [name for name, other in self._publishers.items() if other is feature]:
            del self._publishers[name]
            vars(self).pop(name, None)

    # -- how they are told ---------------------------------------------------------------

    def execute_callbacks(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Call ``feature.name(self, *args, **kwargs)`` for each feature that has the method."""
        for feature, hook in self._hooks[name]:
            self._timed(feature, hook, *args, **kwargs)

    def collect_callbacks(self, name: str, *args: Any) -> dict[Feature, Any]:
        """Return what ``feature.name(self, *args)`` returns, by feature that has the method."""
        return {feature: self._timed(feature, hook, *args) for feature, hook in self._hooks[name]}

    def orderings(self) -> dict[Apply, list[Apply]]:
        """Return, for some nodes, the nodes that features want computed before them.

        What follows from the graph itself is not included.
        """
        merged: dict[Apply, dict[Apply, None]] = {}
        for mapping in self.collect_callbacks("orderings").values():
            for node, before in mapping.items():
                merged.setdefault(node, {}).update(dict.fromkeys(before))
        return {node: list(before) for node, before in merged.items()}

    def _tell(self, event: str, *args: Any) -> None:
        """Tell all who listen to `event`.

        If one of them raises, those before it are told the opposite, and the exception goes on.
        """
        hooks = self._hooks[event]
        if not hooks:
            return
        quiet = self._quiet[event]
        if quiet is not None:
            for note in quiet:
                note(self, *args)
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

    def _tell_back(self, error: BaseException, event: str, *args: Any) -> None:
        """Tell all who listen to `event`, which undoes something because of `error`.

        What they raise is noted on `error`.
        """
        self._tell_noting(error, self.features, event, args)

    def _tell_noting(
        self, error: BaseException, told: list[Feature], event: str, args: Args
    ) -> None:
        among = {id(feature) for feature in told}
        for feature, hook in self._hooks[event]:
            if id(feature) in among:
                try:
                    self._timed(feature, hook, *args)
                except Exception as second:
                    error.add_note(f"{feature} then raised {second!r} in {event}")

    def _timed(self, feature: Feature, hook: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        start = perf_counter()
        try:
            return hook(self, *args, **kwargs)
        finally:
            spent = perf_counter() - start
            self.execute_callbacks_time += spent
            times = self.execute_callbacks_times
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
    """The callbacks by event; see `Listeners`."""

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
    """The callbacks by event where all only take notes; see `Listeners`."""

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


# for an event the opposite, and what makes its arguments of those of the event; nothing is the
# opposite of `on_prune`, which is told when there is no way back
_OPPOSITES: dict[str, tuple[str, Callable[..., Args]]] = {
    "on_import": ("on_prune", lambda *args: args),
    "on_change_input": (
        "on_change_input",
        lambda node, i, var, new, reason: (node, i, new, var, reason),
    ),
    "on_add_input": ("on_remove_input", lambda i, var: (i, var, None)),
    "on_remove_input": ("on_add_input", lambda i, var, reason: (i, var)),
    "on_add_output": ("on_remove_output", lambda *args: args),
    "on_remove_output": ("on_add_output", lambda *args: args),
}
