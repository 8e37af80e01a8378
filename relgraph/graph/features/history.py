"""History: a feature that undoes the changes of a graph since a checkpoint."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from relgraph.graph.features.feature import Feature, takes_notes

if TYPE_CHECKING:
    from relgraph.graph.basic import Apply, Variable
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.fg.replacement import Replacement


class Checkpoint:
    """A state of a graph that `History` can go back to, for as long as somebody holds this."""

    __slots__ = ("__weakref__", "history", "position", "update_mapping")

    def __init__(
        self, history: History, position: int, update_mapping: dict[int, int] | None
    ) -> None:
        self.history = history
        self.position: int | None = position
        self.update_mapping = update_mapping


# what to call to undo one change, and its arguments after the graph
_Undo = tuple[Callable[..., None], tuple[object, ...]]


class History(Feature):
    """Lets a graph go back to an earlier state: ``fgraph.checkpoint()``, ``fgraph.revert(c)``.

    It undoes any sequence of changes of inputs, of outputs, and of what nodes read. Changes are
    kept only while a checkpoint that could need them is alive; so is what was pruned.

    An instance serves one graph.
    """

    def __init__(self) -> None:
        self.dormant = True  # until there is a checkpoint
        self._log: list[_Undo] = []
        # whether there may be a checkpoint: cheaper to ask than whether there is one
        self._noting = False
        self._live: weakref.WeakSet[Checkpoint] = weakref.WeakSet()
        self._fgraph: weakref.ref[FunctionGraph] | None = None

    def on_attach(self, fgraph: FunctionGraph) -> None:
        self._serve(fgraph)
        fgraph.publish(
            self, checkpoint=partial(self.checkpoint, fgraph), revert=partial(self.revert, fgraph)
        )

    def on_detach(self, fgraph: FunctionGraph) -> None:
        self._forget_all()
        self._fgraph = None

    def clone(self) -> Feature:
        return type(self)()

    def __reduce__(self) -> tuple[Any, ...]:
        # a checkpoint is of the graph that it was made of, so that a copy has none
        return type(self), ()

    def _serve(self, fgraph: FunctionGraph) -> None:
        known = None if self._fgraph is None else self._fgraph()
        if known is not None and known is not fgraph:
            raise ValueError(f"{self} is attached to another graph; attach a clone of it")
        self._fgraph = weakref.ref(fgraph)

    def _forget_all(self) -> None:
        self._log.clear()
        for checkpoint in self._live:
            checkpoint.position = None
        self._live.clear()

    def checkpoint(self, fgraph: FunctionGraph) -> Checkpoint:
        """Return the present state, for `revert`."""
        if not self._live:
            self._log.clear()
        made = Checkpoint(self, len(self._log), fgraph.update_mapping)
        self._live.add(made)
        self._noting = True
        if self.dormant:
            fgraph.listen(self)
        return made

    def revert(self, fgraph: FunctionGraph, checkpoint: Checkpoint) -> None:
        """Bring the graph back to the state at `checkpoint`, which can be used again.

        The checkpoints taken since can't be used any more.

        Raises
        ------
        ValueError
            If `checkpoint` is not from this graph, or was passed over by going back further.
        """
        position = checkpoint.position
        if checkpoint.history is not self or position is None:
            raise ValueError(
                "this checkpoint is of another graph, or of a state that a later revert undid"
            )
        for other in list(self._live):
            if other.position is not None and other.position > position:
                other.position = None
                self._live.discard(other)
        while len(self._log) > position:
            undo, args = self._log.pop()
            kept = len(self._log)
            try:
                undo(fgraph, *args)
            finally:
                # undoing is no change to undo
                del self._log[kept:]
        fgraph.update_mapping = checkpoint.update_mapping

    def _note(self, undo: Callable[..., None], *args: object) -> None:
        if not self._noting:
            return
        if self._live:
            self._log.append((undo, args))
        else:
            self._noting = False
            self._log.clear()

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
        if self._noting:
            self._note(_change_back, node, i, var)

    def on_replace(self, fgraph: FunctionGraph, replacement: Replacement) -> None:
        if self._noting:
            for user, i in replacement.users:
                self._note(_change_back, user, i, replacement.var)

    @takes_notes
    def on_add_input(self, fgraph: FunctionGraph, i: int, var: Variable) -> None:
        self._note(_remove_input, i)

    @takes_notes
    def on_remove_input(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._note(_insert_input, i, var)

    @takes_notes
    def on_add_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._note(_remove_output, i)

    @takes_notes
    def on_remove_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._note(_insert_output, i, var)


def _change_back(
    fgraph: FunctionGraph, node: Apply | Literal["output"], i: int, var: Variable
) -> None:
    if isinstance(node, str) or node in fgraph.apply_nodes:
        fgraph.change_node_input(node, i, var, reason="revert", check=False)
    else:
        # it was pruned and comes back only if an earlier state needs it; then like this
        node.inputs[i] = var


def _remove_input(fgraph: FunctionGraph, i: int) -> None:
    fgraph.remove_input(i, reason="revert")


def _insert_input(fgraph: FunctionGraph, i: int, var: Variable) -> None:
    fgraph.insert_input(i, var)


def _remove_output(fgraph: FunctionGraph, i: int) -> None:
    fgraph.remove_output(i, reason="revert")


def _insert_output(fgraph: FunctionGraph, i: int, var: Variable) -> None:
    fgraph.insert_output(i, var, reason="revert")
