"""Decorators that make rewriters of functions: `optimizer`, `local_optimizer` and others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from relgraph.graph.basic import Apply
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.features.destroy_handler import DestroyHandler
from relgraph.graph.op import Op
from relgraph.graph.opt.base import Answer, GlobalOptimizer, LocalOptimizer, Tracked

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph

Requirement: TypeAlias = Callable[["FunctionGraph"], object]


def require_replace_validate(fgraph: FunctionGraph) -> None:
    """Attach ReplaceValidate, unless the graph has one."""
    if not any(isinstance(feature, ReplaceValidate) for feature in fgraph.features):
        fgraph.attach_feature(ReplaceValidate())


def require_destroy_handler(fgraph: FunctionGraph) -> None:
    """Attach DestroyHandler; the graph ignores a second one."""
    fgraph.attach_feature(DestroyHandler())


class _FromFunction:
    """What both kinds have: a function, its name and documentation, and what it needs.

    Parameters
    ----------
    fn
        The function.
    requirements
        Functions that attach to a graph the features that `fn` needs.
    """

    def __init__(self, fn: Callable[..., Any], requirements: Sequence[Requirement]) -> None:
        self.fn = fn
        self.requirements = tuple(requirements)
        self.inplace = require_destroy_handler in self.requirements
        self.name = getattr(fn, "__name__", None)
        self.__doc__ = fn.__doc__

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        for requirement in self.requirements:
            requirement(fgraph)


class FromFunctionOptimizer(_FromFunction, GlobalOptimizer):
    """A function of a FunctionGraph as a GlobalOptimizer.

    Parameters
    ----------
    fn
        Called with the graph; returns a record for the profile.
    requirements
        Functions that attach to a graph the features that `fn` needs.
    """

    def __init__(
        self, fn: Callable[[FunctionGraph], Any], requirements: Sequence[Requirement] = ()
    ) -> None:
        super().__init__(fn, requirements)

    def apply(self, fgraph: FunctionGraph) -> Any:
        return self.fn(fgraph)


def optimizer(fn: Callable[[FunctionGraph], Any]) -> FromFunctionOptimizer:
    """Make a GlobalOptimizer of the same name from a function of a FunctionGraph."""
    return FromFunctionOptimizer(fn, (require_replace_validate,))


def inplace_optimizer(fn: Callable[[FunctionGraph], Any]) -> FromFunctionOptimizer:
    """Like `optimizer`, for functions that insert destructive Ops: attach a DestroyHandler too."""
    return FromFunctionOptimizer(fn, (require_replace_validate, require_destroy_handler))


class FromFunctionLocalOptimizer(_FromFunction, LocalOptimizer):
    """A function of a graph and a node as a LocalOptimizer.

    Parameters
    ----------
    fn
        Called with the FunctionGraph and the node; answers as `LocalOptimizer.transform` does.
    tracks
        The Ops and Op classes on whose nodes `fn` can do something; None for all.
    requirements
        Functions that attach to a graph the features that `fn` needs.
    """

    def __init__(
        self,
        fn: Callable[[FunctionGraph, Apply], Any],
        tracks: Sequence[Tracked] | None = None,
        requirements: Sequence[Requirement] = (),
    ) -> None:
        super().__init__(fn, requirements)
        self._tracks = (
            None if tracks is None else tuple(t.tracked if isinstance(t, Op) else t for t in tracks)
        )
        self._ops = frozenset(t for t in tracks or () if isinstance(t, Op))
        self._classes = tuple(t for t in tracks or () if isinstance(t, type))
        self._relative = tuple(op for op in self._ops if op.relative is not None)

    def transform(self, fgraph: FunctionGraph, node: Apply) -> Answer:
        if self._tracks is not None and not self._is_tracked(node):
            return False
        answer: Answer = self.fn(fgraph, node)
        return answer

    def _is_tracked(self, node: Apply) -> bool:
        op = node.op
        return (
            op in self._ops
            or isinstance(op, self._classes)
            or any(relative.makes(node) for relative in self._relative)
        )

    def tracks(self) -> Sequence[Tracked] | None:
        return self._tracks


def local_optimizer(
    tracks: Sequence[Tracked] | None,
    inplace: bool = False,
    requirements: Sequence[Requirement] = (),
) -> Callable[[Callable[[FunctionGraph, Apply], Any]], FromFunctionLocalOptimizer]:
    """Make a LocalOptimizer of the same name from a function of a graph and a node.

    Parameters
    ----------
    tracks
        The Ops and Op classes on whose nodes the function can do something; None for all.
    inplace
        Whether the function inserts destructive Ops; the graph then gets a DestroyHandler.
    requirements
        Functions that attach to a graph the features that the function needs.

    Raises
    ------
    ValueError
        If `tracks` is empty: the optimizer would never be tried.
    TypeError
        If `tracks` holds something that is neither an Op nor an Op class.
    """
    if tracks is not None:
        check_tracks(tracks)
    needs = (*requirements, require_destroy_handler) if inplace else tuple(requirements)

    def decorate(fn: Callable[[FunctionGraph, Apply], Any]) -> FromFunctionLocalOptimizer:
        return FromFunctionLocalOptimizer(fn, tracks, needs)

    return decorate


def check_tracks(tracks: Any) -> None:
    """Raise unless `tracks` is a non-empty sequence of Ops and Op classes."""
    if not isinstance(tracks, Sequence):
        raise TypeError(f"tracks must be None or a sequence of Ops and Op classes, not {tracks!r}")
    if len(tracks) == 0:
        raise ValueError("tracks is empty, so the optimizer would never be tried; None means any")
    for tracked in tracks:
        if not isinstance(tracked, Op) and not (
            isinstance(tracked, type) and issubclass(tracked, Op)
        ):
            raise TypeError(f"tracks must hold Ops and Op classes, not {tracked!r}")
