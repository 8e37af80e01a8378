"""Derivations: the rewrites that led from one graph to another, recorded, read and replayed.

Edits are data, so that they can be replayed on a copy of the graph. They are about twins: copies
of the variables and nodes of the graph as they were when they were imported.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, overload

from relgraph.graph.basic import Apply, Constant, Variable, clone_get_equiv
from relgraph.graph.features import Feature
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.notation import algebra
from relgraph.graph.op import structure
from relgraph.graph.opt.base import Rewriter, display_name
from relgraph.graph.utils import BACKWARD, labelled
from relgraph.introspection import Displayed


class Make(NamedTuple):
    """A node was imported for the first time."""

    node: Apply


class Change(NamedTuple):
    """Input `place` of a node, or output `place` of the graph where `node` is None, changed."""

    node: Apply | None
    place: int
    old: Variable
    new: Variable

    def __str__(self) -> str:
        if self.node is None:
            return f"output {self.place}"
        return f"argument {self.place} of {self.node.op}"


class Boundary(NamedTuple):
    """A variable became input or output `place` of the graph, or is none any more."""

    added: bool
    output: bool
    place: int
    variable: Variable


Edit = Make | Change | Boundary


class EditLog:
    """The graph at the start of a recording, and twins of what has been imported since.

    A twin of a variable or node is a copy that is part of no graph that changes. A twin of a node
    has the inputs with which the node was first imported.

    Attributes
    ----------
    start
        The twin of the graph at the start.
    recent
        Twins that were made since the set was last cleared.
    """

    def __init__(self, fgraph: FunctionGraph) -> None:
        self.start, self._twins = _copied(fgraph)
        self.recent: set[Variable] = set()
        self._wiring: dict[Apply, list[Variable]] = {}

    def twin(self, var: Variable) -> Variable:
        """Return the twin of a variable; that of a new constant is the constant itself."""
        known: Variable | None = self._twins.get(var)
        if known is None:
            known = self._twins[var] = var if isinstance(var, Constant) else var.clone()
            self.recent.add(known)
        return known

    def record_import(self, node: Apply) -> list[Edit]:
        """Record that a node is imported; return the edits that a replay has to make."""
        inputs = [self.twin(v) for v in node.inputs]
        made: Apply | None = self._twins.get(node)
        if made is None:
            made = self._twins[node] = Apply(node.op, inputs, [self.twin(v) for v in node.outputs])
            return [Make(made)]
        before = self._inputs_of(made)
        self._wiring[made] = inputs
        pairs = enumerate(zip(before, inputs, strict=True))
        return [Change(made, i, a, b) for i, (a, b) in pairs if a is not b]

    def record_change(self, node: Any, place: int, old: Variable, new: Variable) -> Change:
        """Record that an input of a node, or an output of the graph, changes."""
        made = self._twins[node] if isinstance(node, Apply) else None
        edit = Change(made, place, self.twin(old), self.twin(new))
        if made is not None:
            self._inputs_of(made)[place] = edit.new
        return edit

    def _inputs_of(self, made: Apply) -> list[Variable]:
        """Return the inputs of a node now, as twins, by its twin."""
        return self._wiring.setdefault(made, list(made.inputs))

    def close(self) -> None:
        """Drop the references to the variables and nodes of the graph; keep only their twins."""
        self._twins, self._wiring = {}, {}

    def aligned(self, fgraph: FunctionGraph) -> dict[Any, Any]:
        """Return the variables and nodes of a graph by those of `start`.

        Raises
        ------
        ValueError
            If it is another graph; the message says where.
        """
        for kind in ("inputs", "outputs"):
            mine, others = getattr(self.start, kind), getattr(fgraph, kind)
            if len(mine) != len(others):
                raise _other_graph(f"it has {len(others)} {kind}, not {len(mine)}")
        nodes, numbers, key = structure(self.start.inputs, self.start.outputs)
        seen, found, other_key = structure(fgraph.inputs, fgraph.outputs)
        if key == other_key:
            return dict(zip([*numbers, *nodes], [*found, *seen], strict=True))
        for k, (node, other) in enumerate(zip(nodes, seen, strict=False)):
            if node.op is not other.op:
                raise _other_graph(f"its node {k} applies {other.op}, not {node.op}")
            if [numbers[v] for v in node.inputs] != [found[v] for v in other.inputs]:
                raise _other_graph(f"its node {k}, which applies {other.op}, has other inputs")
        for var, made in zip(numbers, found, strict=False):
            if var.type is not made.type or (isinstance(var, Constant) and not var.equals(made)):
                raise _other_graph(f"{_described(made)} is where {_described(var)} was")
        raise _other_graph(f"it has {len(seen)} nodes, not {len(nodes)}, or other outputs")


def _copied(fgraph: FunctionGraph) -> tuple[FunctionGraph, dict[Any, Any]]:
    return fgraph.clone_get_equiv(check_integrity=False, attach_feature=False)


def _other_graph(difference: str) -> ValueError:
    return ValueError(f"this is not the graph that the derivation starts from: {difference}")


def _described(var: Variable) -> str:
    name = str(var) if isinstance(var, Constant) else var.name or "a variable"
    return f"{name} ({var.type})"


class Evidence(Protocol):
    """What shows that a step follows from the law that it names. Printed, it says what the step
    depends on."""

    def check(self) -> None:
        """Raise a ValueError if the step does not follow."""


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
    built
        Whether the replacement is new in the graph. That of a merge is not.
    edits
        The edits of the graph, for `Derivation.replay`.
    evidence
        What a replay checks before it makes them, if there is such evidence.
    """

    number: int
    name: str
    direction: str | None
    sound: str | None
    proof: str | None
    before: str
    after: str
    built: bool
    edits: list[Edit] = field(repr=False)
    evidence: Evidence | None = field(default=None, repr=False)

    @property
    def changes(self) -> list[Change]:
        """The edits that replace a variable."""
        return [edit for edit in self.edits if isinstance(edit, Change)]

    @property
    def where(self) -> tuple[str, ...]:
        """The places that it was read in: ``output 0``, or ``argument 1 of add``."""
        return tuple(map(str, self.changes))

    @property
    def label(self) -> str:
        """The name, with the direction if it is backward."""
        return labelled(self.name, self.direction)

    @property
    def heading(self) -> str:
        """The number and the label, with what the step depends on."""
        depends = "" if self.evidence is None else str(self.evidence)
        return f"{self.number}. {self.label}{depends and ' '}{depends}"

    def __str__(self) -> str:
        if not self.built and self.before == self.after:
            return f"{self.heading}: {self.before} is kept once"
        return f"{self.heading}: {self.before} → {self.after}"

    __repr__ = __str__


