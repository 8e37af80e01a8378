"""What rewriters are: global optimizers (of a graph) and local ones (of a node).

Decorators make them of functions. `read_answer` reads what a local one answers, and
`apply_replacement` makes its replacements.
"""

from __future__ import annotations

import abc
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias, TypeVar

from relgraph.graph.basic import Apply, Variable
from relgraph.graph.destroyhandler import DestroyHandler
from relgraph.graph.features import ReplaceValidate
from relgraph.graph.op import Op
from relgraph.graph.utils import paused_collector

if TYPE_CHECKING:
    from relgraph.graph.fg import FunctionGraph
    from relgraph.graph.opt.dispatch import RewriterTables

Tracked: TypeAlias = Op | type[Op]
Answer: TypeAlias = bool | Sequence[Variable | None] | dict[Any, Any] | None
"""What `LocalOptimizer.transform` returns."""

_PACKAGE = __name__.rpartition(".")[0]


def display_name(rewriter: object) -> str:
    """What reports and errors call a rewriter or a relation: its name, or its `str`."""
    for name in (getattr(rewriter, "name", None), getattr(rewriter, "__name__", None)):
        if isinstance(name, str) and name:
            return name
    return str(rewriter)


def note_failure(exc: BaseException, rewriter: object, node: Apply | None = None) -> None:
    """Add a note to an exception: which rewriter raised it, and on which node."""
    where = "" if node is None else f" on the node {describe(node)}"
    exc.add_note(f"raised in the rewriter {display_name(rewriter)}{where}")


# Beyond these bounds a term in a message is too long to read, and the outer part is enough.
_MAX_OPS, _MAX_ARGUMENTS = 40, 8


def describe(x: Apply | Variable, depth: int = 6) -> str:
    """Write a node or variable as a term, ``add(x, mul(y, ...))``.

    It is at most `depth` levels deep; of a large term only a part is shown.
    """
    return _described(x, depth, iter(range(_MAX_OPS)))


def _described(x: Apply | Variable, depth: int, left: Iterator[int]) -> str:
    if isinstance(x, Variable):
        if x.owner is None or x.name is not None:
            return str(x)
        inner = _described(x.owner, depth, left)
        return inner if len(x.owner.outputs) == 1 else f"{inner}.{x.index}"
    if depth <= 0 or next(left, None) is None:
        return "..."
    inputs = [_described(v, depth - 1, left) for v in x.inputs[:_MAX_ARGUMENTS]]
    more = ["..."] if len(x.inputs) > _MAX_ARGUMENTS else []
    return f"{x.op}({', '.join([*inputs, *more])})"


