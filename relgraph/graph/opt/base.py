"""What a rewriter is: global ones are given a whole graph, local ones a node at a time."""

from __future__ import annotations

import abc
import gc
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.op import Op

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.opt.dispatch.tables import RewriterTables

Tracked: TypeAlias = Op | type[Op]
Answer: TypeAlias = bool | Sequence[Variable | None] | dict[Any, Any] | None
"""What `LocalOptimizer.transform` returns."""

_PACKAGE = __name__.rpartition(".")[0]


class paused_collector:
    """Keep the cyclic garbage collector off inside a block; give it back even on errors.

    A rewrite makes and drops thousands of small cycles (variable and owner), and each collection
    walks the whole graph again.
    """

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(self, *error: object) -> None:
        if self._was_on:
            gc.enable()


def display_name(rewriter: object) -> str:
    """What reports and errors call `rewriter`: its name, or what `str` gives where it has none."""
    name = getattr(rewriter, "name", None)
    return name if isinstance(name, str) and name else str(rewriter)


def explain(exc: BaseException, rewriter: object, node: Apply | None = None) -> None:
    """Note on an exception, which keeps its class, which rewriter raised it and on what node."""
    where = "" if node is None else f" on the node {describe(node)}"
    exc.add_note(f"raised in the rewriter {display_name(rewriter)}{where}")


# A term in a message is to be read: of a larger one the outer part tells enough.
_MOST_OPS, _MOST_ARGUMENTS = 40, 8


def describe(x: Apply | Variable, depth: int = 6) -> str:
    """Write a node or variable as a term, ``add(x, mul(y, ...))``, at most `depth` levels deep and
    without the parts that would be too many."""
    return _described(x, depth, iter(range(_MOST_OPS)))


def _described(x: Apply | Variable, depth: int, left: Iterator[int]) -> str:
    if isinstance(x, Variable):
        if x.owner is None or x.name is not None:
            return str(x)
        inner = _described(x.owner, depth, left)
        return inner if len(x.owner.outputs) == 1 else f"{inner}.{x.index}"
    if depth <= 0 or next(left, None) is None:
        return "..."
    inputs = [_described(v, depth - 1, left) for v in x.inputs[:_MOST_ARGUMENTS]]
    more = ["..."] if len(x.inputs) > _MOST_ARGUMENTS else []
    return f"{x.op}({', '.join([*inputs, *more])})"


class Rewriter:
    """The common part of global and local optimizers.

    `name` is what is printed, profiled and queried; registration in a database sets it.
    """

    name: str | None = None

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        """Attach to `fgraph` the features that this rewriter needs."""

    def summary_children(self) -> Sequence[Rewriter]:
        """The rewriters that this one is made of, in the order in which they are printed."""
        return ()

    def print_summary(self, stream: TextIO | None = None, level: int = 0, depth: int = -1) -> None:
        """Write one line for this rewriter, and below it, indented, those it is made of.

        Parameters
        ----------
        stream
            Where to write; standard output if None.
        level
            The number of spaces before the first line.
        depth
            How many levels below this one are printed; -1 prints all.
        """
        out = sys.stdout if stream is None else stream
        name = f" {self.name}" if self.name else ""
        print(f"{' ' * level}{type(self).__name__}{name} id={id(self)}", file=out)
        if depth != 0:
            for child in self.summary_children():
                child.print_summary(out, level + 2, depth - 1)

    def __repr__(self) -> str:
        cls = type(self)
        # The package is the address under which its classes are documented and imported.
        module = _PACKAGE if cls.__module__.startswith(_PACKAGE + ".") else cls.__module__
        return f"<{module}.{cls.__qualname__} object at {hex(id(self))}>"

    def __str__(self) -> str:
        return self.name or type(self).__name__


class Heading(Rewriter):
    """A name under which rewriters are listed by `print_summary`; it rewrites nothing itself."""

    def __init__(self, name: str, rewriters: Sequence[Rewriter]) -> None:
        self.name = name
        self.rewriters = tuple(rewriters)

    def summary_children(self) -> Sequence[Rewriter]:
        return self.rewriters


