"""Optimizers that apply others: to the nodes of a graph, in turn as a group, or in sequence."""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO, TypeAlias

from relgraph.graph.basic import Apply, Variable, ancestors
from relgraph.graph.features import Feature, NodeFinder
from relgraph.graph.opt.base import (
    Answer,
    GlobalOptimizer,
    LocalOptimizer,
    Rewriter,
    Tracked,
    apply_replacement,
    as_local_optimizer,
    describe,
    display_name,
    note_failure,
    read_answer,
    require_replace_validate,
)
from relgraph.graph.opt.dispatch import Dispatch, RewriterTables, union_of
from relgraph.graph.opt.limits import budget_error, step_of
from relgraph.graph.opt.merge import hash_consing_table
from relgraph.graph.opt.profile import (
    RewriterRecord,
    SequenceRecord,
    StepRecord,
    print_sequence,
)
from relgraph.graph.utils import InconsistencyError, paused_collector

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
        size = len(fgraph.apply_nodes)
        step = step_of(display_name(opt), [] if wanted is None else wanted[0])
        raise budget_error(self, step, self.LIMIT, (size, size))

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
    if not isinstance(answer, Sequence) or not answer or not isinstance(answer[0], Variable):
        return None
    node: Apply | None = answer[0].owner
    return node if node is not None and node.outputs == list(answer) else None


Order: TypeAlias = Literal["in_to_out", "out_to_in"]
FailureCallback: TypeAlias = Callable[[Exception, Any, list[Any], Any, Any], object]
Replaced: TypeAlias = tuple[str, Sequence[tuple[Variable, Variable]]]
"""The name of a rewriter, and pairs of a variable and its replacement."""


class OptimizationWarning(UserWarning):
    """A rewriter failed, and the navigator went on without it."""


