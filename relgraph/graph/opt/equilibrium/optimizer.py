"""EquilibriumOptimizer: rewriters applied to a graph until none changes it (a fixpoint)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
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
from relgraph.graph.opt.equilibrium.costs import Cost, one_a_node
from relgraph.graph.opt.equilibrium.fixpoint import FixpointIteration
from relgraph.graph.opt.navigators.navigator import FailureCallback, NavigatorOptimizer
from relgraph.graph.opt.profile.records import EquilibriumRecord
from relgraph.graph.opt.profile.report import print_equilibrium

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


class EquilibriumOptimizer(NavigatorOptimizer):
    """Apply rewriters to all nodes of a graph until none of them changes it any more.

    All nodes are visited once, each after the nodes that it reads. After a rewrite only the new
    nodes are visited, and those on which a rewriter looks as deep as the change. Equal nodes are
    merged on the way.

    The cost is linear in the nodes of the graph and those made, whatever its shape. A node is
    visited because it is new; because of changes below it, once for all that happen in one
    generation, and after 16 visits only when the worklist is empty; and because rewriters were
    postponed on it. A visit that rewrites nothing causes no other visit. There are at most
    ``1000 + 32 * (nodes + nodes made)`` visits, or else an error; each calls only rewriters that
    may match by the op and the ops of the inputs. `EquilibriumRecord` has the counts. A change is
    propagated to readers, along each edge once a generation. A sum that is read more than once is
    not flattened into its readers.

    Parameters
    ----------
    optimizers
        LocalOptimizers, laws (their forward direction) and GlobalOptimizers. The global ones are
        applied at the start and whenever the local ones have reached their fixpoint, until they
        change nothing.
    failure_callback
        See `NavigatorOptimizer`.
    ignore_newtrees
        Whether nodes that a rewrite makes wait for the next generation; if not, they are visited
        first.
    tracks_on_change_inputs
        Whether nodes whose inputs a rewrite has changed are visited first as well.
    max_use_ratio
        How often a rewriter may be applied, as a multiple of the number of nodes at the start.
        Beyond it the optimizer warns and stops. None sets a bound that only rewriting without end
        will reach, which is an error.
    final_optimizers
        GlobalOptimizers applied when the local ones have reached their fixpoint.
    cleanup_optimizers
        GlobalOptimizers applied after each global one that has changed the graph.
    frugal
        Those of the LocalOptimizers that are applied only where that does not make the graph cost
        more.
    cost
        What a node costs.

    Raises
    ------
    DivergenceError
        From `apply`: rewriters undo each other, one rewrites one place or grows the graph without
        end, or there are more visits than stated above.
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
        frugal: Collection[LocalOptimizer] = (),
        cost: Cost = one_a_node,
    ) -> None:
        super().__init__(None, ignore_newtrees, failure_callback)
        self.tracks_on_change_inputs = tracks_on_change_inputs
        self.max_use_ratio = max_use_ratio
        self.frugal, self.cost = frozenset(frugal), cost
        # `max_use_ratio` refers to the graph before it is merged
        self.merges_first = max_use_ratio is None
        self.global_optimizers = tuple(o for o in optimizers if isinstance(o, GlobalOptimizer))
        self.local_optimizers = tuple(
            as_local_optimizer(o) for o in optimizers if not isinstance(o, GlobalOptimizer)
        )
        # hundreds of laws have no requirements
        self._with_requirements = tuple(
            o
            for o in self.local_optimizers
            if type(o).add_requirements is not Rewriter.add_requirements
        )
        self.final_optimizers = _global_ones(final_optimizers)
        self.cleanup_optimizers = _global_ones(cleanup_optimizers)
        # gives what `print_summary` lists, if that is not simply all the rewriters
        self.headings: Callable[[], Sequence[Rewriter]] | None = None

    @cached_property
    def tables(self) -> RewriterTables:
        """The tables of the local optimizers; a database passes them on to equal optimizers."""
        return RewriterTables(self.local_optimizers)

    def candidates(self, node: Apply) -> Sequence[LocalOptimizer]:
        """The early rewriters that may match `node` by its op and inputs, in order."""
        return self.tables.plan_for(node).early

    def every_global(self) -> tuple[GlobalOptimizer, ...]:
        """The global optimizers of all kinds."""
        return (*self.global_optimizers, *self.final_optimizers, *self.cleanup_optimizers)

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        require_replace_validate(fgraph)
        for optimizer in (*self._with_requirements, *self.every_global()):
            optimizer.add_requirements(fgraph)

    def collapsing_first(self) -> tuple[RewriterTables, ...] | None:
        if not self.merges_first or self.global_optimizers:
            return None
        return (self.tables.collapsing(),)

    def apply(self, fgraph: FunctionGraph, start_from: Any = None) -> EquilibriumRecord:
        """Rewrite `fgraph`; return a record of what was done and why it stopped."""
        require_replace_validate(fgraph)
        with paused_collector():
            return FixpointIteration(self, fgraph).run()

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
