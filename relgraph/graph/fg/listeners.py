"""The features of a graph: which of them listens to what, and how they are told."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from relgraph.graph.features.feature import AlreadyThere, Feature

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
        By event, who listens: pairs of a feature and its callback. Found when first asked for.
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