class NavigatorOptimizer(GlobalOptimizer):
    """The base class of optimizers that apply local ones.

    Parameters
    ----------
    local_opt
        A LocalOptimizer or a law; or a list of them, which are tried in turn on each node.
    ignore_newtrees
        Whether nodes that a rewrite makes are not visited. ``'auto'``: they are not if `local_opt`
        has an attribute `reentrant` that is false.
    failure_callback
        Called with ``(exc, navigator, repl_pairs, local_opt, node)`` when the local optimizer
        raises or its replacement is rejected, after the graph has been restored; if it returns,
        rewriting goes on. Without a callback the exception goes to the caller, with a note that
        names the rewriter and the node.
    """

    local_opt: LocalOptimizer | None

    def __init__(
        self,
        local_opt: Any,
        ignore_newtrees: bool | Literal["auto"] = "auto",
        failure_callback: FailureCallback | None = None,
    ) -> None:
        if isinstance(local_opt, list | tuple):
            local_opt = _as_one_optimizer(local_opt)
        self.local_opt = None if local_opt is None else as_local_optimizer(local_opt)
        if ignore_newtrees == "auto":
            ignore_newtrees = not getattr(self.local_opt, "reentrant", True)
        self.ignore_newtrees = bool(ignore_newtrees)
        self.failure_callback = failure_callback
        self._tracked_by = Dispatch(() if self.local_opt is None else (self.local_opt,))

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        require_replace_validate(fgraph)
        if self.local_opt is not None:
            self.local_opt.add_requirements(fgraph)

    def summary_children(self) -> Sequence[Rewriter]:
        return () if self.local_opt is None else (self.local_opt,)

    def fail(
        self, exc: Exception, repl_pairs: list[Any], local_opt: LocalOptimizer, node: Apply
    ) -> None:
        """Hand an exception to the failure callback, or raise it with a note."""
        if self.failure_callback is None:
            note_failure(exc, local_opt, node)
            raise exc
        self.failure_callback(exc, self, repl_pairs, local_opt, node)

    def rewrite(self, fgraph: FunctionGraph, node: Apply) -> Replaced | None:
        """Apply the local optimizer to a node whose op it tracks; return what it did, or None."""
        tracking = self._tracked_by[node.op]
        if not tracking:
            return None
        rewriter, pairs = tracking[0], list[Any]()
        try:
            wanted = read_answer(fgraph, node, rewriter, rewriter.transform(fgraph, node))
            if wanted is None:
                return None
            pairs, remove = wanted
            apply_replacement(fgraph, pairs, remove, display_name(rewriter))
        except Exception as exc:
            self.fail(exc, pairs, rewriter, node)
            return None
        return display_name(rewriter), pairs

    def rewrite_bounded(self, fgraph: FunctionGraph, nodes: Iterable[Apply]) -> int:
        """Apply the local optimizer to those of some nodes that are in the graph when their turn
        comes; return how many were rewritten.

        Raises
        ------
        DivergenceError
            If there are more rewrites than the size of the graph explains.
        """
        applied, before = 0, len(fgraph.apply_nodes)
        for node in nodes:
            replaced = self.rewrite(fgraph, node) if node in fgraph.apply_nodes else None
            if replaced is not None:
                applied += 1
                if applied > 1000 + 32 * before:
                    sizes = (before, len(fgraph.apply_nodes))
                    raise budget_error(self, step_of(*replaced), applied, sizes)
        return applied

    @staticmethod
    def warn(
        exc: Exception, nav: Any, repl_pairs: list[Any], local_opt: Any, node: Apply | None
    ) -> None:
        """Failure callback: warn, and go on."""
        where = "" if node is None else f" on {describe(node)}"
        warnings.warn(
            f"the rewriter {display_name(local_opt)} failed{where}: {type(exc).__name__}: {exc}",
            OptimizationWarning,
            stacklevel=3,
        )

    @staticmethod
    def warn_inplace(
        exc: Exception, nav: Any, repl_pairs: list[Any], local_opt: Any, node: Apply | None
    ) -> None:
        """Failure callback: warn, unless the change would have made the graph inconsistent.

        That is how a rewriter learns where it can't work in place.
        """
        if not isinstance(exc, InconsistencyError):
            NavigatorOptimizer.warn(exc, nav, repl_pairs, local_opt, node)

    @staticmethod
    def warn_ignore(
        exc: Exception, nav: Any, repl_pairs: list[Any], local_opt: Any, node: Apply | None
    ) -> None:
        """Failure callback: go on without a warning."""


def _as_one_optimizer(local_opts: Sequence[Any]) -> Any:
    """One local optimizer that tries the given ones in turn."""
    if not local_opts:
        raise TypeError("expected at least one local optimizer")
    return local_opts[0] if len(local_opts) == 1 else LocalOptGroup(*local_opts)


class TopoRecord(NamedTuple):
    """The profile of a TopoOptimizer: a tuple, as the documents show it."""

    optimizer: Any
    nb_applied: int
    nb_nodes_start: int
    nb_nodes_end: int
    io_toposort_time: float
    loop_time: float
    callback_time: float

    def __repr__(self) -> str:
        return tuple.__repr__(self)


class _Imports(Feature):
    """Calls a function with each new node that is imported into a graph, once.

    A node that comes back, since a replacement of it was rejected, is not new.
    """

    def __init__(self, known: Iterable[Apply], put: Callable[[Apply], None]) -> None:
        self.known = set(known)
        self.put = put

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        if node not in self.known:
            self.known.add(node)
            self.put(node)


