"""LocalOptGroup: several local optimizers, tried in turn, as one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.opt.base import (
    Answer,
    LocalOptimizer,
    Rewriter,
    Tracked,
    as_local_optimizer,
    display_name,
    note_failure,
)
from relgraph.graph.opt.dispatch.by_op import Dispatch
from relgraph.graph.opt.divergence import DivergenceError, budget_message, step_of
from relgraph.graph.opt.profile.records import RewriterRecord
from relgraph.graph.opt.replacement import read_answer

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph


class LocalOptGroup(LocalOptimizer):
    """Try local optimizers in turn; the first that can rewrite the node does so.

    Parameters
    ----------
    optimizers
        LocalOptimizers and laws, in the order in which they are tried.
    apply_all_opts
        Whether to go on with the resulting node, until none of them can rewrite it.
    profile
        Whether to keep a `RewriterRecord` of each in `records`.

    Raises
    ------
    DivergenceError
        From `transform`, if rewriting with `apply_all_opts` goes on for too long.
    """

    LIMIT = 1000

    def __init__(
        self, *optimizers: Any, apply_all_opts: bool = False, profile: bool = False
    ) -> None:
        self.opts = tuple(as_local_optimizer(opt) for opt in optimizers)
        self.apply_all_opts = apply_all_opts
        self.profile = profile
        self.records = {opt: RewriterRecord(display_name(opt)) for opt in self.opts}
        self._dispatch = Dispatch(self.opts)
        depths = [opt.depth for opt in self.opts]
        known = [depth for depth in depths if depth is not None]
        self.depth = max(known, default=1) if len(known) == len(depths) else None

    def tracks(self) -> Sequence[Tracked] | None:
        found: dict[Any, None] = {}
        for opt in self.opts:
            tracks = opt.tracks()
            if tracks is None:
                return None
            found.update(dict.fromkeys(tracks))
        return list(found)

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        for opt in self.opts:
            opt.add_requirements(fgraph)

    def summary_children(self) -> Sequence[Rewriter]:
        return self.opts

    def __str__(self) -> str:
        return self.name or f"{type(self).__name__}({','.join(map(display_name, self.opts))})"

    def transform(self, fgraph: FunctionGraph, node: Apply) -> Answer:
        answer, by = self._first(fgraph, node)
        if by is None or not self.apply_all_opts:
            return answer
        rounds = 0
        while (new := _node_with_outputs(answer)) is not None:
            again, name = self._first(fgraph, new)
            if name is None or isinstance(again, dict):
                break
            rounds += 1
            if rounds > self.LIMIT:
                self._diverged(fgraph, new, again, name)
            answer = again
        return answer

    def _first(self, fgraph: FunctionGraph, node: Apply) -> tuple[Answer, LocalOptimizer | None]:
        """The first answer that changes `node`, and the optimizer that gave it."""
        for opt in self._dispatch[node.op]:
            start = time.perf_counter() if self.profile else 0.0
            try:
                answer = opt.transform(fgraph, node)
                wanted = (
                    None
                    if answer is False or answer is None
                    else read_answer(fgraph, node, opt, answer)
                )
            except Exception as exc:
                note_failure(exc, opt, node)
                raise
            if self.profile:
                record = self.records[opt]
                record.tried += 1
                record.time += time.perf_counter() - start
                record.applied += wanted is not None
            if wanted is not None:
                return answer, opt
        return False, None

    def _diverged(
        self, fgraph: FunctionGraph, node: Apply, answer: Answer, opt: LocalOptimizer
    ) -> None:
        wanted = read_answer(fgraph, node, opt, answer)
        name = display_name(opt)
        steps = [] if wanted is None else [step_of(name, wanted[0])]
        size = len(fgraph.apply_nodes)
        message = budget_message(str(self), name, self.LIMIT, (size, size), steps)
        raise DivergenceError(message, "budget", [name], steps)

    def print_profile(self, stream: TextIO, level: int = 0) -> None:
        """Write the times and counts of the optimizers, if they were kept."""
        if not self.profile:
            return
        indent = "    " * level
        print(f"{indent}{type(self).__name__} {self.name or ''}".rstrip(), file=stream)
        for record in sorted(self.records.values(), key=lambda r: -r.time):
            print(f"{indent}    {record.time:.3f}s - {record.applied} - {record.name}", file=stream)


def _node_with_outputs(answer: Answer) -> Apply | None:
    """The node whose outputs, in order, are what `answer` lists; None if there is none."""
    if not isinstance(answer, Sequence) or len(answer) == 0:
        return None
    first = answer[0]
    if not isinstance(first, Variable) or first.owner is None:
        return None
    node: Apply = first.owner
    if len(node.outputs) != len(answer):
        return None
    return node if all(a is b for a, b in zip(node.outputs, answer, strict=True)) else None
