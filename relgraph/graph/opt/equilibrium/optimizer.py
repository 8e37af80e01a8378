"""EquilibriumOptimizer: rewriters applied until none has anything left to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO

from relgraph.graph.basic import Apply
from relgraph.graph.opt.base import (
    GlobalOptimizer,
    LocalOptimizer,
    Rewriter,
    as_local_optimizer,
    display_name,
    paused_collector,
)
from relgraph.graph.opt.decorators import require_replace_validate
from relgraph.graph.opt.dispatch.tables import RewriterTables
from relgraph.graph.opt.equilibrium.saturation import Saturation
from relgraph.graph.opt.navigators.navigator import FailureCallback, NavigatorOptimizer
from relgraph.graph.opt.profile.records import EquilibriumRecord
from relgraph.graph.opt.profile.report import print_equilibrium

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


class EquilibriumOptimizer(NavigatorOptimizer):
    """Apply rewriters all over a graph until none of them changes it any more.

    All nodes are looked at once, what is read before its readers; after a rewrite only the new
    nodes, and those that see the change within the depth of the rewriters, are looked at again.
    Nodes that compute the same are merged on the way.

    What it costs grows in step with the graph, whatever its shape. A node is looked at because it
    is new; because something within reach of the patterns has changed, once for all that changes
    there in one generation, and after 16 times only when all else is at rest; and because it
    waited for the rest to be done. Looking at it makes nothing else be looked at, unless it is
    rewritten. So at most ``1000 + 32 * (nodes + nodes made)`` looks are taken, and each asks at
    most the rewriters that its op and the ops of its inputs admit; `EquilibriumRecord` has the
    counts, and more than that many looks are an error. A change is followed upwards along edges,
    each once a generation; of sums nested in a sum, what is read more than once stays whole.

    Parameters
    ----------
    optimizers
        LocalOptimizers, laws (their forward direction) and GlobalOptimizers. The global ones are
        applied at the start and whenever the local ones have come to rest, until they change
        nothing.
    failure_callback
        See `NavigatorOptimizer`.
    ignore_newtrees
        Whether nodes that a rewrite makes wait for the next generation; if not, they come first.
    tracks_on_change_inputs
        Whether nodes whose inputs a rewrite has changed come first as well.
    max_use_ratio
        How often a rewriter may be applied, as a multiple of the number of nodes at the start.
        Beyond it the optimizer warns and stops. None sets a bound that only rewriting without end
        will reach, which is an error.
    final_optimizers
        GlobalOptimizers applied when the local ones have come to rest.
    cleanup_optimizers
        GlobalOptimizers applied after each global one that has changed the graph.

    Raises
    ------
    DivergenceError
        From `apply`: rewriters undo each other, one goes on in one place or growing the graph
        without end, or nodes are looked at more often than said above.
    TypeError
        If one of the optimizers is not one.
    """

    def __init__(
        self,
        optimizers: Sequence[Any],
        failure_callback: FailureCallback | None = None,
        ignore_newtrees: bool = True,
        tracks_on_change_inputs: bool = False,
        max_use_ratio: float | None = None,
        final_optimizers: Sequence[GlobalOptimizer] | None = None,
        cleanup_optimizers: Sequence[GlobalOptimizer] | None = None,
    ) -> None:
        super().__init__(None, ignore_newtrees, failure_callback)
        self.tracks_on_change_inputs = tracks_on_change_inputs
        self.max_use_ratio = max_use_ratio
        # a ratio is one to the size of the graph as it was given
        self.merges_first = max_use_ratio is None
        self.global_optimizers = tuple(o for o in optimizers if isinstance(o, GlobalOptimizer))
        self.local_optimizers = tuple(
            as_local_optimizer(o) for o in optimizers if not isinstance(o, GlobalOptimizer)
        )
        # of hundreds of laws none wants anything of the graph
        self._demanding = tuple(
            o
            for o in self.local_optimizers
            if type(o).add_requirements is not Rewriter.add_requirements
        )
        self.final_optimizers = _global_ones(final_optimizers)
        self.cleanup_optimizers = _global_ones(cleanup_optimizers)
        # how `print_summary` lists them all, if not one after the other
        self.headings: Callable[[], Sequence[Rewriter]] | None = None

    @cached_property
    def tables(self) -> RewriterTables:
        """Which rewriters to try where; a database that gives the same ones again hands it on."""
        return RewriterTables(self.local_optimizers)

    def candidates(self, node: Apply) -> Sequence[LocalOptimizer]:
        """The rewriters to try on `node`, in order: those that its op and its inputs' ops admit."""
        return self.tables.on(node).early

    def every_global(self) -> tuple[GlobalOptimizer, ...]:
        """The global optimizers of all kinds."""
        return (*self.global_optimizers, *self.final_optimizers, *self.cleanup_optimizers)

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        require_replace_validate(fgraph)
        for optimizer in (*self._demanding, *self.every_global()):
            optimizer.add_requirements(fgraph)

    def collapsing(self) -> tuple[RewriterTables, ...] | None:
        if not self.merges_first or self.global_optimizers:
            return None
        return (self.tables.collapsing(),)

    def apply(self, fgraph: FunctionGraph, start_from: Any = None) -> EquilibriumRecord:
        """Rewrite `fgraph`, and return what was done and why it stopped."""
        require_replace_validate(fgraph)
        with paused_collector():
            return Saturation(self, fgraph).run()

    def summary_children(self) -> Sequence[Rewriter]:
        if self.headings is not None:
            return self.headings()
        return (*self.local_optimizers, *self.every_global())

    def __str__(self) -> str:
        return f"{type(self).__name__} {self.name}" if self.name else type(self).__name__

    @classmethod
    def print_profile(cls, stream: TextIO, prof: Any, level: int = 0) -> None:
        print_equilibrium(stream, prof, level)


def _global_ones(optimizers: Sequence[Any] | None) -> tuple[GlobalOptimizer, ...]:
    for optimizer in optimizers or ():
        if not isinstance(optimizer, GlobalOptimizer):
            raise TypeError(f"expected a GlobalOptimizer, got {display_name(optimizer)}")
    return tuple(optimizers or ())
