"""One run of an EquilibriumOptimizer on one graph: the loop around the worklist."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from relgraph.graph.basic import Apply, Constant
from relgraph.graph.opt.base import GlobalOptimizer, LocalOptimizer, display_name
from relgraph.graph.opt.changes import Changes
from relgraph.graph.opt.divergence import (
    CycleWatch,
    DivergenceError,
    DivergenceWarning,
    Step,
    budget_message,
    cycle_message,
    step_of,
)
from relgraph.graph.opt.hashcons import ConstantTable, HashConsing, merge_pairs, replaceable_by
from relgraph.graph.opt.records import EquilibriumRecord, PassRecord, RewriterRecord
from relgraph.graph.opt.replacement import Replacement, apply_replacement, read_answer
from relgraph.graph.opt.worklist import Worklist
from relgraph.graph.utils import InconsistencyError

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.opt.equilibrium import EquilibriumOptimizer

MERGE = "MergeOptimizer"


class Budget:
    """How often a rewriter may be applied, and how long a chain of rewrites may get.

    Without an explicit ratio the bounds are far above what rewriting that ends is known to need.
    """

    def __init__(self, nodes: int, max_use_ratio: float | None) -> None:
        self.explicit = max_use_ratio is not None
        if max_use_ratio is None:
            self.uses = 1000.0 + 32 * nodes
            self.descent = 1000.0 + 2 * nodes
        else:
            self.uses = max_use_ratio * max(nodes, 1)
            self.descent = float("inf")

    def exceeded(self, uses: int, descent: int) -> bool:
        return uses > self.uses or descent > self.descent

    def nearly(self, uses: int, descent: int) -> bool:
        """Whether rewrites should be written down, for the message that is about to come."""
        return uses + 3 > self.uses or descent + 3 > self.descent


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
        self.constants = ConstantTable()
        self.consing = HashConsing()
        self.work = Worklist(self.toposort())
        self.changes = Changes(self.work, self.consing)
        self.waiting: dict[Apply, None] = {}
        self.stopped = False

    # -- the phases ------------------------------------------------------------------------

    def run(self) -> EquilibriumRecord:
        """Rewrite until nothing is left to do, or the budget is gone."""
        start = time.perf_counter()
        self.fgraph.attach_feature(self.changes)
        try:
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
            if changes.version == looked_at or not optimizer.has_unknown_depth:
                break
            looked_at = changes.version
            self.look_once_more()

    def drain(self) -> None:
        """Look at the nodes that wait, generation by generation, until none does."""
        work = self.work
        while not self.stopped:
            node = work.pop()
            if node is not None:
                self.visit(node)
            elif len(work):
                self.end_pass()
                work.turn()
                self.begin_pass()
            elif not self.collect():
                return

    def visit(self, node: Apply) -> None:
        """Merge `node` with one that computes the same, or try the rewriters on it."""
        if self.merged(node):
            return
        for rewriter in self.optimizer.candidates(node):
            if self.rewrite(rewriter, node):
                return
        if self.optimizer.late_candidates(node):
            self.waiting[node] = None

    def collect(self) -> bool:
        """Try the late rewriters, outermost nodes first, until one does something."""
        while self.waiting:
            node = self.waiting.popitem()[0]
            if node in self.fgraph.apply_nodes:
                for rewriter in self.optimizer.late_candidates(node):
                    if self.rewrite(rewriter, node):
                        return True
        return False

    def look_once_more(self) -> None:
        """Try the rewriters of unknown depth on every node: something far off may have changed."""
        self.end_pass()
        self.begin_pass()
        for node in self.toposort():
            for rewriter in self.optimizer.unknown_candidates(node):
                if self.stopped or node not in self.fgraph.apply_nodes:
                    break
                self.rewrite(rewriter, node)

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

    def merged(self, node: Apply) -> bool:
        """Merge the constants `node` reads, and `node` itself if another one computes the same."""
        for var in node.inputs:
            if var.head is Constant:
                known = self.constants.representative(var)
                if known is not var:
                    self.fgraph.replace(var, known, reason=MERGE)
                    self.settle(0)
                    # it is being looked at right now
                    self.work.discard(node)
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

    def rewrite(self, rewriter: LocalOptimizer, node: Apply) -> bool:
        """Try one rewriter on `node`; whether it changed the graph."""
        fgraph, record = self.fgraph, self.records[rewriter]
        pairs: list[Any] = []
        start = time.perf_counter()
        try:
            answer = rewriter.transform(fgraph, node)
            if answer is False or answer is None:
                return False
            wanted = read_answer(fgraph, node, rewriter, answer)
            if wanted is None:
                return False
            pairs = wanted.pairs
            self.perform(wanted, record, node)
        except (DivergenceError, DivergenceWarning):
            raise
        except Exception as exc:
            self.settle(0)
            self.optimizer.fail(exc, pairs, rewriter, node)
            return False
        finally:
            record.tried += 1
            record.time += time.perf_counter() - start
        if node in fgraph.apply_nodes:
            self.work.put_later((node,))
        return True

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
        if len(wanted.pairs) == 1 and not wanted.remove and not must_validate(self.fgraph):
            ((old, new),) = wanted.pairs
            self.fgraph.replace(old, new, reason=reason)
        else:
            apply_replacement(self.fgraph, wanted, reason)

    def settle(self, descent: int) -> None:
        """Queue what the last change made, and what may match now because of it."""
        optimizer = self.optimizer
        fresh, touched = self.changes.take(self.fgraph, optimizer.reach)
        if descent:
            marks = self.changes.descent
            for node in fresh:
                marks[node] = descent
        if optimizer.tracks_on_change_inputs:
            self.work.put_next(touched)
        if optimizer.ignore_newtrees:
            self.work.put_later(fresh)
        else:
            self.work.put_next(fresh)
        if not optimizer.tracks_on_change_inputs:
            self.work.put_later(touched)
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
        self.current = PassRecord(len(self.fgraph.apply_nodes))
        self.record.passes.append(self.current)
        self._pass_start = time.perf_counter()
        self._toposort_before = self.record.time_toposort if len(self.record.passes) > 1 else 0.0

    def end_pass(self) -> None:
        self.current.time = time.perf_counter() - self._pass_start
        self.current.time_toposort = self.record.time_toposort - self._toposort_before


def must_validate(fgraph: FunctionGraph) -> bool:
    """Whether a feature of the graph may reject a change."""
    return any(getattr(feature, "validate", None) is not None for feature in fgraph.features)
