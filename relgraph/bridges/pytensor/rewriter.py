"""`relational_rewriter`: laws of this library as a rewriter that PyTensor's `optdb` takes."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from pytensor.graph.basic import equal_computations
from pytensor.graph.features import AlreadyThere, ReplaceValidate
from pytensor.graph.fg import Output
from pytensor.graph.rewriting.basic import GraphRewriter

from relgraph.bridges.pytensor.reading import Reader
from relgraph.bridges.pytensor.writing import Writer
from relgraph.compile import optimize_graph
from relgraph.compile.registration import own_rewriters
from relgraph.graph.opt import MergeOptimizer

# What merges equal nodes is no law: PyTensor merges by itself.
_MERGING = MergeOptimizer.__name__


class RelationalRewriter(GraphRewriter):  # type: ignore[misc]
    """Applies laws to a whole graph of PyTensor's; see `relational_rewriter`."""

    def __init__(
        self, laws: Any, include: Iterable[str], exclude: Iterable[str], name: str
    ) -> None:
        self.laws = laws
        self.include = tuple(include)
        self.exclude = tuple(exclude)
        self.name = name
        self.__name__ = name

    def __str__(self) -> str:
        return f"relational_rewriter({self.name})"

    def add_requirements(self, fgraph: Any) -> None:
        with suppress(AlreadyThere):
            fgraph.attach_feature(ReplaceValidate())

    def apply(self, fgraph: Any) -> tuple[str, ...]:
        """Rewrite a graph of PyTensor's, and return the names of the laws that changed it.

        The outputs that changed are replaced, all or none: if a replacement is not valid, the graph
        is what it was, and the error is raised.
        """
        reader = Reader()
        inputs, read = reader.read_graph(fgraph)
        reader.note_origins(read, inputs)
        rewritten, derivation = optimize_graph(
            read,
            include=self.include,
            custom_opt=self.laws or None,
            trace=True,
            exclude=self.exclude,
        )
        fired = tuple(dict.fromkeys(s.label for s in derivation if s.name != _MERGING))
        if not fired:
            return ()
        # PyTensor applies this to the graphs that define its ops as well: a softmax that becomes
        # the op which that graph defines would have no end
        written = Writer(opens=True).write(rewritten, inputs)
        if equal_computations(written, fgraph.outputs):
            return ()
        _replace_outputs(fgraph, written, f"{self.name}: {', '.join(fired)}")
        return fired


def _replace_outputs(fgraph: Any, new: Iterable[Any], reason: str) -> None:
    """Replace the outputs of a graph and nothing else: what they are computed by may hold variables
    of the graph, which stay what they are."""
    changes = [
        (old, old.type.filter_variable(made))
        for old, made in zip(list(fgraph.outputs), new, strict=True)
        if made is not old
    ]
    checkpoint = fgraph.checkpoint()
    try:
        for old, made in changes:
            for client, i in list(fgraph.clients[old]):
                if isinstance(client.op, Output):
                    fgraph.change_node_input(client, i, made, reason=reason)
        fgraph.validate()
    except Exception:
        fgraph.revert(checkpoint)
        raise


def relational_rewriter(
    laws: Any = (),
    *,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    name: str = "relational",
) -> RelationalRewriter:
    """Return a rewriter of PyTensor's graphs that applies laws of this library.

    It reads the graph that it is given, applies the laws until they change nothing, and replaces
    the outputs. What no law has changed stays the same node. It is no inplace rewriter: register it
    before those, at a position below 49, or in a phase::

        rewriter = relational_rewriter(include=("canonicalize", "stabilize"), name="relgraph")
        pytensor.compile.optdb.register("relgraph", rewriter, "fast_run", position=0.7)
        pytensor.tensor.rewriting.basic.register_canonicalize(relational_rewriter(law))

    Parameters
    ----------
    laws
        A law, a rewriter of this library, or a list of these.
    include
        Phases or other tags of this library's own laws, which are applied before `laws`.
    exclude
        Tags of laws that are not.
    name
        What PyTensor calls the rewriter; the reason of its replacements also names the laws.

    Raises
    ------
    TypeError
        If something among `laws` is no law.
    ValueError
        If there are neither laws nor tags.
    """
    if isinstance(include, str):
        include = (include,)
    given = own_rewriters(laws)
    if not given and not tuple(include):
        raise ValueError("relational_rewriter: there are no laws: give some, or include a phase")
    return RelationalRewriter(list(given), include, exclude, name)
