"""SequenceOptimizer: global optimizers, applied one after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from relgraph.graph.opt.base import (
    GlobalOptimizer,
    Rewriter,
    display_name,
    note_failure,
    paused_collector,
)
from relgraph.graph.opt.dispatch.tables import RewriterTables, union_of
from relgraph.graph.opt.merge.hash_consing import hash_consing_table
from relgraph.graph.opt.navigators.navigator import NavigatorOptimizer
from relgraph.graph.opt.profile.records import SequenceRecord, StepRecord
from relgraph.graph.opt.profile.report import print_sequence
from relgraph.graph.opt.profile.timing import callback_time, elapsed, validate_time

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph

SequenceCallback: TypeAlias = Callable[[Exception, Any, GlobalOptimizer], object]


class SequenceOptimizer(GlobalOptimizer):
    """Apply global optimizers in order.

    The requirements of each are added just before it is applied, so that a graph has no destroy
    handler before it has destructive Ops.

    Parameters
    ----------
    opts
        The GlobalOptimizers, or one sequence of them.
    failure_callback
        Called with ``(exc, sequence, optimizer)`` when one of them raises; if it returns, the next
        one is applied. Without it the exception goes to the caller, with a note that names the
        optimizer.
    """

    def __init__(self, *opts: Any, failure_callback: SequenceCallback | None = None) -> None:
        if len(opts) == 1 and isinstance(opts[0], list | tuple):
            opts = tuple(opts[0])
        for opt in opts:
            if not isinstance(opt, GlobalOptimizer):
                raise TypeError(
                    f"expected a GlobalOptimizer, got {opt!r} ({type(opt).__name__}); a local one "
                    "is applied through a navigator, such as in2out"
                )
        self.opts: tuple[GlobalOptimizer, ...] = opts
        self.failure_callback = failure_callback

    @property
    def merges_first(self) -> bool:  # type: ignore[override]
        return bool(self.opts) and self.opts[0].merges_first

    def collapsing_first(self) -> tuple[RewriterTables, ...]:
        found: list[RewriterTables] = []
        for opt in self.opts:
            tables = opt.collapsing_first()
            if tables is None:
                break
            found += tables
            if isinstance(opt, SequenceOptimizer):
                break  # it may have stopped before its end
        return tuple(found)

    def __len__(self) -> int:
        return len(self.opts)

    def __iter__(self) -> Iterator[GlobalOptimizer]:
        return iter(self.opts)

    def __getitem__(self, index: int) -> GlobalOptimizer:
        return self.opts[index]

    def apply(self, fgraph: FunctionGraph) -> SequenceRecord:
        """Apply the optimizers in order, and return their times and profiles."""
        record = SequenceRecord(self, len(fgraph.apply_nodes))
        validating, calling = validate_time(fgraph), callback_time(fgraph)
        start = time.perf_counter()
        with paused_collector(), hash_consing_table(fgraph) as table:
            # a copy has begun with this (see `merged_copy`), and any graph comes to the same
            table.begin_with(union_of(self.collapsing_first()))
            for index, opt in enumerate(self.opts):
                record.steps.append(self._step(fgraph, index, opt))
        record.time = time.perf_counter() - start
        record.validate_time = elapsed(validating, validate_time(fgraph))
        record.callback_time = elapsed(calling, callback_time(fgraph))
        record.nodes_after = len(fgraph.apply_nodes)
        return record

    def _step(self, fgraph: FunctionGraph, index: int, opt: GlobalOptimizer) -> StepRecord:
        before, validating = len(fgraph.apply_nodes), validate_time(fgraph)
        start = time.perf_counter()
        profile = None
        try:
            profile = opt.optimize(fgraph)
        except Exception as exc:
            if self.failure_callback is None:
                note_failure(exc, opt)
                raise
            self.failure_callback(exc, self, opt)
        return StepRecord(
            opt,
            index,
            time.perf_counter() - start,
            elapsed(validating, validate_time(fgraph)),
            before,
            len(fgraph.apply_nodes),
            profile,
        )

    @staticmethod
    def warn(exc: Exception, sequence: SequenceOptimizer, optimizer: GlobalOptimizer) -> None:
        """Failure callback: warn, and go on with the next one."""
        NavigatorOptimizer.warn(exc, sequence, [], optimizer, None)

    def summary_children(self) -> Sequence[Rewriter]:
        return self.opts

    def __str__(self) -> str:
        return self.name or f"{type(self).__name__}({', '.join(map(display_name, self.opts))})"

    @classmethod
    def print_profile(cls, stream: TextIO, prof: Any, level: int = 0) -> None:
        print_sequence(stream, prof, level)


class InSequence(GlobalOptimizer):
    """A GlobalOptimizer that applies others of the sequence it stands in to graphs inside a graph.

    Attributes
    ----------
    sequence
        The sequence that a query to a database has given; None outside of one.
    place
        Its place there.
    """

    sequence: SequenceOptimizer | None = None
    place: int = 0

    def within(self, sequence: SequenceOptimizer, place: int) -> InSequence:
        """Return this optimizer as a part of a sequence."""
        made = copy(self)
        made.sequence, made.place = sequence, place
        return made


# The documented name; databases, profiles and printed summaries show it.
SeqOptimizer = SequenceOptimizer