class Rewriter:
    """The base class of global and local optimizers.

    Attributes
    ----------
    name
        What it is called in printed summaries, profiles and queries; registration in a database
        sets it.
    inplace
        Whether it makes ops that overwrite their inputs. It then needs a DestroyHandler, and has
        its place behind all that looks at values regardless of storage.
    """

    name: str | None = None
    inplace: bool = False

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        """Attach to `fgraph` the features that this rewriter needs."""

    def summary_children(self) -> Sequence[Rewriter]:
        """The rewriters that this one consists of, in the order in which they are printed."""
        return ()

    def parts(self) -> Sequence[Rewriter]:
        """The rewriters that this one consists of, without the headings of a summary."""
        return self.summary_children()

    def overwrites(self) -> bool:
        """Whether it or a rewriter that it consists of is `inplace`."""
        return self.inplace or any(part.overwrites() for part in self.parts())

    def print_summary(self, stream: TextIO | None = None, level: int = 0, depth: int = -1) -> None:
        """Write one line for this rewriter, and below it, indented, those it consists of.

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
    """A rewriter of a whole graph, which it changes in place.

    Attributes
    ----------
    merges_first
        Whether it begins by merging equal nodes. A graph that is copied for it may then be copied
        merged.
    """

    merges_first: bool = False

    def collapsing_first(self) -> tuple[RewriterTables, ...] | None:
        """The collapsing rewriters (see `LocalOptimizer`) that it begins with.

        They may be applied while a graph is copied for it. None if it may do something else with
        the nodes that they remove.
        """
        return None

    @abc.abstractmethod
    def apply(self, fgraph: FunctionGraph) -> Any:
        """Rewrite `fgraph` in place; return a record for `print_profile`, or None."""

    def optimize(self, fgraph: FunctionGraph, *args: Any, **kwargs: Any) -> Any:
        """Add the requirements, apply, and return what `apply` returns."""
        self.add_requirements(fgraph)
        with paused_collector():
            return self.apply(fgraph, *args, **kwargs)

    def __call__(self, fgraph: FunctionGraph) -> Any:
        return self.optimize(fgraph)

    @classmethod
    def print_profile(cls, stream: TextIO, prof: Any, level: int = 0) -> None:
        """Write `prof`, which `apply` returned, as text that is indented `level` times."""
        if prof is not None:
            print(f"{'    ' * level}{cls.__name__} {prof}", file=stream)


class LocalOptimizer(Rewriter, abc.ABC):
    """A rewriter of one node, for which it proposes replacements.

    A *sum* is a node of an associative and commutative op. A sum is *nested* if its only reader is
    another sum of the same op; a flattened sum has the arguments of its nested sums in their place.

    Attributes
    ----------
    depth
        How many levels of nodes `transform` looks at, the given node being the first. A sum and
        the sums nested in it are one level. As long as nothing changes within that depth, its
        answer must stay the same: an equilibrium tries it again only after such a change. None, the
        default, means unknown: the equilibrium then tries it on every node once more before it
        stops.
    subsumes_nested
        Whether all that it can do on a nested sum it can do on the outer sum as well. An
        equilibrium does not try it on nested sums then.
    inward
        Whether it moves an op from the root of the match towards the leaves, as
        ``(x + y).T → x.T + y.T`` does. An equilibrium tries it when the others have nothing left to
        do, and on readers before what they read: two such ops then meet on their way, and go on as
        one or cancel.
    late
        Whether it flattens sums or collects terms. An equilibrium tries it after all the others,
        and not on nested sums.
    collapses
        Whether it only ever replaces the output of a node by a variable below it, and does not
        depend on clients: `transform` may be given `UNKNOWN_READERS` for a graph. An
        equilibrium that begins with a copy of a graph applies it while it copies. Not for sums.
    flattens
        Whether it makes one sum of a sum and of the sum nested in it as its first argument. An
        equilibrium that begins with a copy of a graph applies it while it copies, to nested sums of
        inputs.
    required_numbers
        The numbers that must occur among the arguments of the node, or of a sum nested in it. Each
        is an object with a method ``may_be(number)``.
    """

    depth: int | None = None
    subsumes_nested: bool = False
    inward: bool = False
    late: bool = False
    collapses: bool = False
    flattens: bool = False
    required_numbers: frozenset[Any] = frozenset()

    @abc.abstractmethod
    def transform(self, fgraph: FunctionGraph, node: Apply) -> Answer:
        """Propose replacements.

        Returns
        -------
        answer
            False if there is nothing to do. A list as long as `node.outputs`, with None for an
            output without clients. Or a dict from variables of the graph to their replacements;
            its key "remove", if present, lists variables that must have left the graph afterwards.
        """

    def might_match_op(self, node: Apply) -> bool:
        """Whether it can do something on some node with the op of `node`.

        The answer is kept for all nodes of the op.
        """
        return True

    def might_match(self, node: Apply) -> bool:
        """Whether it can do something on some node of the structure of `node`.

        The structure is the op and the heads of the inputs; of an associative and commutative op of
        more than two inputs, the number of them and the set of their heads. The answer is kept for
        all nodes that share it.
        """
        return True

    def might_match_sum(self, heads: Sequence[Any]) -> bool:
        """Whether it can do something on some flattened sum of terms with these heads.

        The answer is kept for all sums with these heads, so a head of several terms is repeated as
        often as any pattern has it.
        """
        return True

    def tracks(self) -> Sequence[Tracked] | None:
        """The Ops and Op classes on whose nodes it can do something; None for all."""
        return None


def as_local_optimizer(item: object) -> LocalOptimizer:
    """`item` as a LocalOptimizer: itself, or the forward direction of a law.

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
    hint = (
        "; make one by KanrenRelationSub of a function of (in, out) that returns a goal, "
        "or by local_optimizer of a function of (fgraph, node)"
        if inspect.isfunction(item)
        else ""
    )
    raise TypeError(
        f"expected a LocalOptimizer or a law, got {item!r} ({type(item).__name__}){hint}"
    )


