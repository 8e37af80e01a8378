"""Features: objects that a FunctionGraph tells about its changes.

`History` undoes changes, `ReplaceValidate` undoes replacements that make a graph invalid,
`NodeFinder` finds nodes by their op; `relgraph.graph.destroyhandler` has the one for ops that
overwrite their inputs.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from relgraph.graph.traversal import io_toposort
from relgraph.graph.utils import InconsistencyError

if TYPE_CHECKING:
    from relgraph.graph.basic import Apply, Variable
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.fg.structure import Replacement
    from relgraph.graph.op import Op

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
        self._log.clear()
        for checkpoint in self._live:
            checkpoint.position = None
        self._live.clear()
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
        self._note(methodcaller("remove_input", i, "revert"))

    @takes_notes
    def on_remove_input(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._note(methodcaller("insert_input", i, var))

    @takes_notes
    def on_add_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._note(methodcaller("remove_output", i, "revert"))

    @takes_notes
    def on_remove_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._note(methodcaller("insert_output", i, var, "revert"))


def _change_back(
    fgraph: FunctionGraph, node: Apply | Literal["output"], i: int, var: Variable
) -> None:
    if isinstance(node, str) or node in fgraph.apply_nodes:
        fgraph.change_node_input(node, i, var, reason="revert", check=False)
    else:
        # it was pruned and comes back only if an earlier state needs it; then like this
        node.inputs[i] = var


class ReplacementDidNotRemoveError(Exception):
    """A replacement left a node in the graph that it should have removed."""


@dataclass(eq=False)
class BadOptimization(Exception):
    """A rewrite changed a value.

    Parameters
    ----------
    old_r, new_r
        The variable that was replaced and its replacement.
    old_r_val, new_r_val
        Their values, which should be the same.
    reason
        The rewrite.
    old_graph, new_graph
        The graphs of both variables, as text.
    """

    old_r: Variable
    new_r: Variable
    old_r_val: Any
    new_r_val: Any
    reason: str | None
    old_graph: str = ""
    new_graph: str = ""

    def __str__(self) -> str:
        lines = [
            f"{self.reason} replaced {self.old_r} by {self.new_r}, which has another value",
            f"  {self.old_r} ({self.old_r.type}) = {self.old_r_val!r}",
            f"  {self.new_r} ({self.new_r.type}) = {self.new_r_val!r}",
        ]
        lines += [f"  graph before: {self.old_graph}"] * bool(self.old_graph)
        lines += [f"  graph after: {self.new_graph}"] * bool(self.new_graph)
        return "\n".join(lines)


def _validate(fgraph: FunctionGraph) -> None:
    start = perf_counter()
    try:
        fgraph.execute_callbacks("validate")
    finally:
        fgraph.validate_time += perf_counter() - start


def _consistent(fgraph: FunctionGraph) -> bool:
    try:
        _validate(fgraph)
    except InconsistencyError:
        return False
    return True


class Validator(Feature):
    """Adds ``fgraph.validate()`` and ``fgraph.consistent()``.

    The first calls ``feature.validate(fgraph)`` for each feature that has it, which raises
    `InconsistencyError` if the graph is not as the feature wants it; the second returns whether
    none does. The seconds spent are summed in ``fgraph.validate_time``.
    """

    def on_attach(self, fgraph: FunctionGraph) -> None:
        fgraph.publish(
            self, validate=partial(_validate, fgraph), consistent=partial(_consistent, fgraph)
        )


class ReplaceValidate(History, Validator):
    """A `History` and a `Validator` that adds replacements which are undone if they don't validate.

    It adds ``fgraph.replace_validate``, ``fgraph.replace_all_validate`` and
    ``fgraph.replace_all_validate_remove``, and whatever of ``checkpoint``, ``revert``,
    ``validate`` and ``consistent`` is not there yet.
    """

    def on_attach(self, fgraph: FunctionGraph) -> None:
        self._serve(fgraph)
        fgraph.publish(
            self,
            replace_validate=partial(self.replace_validate, fgraph),
            replace_all_validate=partial(self.replace_all_validate, fgraph),
            replace_all_validate_remove=partial(self.replace_all_validate_remove, fgraph),
        )
        if not isinstance(fgraph.published_by("checkpoint"), History):
            History.on_attach(self, fgraph)
        if not isinstance(fgraph.published_by("validate"), Validator):
            Validator.on_attach(self, fgraph)

    def replace_validate(
        self,
        fgraph: FunctionGraph,
        r: Variable,
        new_r: Variable,
        reason: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Replace `r` by `new_r`, as `replace_all_validate` does."""
        self.replace_all_validate(fgraph, [(r, new_r)], reason=reason, **kwargs)

    def replace_all_validate(
        self,
        fgraph: FunctionGraph,
        replacements: Iterable[tuple[Variable, Variable]],
        reason: str | None = None,
        **kwargs: Any,
    ) -> Checkpoint:
        """Replace variables, then validate the graph. If anything raises, nothing is replaced.

        Parameters
        ----------
        replacements
            (old, new) pairs.
        kwargs
            Arguments for `FunctionGraph.replace`.

        Returns
        -------
        checkpoint
            The state before.

        Raises
        ------
        InconsistencyError
            If a feature objects to the result.
        TypeError, MissingInputError
            As `FunctionGraph.replace` does.
        """
        before = self.checkpoint(fgraph)
        try:
            for r, new_r in replacements:
                fgraph.replace(r, new_r, reason=reason, **kwargs)
            _validate(fgraph)
        except BaseException:
            self.revert(fgraph, before)
            raise
        return before

    def replace_all_validate_remove(
        self,
        fgraph: FunctionGraph,
        replacements: Iterable[tuple[Variable, Variable]],
        remove: Iterable[Apply],
        reason: str | None = None,
        warn: bool = True,
        **kwargs: Any,
    ) -> None:
        """Like `replace_all_validate`, where the replacement has to remove some nodes.

        Parameters
        ----------
        remove
            The nodes that have to be gone.
        warn
            Whether to warn before raising.

        Raises
        ------
        ReplacementDidNotRemoveError
            If one of them is still there; nothing is replaced then.
        """
        before = self.replace_all_validate(fgraph, replacements, reason=reason, **kwargs)
        for node in remove:
            if node in fgraph.apply_nodes:
                self.revert(fgraph, before)
                message = f"{reason} was to remove {node}, which is used elsewhere: not replaced"
                if warn:
                    warnings.warn(message, stacklevel=2)
                raise ReplacementDidNotRemoveError(message)


