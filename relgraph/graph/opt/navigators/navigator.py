"""Navigators: global optimizers that apply a local one to the nodes of a graph."""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, TextIO, TypeAlias

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.features import NodeFinder
from relgraph.graph.features.feature import Feature
from relgraph.graph.opt.base import (
    GlobalOptimizer,
    LocalOptimizer,
    Rewriter,
    as_local_optimizer,
    describe,
    display_name,
    note_failure,
)
from relgraph.graph.opt.decorators import require_replace_validate
from relgraph.graph.opt.dispatch.by_op import Dispatch
from relgraph.graph.opt.divergence import DivergenceError, budget_message, step_of
from relgraph.graph.opt.navigators.group import LocalOptGroup
from relgraph.graph.opt.profile.timing import callback_time, elapsed
from relgraph.graph.opt.replacement import apply_replacement, read_answer
from relgraph.graph.utils import InconsistencyError

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph

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

    def process_node(
        self, fgraph: FunctionGraph, node: Apply, local_opt: LocalOptimizer | None = None
    ) -> bool:
        """Apply the local optimizer to one node; return whether the graph changed."""
        return self.rewrite(fgraph, node, local_opt) is not None

    def rewrite(
        self, fgraph: FunctionGraph, node: Apply, local_opt: LocalOptimizer | None = None
    ) -> Replaced | None:
        """Apply the local optimizer to one node if it tracks the op; return what it did, or None.

        A `local_opt` that is given is applied in any case.
        """
        if local_opt is not None:
            rewriter = local_opt
        elif tracking := self._tracked_by[node.op]:
            rewriter = tracking[0]
        else:
            return None
        pairs: list[Any] = []
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

    def diverged(self, replaced: Replaced, applied: int, before: int, now: int) -> NoReturn:
        """Raise an error after too many replacements, the last of which is given.

        Parameters
        ----------
        applied
            How many replacements there were.
        before, now
            How many nodes the graph had before them, and has now.
        """
        step = step_of(*replaced)
        message = budget_message(str(self), step.rewriter, applied, (before, now), [step])
        raise DivergenceError(message, "budget", [step.rewriter], [step])

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


class _ImportedNodes(Feature):
    """A list of the nodes that are imported into a graph."""

    def __init__(self) -> None:
        self.nodes: list[Apply] = []

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self.nodes.append(node)


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
        calling, start = callback_time(fgraph), time.perf_counter()
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
            elapsed(calling, callback_time(fgraph)),
        )

    def _nodes(self, fgraph: FunctionGraph, start_from: Any) -> deque[Apply]:
        nodes = fgraph.toposort(with_orderings=False)
        if start_from is not None:
            needed = _ancestor_nodes(start_from)
            nodes = [node for node in nodes if node in needed]
        return deque(nodes if self.order == "in_to_out" else reversed(nodes))

    def _visit(self, fgraph: FunctionGraph, nodes: deque[Apply]) -> int:
        applied, before = 0, len(fgraph.apply_nodes)
        limit = 1000 + 32 * before
        imported = _ImportedNodes()
        fgraph.attach_feature(imported)
        try:
            while nodes:
                node = nodes.popleft()
                if node not in fgraph.apply_nodes:
                    continue
                replaced = self.rewrite(fgraph, node)
                if replaced is not None:
                    applied += 1
                    if applied > limit:
                        self.diverged(replaced, applied, before, len(fgraph.apply_nodes))
                if imported.nodes:
                    self._queue(nodes, imported.nodes)
                    imported.nodes.clear()
        finally:
            fgraph.remove_feature(imported)
        return applied

    def _queue(self, nodes: deque[Apply], new: list[Apply]) -> None:
        """Queue new nodes: last in the order ``in_to_out``, first in the other one."""
        if self.ignore_newtrees:
            return
        if self.order == "in_to_out":
            nodes.extend(new)
        else:
            nodes.extendleft(new)

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


def _ancestor_nodes(variables: Iterable[Any]) -> set[Apply]:
    """The nodes that some variables depend on."""
    stack = [v.owner for v in variables if v.owner is not None]
    found = set(stack)
    while stack:
        for var in stack.pop().inputs:
            if var.owner is not None and var.owner not in found:
                found.add(var.owner)
                stack.append(var.owner)
    return found


def _topo(order: Order, local_opts: Sequence[Any], name: str | None, kwargs: Any) -> TopoOptimizer:
    made = TopoOptimizer(_as_one_optimizer(local_opts), order=order, **kwargs)
    made.name = name or "_".join(display_name(opt) for opt in local_opts)
    return made


def in2out(*local_opts: Any, name: str | None = None, **kwargs: Any) -> TopoOptimizer:
    """A TopoOptimizer from inputs to outputs that tries local optimizers in turn on each node."""
    return _topo("in_to_out", local_opts, name, kwargs)


def out2in(*local_opts: Any, name: str | None = None, **kwargs: Any) -> TopoOptimizer:
    """A TopoOptimizer from outputs to inputs that tries local optimizers in turn on each node."""
    return _topo("out_to_in", local_opts, name, kwargs)


def topogroup_optimizer(
    order: Order, *local_opts: Any, name: str | None = None, **kwargs: Any
) -> TopoOptimizer:
    """A TopoOptimizer that applies local optimizers to each node until none can rewrite it."""
    group = LocalOptGroup(*local_opts, apply_all_opts=True)
    made = TopoOptimizer(group, order=order, **kwargs)
    made.name = name or "_".join(display_name(opt) for opt in local_opts)
    return made


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
        applied, limit = 0, 1000 + 32 * len(fgraph.apply_nodes)
        before = len(fgraph.apply_nodes)
        seen: set[Apply] = set()
        todo = self._tracked(fgraph)
        while todo:
            for node in todo:
                seen.add(node)
                if node not in fgraph.apply_nodes:
                    continue
                replaced = self.rewrite(fgraph, node)
                if replaced is not None:
                    applied += 1
                    if applied > limit:
                        self.diverged(replaced, applied, before, len(fgraph.apply_nodes))
            todo = [] if self.ignore_newtrees else self._tracked(fgraph)
            todo = [node for node in todo if node not in seen]
        return applied

    def _tracked(self, fgraph: FunctionGraph) -> list[Apply]:
        assert self.local_opt is not None
        found: dict[Apply, None] = {}
        for tracked in self.local_opt.tracks() or ():
            if isinstance(tracked, type):
                found.update(
                    dict.fromkeys(
                        n
                        for n in fgraph.toposort(with_orderings=False)
                        if isinstance(n.op, tracked)
                    )
                )
            else:
                found.update(dict.fromkeys(fgraph.get_nodes(tracked)))
        return list(found)