T = TypeVar("T", Variable, Sequence[Variable])


def check_chain(r: Variable | Apply, *chain: Op | type[Op] | None) -> bool:
    """Whether `r` is computed by a chain of Ops, each reading the next through its first input.

    Parameters
    ----------
    r
        A variable, or a node, whose first output is meant.
    chain
        Ops and Op classes from the outermost inwards. None matches a variable that no node
        computes.
    """
    var: Variable | None = r.outputs[0] if isinstance(r, Apply) else r
    for link in chain:
        node = None if var is None else var.owner
        if link is None:
            if node is not None:
                return False
            var = None
            continue
        if node is None:
            return False
        if not (isinstance(node.op, link) if isinstance(link, type) else node.op == link):
            return False
        var = node.inputs[0] if node.inputs else None
    return True


def copy_stack_trace(from_var: Any, to_var: T) -> T:
    """Give `to_var` the places in the user's code (``tag.trace``) that `from_var` comes from.

    Parameters
    ----------
    from_var, to_var
        A variable or several. Each of the new ones gets the places of all the old ones.

    Returns
    -------
    to_var
    """
    sources = [from_var] if isinstance(from_var, Variable) else list(from_var)
    traces: list[Any] = []
    for source in sources:
        for trace in getattr(source.tag, "trace", None) or ():
            if trace not in traces:
                traces.append(trace)
    if traces:
        targets: Sequence[Variable] = [to_var] if isinstance(to_var, Variable) else to_var
        for target in targets:
            own = list(getattr(target.tag, "trace", None) or ())
            target.tag.trace = own + [trace for trace in traces if trace not in own]
    return to_var


# (old, new)
Pairs: TypeAlias = list[tuple[Variable, Variable]]


def replaced(node: Apply, answer: Any) -> dict[Variable, Any]:
    """Return the variables that an answer for `node` replaces, and the replacements as they are."""
    outputs = zip(node.outputs, answer or (), strict=False)
    pairs = answer.items() if isinstance(answer, dict) else outputs
    return {old: new for old, new in pairs if isinstance(old, Variable) and new is not None}


def read_answer(
    fgraph: FunctionGraph, node: Apply, rewriter: LocalOptimizer, answer: Any
) -> tuple[Pairs, list[Apply]] | None:
    """Return what the answer of `rewriter` for `node` asks to replace; None if nothing.

    Each replacement is fitted to the type of the variable that it replaces. A replacement by the
    same op on the same inputs changes nothing.

    Returns
    -------
    pairs, remove
        Pairs of a variable and its replacement, and the nodes that must have left the graph
        afterwards.

    Raises
    ------
    TypeError
        If the answer is neither False, a sequence nor a dict, or a replacement does not fit.
    ValueError
        If a list is not as long as the node has outputs, or has None for an output that is used,
        or if a dict replaces a variable that is not in the graph.
    """
    if answer is False or answer is None:
        return None
    if type(answer) is list and len(answer) == 1 and len(node.outputs) == 1:
        old, new = node.outputs[0], answer[0]
        if isinstance(new, Variable) and new.type is old.type:
            if new is old or (new.head is old.head and _is_same_application(old, new)):
                return None
            return [(old, new)], []
    remove: list[Apply] = []
    wanted: Iterable[tuple[Any, Any]]
    if isinstance(answer, dict):
        wanted = [(old, new) for old, new in answer.items() if old != "remove"]
        remove = _nodes(answer.get("remove", ()))
        _check_known(fgraph, rewriter, node, [old for old, _ in wanted])
    elif isinstance(answer, Sequence) and not isinstance(answer, str):
        wanted = _by_output(fgraph, node, rewriter, answer)
    else:
        raise TypeError(
            f"{display_name(rewriter)} answered {answer!r} for {describe(node)}; expected False, "
            "a list of variables or a dict"
        )
    pairs = [(old, _fitted(old, new, rewriter, node)) for old, new in wanted if new is not old]
    if not pairs and not remove:
        return None
    if not remove and all(_is_same_application(old, new) for old, new in pairs):
        return None
    return pairs, remove


