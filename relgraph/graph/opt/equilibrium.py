"""EquilibriumOptimizer: rewriters applied to a graph until none changes it (a fixpoint)."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO

from relgraph.graph.basic import Apply
from relgraph.graph.opt.base import (
    Answer,
    GlobalOptimizer,
    LocalOptimizer,
    Pairs,
    Rewriter,
    apply_replacement,
    as_local_optimizer,
    display_name,
    read_answer,
    require_replace_validate,
)
from relgraph.graph.opt.dispatch import RewriterTables, VisitPlan
from relgraph.graph.opt.limits import (
    Cost,
    DivergenceError,
    DivergenceWarning,
    Limits,
    costs_no_more,
    one_a_node,
)
from relgraph.graph.opt.merge import MERGE, HashConsing, NodeMerger, hash_consing_table
from relgraph.graph.opt.navigators import FailureCallback, NavigatorOptimizer
from relgraph.graph.opt.profile import (
    EquilibriumRecord,
    PassRecord,
    RewriterRecord,
    print_equilibrium,
)
from relgraph.graph.opt.worklist import FAR, ChangeTracker, Postponed, Worklist, is_nested_sum
from relgraph.graph.utils import paused_collector

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph

# Reading the clock costs as much as a rewriter that does nothing. On graphs of more nodes than
# this, only one node in `_STRIDE` is timed (a prime number, since graphs repeat themselves).
_TIMED_IN_FULL = 16
_STRIDE = 31


class FixpointIteration:
    """The state of one run: the worklist, the postponed nodes, and the records."""

    def __init__(self, optimizer: EquilibriumOptimizer, fgraph: FunctionGraph) -> None:
        self.optimizer = optimizer
        self.fgraph = fgraph
        nodes = len(fgraph.apply_nodes)
        self.record = EquilibriumRecord(optimizer, nodes, nodes_max=nodes)
        self.records = self.record.used
        self.limits = Limits(optimizer, fgraph, self.record)
        self.tables = optimizer.tables
        # tables that an earlier optimizer has applied to their fixpoint on this graph
        self.at_fixpoint: frozenset[RewriterTables] = frozenset()
        self.tables_by_distance: dict[int, RewriterTables] = {}
        self.merger = NodeMerger(fgraph, HashConsing())
        self.work = Worklist(())
        self.changes = ChangeTracker(self.work, self.tables, ())
        self.postponed = Postponed()
        self.calls = 0
        self.revisiting = False  # whether all nodes have been visited once
        exact = nodes <= _TIMED_IN_FULL or fgraph.profile is not None
        self.stride = 1 if exact else _STRIDE
        self.until_timed = 1
        self.rejected: set[tuple[LocalOptimizer, Apply]] = set()  # since the last rewrite
        self.applied: list[str] = []  # the rewriters that changed something in this pass, by name

    # -- the phases ------------------------------------------------------------------------

    def run(self) -> EquilibriumRecord:
        """Rewrite to the fixpoint, or until a limit is reached."""
        start = time.perf_counter()
        try:
            with hash_consing_table(self.fgraph) as table:
                self.fgraph.merged = True
                self.begin_pass()
                self.merge_all(table)
                self.at_fixpoint = table.at_fixpoint
                self.work = Worklist(self.toposort())
                self.changes = ChangeTracker(self.work, self.tables, self.fgraph.apply_nodes)
                self.fgraph.attach_feature(self.changes)
                self.iterate()
                if not self.limits.stopped:
                    # tables that were at their fixpoint before still are, if nothing changed
                    table.at_fixpoint |= {self.tables}
        finally:
            self.fgraph.remove_feature(self.changes)
            self.fgraph.merged = False
            self.end_pass()
            self.record.time = time.perf_counter() - start
            self.record.made = self.changes.imported
            self.record.calls = self.calls
            self.record.nodes_end = len(self.fgraph.apply_nodes)
            self.record.time_local = sum(
                r.time for item, r in self.records.items() if isinstance(item, LocalOptimizer)
            )
        return self.record

    def iterate(self) -> None:
        """Run global optimizers, local ones to their fixpoint, final ones; repeat after changes."""
        optimizer, changes = self.optimizer, self.changes
        asked_at = changes.version
        while True:
            before = changes.version
            self.run_globals(optimizer.global_optimizers)
            self.run_local()
            if self.limits.stopped:
                break
            self.run_globals(optimizer.final_optimizers)
            if self.work or (changes.version != before and optimizer.every_global()):
                continue
            if changes.version == asked_at or not self.tables.has_unbounded:
                break
            asked_at = changes.version
            self.revisit_unbounded()

    def run_local(self) -> None:
        """Visit the nodes of the worklist, then postponed ones, until there are none."""
        work, known, record = self.work, self.merger.table.keys, self.record
        changes, postponed, revisiting = self.changes, self.postponed, self.revisiting
        distances, reached = changes.distances, changes.reached
        tables_by_distance = self.tables_by_distance
        while True:
            visits = 0
            for visits, node in enumerate(work.generation(), 1):
                # the node is not queued any more: a later change must be propagated to it again
                if reached:
                    reached.pop(node, None)
                if node not in known and self.merge_node(node):
                    continue
                distance = distances.pop(node, FAR) if distances else FAR
                tables = tables_by_distance.get(distance)
                if tables is None:
                    tables = tables_by_distance[distance] = self.tables_for(distance)
                plan = tables.plan_for(node)
                if revisiting:
                    postponed.count_visit(node)
                if not plan.idle and self.visit(node, plan, distance) and self.limits.stopped:
                    record.visits += visits
                    return
            record.visits += visits
            self.limits.check_visits(postponed.visits, self.applied, changes.imported)
            if work:
                self.end_pass()
                work.next_generation()
                changes.begin_generation()
                self.begin_pass()
                revisiting = self.revisiting
            elif not self.run_postponed():
                return

    def visit(self, node: Apply, plan: VisitPlan, distance: int) -> bool:
        """Try the early rewriters on `node`; return whether one changed the graph.

        If none does, the other rewriters are postponed. Rewriters that subsume nested sums are not
        tried on these, and are postponed on sums with nested sums, and on their readers: so nested
        sums of any depth are flattened only once, when their terms are done.
        """
        rewriters, waits, nested = plan.early, False, False
        if plan.is_sum and (plan.subsumes_nested or plan.postpones):
            nested = is_nested_sum(self.fgraph, node)
        if plan.subsumes_nested:
            waits = (
                nested
                or plan.has_nested_sum
                or self.changes.reads_nested_sum(node, plan.input_sum_ops)
            )
            rewriters = plan.early_nested if waits else rewriters
        if rewriters and self.try_rewriters(node, rewriters):
            return True
        if nested and not plan.inward:
            # the outer sum is visited for both
            self.changes.left_to_outer[node] = None
        elif plan.postpones or waits or self.revisiting:
            self.postponed.put(node, plan, waits, not 0 < distance < FAR, self.revisiting)
        return False

    def tables_for(self, distance: int) -> RewriterTables:
        """The tables to use on a node for a change `distance` levels below it.

        They leave out rewriters that did nothing on the node before, and don't look as deep as the
        change. Before the first visit, that is what an earlier optimizer tried in vain.
        """
        if not self.revisiting:
            return self.tables.affected(self.at_fixpoint, distance)
        if distance == FAR:
            return self.tables  # the visit has another cause than a change
        return self.tables.affected(frozenset((self.tables,)), distance)

    def run_postponed(self) -> bool:
        """Try postponed rewriters until one changes the graph; return whether there is more to do.

        First the inward rewriters, readers before what they read: two ops that move inwards then
        meet, and go on as one. Then rewriters that wait for nested sums, and the late ones, on each
        node after what it reads. Last, sums that are nested no more, and nodes that were held back
        since they are visited too often.
        """
        here, postponed = self.fgraph.apply_nodes, self.postponed
        while postponed.inward:
            node, plan = postponed.inward.popitem()
            if node in here and self.try_postponed(node, plan.inward):
                return True
        while postponed.late:
            node, plan = postponed.late.popitem(last=False)
            if node in here and self.try_postponed(node, self.postponed_rewriters(node, plan)):
                return True
        left = self.changes.take_freed(self.fgraph)
        left += [node for node in postponed.take_frequent() if node in here]
        self.work.put_later(left)
        return bool(left)

    def postponed_rewriters(self, node: Apply, plan: VisitPlan) -> Sequence[LocalOptimizer]:
        """The rewriters of a plan to try on a node that was postponed."""
        if not plan.is_sum:
            return plan.late
        if is_nested_sum(self.fgraph, node):
            self.changes.left_to_outer[node] = None
            return ()
        if plan.has_nested_sum or self.changes.reads_nested_sum(node, plan.input_sum_ops):
            return self.tables.on_nested_sums(self.fgraph, node, plan)
        return plan.late

    def try_postponed(self, node: Apply, rewriters: Sequence[LocalOptimizer]) -> bool:
        """Try rewriters on a postponed node; return whether one changed the graph."""
        self.record.visits += 1
        return bool(rewriters) and self.try_rewriters(node, rewriters)

    def revisit_unbounded(self) -> None:
        """Try the rewriters of unknown depth on all nodes: they may depend on any change."""
        self.end_pass()
        self.begin_pass()
        for node in self.toposort():
            for rewriter in self.tables.plan_for(node).unbounded:
                if self.limits.stopped or node not in self.fgraph.apply_nodes:
                    break
                self.try_rewriters(node, (rewriter,))

    def run_globals(self, optimizers: Sequence[GlobalOptimizer]) -> None:
        """Apply global optimizers, and the cleanup ones after each that changes the graph."""
        for optimizer in optimizers:
            if self.run_global(optimizer):
                for cleanup in self.optimizer.cleanup_optimizers:
                    self.run_global(cleanup)

    def run_global(self, optimizer: GlobalOptimizer) -> bool:
        before, start = self.changes.version, time.perf_counter()
        created = self.changes.imported
        self.record.sub_profiles.append((optimizer, optimizer.apply(self.fgraph)))
        taken = time.perf_counter() - start
        record = self.records[optimizer]
        record.tried += 1
        record.time += taken
        self.record.time_global += taken
        self.current.time_global += taken
        if self.changes.version == before:
            return False
        record.applied += 1
        record.created += self.changes.imported - created
        self.applied.append(record.name)
        self.enqueue_changes()
        return True

    # -- one node --------------------------------------------------------------------------

    def merge_all(self, table: HashConsing) -> None:
        """Merge equal nodes, and record what collapsed before or while the graph was copied."""
        self.merger = NodeMerger(self.fgraph, table)
        if len(table.keys) < len(self.fgraph.apply_nodes):
            self.merger.merge_all(self.toposort())
        if table.waiting is not None:
            self.merger.collapse_all(self.toposort())
        self.count_merges()
        for rewriter in [r for r in table.collapsed if r in self.tables.bounded]:
            record, times = self.records[rewriter], table.collapsed.pop(rewriter)
            record.applied += times
            self.applied += [record.name] * times

    def merge_node(self, node: Apply) -> bool:
        """Merge `node`, new or changed, with an equal node; return whether it is gone."""
        merger, changes = self.merger, self.changes
        if merger.merge_constants(node):
            # their readers have not been visited yet, and see equal constants
            changes.discard_touched()
        before = changes.version
        kept = merger.merge(node)
        if changes.version == before:
            return False
        self.count_merges()
        replaced = changes.replaced
        if kept is not None and node in replaced:
            replaced[kept] = max(replaced[node], replaced.get(kept, 0))
        self.enqueue_changes()
        return kept is not None

    def count_merges(self) -> None:
        """Record the merges since the last call."""
        count = self.merger.merged
        if count:
            self.merger.merged = 0
            self.records[MERGE].applied += count
            self.applied += [MERGE] * count

    def try_rewriters(self, node: Apply, rewriters: Sequence[LocalOptimizer]) -> bool:
        """Try rewriters on `node` until one changes the graph; return whether one did."""
        self.until_timed -= 1
        if self.until_timed == 0:
            self.until_timed = self.stride
            return self.try_rewriters_timed(node, rewriters)
        fgraph = self.fgraph
        for rewriter in rewriters:
            try:
                answer = rewriter.transform(fgraph, node)
            except Exception as exc:
                self.report_failure(exc, [], rewriter, node)
                continue
            if (
                answer is not False
                and answer is not None
                and self.apply_answer(rewriter, node, answer)
            ):
                self.calls += 1 + rewriters.index(rewriter)
                return True
        self.calls += len(rewriters)
        return False

    def try_rewriters_timed(self, node: Apply, rewriters: Sequence[LocalOptimizer]) -> bool:
        """The same with a clock; the times count for all nodes that are not timed."""
        for rewriter in rewriters:
            self.calls += 1
            start = time.perf_counter()
            try:
                answer = rewriter.transform(self.fgraph, node)
            except Exception as exc:
                answer = False
                self.report_failure(exc, [], rewriter, node)
            found = answer is not False and answer is not None
            changed = found and self.apply_answer(rewriter, node, answer)
            record = self.records[rewriter]
            record.tried += self.stride
            record.time += self.stride * (time.perf_counter() - start)
            if changed:
                return True
        return False

    def apply_answer(self, rewriter: LocalOptimizer, node: Apply, answer: Answer) -> bool:
        """Make the replacements that a rewriter answered with; return whether the graph changed."""
        pairs: list[Any] = []
        if self.rejected and (rewriter, node) in self.rejected:
            return False
        try:
            wanted = read_answer(self.fgraph, node, rewriter, answer)
            if wanted is None:
                return False
            pairs, remove = wanted
            optimizer = self.optimizer
            if rewriter in optimizer.frugal and not costs_no_more(
                self.fgraph, self.merger.table, pairs, optimizer.cost
            ):
                return False
            self.replace(pairs, remove, self.records[rewriter], node)
        except Exception as exc:
            # what a feature rejects is undone, and its nodes are as new: they are visited again
            self.rejected.add((rewriter, node))
            self.report_failure(exc, pairs, rewriter, node)
            return False
        self.rejected.clear()
        return True

    def report_failure(
        self, exc: Exception, pairs: list[Any], rewriter: LocalOptimizer, node: Apply
    ) -> None:
        """Hand an exception of a rewriter to the optimizer's callback; raise it if it is ours."""
        if isinstance(exc, DivergenceError | DivergenceWarning):
            raise exc
        self.enqueue_changes()
        self.optimizer.fail(exc, pairs, rewriter, node)

    def replace(
        self, pairs: Pairs, remove: list[Apply], record: RewriterRecord, node: Apply
    ) -> None:
        """Change the graph, and record that; raise `DivergenceError` at a limit."""
        changes, limits, here = self.changes, self.limits, self.fgraph.apply_nodes
        replaced = changes.replaced
        times, uses = replaced.get(node, 0) + 1, record.applied + 1
        imported = changes.imported
        apply_replacement(self.fgraph, pairs, remove, record.name)
        record.applied = uses
        self.applied.append(record.name)
        if changes.imported > imported:
            record.created += changes.imported - imported
            self.record.nodes_max = max(self.record.nodes_max, len(here))
            for _, new in pairs:
                if new.owner is not None and changes.is_new(new.owner):
                    replaced[new.owner] = times
        self.enqueue_changes()
        if node in here:
            replaced[node] = times
            changes.distances[node] = 0
            self.work.put_later((node,))
        if uses >= limits.safe_uses or times >= limits.safe_times or len(here) > limits.safe_nodes:
            limits.check_rewrite(record.name, pairs, uses, times)

    def enqueue_changes(self) -> None:
        """Queue the nodes that the last change made, and those that it may affect."""
        optimizer, changes, work = self.optimizer, self.changes, self.work
        fresh, touched = changes.take(self.fgraph)
        touched = self.postponed.hold_back_frequent(touched)
        if optimizer.tracks_on_change_inputs:
            work.put_next(touched)
        if fresh:
            (work.put_later if optimizer.ignore_newtrees else work.put_next)(fresh)
        if not optimizer.tracks_on_change_inputs:
            work.put_later(touched)

    # -- records ---------------------------------------------------------------------------

    def toposort(self) -> list[Apply]:
        start = time.perf_counter()
        nodes = self.fgraph.toposort(with_orderings=False)
        self.record.time_toposort += time.perf_counter() - start
        return nodes

    def begin_pass(self) -> None:
        revisiting, self.revisiting = self.revisiting, bool(self.record.passes)
        if revisiting != self.revisiting:
            self.tables_by_distance.clear()
        self.current = PassRecord(len(self.fgraph.apply_nodes))
        self.applied.clear()
        self.record.passes.append(self.current)
        self._pass_start = time.perf_counter()
        self._toposort_before = self.record.time_toposort if len(self.record.passes) > 1 else 0.0

    def end_pass(self) -> None:
        self.current.applied.update(self.applied)
        self.current.time = time.perf_counter() - self._pass_start
        self.current.time_toposort = self.record.time_toposort - self._toposort_before


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
        return (self.tables.collapsing,)

    def apply(self, fgraph: FunctionGraph, start_from: Any = None) -> EquilibriumRecord:
        """Rewrite `fgraph`; return a record of what was done and why it stopped."""
        require_replace_validate(fgraph)
        with paused_collector():
            return FixpointIteration(self, fgraph).run()

    def summary_children(self) -> Sequence[Rewriter]:
        return self.parts() if self.headings is None else self.headings()

    def parts(self) -> Sequence[Rewriter]:
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
