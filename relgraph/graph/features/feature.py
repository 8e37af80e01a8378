"""What a feature is: an object that a FunctionGraph tells about its changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar

from relgraph.graph.traversal import io_toposort

if TYPE_CHECKING:
    from relgraph.graph.basic import Apply, Variable
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.fg.replacement import Replacement


Callback = TypeVar("Callback", bound=Callable[..., None])


def takes_notes(callback: Callback) -> Callback:
    """Mark a callback of a feature that only takes notes: it never raises, changes no graph.

    Where all who listen to an event are of this kind, the graph calls them without the clock, and
    without the precautions that let it undo a change. A method that overrides a marked one is not
    marked by that.
    """
    callback.quiet = True  # type: ignore[attr-defined]
    return callback


class AlreadyThere(Exception):
    """Raised by `Feature.on_attach` to say that the graph has what the feature offers already.

    `FunctionGraph.attach_feature` then leaves the feature out, and says nothing.
    """


class Feature:
    """An extension of a `FunctionGraph`: callbacks that it calls when something changes.

    Each callback does nothing here, and one that a subclass leaves alone costs nothing. Besides
    these, `FunctionGraph.execute_callbacks` calls any method by name (``validate``, say).

    An exception in a callback undoes the change that was being told: the graph, and the features
    that had been told before, are as they were. What a callback itself changed in the graph is
    not undone.
    """

    # a dormant feature is told nothing; ``fgraph.listen(self)`` ends that
    dormant = False

    def on_attach(self, fgraph: FunctionGraph) -> None:
        """Prepare for `fgraph`, whose nodes are all there (`on_import` is not called for them).

        To add a method to the graph call ``fgraph.publish``, which refuses names that are taken
        and removes them when the feature goes.

        Raises
        ------
        AlreadyThere
            To be left out, since the graph has what this feature offers.
        """

    def on_detach(self, fgraph: FunctionGraph) -> None:
        """Let go of `fgraph`. What was published is removed without this."""

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        """Hear that `node` comes in: just before it is connected, its inputs being there."""

    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        """Hear that `node` went: just after it was disconnected, its inputs being there still."""

    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Apply | Literal["output"],
        i: int,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
    ) -> None:
        """Hear that input `i` of `node`, which was `var`, is `new_var` now.

        `node` is ``"output"`` where output `i` of the graph changed. What only `var` needed is
        still there; it is pruned next.
        """

    def on_replace(self, fgraph: FunctionGraph, replacement: Replacement) -> None:
        """Hear of a replacement when all of it is done.

        Where all who listen only take notes (see `takes_notes`), this is called in place of
        `on_import`, `on_change_input` and `on_prune`. Here it calls those.
        """
        old, new, reason = replacement.var, replacement.new_var, replacement.reason
        for node in replacement.imported:
            self.on_import(fgraph, node, reason)
        for user, i in replacement.users:
            self.on_change_input(fgraph, user, i, old, new, reason)
        for node in replacement.pruned:
            self.on_prune(fgraph, node, reason)

    def on_add_input(self, fgraph: FunctionGraph, i: int, var: Variable) -> None:
        """Hear that `var` became input `i` of the graph."""

    def on_remove_input(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        """Hear that `var`, which was input `i` of the graph, was removed with all that used it."""

    def on_add_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        """Hear that `var` became output `i` of the graph; those from `i` on moved up."""

    def on_remove_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        """Hear that `var` is not output `i` of the graph any more; those after `i` moved down."""

    def orderings(
        self, fgraph: FunctionGraph, ordered: bool = True
    ) -> Mapping[Apply, Sequence[Apply]]:
        """Return, for some nodes, further nodes that have to be computed before.

        Parameters
        ----------
        ordered
            Whether the order of the answer has to be the same from run to run.
        """
        return {}

    def clone(self) -> Feature:
        """Return a feature to attach to a copy of the graph.

        That is this one: a feature that keeps something about its graph overrides this.
        """
        return self


class Bookkeeper(Feature):
    """A feature that treats the nodes that are there already like nodes that come and go."""

    def on_attach(self, fgraph: FunctionGraph) -> None:
        # without the features' orderings: a graph that is not valid may have no such order
        for node in io_toposort(fgraph.inputs, fgraph.outputs):
            self.on_import(fgraph, node, "on_attach")

    def on_detach(self, fgraph: FunctionGraph) -> None:
        for node in io_toposort(fgraph.inputs, fgraph.outputs):
            self.on_prune(fgraph, node, "Bookkeeper.detach")