HOLD = ("derived", "exhausted", "proved")
"""What is said of steps by laws that hold for all values, from the weakest."""
_FROM_THE_WEAKEST = ("code", "refuted", "checked", *HOLD)


class Derivation(Displayed, Sequence[Step]):
    """The steps from a graph to what an optimizer made of it, in order.

    It prints as a line for each step, and a notebook shows one step after another. `replay` makes
    the steps again on a copy of the graph at the start.
    """

    def __init__(self, log: EditLog, steps: Iterable[Step]) -> None:
        self.steps = tuple(steps)
        self._log = log

    def __len__(self) -> int:
        return len(self.steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        return self.steps[index]

    @property
    def laws(self) -> list[str]:
        """The names of the laws, each once, in order."""
        return list(dict.fromkeys(step.name for step in self.steps))

    def __str__(self) -> str:
        return "\n".join(map(str, self.steps))

    def __repr__(self) -> str:
        return str(self) or f"<{type(self).__name__} of 0 steps>"

    def start(self) -> FunctionGraph:
        """Return a copy of the graph as it was before the first step."""
        return _Replay(self._log).fgraph

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
            If `graph` is another graph than that at the start; the message says where. Or if a step
            does not follow from its law.
        """
        fgraph = graph
        if graph is not None and not isinstance(graph, FunctionGraph):
            outputs = [graph] if isinstance(graph, Variable) else list(graph)
            fgraph = FunctionGraph(outputs=outputs, clone=False)
        replay = _Replay(self._log, fgraph)
        for step in self.steps[:steps]:
            replay.make_step(step)
        if fgraph is graph:
            return replay.fgraph
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
        replay = _Replay(self._log)
        for step in self.steps[:index]:
            replay.make_step(step)
        changes = self.steps[index].changes
        if not changes:
            raise IndexError(f"step {index + 1} replaces no variable")
        replay.make_step(self.steps[index])
        pair = [replay.variable(changes[0].old), replay.variable(changes[0].new)]
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
        replay = _Replay(self._log)
        fgraph = replay.fgraph
        for step in self.steps:
            change = next(iter(step.changes), None)
            before = view(fgraph.outputs, None if change is None else replay.variable(change.old))
            replay.make_step(step)
            after = view(fgraph.outputs, None if change is None else replay.variable(change.new))
            yield step, before, after

    @property
    def rests_on(self) -> str:
        """What its weakest step rests on: the status of a law, ``code`` for a rewriter that is no
        law, and nothing if there are no steps or all only merge.

        From the weakest: ``code``, ``refuted``, ``checked``, ``derived``, ``exhausted``,
        ``proved``.
        """
        found = {step.proof or "code" for step in self.steps if step.built}
        return next((status for status in _FROM_THE_WEAKEST if status in found), "")


class _Replay:
    """A graph on which steps are made again: by default a copy of that at the start.

    Attributes
    ----------
    fgraph
        The graph.
    """

    def __init__(self, log: EditLog, fgraph: FunctionGraph | None = None) -> None:
        if fgraph is None:
            self.fgraph, self._copies = _copied(log.start)
        else:
            self.fgraph, self._copies = fgraph, log.aligned(fgraph)

    def variable(self, twin: Variable) -> Variable:
        known: Variable | None = self._copies.get(twin)
        if known is None:
            known = self._copies[twin] = twin if isinstance(twin, Constant) else twin.clone()
        return known

    def make_node(self, edit: Make) -> None:
        twin = edit.node
        if twin not in self._copies:
            made = twin.copy_with_inputs([self.variable(v) for v in twin.inputs])
            self._copies[twin] = made
            self._copies.update(zip(twin.outputs, made.outputs, strict=True))

    def make_step(self, step: Step) -> None:
        if step.evidence is not None:
            step.evidence.check()
        for edit in step.edits:
            if isinstance(edit, Make):
                self.make_node(edit)
            elif isinstance(edit, Change):
                self._change(edit, step.label)
            else:
                self._change_boundary(edit, step.label)

    def _change(self, edit: Change, reason: str) -> None:
        new = self.variable(edit.new)
        if edit.node is None:
            self.fgraph.change_node_input("output", edit.place, new, reason, check=False)
            return
        node = self._copies[edit.node]
        if node in self.fgraph.apply_nodes:
            self.fgraph.change_node_input(node, edit.place, new, reason, check=False)
        else:
            # the node was changed while it was out of the graph, and is about to be imported again
            node.inputs[edit.place] = new

    def _change_boundary(self, edit: Boundary, reason: str) -> None:
        fgraph, place = self.fgraph, edit.place
        if not edit.added:
            (fgraph.remove_output if edit.output else fgraph.remove_input)(place, reason)
        elif edit.output:
            fgraph.insert_output(place, self.variable(edit.variable), reason)
        else:
            fgraph.insert_input(place, self.variable(edit.variable))


UNNAMED = "(unnamed)"


class Recorder(Feature):
    """Records every replacement in a graph, with the reason given to `FunctionGraph.replace`.

    A replacement that is undone, because it did not validate, is not kept. An instance serves one
    graph.

    Parameters
    ----------
    texts
        Whether steps say what was replaced by what, as algebra; if not, these texts are empty.

    Attributes
    ----------
    evidence
        What shows that the replacements that are made now follow from the law that is their reason.
    """

    def __init__(self, texts: bool = True) -> None:
        self._texts = texts
        self._log: EditLog | None = None
        self._drafts: list[Step] = []
        # imports that belong to the next replacement
        self._pending: list[Edit] = []
        self.evidence: Evidence | None = None

    def clone(self) -> Recorder:
        return type(self)(self._texts)

    def on_attach(self, fgraph: FunctionGraph) -> None:
        if self._log is not None:
            raise ValueError("a Recorder serves one graph; attach a clone of it")
        self._log = EditLog(fgraph)

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
            self._draft(UNNAMED, self._pending, ("", ""), False)
        wanted = {draft.name for draft in self._drafts}
        known = dict(_laws(rewriters, wanted))
        steps = [self._step(i, draft, known) for i, draft in enumerate(self._drafts, 1)]
        self.log.close()
        return Derivation(self.log, steps)

    def _step(self, number: int, draft: Step, known: dict[str, Known]) -> Step:
        name = draft.name.removesuffix(BACKWARD)
        backward = name != draft.name
        direction = "backward" if backward else "forward" if draft.name in known else None
        sound, proof = known.get(draft.name, (None, None))
        return replace(
            draft, number=number, name=name, direction=direction, sound=sound, proof=proof
        )

    def _draft(self, name: str, edits: list[Edit], texts: tuple[str, str], built: bool) -> None:
        """Begin a step, whose name has the direction until the derivation is asked for."""
        self._drafts.append(Step(0, name, None, None, None, *texts, built, edits, self.evidence))
        self._pending = []

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
            built = edit.new in self.log.recent
            texts = (algebra(var), algebra(new_var)) if self._texts else ("", "")
            self._draft(name, [*self._pending, edit], texts, built)
        # what is imported from now on is for the next replacement
        self.log.recent.clear()

    def _take_back(self, last: Step) -> None:
        last.edits.pop()
        if not last.changes:
            # the nodes may be imported again
            self._pending = [*last.edits, *self._pending]
            self._drafts.pop()

    def on_add_input(self, fgraph: FunctionGraph, i: int, var: Variable) -> None:
        self._pending.append(Boundary(True, False, i, self.log.twin(var)))

    def on_remove_input(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._boundary(Boundary(False, False, i, self.log.twin(var)), reason, algebra(var), "")

    def on_add_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._boundary(Boundary(True, True, i, self.log.twin(var)), reason, "", algebra(var))

    def on_remove_output(
        self, fgraph: FunctionGraph, i: int, var: Variable, reason: str | None
    ) -> None:
        self._boundary(Boundary(False, True, i, self.log.twin(var)), reason, algebra(var), "")

    def _boundary(self, edit: Boundary, reason: str | None, before: str, after: str) -> None:
        name = UNNAMED if reason is None else str(reason)
        self._draft(name, [*self._pending, edit], (before, after), True)


def _undoes(edit: Change, name: str, last: Step) -> bool:
    """Return whether an edit undoes the last one, which failed or was rejected."""
    done = last.edits[-1]
    return (
        isinstance(done, Change)
        and name in ("revert", last.name)
        and done == Change(edit.node, edit.place, edit.new, edit.old)
    )


def _continues(edit: Change, name: str, last: Step) -> bool:
    """Return whether an edit belongs to the same replacement as the last one."""
    done = last.edits[-1]
    same = isinstance(done, Change) and (done.old, done.new) == (edit.old, edit.new)
    return same and name == last.name


Known = tuple[str | None, str | None]
"""The soundness class of a law, and how far it is proved, as far as that is known."""


def _laws(rewriters: Iterable[Rewriter], wanted: Container[str]) -> Iterator[tuple[str, Known]]:
    """Yield those of some names among the rewriters, and among those inside them, that apply laws,
    each with what is known of its law."""
    stack: list[Any] = list(rewriters)
    while stack:
        rewriter = stack.pop()
        stack.extend(rewriter.parts())
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
