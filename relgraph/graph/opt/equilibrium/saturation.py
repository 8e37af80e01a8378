"""One run of an EquilibriumOptimizer on one graph: the loop around the worklist."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply
from relgraph.graph.opt.base import Answer, GlobalOptimizer, LocalOptimizer
from relgraph.graph.opt.dispatch.plan import Plan
from relgraph.graph.opt.dispatch.tables import RewriterTables
from relgraph.graph.opt.divergence import DivergenceError, DivergenceWarning
from relgraph.graph.opt.equilibrium.changes import Changes
from relgraph.graph.opt.equilibrium.limits import Limits
from relgraph.graph.opt.equilibrium.nested_sums import is_nested
from relgraph.graph.opt.equilibrium.postponed import Postponed
from relgraph.graph.opt.equilibrium.worklist import Worklist
from relgraph.graph.opt.merge.hash_consing import HashConsing, hashed
from relgraph.graph.opt.merge.optimizer import MERGE, Merging
from relgraph.graph.opt.profile.records import EquilibriumRecord, PassRecord, RewriterRecord
from relgraph.graph.opt.replacement import Pairs, apply_replacement, read_answer

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.opt.equilibrium.optimizer import EquilibriumOptimizer

# Clocks cost as much as a rewriter that has nothing to do. On graphs of more nodes than this, the
# rewriters are timed on one node of so many (a prime number, for graphs that repeat themselves).
_TIMED_IN_FULL = 64
_STRIDE = 31

# How far the nearest change is below a node that is not looked at because of one.
_FAR = 1_000_000


class Saturation:
    """The state of one run."""

    def __init__(self, optimizer: EquilibriumOptimizer, fgraph: FunctionGraph) -> None:
        self.optimizer = optimizer
        self.fgraph = fgraph
        nodes = len(fgraph.apply_nodes)
        self.record = EquilibriumRecord(optimizer, nodes, nodes_max=nodes)
        self.records = self.record.used
        self.limits = Limits(optimizer, fgraph, self.record)
        self.tables = optimizer.tables
        # what has come to rest by other optimizers is not tried on nodes that have not changed
        self.at_rest: frozenset[RewriterTables] = frozenset()
        self.tables_by_distance: dict[int, RewriterTables] = {}
        self.merging = Merging(fgraph, HashConsing())
        self.work = Worklist(())
        self.changes = Changes(self.work, self.tables)
        self.postponed = Postponed()
        self.calls = 0
        self.revisiting = False  # whether all nodes have been looked at once
        exact = nodes <= _TIMED_IN_FULL or fgraph.profile is not None
        self.stride = 1 if exact else _STRIDE
        self.until_timed = 1
        self.applied: list[str] = []  # the names of those that changed something in this pass

    # -- the phases ------------------------------------------------------------------------

    def run(self) -> EquilibriumRecord:
        """Rewrite until nothing is left to do, or the budget is gone."""
        start = time.perf_counter()
        try:
            with hashed(self.fgraph) as table:
                self.fgraph.merged = True
                self.begin_pass()
                self.merge_all(table)
                self.at_rest = table.at_rest
                self.work = Worklist(self.toposort())
                self.changes = Changes(self.work, self.tables)
                self.changes.in_order = not self.at_rest
                self.fgraph.attach_feature(self.changes)
                self.rounds()
                if not self.limits.stopped:
                    # those of before still are if nothing has happened since
                    table.at_rest |= {self.tables}
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

    def rounds(self) -> None:
        """Global optimizers, local ones to their fixpoint, final ones; again while they change."""
        optimizer, changes = self.optimizer, self.changes
        looked_at = changes.version
        while True:
            before = changes.version
            self.run_globals(optimizer.global_optimizers)
            self.drain()
            if self.limits.stopped:
                break
            self.run_globals(optimizer.final_optimizers)
            if self.work or (changes.version != before and optimizer.every_global()):
                continue
            if changes.version == looked_at or not self.tables.unknown:
                break
            looked_at = changes.version
            self.look_once_more()

    def drain(self) -> None:
        """Look at the nodes that wait, generation by generation, until none does."""
        work, known, record = self.work, self.merging.table.keys, self.record
        changes, postponed, again = self.changes, self.postponed, self.revisiting
        near, reached, unseen = changes.near, changes.reached, changes.reached_unseen
        tables_by_distance = self.tables_by_distance
        while True:
            looks = 0
            for looks, node in enumerate(work.generation(), 1):
                # it does not wait any more: a later change is to be followed to it again
                if reached:
                    reached.pop(node, None)
                if unseen:
                    unseen.pop(node, None)
                if node not in known and self.merged(node):
                    continue
                distance = near.pop(node, _FAR) if near else _FAR
                tables = tables_by_distance.get(distance)
                if tables is None:
                    tables = tables_by_distance[distance] = self.tables_for(distance)
                plan = tables.on(node)
                if again:
                    postponed.count_look(node)
                if not plan.idle and self.visit(node, plan, distance) and self.limits.stopped:
                    record.visits += looks
                    return
            record.visits += looks
            self.limits.after_pass(postponed.looks, self.applied, changes.imported)
            if work:
                self.end_pass()
                work.turn()
                changes.turn()
                self.begin_pass()
                again = self.revisiting
            elif not self.collect():
                return

    def visit(self, node: Apply, plan: Plan, distance: int) -> bool:
        """Try the rewriters on `node`, or have it wait; whether one has changed the graph.

        What regroups is not tried on a sum that is nested in another one, and when all else is at
        rest on one that is or reads a nest: so it looks through a nest of any depth once, and not
        at what will be gone by then.
        """
        rewriters, waits, nested = plan.early, False, False
        if plan.regroups:
            nested = is_nested(self.fgraph, node)
            waits = nested or plan.nest or self.changes.reads_nest(node, plan.sums)
            rewriters = plan.nested if waits else rewriters
        if rewriters and self.rewritten(node, rewriters):
            return True
        if nested and not plan.inward:
            # the sum that it is a part of waits for both
            self.changes.nested[node] = None
        elif plan.postpones or waits or self.revisiting:
            self.postponed.put(node, plan, waits, not 0 < distance < _FAR, self.revisiting)
        return False

    def tables_for(self, distance: int) -> RewriterTables:
        """The tables for nodes to which a change came as near as this since they were looked at.

        They are of the rewriters that may do something because of that and, at the first look,
        those that were never tried on a node.
        """
        if not self.revisiting:
            return self.tables.concerned(self.at_rest, distance)
        if distance == _FAR:
            return self.tables  # it is asked for by something else than a change
        return self.tables.concerned(frozenset((self.tables,)), distance)

    def collect(self) -> bool:
        """Try what waits for the rest to be done, until something changes; whether it has.

        That is first what takes something inwards, the outermost nodes first: so it meets its like
        further down, where otherwise each would have all the way to go. Then what looks through
        nests, and the late rewriters, what is read before its readers. Last, what has been looked
        at so often before that it had better wait until nothing changes below it any more.
        """
        here, postponed = self.fgraph.apply_nodes, self.postponed
        while postponed.inward:
            node, plan = postponed.inward.popitem()
            if node in here and self.rewritten_at_rest(node, plan.inward):
                return True
        while (waiting := postponed.resting.take()) is not None:
            node, plan = waiting
            if node in here and self.rewritten_at_rest(node, self.at_rest_on(node, plan)):
                return True
        impatient = [node for node in postponed.take_impatient() if node in here]
        self.work.put_later(impatient)
        return bool(impatient)

    def at_rest_on(self, node: Apply, plan: Plan) -> Sequence[LocalOptimizer]:
        """What to try on a node that has waited."""
        if not plan.bag:
            return plan.late
        if is_nested(self.fgraph, node):
            self.changes.nested[node] = None
            return ()
        if plan.nest or self.changes.reads_nest(node, plan.sums):
            return (*self.tables.on_nest(self.fgraph, node, plan), *plan.late)
        return plan.late

    def rewritten_at_rest(self, node: Apply, rewriters: Sequence[LocalOptimizer]) -> bool:
        """Try rewriters on a node that has waited; whether one has changed the graph."""
        self.record.visits += 1
        return bool(rewriters) and self.rewritten(node, rewriters)

    def look_once_more(self) -> None:
        """Try the rewriters of unknown depth on every node: something far off may have changed."""
        self.end_pass()
        self.begin_pass()
        for node in self.toposort():
            for rewriter in self.tables.on(node).unknown:
                if self.limits.stopped or node not in self.fgraph.apply_nodes:
                    break
                self.rewritten(node, (rewriter,))

    def run_globals(self, optimizers: Sequence[GlobalOptimizer]) -> None:
        """Apply global optimizers, and the cleanup ones after each that changed the graph."""
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
        self.settle()
        return True

    # -- one node --------------------------------------------------------------------------

    def merge_all(self, table: HashConsing) -> None:
        """Merge what computes the same before anything else is done; put on record what was done
        before."""
        for rewriter in [r for r in table.collapsed if r in self.tables.bounded]:
            record, times = self.records[rewriter], table.collapsed.pop(rewriter)
            record.applied += times
            self.applied += [record.name] * times
        self.merging = Merging(self.fgraph, table)
        if len(table.keys) < len(self.fgraph.apply_nodes):
            self.merging.visit_all(self.toposort())
            self.count_merges()

    def merged(self, node: Apply) -> bool:
        """Merge `node`, which is new or has changed, with another one if that computes the same."""
        merging, changes = self.merging, self.changes
        if merging.visit_constants(node):
            # whoever reads them is still to be looked at, and sees the same as before
            changes.same_again()
        before = changes.version
        twin = merging.visit(node)
        if changes.version == before:
            return False
        self.count_merges()
        replaced = changes.replaced
        if twin is not None and node in replaced:
            replaced[twin] = max(replaced[node], replaced.get(twin, 0))
        self.settle()
        return twin is not None

    def count_merges(self) -> None:
        """Put the merges since the last time on record."""
        count = self.merging.merged
        if count:
            self.merging.merged = 0
            self.records[MERGE].applied += count
            self.applied += [MERGE] * count

    def rewritten(self, node: Apply, rewriters: Sequence[LocalOptimizer]) -> bool:
        """Try rewriters on `node` until one has changed the graph; whether one has."""
        self.until_timed -= 1
        if self.until_timed == 0:
            self.until_timed = self.stride
            return self.rewritten_timed(node, rewriters)
        fgraph = self.fgraph
        for rewriter in rewriters:
            try:
                answer = rewriter.transform(fgraph, node)
            except Exception as exc:
                self.failed(exc, [], rewriter, node)
                continue
            if answer is not False and answer is not None and self.accept(rewriter, node, answer):
                self.calls += 1 + rewriters.index(rewriter)
                return True
        self.calls += len(rewriters)
        return False

    def rewritten_timed(self, node: Apply, rewriters: Sequence[LocalOptimizer]) -> bool:
        """Do the same, and take the time for all those that it is not taken for."""
        for rewriter in rewriters:
            self.calls += 1
            start = time.perf_counter()
            try:
                answer = rewriter.transform(self.fgraph, node)
            except Exception as exc:
                answer = False
                self.failed(exc, [], rewriter, node)
            found = answer is not False and answer is not None
            changed = found and self.accept(rewriter, node, answer)
            record = self.records[rewriter]
            record.tried += self.stride
            record.time += self.stride * (time.perf_counter() - start)
            if changed:
                return True
        return False

    def accept(self, rewriter: LocalOptimizer, node: Apply, answer: Answer) -> bool:
        """Do what a rewriter answered for `node`; whether that changed the graph."""
        pairs: list[Any] = []
        try:
            wanted = read_answer(self.fgraph, node, rewriter, answer)
            if wanted is None:
                return False
            pairs, remove = wanted
            self.perform(pairs, remove, self.records[rewriter], node)
        except Exception as exc:
            self.failed(exc, pairs, rewriter, node)
            return False
        return True

    def failed(
        self, exc: Exception, pairs: list[Any], rewriter: LocalOptimizer, node: Apply
    ) -> None:
        """Hand on what a rewriter raised, if it is no word of ours to stop."""
        if isinstance(exc, DivergenceError | DivergenceWarning):
            raise exc
        self.settle()
        self.optimizer.fail(exc, pairs, rewriter, node)

    def perform(
        self, pairs: Pairs, remove: list[Apply], record: RewriterRecord, node: Apply
    ) -> None:
        """Change the graph, count, and see to it that this does not go on for ever."""
        changes, limits, here = self.changes, self.limits, self.fgraph.apply_nodes
        replaced = changes.replaced
        times, uses = replaced.get(node, 0) + 1, record.applied + 1
        suspect = None
        if uses >= limits.calm_uses or times >= limits.calm_times or len(here) > limits.calm_nodes:
            suspect = limits.before(record.name, pairs, uses, times)
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
        self.settle()
        if node in here:
            replaced[node] = times
            changes.near[node] = 0
            self.work.put_later((node,))
        if suspect is not None:
            limits.after(suspect)

    def settle(self) -> None:
        """Queue what the last change made, and what may match now because of it."""
        optimizer, changes, work = self.optimizer, self.changes, self.work
        fresh, touched = changes.take(self.fgraph)
        touched = self.postponed.soon(touched)
        if changes.woken:
            work.put_later(changes.take_woken())
        if optimizer.tracks_on_change_inputs:
            work.put_next(touched)
        if fresh:
            (work.put_later if optimizer.ignore_newtrees else work.put_next)(fresh)
        if not optimizer.tracks_on_change_inputs:
            work.put_later(touched)

    # -- the books -------------------------------------------------------------------------

    def toposort(self) -> list[Apply]:
        start = time.perf_counter()
        nodes = self.fgraph.toposort()
        self.record.time_toposort += time.perf_counter() - start
        return nodes

    def begin_pass(self) -> None:
        revisiting, self.revisiting = self.revisiting, bool(self.record.passes)
        if revisiting != self.revisiting:
            self.tables_by_distance.clear()
            self.changes.in_order = False
        self.current = PassRecord(len(self.fgraph.apply_nodes))
        self.applied.clear()
        self.record.passes.append(self.current)
        self._pass_start = time.perf_counter()
        self._toposort_before = self.record.time_toposort if len(self.record.passes) > 1 else 0.0

    def end_pass(self) -> None:
        self.current.applied.update(self.applied)
        self.current.time = time.perf_counter() - self._pass_start
        self.current.time_toposort = self.record.time_toposort - self._toposort_before
