"""Features that validate a graph, and undo replacements that make it invalid."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from relgraph.graph.features.feature import Feature
from relgraph.graph.features.history import Checkpoint, History
from relgraph.graph.utils import InconsistencyError

if TYPE_CHECKING:
    from relgraph.graph.basic import Apply, Variable
    from relgraph.graph.fg import FunctionGraph


class ReplacementDidNotRemoveError(Exception):
    """A replacement left a node in the graph that it should have removed."""


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

    def __init__(
        self,
        old_r: Variable,
        new_r: Variable,
        old_r_val: Any,
        new_r_val: Any,
        reason: str | None,
        old_graph: str = "",
        new_graph: str = "",
    ) -> None:
        lines = [
            f"{reason} replaced {old_r} by {new_r}, which has another value",
            f"  {old_r} ({old_r.type}) = {old_r_val!r}",
            f"  {new_r} ({new_r.type}) = {new_r_val!r}",
        ]
        lines += [f"  graph before: {old_graph}"] * bool(old_graph)
        lines += [f"  graph after: {new_graph}"] * bool(new_graph)
        super().__init__("\n".join(lines))
        self.old_r = old_r
        self.new_r = new_r
        self.old_r_val = old_r_val
        self.new_r_val = new_r_val
        self.reason = reason
        self.old_graph = old_graph
        self.new_graph = new_graph


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