class GlobalOptimizer(Rewriter, abc.ABC):
    """A rewriter that is given a whole graph and changes it in place.

    Attributes
    ----------
    merges_first
        Whether it begins by computing once what is computed twice. A copy of a graph that is made
        for it need not be larger than that.
    """

    merges_first: bool = False

    def collapsing(self) -> tuple[RewriterTables, ...] | None:
        """The rewriters that collapse (see `LocalOptimizer`) and that it applies before it does
        anything else, so that they may be applied while a graph is copied for it; None if it may
        have something else to do with what would be gone then."""
        return None

    @abc.abstractmethod
    def apply(self, fgraph: FunctionGraph) -> Any:
        """Rewrite `fgraph` in place; what is returned is a record for `print_profile`, or None."""

    def optimize(self, fgraph: FunctionGraph, *args: Any, **kwargs: Any) -> Any:
        """Add the requirements, apply, and return what `apply` returns."""
        self.add_requirements(fgraph)
        with paused_collector():
            return self.apply(fgraph, *args, **kwargs)

    def __call__(self, fgraph: FunctionGraph) -> Any:
        return self.optimize(fgraph)

    @classmethod
    def print_profile(cls, stream: TextIO, prof: Any, level: int = 0) -> None:
        """Write what `apply` returned, `prof`, as text, `level` steps to the right."""
        if prof is not None:
            print(f"{'    ' * level}{cls.__name__} {prof}", file=stream)


class LocalOptimizer(Rewriter, abc.ABC):
    """A rewriter that is given one node and proposes replacements.

    Attributes
    ----------
    depth
        How many levels of nodes `transform` looks at, the given node being the first; an
        equilibrium revisits a node only when something within that depth has changed. Sums nested
        in a sum are one level, and so for any op whose arguments are a bag. None, the default,
        means unknown: the equilibrium then looks at the whole graph once more before it stops.
        With a depth it gives the same answer as long as nothing within that changes, so that an
        equilibrium that follows another one need not ask again.
    regroups
        Whether, on a node of an op whose arguments are a bag, it does to a sum with other sums
        nested in it what it does to these. An equilibrium then leaves it out on a sum that is only
        read by another one.
    inward
        Whether this takes an op from the root of what it matches to what is below, as
        ``(x + y).T → x.T + y.T`` does. It is then tried when the others have nothing left to do,
        readers before what they read: what goes inwards a level at a time so meets its like on the
        way, and they go on as one or are gone.
    late
        Whether this flattens or collects; it is then tried after all the others, and not on a sum
        that is only read by another one.
    collapses
        Whether all it does is to replace the output of a node by a variable further down, without
        a look at who reads what: `transform` may be given `UNKNOWN_READERS` for a graph. An
        equilibrium that begins on a copy applies it while the copy is made, and what it makes
        needless is never there. Not for ops whose arguments are a bag.
    wants
        The Ops and Op classes of which there has to be a node within its depth.
    numbers
        What has to be there among the arguments of a node, or of sums nested in it: each has a
        method ``is_value`` that tells the number.
    """

    depth: int | None = None
    regroups: bool = False
    inward: bool = False
    late: bool = False
    collapses: bool = False
    wants: frozenset[Any] = frozenset()
    numbers: frozenset[Any] = frozenset()

    @abc.abstractmethod
    def transform(self, fgraph: FunctionGraph, node: Apply) -> Answer:
        """Propose replacements.

        Returns
        -------
        answer
            False if there is nothing to do. A list as long as `node.outputs`, where None stands
            for an output without clients. Or a dict from variables of the graph to their
            replacements; its key "remove", if there, lists variables that must be gone from the
            graph afterwards.
        """

    def might_match(self, node: Apply) -> bool:
        """Whether it can do something on some node with the op of `node` and its inputs' ops.

        The answer is kept for all such nodes.
        """
        return True

    def fits_sum(self, heads: Sequence[Any]) -> bool:
        """Whether it can do something on some sum (a node of an op whose arguments are a bag) of
        terms with these heads, sums nested in it having been taken apart.

        Heads that there are several of stand there twice. The answer is kept for all such sums.
        """
        return True

    def looks_into(self) -> frozenset[tuple[Tracked, Tracked]] | None:
        """The pairs (an op, the op of one of its inputs) such that it looks at the inputs of the
        latter; that an op only repeats elements, or sums are nested, need not be said. None, the
        default, stands for all pairs within its depth, and that it may ask who reads a variable."""
        return None

    def tracks(self) -> Sequence[Tracked] | None:
        """The Ops and Op classes on whose nodes this optimizer can do something; None for any."""
        return None


def as_local_optimizer(item: object) -> LocalOptimizer:
    """`item` as a LocalOptimizer; of a law, which has two directions, the forward one.

    Raises
    ------
    TypeError
        If `item` is neither.
    """
    if isinstance(item, LocalOptimizer):
        return item
    if hasattr(type(item), "forward"):
        item = getattr(item, "forward")  # noqa: B009  (a law says itself why it has no direction)
        if isinstance(item, LocalOptimizer):
            return item
    raise TypeError(f"expected a LocalOptimizer or a law, got {item!r} ({type(item).__name__})")
