"""Derivations: the rewrites that led from one graph to another, recorded, read and replayed.

Edits are data, so that they can be replayed on a copy of the graph. Variables and nodes have
numbers. At the start these are given to the inputs of the graph and then, in topological order, to
the nodes and what they read and compute; later to what is imported. So a copy of the graph gives
the same numbers to the same variables and nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, overload

from relgraph.graph.basic import Apply, Constant, Variable, clone_get_equiv, io_toposort
from relgraph.graph.features import Feature
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.notation import algebra
from relgraph.graph.opt.base import Rewriter, display_name
from relgraph.graph.utils import BACKWARD, labelled
from relgraph.introspection import Displayed


class Make(NamedTuple):
    """A node was imported for the first time."""

    node: int


class Change(NamedTuple):
    """Input `place` of a node, or output `place` of the graph where `node` is None, changed."""

    node: int | None
    place: int
    old: int
    new: int


class Add(NamedTuple):
    """A variable became input or output `place` of the graph."""

    output: bool
    place: int
    variable: int


class Remove(NamedTuple):
    """Input or output `place` of the graph was removed."""

    output: bool
    place: int
    variable: int


Edit = Make | Change | Add | Remove


class NodeSpec(NamedTuple):
    """A node as it was first imported: its op, and the numbers of its inputs and outputs."""

    op: Any
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class VariableSpec(NamedTuple):
    """What is needed to make a variable again; `constant` is the variable if it is a constant."""

    type: Any
    name: str | None
    constant: Constant | None


class EditLog:
    """The graph at the start of a recording, and the variables and nodes imported since.

    Attributes
    ----------
    variables, nodes
        The variables and nodes by number.
    inputs, outputs
        The numbers of the inputs and outputs of the graph at the start.
    """

    def __init__(self, fgraph: FunctionGraph) -> None:
        self.variables: list[VariableSpec] = []
        self.nodes: list[NodeSpec] = []
        self._numbers: dict[Variable, int] = {}
        self._nodes: dict[Apply, int] = {}
        self._wiring: list[list[int]] = []
        self.inputs = [self.number(v) for v in fgraph.inputs]
        for node in io_toposort(fgraph.inputs, fgraph.outputs):
            self.record_import(node)
        self.outputs = [self.number(v) for v in fgraph.outputs]
        self._start = (len(self.variables), len(self.nodes))

    # -- recording --------------------------------------------------------------------------

    def number(self, var: Variable) -> int:
        """Return the number of a variable, a new one if it has none."""
        known = self._numbers.get(var)
        if known is None:
            known = self._numbers[var] = len(self.variables)
            constant = var if isinstance(var, Constant) else None
            self.variables.append(VariableSpec(var.type, var.name, constant))
        return known

    def record_import(self, node: Apply) -> list[Edit]:
        """Record that a node is imported; return the edits that a replay has to make."""
        inputs = [self.number(v) for v in node.inputs]
        number = self._nodes.get(node)
        if number is None:
            number = self._nodes[node] = len(self.nodes)
            outputs = tuple(self.number(v) for v in node.outputs)
            self.nodes.append(NodeSpec(node.op, tuple(inputs), outputs))
            self._wiring.append(inputs)
            return [Make(number)]
        before, self._wiring[number] = self._wiring[number], inputs
        pairs = enumerate(zip(before, inputs, strict=True))
        return [Change(number, i, a, b) for i, (a, b) in pairs if a != b]

    def record_change(self, node: Any, place: int, old: Variable, new: Variable) -> Change:
        """Record that an input of a node, or an output of the graph, changes."""
        number = self._nodes[node] if isinstance(node, Apply) else None
        edit = Change(number, place, self.number(old), self.number(new))
        if number is not None:
            self._wiring[number][place] = edit.new
        return edit

    def close(self) -> None:
        """Drop the references to the variables and nodes of the graph; keep only the data."""
        self._numbers, self._nodes, self._wiring = {}, {}, []

    # -- reading ----------------------------------------------------------------------------

    def originals(self) -> Sequence[Variable]:
        """Return the variables of the graph in the order of their numbers, before `close`."""
        return list(self._numbers)

    def leaf(self, number: int) -> Variable:
        """Return a leaf by its number: the constant itself, or a new variable of its type."""
        spec = self.variables[number]
        return self.result(number) if spec.constant is None else spec.constant

    def result(self, number: int) -> Variable:
        """Return a new variable of the type and name of the one with this number."""
        spec = self.variables[number]
        made: Variable = spec.type.make_variable(spec.name)
        return made

    def graph(self) -> FunctionGraph:
        """Return a new copy of the graph at the start."""
        variables: dict[int, Variable] = {}
        for spec in self.nodes[: self._start[1]]:
            for k in spec.inputs:
                if k not in variables:
                    variables[k] = self.leaf(k)
            outputs = [self.result(k) for k in spec.outputs]
            Apply(spec.op, [variables[k] for k in spec.inputs], outputs)
            variables.update(zip(spec.outputs, outputs, strict=True))
        for k in (*self.inputs, *self.outputs):
            if k not in variables:
                variables[k] = self.leaf(k)
        inputs = [variables[k] for k in self.inputs]
        return FunctionGraph(inputs, [variables[k] for k in self.outputs], clone=False)

    def place(self, edit: Change) -> str:
        """Return in words where a change took place."""
        if edit.node is None:
            return f"output {edit.place}"
        return f"argument {edit.place} of {self.nodes[edit.node].op}"

    def difference(self, other: EditLog) -> str:
        """Return how the start of `other` differs from that of this log; "" if it does not."""
        for kind in ("inputs", "outputs"):
            mine, others = getattr(self, kind), getattr(other, kind)
            if len(mine) != len(others):
                return f"it has {len(others)} {kind}, not {len(mine)}"
        variables, nodes = self._start
        for k, (node, seen) in enumerate(zip(self.nodes[:nodes], other.nodes, strict=False)):
            if node.op is not seen.op:
                return f"its node {k} applies {seen.op}, not {node.op}"
            if node != seen:
                return f"its node {k}, which applies {seen.op}, has other inputs"
        for spec, seen_spec in zip(self.variables[:variables], other.variables, strict=False):
            if not _alike(spec, seen_spec):
                return f"{_described(seen_spec)} is where {_described(spec)} was"
        if other._start != self._start or other.outputs != self.outputs:
            return f"it has {len(other.nodes)} nodes, not {nodes}, or other outputs"
        return ""


def _alike(a: VariableSpec, b: VariableSpec) -> bool:
    if a.type is not b.type or (a.constant is None) is not (b.constant is None):
        return False
    return a.constant is None or a.constant.equals(b.constant)


def _described(spec: VariableSpec) -> str:
    name = str(spec.constant) if spec.constant is not None else spec.name or "a variable"
    return f"{name} ({spec.type})"


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
    proof
        How far the law is proved (see `relations.proofs`), None for other rewriters.
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
    proof: str | None
    before: str
    after: str
    where: tuple[str, ...]
    built: bool
    edits: tuple[Edit, ...] = field(repr=False)

    @property
    def label(self) -> str:
        """The name, with the direction if it is backward."""
        return labelled(self.name, self.direction)

    def __str__(self) -> str:
        if not self.built and self.before == self.after:
            return f"{self.number}. {self.label}: {self.before} is kept once"
        return f"{self.number}. {self.label}: {self.before} → {self.after}"

    __repr__ = __str__


_FROM_THE_WEAKEST = ("code", "refuted", "checked", "exhausted", "proved")


class Named(Protocol):
    """A step by a law."""

    @property
    def name(self) -> str:
        """The name of the law or rewriter."""


AnyStep = TypeVar("AnyStep", bound=Named)


class Steps(Displayed, Sequence[AnyStep]):
    """The steps from one thing to another, in order. It prints as a line for each.

    Parameters
    ----------
    steps
        The steps.
    """

    def __init__(self, steps: Iterable[AnyStep]) -> None:
        self.steps = tuple(steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[AnyStep]:
        return iter(self.steps)

    @overload
    def __getitem__(self, index: int) -> AnyStep: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[AnyStep, ...]: ...
    def __getitem__(self, index: int | slice) -> AnyStep | tuple[AnyStep, ...]:
        return self.steps[index]

    @property
    def laws(self) -> list[str]:
        """The names of the laws, each once, in order."""
        return list(dict.fromkeys(step.name for step in self.steps))

    def __str__(self) -> str:
        return "\n".join(map(str, self.steps))

    def __repr__(self) -> str:
        return str(self) or f"<{type(self).__name__} of 0 steps>"


class Derivation(Steps[Step]):
    """The steps from a graph to what an optimizer made of it.

    It prints as a line for each step, and a notebook shows one step after another. `replay` makes
    the steps again on a copy of the graph at the start.
    """

    def __init__(self, log: EditLog, steps: Iterable[Step]) -> None:
        super().__init__(steps)
        self._log = log

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
        for step in self.steps[:index]:
            replay.make_step(step)
        made = [edit for edit in self.steps[index].edits if isinstance(edit, Make)]
        change = next((e for e in self.steps[index].edits if isinstance(e, Change)), None)
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
        for step in self.steps:
            change = next((edit for edit in step.edits if isinstance(edit, Change)), None)
            before = view(fgraph.outputs, None if change is None else replay.variable(change.old))
            replay.make_step(step)
            after = view(fgraph.outputs, None if change is None else replay.variable(change.new))
            yield step, before, after

    def _replay(self, fgraph: FunctionGraph, steps: int | None) -> None:
        replay = _Replay(self._log, fgraph)
        for step in self.steps[:steps]:
            replay.make_step(step)

    @property
    def rests_on(self) -> str:
        """What its weakest step rests on: the status of a law, ``code`` for a rewriter that is no
        law, and nothing if there are no steps or all only merge.

        From the weakest: ``code``, ``refuted``, ``checked``, ``exhausted``, ``proved``.
        """
        found = {step.proof or "code" for step in self.steps if step.built}
        return next((status for status in _FROM_THE_WEAKEST if status in found), "")


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


UNNAMED = "(unnamed)"


@dataclass
class _OpenStep:
    """A step that is still being recorded; see `Step`."""

    reason: str
    edits: list[Edit]
    before: str
    after: str
    built: bool


class Recorder(Feature):
    """Records every replacement in a graph, with the reason given to `FunctionGraph.replace`.

    A replacement that is undone, because it did not validate, is not kept. An instance serves one
    graph.
    """

    def __init__(self) -> None:
        self._log: EditLog | None = None
        self._drafts: list[_OpenStep] = []
        # imports that belong to the next replacement
        self._pending: list[Edit] = []
        # variables from this number on were imported for the present replacement
        self._fresh = 0

    def clone(self) -> Recorder:
        return type(self)()

    def on_attach(self, fgraph: FunctionGraph) -> None:
        if self._log is not None:
            raise ValueError("a Recorder serves one graph; attach a clone of it")
        self._log = EditLog(fgraph)
        self._fresh = len(self._log.variables)

    @property
    def log(self) -> EditLog:
        if self._log is None:
            raise ValueError("the Recorder has not been attached to a graph")
        return self._log

    def derivation(self, rewriters: Iterable[Rewriter] = ()) -> Derivation:
        """Return the steps so far, and end the recording.

        Parameters
        ----------
        rewriters
            Rewriters that may have made the steps; a step gets the soundness class of its law.
        """
        if any(not isinstance(edit, Make) for edit in self._pending):
            self._drafts.append(_OpenStep(UNNAMED, self._pending, "", "", False))
        wanted = {draft.reason for draft in self._drafts}
        known = dict(_laws(rewriters, wanted))
        steps = [self._step(i, draft, known) for i, draft in enumerate(self._drafts, 1)]
        self.log.close()
        return Derivation(self.log, steps)

    def _step(self, number: int, draft: _OpenStep, known: dict[str, Known]) -> Step:
        name = draft.reason.removesuffix(BACKWARD)
        backward = name != draft.reason
        direction = "backward" if backward else "forward" if draft.reason in known else None
        places = [self.log.place(e) for e in draft.edits if isinstance(e, Change)]
        return Step(
            number,
            name,
            direction,
            *known.get(draft.reason, (None, None)),
            draft.before,
            draft.after,
            tuple(places),
            draft.built,
            tuple(draft.edits),
        )

    # -- events of the graph -----------------------------------------------------------------

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: str | None) -> None:
        self._pending += self.log.record_import(node)

    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Apply | Literal["output"],
        i: int,
        var: Variable,
        new_var: Variable,
        reason: str | None = None,
    ) -> None:
        edit = self.log.record_change(node, i, var, new_var)
        name = UNNAMED if reason is None else str(reason)
        last = self._drafts[-1] if self._drafts else None
        if last is not None and _undoes(edit, name, last):
            self._take_back(last)
        elif last is not None and not self._pending and _continues(edit, name, last):
            last.edits.append(edit)
        else:
            built = edit.new >= self._fresh
            edits = [*self._pending, edit]
            self._drafts.append(_OpenStep(name, edits, algebra(var), algebra(new_var), built))
            self._pending = []
        self._fresh = len(self.log.variables)

    def _take_back(self, last: _OpenStep) -> None:
        last.edits.pop()
        if not any(isinstance(edit, Change) for edit in last.edits):
            # the nodes may be imported again
            self._pending = [*last.edits, *self._pending]
            self._drafts.pop()

    def on_add_input(self, fgraph: FunctionGraph, i: int, var: Variable) -> None:
        self._pending.append(Add(False, i, self.log.number(var)))

    def on_remove_input(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._boundary(Remove(False, i, self.log.number(var)), reason, algebra(var), "")

    def on_add_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._boundary(Add(True, i, self.log.number(var)), reason, "", algebra(var))

    def on_remove_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._boundary(Remove(True, i, self.log.number(var)), reason, algebra(var), "")

    def _boundary(self, edit: Add | Remove, reason: str | None, before: str, after: str) -> None:
        name = UNNAMED if reason is None else str(reason)
        self._drafts.append(_OpenStep(name, [*self._pending, edit], before, after, True))
        self._pending = []


def _undoes(edit: Change, name: str, last: _OpenStep) -> bool:
    """Return whether an edit undoes the last one, which failed or was rejected."""
    done = last.edits[-1]
    return (
        isinstance(done, Change)
        and name in ("revert", last.reason)
        and done == Change(edit.node, edit.place, edit.new, edit.old)
    )


def _continues(edit: Change, name: str, last: _OpenStep) -> bool:
    """Return whether an edit belongs to the same replacement as the last one."""
    done = last.edits[-1]
    same = isinstance(done, Change) and (done.old, done.new) == (edit.old, edit.new)
    return same and name == last.reason


Known = tuple[str | None, str | None]
"""The soundness class of a law, and how far it is proved, as far as that is known."""


def _laws(rewriters: Iterable[Rewriter], wanted: Container[str]) -> Iterator[tuple[str, Known]]:
    """Yield those of some names among the rewriters, and among those inside them, that apply laws,
    each with what is known of its law."""
    stack: list[Any] = list(rewriters)
    while stack:
        rewriter = stack.pop()
        stack.extend(rewriter.summary_children())
        law = getattr(rewriter, "law", None)
        if law is None:
            law = getattr(rewriter, "kanren_relation", None)
        if law is None:
            continue
        name = display_name(rewriter)
        if name not in wanted:
            continue
        sound = getattr(law, "sound", None)
        proof = getattr(getattr(law, "proof", None), "status", "checked")
        # the class `stable` is a claim about the forward direction alone
        claims = not (sound == "stable" and name.endswith(BACKWARD))
        yield name, (sound if claims else None, proof)
