"""One run of an EquilibriumOptimizer on one graph: the loop around the worklist."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Constant
from relgraph.graph.opt.base import Answer, GlobalOptimizer, LocalOptimizer, display_name
from relgraph.graph.opt.changes import Changes, nodes_above
from relgraph.graph.opt.divergence import (
    Budget,
    CycleWatch,
    DivergenceError,
    DivergenceWarning,
    Step,
    budget_message,
    cycle_message,
    step_of,
)
from relgraph.graph.opt.hashcons import HashConsing, hashed, merge_pairs, replaceable_by
from relgraph.graph.opt.nests import has_nest, is_nested, is_sum, readers_alike
from relgraph.graph.opt.records import EquilibriumRecord, PassRecord, RewriterRecord
from relgraph.graph.opt.replacement import Replacement, apply_replacement, read_answer
from relgraph.graph.opt.worklist import Worklist
from relgraph.graph.utils import InconsistencyError

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.opt.equilibrium import EquilibriumOptimizer

MERGE = "MergeOptimizer"

# Clocks cost as much as a rewriter that has nothing to do. On graphs of more nodes than this, the
# rewriters are timed on one node of so many (a prime number, for graphs that repeat themselves).
_TIMED_IN_FULL = 200
_STRIDE = 31


class Saturation:
    """The state of one run."""

    def __init__(self, optimizer: EquilibriumOptimizer, fgraph: FunctionGraph) -> None:
        self.optimizer = optimizer
        self.fgraph = fgraph
        nodes = len(fgraph.apply_nodes)
        self.record = EquilibriumRecord(optimizer, nodes, nodes_max=nodes)
        self.records = self.record.rewriters
        for rewriter in (*optimizer.local_optimizers, *optimizer.every_global()):
            self.records[rewriter] = RewriterRecord(display_name(rewriter))
        self.budget = Budget(nodes, optimizer.max_use_ratio)
        self.watch = CycleWatch(fgraph)
        self.steps: list[Step] = []
        self.tables = optimizer.tables
        self.consing = HashConsing()
        self.work = Worklist(self.toposort())
        self.changes = Changes(self.work)
        self.nests: dict[Apply, None] = {}
        self.waiting: dict[Apply, None] = {}
        self.stopped = False
        self.revisiting = False  # whether all nodes have been looked at once
        exact = nodes <= _TIMED_IN_FULL or fgraph.profile is not None
        self.stride = 1 if exact else _STRIDE
        self.until_timed = 1

    # -- the phases ------------------------------------------------------------------------

    def run(self) -> EquilibriumRecord:
        """Rewrite until nothing is left to do, or the budget is gone."""
        start = time.perf_counter()
        self.fgraph.attach_feature(self.changes)
        try:
            with hashed(self.fgraph) as self.consing:
                self.begin_pass()
                self.rounds()
        finally:
            self.fgraph.remove_feature(self.changes)
            self.end_pass()
            self.record.time = time.perf_counter() - start
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
            if self.stopped:
                break
            self.run_globals(optimizer.final_optimizers)
            if self.work or (changes.version != before and optimizer.every_global()):
                continue
            if changes.version == looked_at or not self.tables.unknown.rewriters:
                break
            looked_at = changes.version
            self.look_once_more()

    def drain(self) -> None:
        """Look at the nodes that wait, generation by generation, until none does."""
        work = self.work
        while True:
            for node in work.generation():
                self.visit(node)
                if self.stopped:
                    break
            if self.stopped:
                return
            if work:
                self.end_pass()
                work.turn()
                self.begin_pass()
            elif not self.collect():
                return

    def visit(self, node: Apply) -> None:
        """Merge `node` with one that computes the same, or try the rewriters on it."""
        consing, tables = self.consing, self.tables
        for var in node.inputs:
            if var.head is Constant and consing.constants.known.get(var) is not var:
                self.merge_constant(node, var)
        if node not in consing.keys and self.merged(node):
            return
        rewriters, op = tables.early.on(node), node.op
        if (
            op.associative
            and op.commutative
            and (rewriters or self.revisiting)
            and self.waits(node)
        ):
            rewriters = tables.nested.on(node)
        if rewriters and self.rewritten(node, rewriters):
            return
        if tables.late.rewriters and tables.late.on(node):
            self.waiting[node] = None

    def waits(self, node: Apply) -> bool:
        """Whether `node`, a sum, is nested in one of its op, or is or reads one that is a nest.

        What regroups is not tried on the first, and on the others when all else is at rest: so it
        looks through a nest of any depth once, and not at what will be gone by then.
        """
        fgraph, changes = self.fgraph, self.changes
        outer = readers_alike(fgraph, node)
        if outer and self.revisiting:
            # the reason to look at this one may lie far inside of it
            for reader in outer:
                self.work.put_next((reader, *nodes_above(fgraph, reader, self.tables)))
        if outer and is_nested(fgraph, node):
            changes.nested[node] = None
            return True
        if has_nest(node) or any(has_nest(v.owner) for v in node.inputs if is_sum(v.head)):
            self.nests[node] = None
            return True
        return False

    def collect(self) -> bool:
        """Try what waits for the rest to be done, until something changes: nests, then the late
        rewriters; outermost nodes first."""
        for waiting, table in ((self.nests, self.tables.early), (self.waiting, self.tables.late)):
            while waiting:
                node = waiting.popitem()[0]
                if node not in self.fgraph.apply_nodes:
                    continue
                if waiting is self.nests and is_nested(self.fgraph, node):
                    self.changes.nested[node] = None
                elif self.rewritten(node, table.on(node)):
                    return True
        return False

    def look_once_more(self) -> None:
        """Try the rewriters of unknown depth on every node: something far off may have changed."""
        self.end_pass()
        self.begin_pass()
        for node in self.toposort():
            for rewriter in self.tables.unknown.on(node):
                if self.stopped or node not in self.fgraph.apply_nodes:
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
        self.current.applied[record.name] += 1
        self.settle(0)
        return True

    # -- one node --------------------------------------------------------------------------

    def merge_constant(self, node: Apply, var: Constant) -> None:
        """Let the first constant of this type and value stand for `var`, which `node` reads."""
        known = self.consing.constants.representative(var)
        if known is not var:
            self.fgraph.replace(var, known, reason=MERGE)
            # whoever reads it is still to be looked at, and sees the same as before
            self.changes.same_again()

    def merged(self, node: Apply) -> bool:
        """Merge `node` with another one if that computes the same."""
        twin = self.consing.twin(node)
        if twin is None or not replaceable_by(node, twin):
            return False
        pairs = merge_pairs(self.fgraph, node, twin)
        try:
            self.replace(Replacement(pairs, []), MERGE)
        except InconsistencyError:
            self.settle(0)
            return False
        descent = self.changes.descent
        self.applied(self.records.setdefault(MERGE, RewriterRecord(MERGE)), 0)
        if node in descent:
            descent[twin] = max(descent[node], descent.get(twin, 0))
        self.settle(0)
        return True

    def rewritten(self, node: Apply, rewriters: Sequence[LocalOptimizer]) -> bool:
        """Try rewriters on `node` until one has changed the graph; whether one has."""
        fgraph = self.fgraph
        self.until_timed -= 1
        timed = self.until_timed == 0
        start = 0.0
        for rewriter in rewriters:
            if timed:
                self.until_timed = self.stride
                start = time.perf_counter()
            try:
                answer = rewriter.transform(fgraph, node)
            except (DivergenceError, DivergenceWarning):
                raise
            except Exception as exc:
                answer = False
                self.failed(exc, [], rewriter, node)
            if timed:
                # one stands for all those that are not timed
                record = self.records[rewriter]
                record.tried += self.stride
                record.time += self.stride * (time.perf_counter() - start)
            if answer is not False and answer is not None and self.accept(rewriter, node, answer):
                return True
        return False

    def accept(self, rewriter: LocalOptimizer, node: Apply, answer: Answer) -> bool:
        """Do what a rewriter answered for `node`; whether that changed the graph."""
        record = self.records[rewriter]
        pairs: list[Any] = []
        start = time.perf_counter()
        try:
            wanted = read_answer(self.fgraph, node, rewriter, answer)
            if wanted is None:
                return False
            pairs = wanted.pairs
            self.perform(wanted, record, node)
        except (DivergenceError, DivergenceWarning):
            raise
        except Exception as exc:
            self.failed(exc, pairs, rewriter, node)
            return False
        finally:
            record.time += time.perf_counter() - start
        if node in self.fgraph.apply_nodes:
            self.work.put_later((node,))
        return True

    def failed(
        self, exc: Exception, pairs: list[Any], rewriter: LocalOptimizer, node: Apply
    ) -> None:
        self.settle(0)
        self.optimizer.fail(exc, pairs, rewriter, node)

    def perform(self, wanted: Replacement, record: RewriterRecord, node: Apply) -> None:
        """Change the graph, count, and see to it that this does not go on for ever."""
        descent = self.changes.descent.get(node, 0) + 1
        uses = record.applied + 1
        suspicion = max(descent, uses // (1 + self.record.nodes_start))
        watching = self.watch.watching(suspicion)
        step = None
        if watching or self.budget.nearly(uses, descent):
            step = step_of(record.name, wanted.pairs)
            self.steps = [*self.steps[-5:], step]
        imported = self.changes.imported
        self.replace(wanted, record.name)
        self.applied(record, self.changes.imported - imported)
        self.settle(descent)
        if node in self.fgraph.apply_nodes:
            self.changes.descent[node] = descent
        if watching and step is not None:
            cycle = self.watch.observe(step, suspicion)
            if cycle is not None:
                self.stop("cycle", cycle_message(str(self.optimizer), cycle), cycle)
        if self.budget.exceeded(uses, descent) and not self.stopped:
            sizes = (self.record.nodes_start, len(self.fgraph.apply_nodes))
            message = budget_message(str(self.optimizer), record.name, uses, sizes, self.steps)
            self.stop("budget", message, self.steps, record.name)

    def replace(self, wanted: Replacement, reason: str) -> None:
        """Make a change, validated where a feature of the graph has something to say."""
        if len(wanted.pairs) == 1 and not wanted.remove and not self.fgraph.listens("validate"):
            ((old, new),) = wanted.pairs
            self.fgraph.replace(old, new, reason=reason)
        else:
            apply_replacement(self.fgraph, wanted, reason)

    def settle(self, descent: int) -> None:
        """Queue what the last change made, and what may match now because of it."""
        optimizer, changes = self.optimizer, self.changes
        fresh, touched = changes.take(self.fgraph, self.tables)
        if descent:
            for node in fresh:
                changes.descent[node] = descent
        self.work.put_later(changes.woken())
        if optimizer.tracks_on_change_inputs:
            self.work.put_next(touched)
        if optimizer.ignore_newtrees:
            self.work.put_later(fresh)
        else:
            self.work.put_next(fresh)
        if not optimizer.tracks_on_change_inputs:
            self.work.put_later(touched)
        if self.waiting:
            for node in touched:
                self.waiting.pop(node, None)

    # -- the end, and the books ------------------------------------------------------------

    def stop(self, reason: str, message: str, steps: Iterable[Step], name: str = "") -> None:
        """Give up: by a warning if the user set the bound, by an error otherwise."""
        self.stopped = True
        self.record.stop_reason = reason
        if self.budget.explicit:
            ratio = self.optimizer.max_use_ratio
            text = f"{message}\nStopped there, as max_use_ratio={ratio} asks."
            warnings.warn(text, DivergenceWarning, stacklevel=2)
            return
        names = Counter(step.rewriter for step in steps)
        if name:
            names[name] += len(names) + 1
        who = [rewriter for rewriter, _ in names.most_common()]
        raise DivergenceError(message, reason, who, list(steps), self.record)

    def applied(self, record: RewriterRecord, created: int) -> None:
        record.applied += 1
        record.created += created
        self.current.applied[record.name] += 1
        self.record.nodes_max = max(self.record.nodes_max, len(self.fgraph.apply_nodes))

    def toposort(self) -> list[Apply]:
        start = time.perf_counter()
        nodes = self.fgraph.toposort()
        self.record.time_toposort += time.perf_counter() - start
        return nodes

    def begin_pass(self) -> None:
        self.revisiting = bool(self.record.passes)
        self.current = PassRecord(len(self.fgraph.apply_nodes))
        self.record.passes.append(self.current)
        self._pass_start = time.perf_counter()
        self._toposort_before = self.record.time_toposort if len(self.record.passes) > 1 else 0.0

    def end_pass(self) -> None:
        self.current.time = time.perf_counter() - self._pass_start
        self.current.time_toposort = self.record.time_toposort - self._toposort_before
