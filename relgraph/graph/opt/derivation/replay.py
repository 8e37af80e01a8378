"""Derivation: the rewrites that led from one graph to another, to be read and replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

from relgraph.displayed import Displayed
from relgraph.graph.basic import Apply, Variable, clone_get_equiv, io_toposort
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt.derivation.edits import Add, Change, Edit, EditLog, Make, Remove

View = TypeVar("View")


@dataclass(frozen=True, eq=False)
class Step:
    """One replacement of a variable by another one.

    Attributes
    ----------
    number
        The number of the step; the first is 1.
    name
        The name of the law or rewriter.
    direction
        ``forward`` or ``backward`` for a law or relation, None for other rewriters.
    sound
        The soundness class of the law (see `Relation`), None if it is not known.
    before, after
        The variable that was replaced, and its replacement, as algebra.
    where
        The places that it was read in: ``output 0``, or ``argument 1 of add``.
    built
        Whether the replacement is new in the graph. That of a merge is not.
    edits
        The edits of the graph, for `Derivation.replay`.
    """

    number: int
    name: str
    direction: str | None
    sound: str | None
    before: str
    after: str
    where: tuple[str, ...]
    built: bool
    edits: tuple[Edit, ...] = field(repr=False)

    @property
    def label(self) -> str:
        """The name, with the direction if it is backward."""
        return f"{self.name} (backward)" if self.direction == "backward" else self.name

    def __str__(self) -> str:
        if not self.built and self.before == self.after:
            return f"{self.number}. {self.label}: {self.before} is kept once"
        return f"{self.number}. {self.label}: {self.before} → {self.after}"

    __repr__ = __str__


class Derivation(Displayed, Sequence[Step]):
    """The steps from a graph to what an optimizer made of it.

    It prints as a line for each step, and a notebook shows one step after another. `replay` makes
    the steps again on a copy of the graph at the start.
    """

    def __init__(self, log: EditLog, steps: Sequence[Step]) -> None:
        self._log = log
        self._steps = tuple(steps)

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        return self._steps[index]

    def start(self) -> FunctionGraph:
        """Return a copy of the graph as it was before the first step."""
        return self._log.graph()

    def replay(self, graph: Any = None, steps: int | None = None) -> Any:
        """Make the steps again on a copy of the graph at the start.

        Parameters
        ----------
        graph
            The graph as it was before the first step, which is changed in place: a FunctionGraph,
            a variable or a sequence of variables. A new copy if None.
        steps
            How many steps to make; all of them if None.

        Returns
        -------
        graph
            The rewritten graph: a FunctionGraph, a variable, or a list of variables.

        Raises
        ------
        ValueError
            If `graph` is another graph than that at the start; the message says where.
        """
        if graph is None:
            graph = self.start()
        if isinstance(graph, FunctionGraph):
            self._replay(graph, steps)
            return graph
        outputs = [graph] if isinstance(graph, Variable) else list(graph)
        fgraph = FunctionGraph(outputs=outputs, clone=False)
        self._replay(fgraph, steps)
        return fgraph.outputs[0] if isinstance(graph, Variable) else list(fgraph.outputs)

    def graphs(self, index: int) -> tuple[Variable, Variable]:
        """Return the variable that step `index` replaced, and its replacement, as separate graphs.

        Their inputs are new variables with the names of the inputs of the graph.

        Raises
        ------
        IndexError
            If there is no such step, or it only added or removed inputs or outputs.
        """
        index = range(len(self))[index]
        replay = _Replay(self._log, self.start())
        for step in self._steps[:index]:
            replay.make_step(step)
        made = [edit for edit in self._steps[index].edits if isinstance(edit, Make)]
        change = next((e for e in self._steps[index].edits if isinstance(e, Change)), None)
        if change is None:
            raise IndexError(f"step {index + 1} replaces no variable")
        for edit in made:
            replay.make_node(edit)
        pair = [replay.variable(change.old), replay.variable(change.new)]
        # copies, which do not change with the graph
        copies = clone_get_equiv([], pair, copy_orphans=False)
        return copies[pair[0]], copies[pair[1]]

    def walk(
        self, view: Callable[[list[Variable], Variable | None], View]
    ) -> Iterator[tuple[Step, View, View]]:
        """Yield each step, and what `view` makes of the graph before and after it.

        Parameters
        ----------
        view
            Is given the outputs of a graph that goes through the steps, and the variable in it that
            is to be replaced, or that has replaced it; None if the step replaces none.
        """
        fgraph = self.start()
        replay = _Replay(self._log, fgraph)
        for step in self._steps:
            change = next((edit for edit in step.edits if isinstance(edit, Change)), None)
            before = view(fgraph.outputs, None if change is None else replay.variable(change.old))
            replay.make_step(step)
            after = view(fgraph.outputs, None if change is None else replay.variable(change.new))
            yield step, before, after

    def _replay(self, fgraph: FunctionGraph, steps: int | None) -> None:
        replay = _Replay(self._log, fgraph)
        for step in self._steps[:steps]:
            replay.make_step(step)

    def __str__(self) -> str:
        return "\n".join(map(str, self._steps))

    def __repr__(self) -> str:
        return str(self) if self._steps else "<Derivation of 0 steps>"


class _Replay:
    """A graph on which steps are made again, with its variables and nodes by number."""

    def __init__(self, log: EditLog, fgraph: FunctionGraph) -> None:
        self._log = log
        self._fgraph = fgraph
        own = EditLog(fgraph)
        difference = log.difference(own)
        if difference:
            raise ValueError(f"this is not the graph that the derivation starts from: {difference}")
        self._variables: dict[int, Variable] = dict(enumerate(own.originals()))
        self._nodes: dict[int, Apply] = dict(enumerate(io_toposort(fgraph.inputs, fgraph.outputs)))

    def variable(self, number: int) -> Variable:
        known = self._variables.get(number)
        if known is None:
            known = self._variables[number] = self._log.leaf(number)
        return known

    def make_node(self, edit: Make) -> None:
        if edit.node not in self._nodes:
            spec = self._log.nodes[edit.node]
            outputs = [self._log.result(k) for k in spec.outputs]
            self._nodes[edit.node] = Apply(
                spec.op, [self.variable(k) for k in spec.inputs], outputs
            )
            self._variables.update(zip(spec.outputs, outputs, strict=True))

    def make_step(self, step: Step) -> None:
        for edit in step.edits:
            if isinstance(edit, Make):
                self.make_node(edit)
            elif isinstance(edit, Change):
                self._change(edit, step.label)
            elif isinstance(edit, Add):
                self._add(edit, step.label)
            else:
                self._remove(edit, step.label)

    def _change(self, edit: Change, reason: str) -> None:
        new = self.variable(edit.new)
        if edit.node is None:
            self._fgraph.change_node_input("output", edit.place, new, reason, check=False)
            return
        node = self._nodes[edit.node]
        if node in self._fgraph.apply_nodes:
            self._fgraph.change_node_input(node, edit.place, new, reason, check=False)
        else:
            # the node was changed while it was out of the graph, and is about to be imported again
            node.inputs[edit.place] = new

    def _add(self, edit: Add, reason: str) -> None:
        if edit.output:
            self._fgraph.insert_output(edit.place, self.variable(edit.variable), reason)
        else:
            self._fgraph.insert_input(edit.place, self.variable(edit.variable))

    def _remove(self, edit: Remove, reason: str) -> None:
        if edit.output:
            self._fgraph.remove_output(edit.place, reason)
        else:
            self._fgraph.remove_input(edit.place, reason)