class TopoOptimizer(NavigatorOptimizer):
    """Apply a local optimizer to each node once, in topological order.

    Parameters
    ----------
    local_opt
        A LocalOptimizer or a law.
    order
        ``'in_to_out'``: a node after the nodes that it reads; ``'out_to_in'``: before them.
    ignore_newtrees
        Whether nodes that a rewrite makes are not visited.
    failure_callback
        See `NavigatorOptimizer`.

    Raises
    ------
    DivergenceError
        From `apply`, if the local optimizer goes on and on rewriting nodes that it made.
    """

    def __init__(
        self,
        local_opt: Any,
        order: Order = "in_to_out",
        ignore_newtrees: bool | Literal["auto"] = False,
        failure_callback: FailureCallback | None = None,
    ) -> None:
        if order not in ("in_to_out", "out_to_in"):
            raise ValueError(f"order must be 'in_to_out' or 'out_to_in', not {order!r}")
        super().__init__(local_opt, ignore_newtrees, failure_callback)
        self.order = order

    def apply(self, fgraph: FunctionGraph, start_from: Any = None) -> TopoRecord:
        """Visit the nodes of `fgraph`, or those that the variables `start_from` depend on."""
        require_replace_validate(fgraph)
        calling, start = fgraph.execute_callbacks_time, time.perf_counter()
        nodes = self._nodes(fgraph, start_from)
        sorted_at = time.perf_counter()
        before = len(fgraph.apply_nodes)
        applied = self._visit(fgraph, nodes)
        return TopoRecord(
            self,
            applied,
            before,
            len(fgraph.apply_nodes),
            sorted_at - start,
            time.perf_counter() - sorted_at,
            fgraph.execute_callbacks_time - calling,
        )

    def _nodes(self, fgraph: FunctionGraph, start_from: Any) -> deque[Apply]:
        nodes = fgraph.toposort(with_orderings=False)
        if start_from is not None:
            needed = {var.owner for var in ancestors(start_from)}
            nodes = [node for node in nodes if node in needed]
        return deque(nodes if self.order == "in_to_out" else reversed(nodes))

    def _visit(self, fgraph: FunctionGraph, nodes: deque[Apply]) -> int:
        if self.ignore_newtrees:
            return self.rewrite_bounded(fgraph, nodes)
        # new nodes come last in the order ``in_to_out``, first in the other one
        put = nodes.append if self.order == "in_to_out" else nodes.appendleft
        with fgraph.attached(_Imports(nodes, put)):
            return self.rewrite_bounded(fgraph, _taken_from(nodes))

    @classmethod
    def print_profile(cls, stream: TextIO, prof: Any, level: int = 0) -> None:
        indent = "    " * level
        name = prof.optimizer.name or ""
        print(f"{indent}{cls.__name__} {name}".rstrip(), file=stream)
        sizes = (prof.nb_nodes_start, prof.nb_nodes_end, prof.nb_applied)
        for label, value in (
            ("nb_node (start, end, changed)", sizes),
            ("init io_toposort", prof.io_toposort_time),
            ("loop time", prof.loop_time),
            ("callback_time", prof.callback_time),
        ):
            print(f"{indent}    {label} {value}", file=stream)
        local = prof.optimizer.local_opt
        if isinstance(local, LocalOptGroup):
            local.print_profile(stream, level + 1)


def _taken_from(nodes: deque[Apply]) -> Iterator[Apply]:
    while nodes:
        yield nodes.popleft()


def _go_on_if_inconsistent(
    exc: Exception, nav: Any, repl_pairs: list[Any], local_opt: Any, node: Apply
) -> None:
    """Failure callback: raise the error, unless it says where a rewriter can't work in place."""
    if not isinstance(exc, InconsistencyError):
        note_failure(exc, local_opt, node)
        raise exc


def _topo(order: Order, local_opts: Sequence[Any], name: str | None, kwargs: Any) -> TopoOptimizer:
    kwargs.setdefault("failure_callback", _go_on_if_inconsistent)
    made = TopoOptimizer(_as_one_optimizer(local_opts), order=order, **kwargs)
    made.name = name or _joined(local_opts)
    return made


def _joined(local_opts: Sequence[Any]) -> str:
    return "_".join(map(display_name, local_opts))