class NoOutputFromInplace(Feature):
    """Refuses graphs some of whose outputs are made by overwriting an input of their node.

    Parameters
    ----------
    first_output_idx, last_output_idx
        Which outputs, as in a slice: from the first on, up to but without the last.
    """

    def __init__(self, first_output_idx: int = 0, last_output_idx: int | None = None) -> None:
        self.first_output_idx = first_output_idx
        self.last_output_idx = last_output_idx

    def validate(self, fgraph: FunctionGraph) -> None:
        """Raise InconsistencyError if an output is made in place."""
        first = self.first_output_idx
        for i, out in enumerate(fgraph.outputs[first : self.last_output_idx], first):
            node = out.owner
            if node is not None and node.op.destroy_map.get(out.index):
                raise InconsistencyError(
                    f"output {i} of the graph, {out}, is made by {node}, which overwrites an input"
                )


class NodeFinder(Bookkeeper):
    """Adds ``fgraph.get_nodes(op)``: the nodes that apply `op`, found without a search."""

    def __init__(self) -> None:
        self._by_op: dict[Op, dict[Apply, None]] = {}

    def clone(self) -> Feature:
        return type(self)()

    def on_attach(self, fgraph: FunctionGraph) -> None:
        fgraph.publish(self, get_nodes=self.get_nodes)
        self._by_op.clear()
        super().on_attach(fgraph)

    def on_detach(self, fgraph: FunctionGraph) -> None:
        self._by_op.clear()

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self._by_op.setdefault(node.op, {})[node] = None

    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        nodes = self._by_op[node.op]
        del nodes[node]
        if not nodes:
            del self._by_op[node.op]

    def get_nodes(self, op: Op) -> list[Apply]:
        """Return the nodes that apply `op`, in the order in which they came in."""
        return list(self._by_op.get(op, ()))


class PrintListener(Feature):
    """Prints what happens to the graph.

    Parameters
    ----------
    active
        Whether to print. It may be set later.
    """

    def __init__(self, active: bool = True) -> None:
        self.active = active

    def _print(self, message: str) -> None:
        if self.active:
            print(f"-- {message}")

    def on_attach(self, fgraph: FunctionGraph) -> None:
        self._print(f"attaching to {fgraph}")

    def on_detach(self, fgraph: FunctionGraph) -> None:
        self._print(f"detaching from {fgraph}")

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self._print(f"importing {node}, reason: {reason}")

    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self._print(f"pruning {node}, reason: {reason}")

    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Apply | Literal["output"],
        i: int,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
    ) -> None:
        self._print(f"changing input {i} of {node} from {var} to {new_var}, reason: {reason}")