def _by_output(
    fgraph: FunctionGraph, node: Apply, rewriter: LocalOptimizer, answer: Sequence[Any]
) -> list[tuple[Variable, Any]]:
    if len(answer) != len(node.outputs):
        raise ValueError(
            f"{display_name(rewriter)} answered with {len(answer)} replacements for "
            f"{describe(node)}, which has {len(node.outputs)} outputs"
        )
    pairs = []
    for old, new in zip(node.outputs, answer, strict=True):
        if new is not None:
            pairs.append((old, new))
        elif fgraph.clients.get(old):
            raise ValueError(
                f"{display_name(rewriter)} gave no replacement for output {old.index} of "
                f"{describe(node)}, which is used"
            )
    return pairs


def _nodes(items: Iterable[Any]) -> list[Apply]:
    """Return some nodes, and the nodes that compute some variables."""
    nodes = [item if isinstance(item, Apply) else item.owner for item in items]
    return [node for node in nodes if node is not None]


def _check_known(
    fgraph: FunctionGraph, rewriter: LocalOptimizer, node: Apply, olds: Iterable[Any]
) -> None:
    for old in olds:
        if not isinstance(old, Variable) or old not in fgraph.variables:
            raise ValueError(
                f"{display_name(rewriter)} replaces {old} for {describe(node)}, but it is not a "
                "variable of the graph"
            )


def _fitted(old: Variable, new: Any, rewriter: LocalOptimizer, node: Apply) -> Variable:
    fitted = new if isinstance(new, Variable) and new.type is old.type else old.type.fit(new, old)
    if fitted is None:
        raise TypeError(
            f"{display_name(rewriter)} replaces {old} of {describe(node)}, of type {old.type}, "
            f"by {new} of type {getattr(new, 'type', type(new).__name__)}, which does not fit"
        )
    assert isinstance(fitted, Variable)
    return fitted


def _is_same_application(old: Variable, new: Variable) -> bool:
    """Return whether two variables are the same output of one op on the same inputs."""
    a, b = old.owner, new.owner
    if a is None or b is None or a.op is not b.op or old.index != new.index:
        return False
    return (
        len(a.inputs) == len(b.inputs)
        and all(x is y for x, y in zip(a.inputs, b.inputs, strict=True))
        and old.type == new.type
    )


def apply_replacement(
    fgraph: FunctionGraph, pairs: Pairs, remove: list[Apply], reason: str
) -> None:
    """Make some replacements, and validate them if a feature validates.

    If either fails, the graph stays as it was. It must have the feature ReplaceValidate.
    """
    if len(pairs) == 1 and not remove and not fgraph.listens("validate"):
        old, new = pairs[0]
        fgraph.replace(old, new, reason)
    elif remove:
        fgraph.replace_all_validate_remove(pairs, remove, reason=reason, warn=False)
    else:
        fgraph.replace_all_validate(pairs, reason=reason)


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

    def __init__(self, fn: Callable[..., Any], requirements: Sequence[Requirement] = ()) -> None:
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
