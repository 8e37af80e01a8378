"""`explain`: where in a graph a law matches, what comes before it there, and what phases make of
its left side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from relgraph.compile.database import (
    OWN_LAWS_AFTER_PHASES,
    PHASES,
    PREDEFINED_QUERIES,
    law_tags,
    optdb,
    optimizer_up_to,
)
from relgraph.compile.phase_form import left_side_after
from relgraph.graph.basic import Variable
from relgraph.graph.fg import FunctionGraph, outputs_of
from relgraph.graph.kanren import (
    Explanation,
    GraphExplanation,
    KanrenRelationSub,
    Law,
    NoSuchDirection,
    Relation,
)
from relgraph.graph.kanren.explanation import mismatch, places, replacement
from relgraph.graph.kanren.rules import Failure, Reason
from relgraph.graph.opt import Derivation, Recorder
from relgraph.graph.opt.base import display_name
from relgraph.graph.opt.limits import costs_no_more
from relgraph.graph.opt.merge import HashConsing, merged_copy
from relgraph.graph.utils import labelled, spelling_hint
from relgraph.tensor.costs import operations
from relgraph.tensor.loops.scan_op import Scan

Explained = Relation | KanrenRelationSub | Callable[[Any, Any], Any] | str


def notes_on_phases(law: Any) -> list[str]:
    """Return what phases make of a law's left side, one sentence for each other form.

    Parameters
    ----------
    law
        Any relation. A law that a phase has already, from the rule book or registered with all its
        forms, gives nothing.
    """
    if not isinstance(law, Law) or _is_registered(law):
        return []
    notes: list[str] = []
    known = {str(law.lhs)}
    for phase in PHASES:
        after = left_side_after(law, optimizer_up_to(phase))
        if after is None or str(after.term) in known:
            continue
        known.add(str(after.term))
        if after.can_be_matched:
            consequence = f"only that form matches after it; register_{phase} and custom_opt try it"
        else:
            consequence = "the law never matches after it"
        of_rank = "" if after.rank is None else f" of tensors of rank {after.rank}"
        notes.append(f"{phase} writes its left side{of_rank} as {after.term}: {consequence}")
    return notes


def _is_registered(law: Relation) -> bool:
    return any(law is one for one in _laws_of_phases())


def explain(law: Explained, graph: Any, direction: str = "forward") -> GraphExplanation:
    """Return where in a graph a law matches, and where it nearly does.

    A match has its bindings and what the law gives; of the three nearest places that do not match
    the explanation has the first one where the two part, or what refused the match: a condition,
    or a value that is read elsewhere too. The steps of loops are searched as well. It also says
    which law of the default mode rewrites a match before this one, and where the default mode
    applies it to what other laws have made. If the law matches nowhere, the notes say in which form
    a phase leaves its left side: what was written in one way may no longer be there.

    `Relation.explain` looks at one variable alone.

    Parameters
    ----------
    law
        A law, the name of one of a phase, as ``relgraph laws`` prints it, a `KanrenRelationSub`,
        or a function of ``(in, out)`` that returns a goal.
    graph
        A variable, a sequence of variables, or a `FunctionGraph`.
    direction
        ``forward`` or ``backward``.

    Raises
    ------
    TypeError
        If `law` is none of these, or `graph` no graph.
    ValueError
        If there is no such law or direction.
    """
    law = _law_of(law)
    fgraph = merged_copy(outputs_of(graph))
    first = law.explain(fgraph.outputs[0], direction)
    try:
        rewriter = getattr(law, direction)
    except NoSuchDirection:
        return GraphExplanation(law.name, direction, fgraph.outputs, nearest=[first])
    matches: list[Explanation] = []
    nearest: list[Explanation] = []
    for within, inner in _with_steps(fgraph):
        found = places(rewriter, law.name, direction, inner)
        kept = [_unless_costlier(law, place, inner) for place in found.matches]
        matches += [replace(place, within=within) for place in kept if place.matches]
        refused = [place for place in kept if not place.matches]
        nearest += [replace(place, within=within) for place in (*refused, *found.nearest)]
    nearest.sort(key=lambda place: place.progress, reverse=True)
    steps, taken = _in_default_mode(fgraph, matches)
    label = labelled(law.name, direction)
    applied = [step for step in steps if step.label == label]
    others = {i: step for i, step in taken.items() if step.label != label}
    notes = notes_on_phases(law) if direction == "forward" and not (matches or applied) else []
    if matches and _is_registered(law) and "fast_run" not in law_tags(law):
        notes.append(f"the default mode leaves it out, a law of the class {law.sound}")
    near = nearest[:_NEAREST] or ([] if matches else [first])
    return GraphExplanation(
        law.name, direction, fgraph.outputs, matches, near, others, applied, tuple(notes)
    )


_NEAREST = 3


def _law_of(law: Any) -> Relation:
    """Return a law, the one with a name, or the relation of a function or of a rewriter."""
    if isinstance(law, str):
        known = {one.name: one for one in _laws_of_phases()}
        if law not in known:
            hint = spelling_hint(law, known, repr)
            raise ValueError(f"explain: no phase has a law called {law!r}{hint}")
        return known[law]
    if isinstance(law, Relation):
        return law
    if not callable(law) and not isinstance(law, KanrenRelationSub):
        raise TypeError(f"explain takes a law, its name or a relation, not {law!r}")
    made = Relation(display_name(law), getattr(law, "kanren_relation", law))
    if isinstance(law, KanrenRelationSub):
        # its filters and its direction are part of what is explained
        made.forward = law
    return made


def _with_steps(fgraph: FunctionGraph) -> Iterator[tuple[str, FunctionGraph]]:
    """Yield a graph, and the steps of the loops in it, each with words for where it is."""
    waiting = [("", fgraph)]
    while waiting:
        within, here = waiting.pop()
        yield within, here
        for node in here.toposort():
            if isinstance(node.op, Scan):
                results = node.op.results
                step = merged_copy([*results.states, *results.rows])
                waiting.append((f"in a step of {node.op}", step))


def laws_for(graph: Any, laws: Iterable[Relation] | None = None) -> list[Relation]:
    """Return the laws that match somewhere in a graph, from left to right, as it is written.

    Parameters
    ----------
    graph
        A variable, a sequence of variables, or a `FunctionGraph`.
    laws
        The laws to try; by default those of all phases, registered ones too.

    Raises
    ------
    TypeError
        If `graph` is no graph.
    """
    graphs = [inner for _, inner in _with_steps(merged_copy(outputs_of(graph)))]
    tried = _laws_of_phases() if laws is None else laws
    return [law for law in dict.fromkeys(tried) if any(_matches_in(law, g) for g in graphs)]


def _laws_of_phases() -> Iterator[Relation]:
    for phase in PHASES:
        for name in optdb[phase]:
            law = getattr(optdb[phase][name], "law", optdb[phase][name])
            if isinstance(law, Relation):
                yield law


def _matches_in(law: Relation, fgraph: FunctionGraph) -> bool:
    try:
        rewriter = law.forward
    except NoSuchDirection:
        return False
    return any(
        replacement(rewriter, variable, fgraph) is not None
        for node in fgraph.apply_nodes
        if rewriter.might_match_op(node) and rewriter.might_match(node)
        for variable in node.outputs
    )


# -- what refuses a match, and what comes before it --------------------------------------------


def _unless_costlier(law: Relation, place: Explanation, fgraph: FunctionGraph) -> Explanation:
    """Return a match; or a mismatch, if a phase would not apply the law since it costs more."""
    if place.direction != "forward" or not any(law in optdb[phase].frugal for phase in PHASES):
        return place
    table = next(f for f in fgraph.features if isinstance(f, HashConsing))
    assert place.result is not None
    if costs_no_more(fgraph, table, [(place.variable, place.result)], operations):
        return place
    _, *inner = _covered(place)
    stays = next((v for v in inner if len(fgraph.clients.get(v, ())) > 1), None)
    return mismatch(place, Failure(Reason.COSTS, (), stays, place.result), fgraph)


def _covered(place: Explanation) -> list[Variable]:
    """Return the variables that a match depends on: from its root to the values of its variables.

    Of a relation that is searched that is not known; then it is the variable and its arguments.
    """
    ends: set[Variable] = set()
    for value in place.bindings.values():
        ends.update(v for v in (value if isinstance(value, tuple) else [value]) if _is_node(v))
    found = {place.variable: None}
    waiting = [place.variable]
    while waiting:
        node = waiting.pop().owner
        for v in node.inputs if node is not None else ():
            if v.owner is not None and v not in ends and v not in found:
                found[v] = None
                waiting += [v] if place.bindings else []
    return list(found)


def _is_node(value: Any) -> bool:
    return isinstance(value, Variable) and value.owner is not None


def _in_default_mode(
    fgraph: FunctionGraph, matches: Sequence[Explanation]
) -> tuple[Derivation, Mapping[int, Any]]:
    """Return the steps of the phases of the default mode, and for each match, by its number, the
    first one that rewrites something of it."""
    copy, copies = fgraph.clone_get_equiv(attach_feature=False)
    recorder = Recorder()
    copy.attach_feature(recorder)
    numbers = {
        i: {recorder.log.twin(copies[v]) for v in _covered(place)}
        for i, place in enumerate(matches)
        if not place.within
    }
    query = PREDEFINED_QUERIES["fast_run"].changed(position_cutoff=OWN_LAWS_AFTER_PHASES)
    optimizer = optdb.query(query)
    optimizer.optimize(copy)
    steps = recorder.derivation([optimizer])
    first: dict[int, Any] = {}
    for step in steps:
        for i, held in numbers.items():
            rewritten = [change for change in step.changes if change.old in held]
            if rewritten and step.built:
                first.setdefault(i, step)
            held.update(change.new for change in rewritten)
    return steps, first