def in2out(*local_opts: Any, name: str | None = None, **kwargs: Any) -> TopoOptimizer:
    """A TopoOptimizer from inputs to outputs that tries local optimizers in turn on each node.

    Unless there is another `failure_callback`, it leaves out what would overwrite a value that is
    read later, and raises all other errors.
    """
    return _topo("in_to_out", local_opts, name, kwargs)


def out2in(*local_opts: Any, name: str | None = None, **kwargs: Any) -> TopoOptimizer:
    """A TopoOptimizer from outputs to inputs that tries local optimizers in turn on each node; see
    `in2out`."""
    return _topo("out_to_in", local_opts, name, kwargs)


def topogroup_optimizer(
    order: Order, *local_opts: Any, name: str | None = None, **kwargs: Any
) -> TopoOptimizer:
    """A TopoOptimizer that applies local optimizers to each node until none can rewrite it; see
    `in2out`."""
    group = LocalOptGroup(*local_opts, apply_all_opts=True)
    return _topo(order, [group], name or _joined(local_opts), kwargs)


class OpKeyOptimizer(NavigatorOptimizer):
    """Apply a local optimizer to the nodes of the Ops that it tracks.

    The feature NodeFinder finds them without a walk through the graph.

    Raises
    ------
    ValueError
        If the local optimizer tracks all Ops.
    """

    def __init__(
        self,
        local_opt: Any,
        ignore_newtrees: bool | Literal["auto"] = False,
        failure_callback: FailureCallback | None = None,
    ) -> None:
        super().__init__(local_opt, ignore_newtrees, failure_callback)
        assert self.local_opt is not None
        if self.local_opt.tracks() is None:
            raise ValueError(
                f"{display_name(self.local_opt)} does not say which Ops it tracks, which is what "
                "an OpKeyOptimizer goes by"
            )

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        super().add_requirements(fgraph)
        fgraph.attach_feature(NodeFinder())

    def apply(self, fgraph: FunctionGraph) -> int:
        """Rewrite `fgraph`, and return how many nodes were rewritten."""
        self.add_requirements(fgraph)
        assert self.local_opt is not None
        return self.rewrite_bounded(fgraph, self._in_turn(fgraph))

    def _in_turn(self, fgraph: FunctionGraph) -> Iterator[Apply]:
        seen: set[Apply] = set()
        while todo := [node for node in self._tracked(fgraph) if node not in seen]:
            seen.update(todo)
            yield from todo
            if self.ignore_newtrees:
                return

    def _tracked(self, fgraph: FunctionGraph) -> list[Apply]:
        assert self.local_opt is not None
        found: list[Apply] = []
        for tracked in self.local_opt.tracks() or ():
            if isinstance(tracked, type):
                nodes = fgraph.toposort(with_orderings=False)
                found += [node for node in nodes if isinstance(node.op, tracked)]
            else:
                found += fgraph.get_nodes(tracked)
        return list(dict.fromkeys(found))


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
        validating, calling = fgraph.validate_time, fgraph.execute_callbacks_time
        start = time.perf_counter()
        with paused_collector(), hash_consing_table(fgraph) as table:
            # a copy has begun with this (see `merged_copy`), and any graph ends so
            table.begin_with(union_of(self.collapsing_first()))
            for index, opt in enumerate(self.opts):
                record.steps.append(self._step(fgraph, index, opt))
        record.time = time.perf_counter() - start
        record.validate_time = fgraph.validate_time - validating
        record.callback_time = fgraph.execute_callbacks_time - calling
        record.nodes_after = len(fgraph.apply_nodes)
        return record

    def _step(self, fgraph: FunctionGraph, index: int, opt: GlobalOptimizer) -> StepRecord:
        before, validating = len(fgraph.apply_nodes), fgraph.validate_time
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
            fgraph.validate_time - validating,
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
    """A GlobalOptimizer that applies the others of its sequence to graphs inside a graph.

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
