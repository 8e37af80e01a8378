"""The part of a FunctionGraph that knows its features and tells them what happens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from relgraph.graph.features.feature import AlreadyThere, Feature

if TYPE_CHECKING:
    from relgraph.graph.basic import Apply

Hook = tuple[Feature, Callable[..., Any]]


class _Hooks(dict[str, tuple[Hook, ...]]):
    """For each event, who listens: found out when it is first asked for."""

    def __init__(self, features: list[Feature]) -> None:
        super().__init__()
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
    """For each event, the callbacks of all who listen if they only take notes; None otherwise.

    Under ``on_replace`` stand those of all who listen to a part of a replacement.
    """

    PARTS = ("on_import", "on_change_input", "on_prune")

    def __init__(self, hooks: _Hooks) -> None:
        super().__init__()
        self._hooks = hooks

    def __missing__(self, event: str) -> tuple[Callable[..., Any], ...] | None:
        parts = self.PARTS if event == "on_replace" else (event,)
        hooks = [pair for part in parts for pair in self._hooks[part]]
        quiet = all(getattr(hook, "quiet", False) for _, hook in hooks)
        if event == "on_replace":
            told = {id(feature): feature for feature, _ in hooks}
            hooks = [(feature, feature.on_replace) for feature in told.values()]
        self[event] = found = tuple(hook for _, hook in hooks) if quiet else None
        return found


class FeatureHost:
    """What features are attached to.

    Attributes
    ----------
    features
        The attached features, in the order in which they are told things.
    execute_callbacks_time, execute_callbacks_times
        The seconds spent in callbacks: in all, and by feature. Those that only take notes (see
        `takes_notes`) are not timed where nobody else listens.
    validate_time
        The seconds spent validating (see `Validator`).
    profile
        Set by who wants every rewriter timed, however large the graph is; None by default.
    """

    features: list[Feature]
    execute_callbacks_time: float
    execute_callbacks_times: dict[Feature, float]
    validate_time: float
    profile: Any

    def __init__(self) -> None:
        self.features = []
        self.execute_callbacks_time = 0.0
        self.execute_callbacks_times = {}
        self.validate_time = 0.0
        self.profile = None
        self._hooks = _Hooks(self.features)
        self._quiet = _QuietHooks(self._hooks)
        self._published: dict[str, Feature] = {}

    if TYPE_CHECKING:
        # features add methods, so the type is open; a `__getattr__` that is there when the code
        # runs would make each look at an attribute several times as slow
        def __getattr__(self, name: str) -> Any: ...

    def attach_feature(self, feature: Feature) -> None:
        """Attach `feature` and call its `on_attach`.

        Nothing happens if it is attached already, or if its `on_attach` raises `AlreadyThere`.
        """
        if any(feature is other for other in self.features):
            return
        try:
            attach = getattr(feature, "on_attach", None)
            if attach is not None:
                attach(self)
        except BaseException as error:
            self._withdraw(feature)
            if isinstance(error, AlreadyThere):
                return
            raise
        self.features.append(feature)
        self._hooks.clear()
        self._quiet.clear()

    def remove_feature(self, feature: Feature) -> None:
        """Detach `feature`, call its `on_detach`, and remove what it published.

        Nothing happens if it is not attached.
        """
        if not any(feature is other for other in self.features):
            return
        self.features[:] = [other for other in self.features if other is not feature]
        self._hooks.clear()
        self._quiet.clear()
        try:
            detach = getattr(feature, "on_detach", None)
            if detach is not None:
                detach(self)
        finally:
            self._withdraw(feature)
            self.execute_callbacks_times.pop(feature, None)

    def listen(self, feature: Feature) -> None:
        """Tell `feature` from now on, which was dormant."""
        feature.dormant = False
        self._hooks.clear()
        self._quiet.clear()

    def publish(self, feature: Feature, **attributes: Any) -> None:
        """Add methods (or other attributes) to the graph on behalf of `feature`.

        They go when the feature is detached, or when its `on_attach` fails.

        Raises
        ------
        AlreadyThere
            If a feature of the same class, or of one derived from it, added such a name.
        ValueError
            If the graph has such a name from elsewhere; the message says from where.
        """
        for name in attributes:
            holder = self._published.get(name)
            if isinstance(holder, type(feature)):
                raise AlreadyThere(f"{type(feature).__name__} is attached already")
            if holder is not None or hasattr(self, name):
                origin = "the graph itself" if holder is None else f"feature {holder}"
                raise ValueError(
                    f"feature {feature} can't add {name!r} to the graph: it is there already, "
                    f"from {origin}"
                )
        for name, value in attributes.items():
            self._published[name] = feature
            setattr(self, name, value)

    def published_by(self, name: str) -> Feature | None:
        """Return the feature that added attribute `name` to the graph, or None."""
        return self._published.get(name)

    def _withdraw(self, feature: Feature) -> None:
        for name in [n for n, holder in self._published.items() if holder is feature]:
            del self._published[name]
            self.__dict__.pop(name, None)

    def listens(self, name: str) -> bool:
        """Return whether some feature has a callback `name` that does something."""
        return bool(self._hooks[name])

    def execute_callbacks(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Call ``feature.name(fgraph, *args, **kwargs)`` for each feature that has the method."""
        for feature, hook in self._hooks[name]:
            self._timed(feature, hook, *args, **kwargs)

    def collect_callbacks(self, name: str, *args: Any) -> dict[Feature, Any]:
        """Return what ``feature.name(fgraph, *args)`` returns, by feature that has the method."""
        return {feature: self._timed(feature, hook, *args) for feature, hook in self._hooks[name]}

    def orderings(self) -> dict[Apply, list[Apply]]:
        """Return, for some nodes, the nodes that features want computed before them.

        What follows from the graph itself is not included.
        """
        merged: dict[Apply, dict[Apply, None]] = {}
        for wanted in self.collect_callbacks("orderings").values():
            for node, before in wanted.items():
                merged.setdefault(node, {}).update(dict.fromkeys(before))
        return {node: list(before) for node, before in merged.items()}

    def _timed(self, feature: Feature, hook: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        start = perf_counter()
        try:
            return hook(self, *args, **kwargs)
        finally:
            spent = perf_counter() - start
            self.execute_callbacks_time += spent
            times = self.execute_callbacks_times
            times[feature] = times.get(feature, 0.0) + spent

    def _tell(
        self, event: str, args: tuple[Any, ...], undo: str = "", undo_args: tuple[Any, ...] = ()
    ) -> None:
        """Tell the features; if one of them raises, tell `undo` to those that had been told."""
        for feature, hook in self._hooks[event]:
            try:
                self._timed(feature, hook, *args)
            except BaseException as error:
                if undo:
                    told = self.features[: self.features.index(feature)]
                    self._tell_back(undo, undo_args, error, told)
                raise

    def _tell_back(
        self,
        event: str,
        args: tuple[Any, ...],
        error: BaseException,
        told: Iterable[Feature] | None = None,
    ) -> None:
        """Tell the features while cleaning up after `error`; what they raise is noted on it."""
        among = None if told is None else {id(f) for f in told}
        for feature, hook in self._hooks[event]:
            if among is None or id(feature) in among:
                try:
                    self._timed(feature, hook, *args)
                except Exception as second:
                    error.add_note(f"{feature} then raised {second!r} in {event}")
