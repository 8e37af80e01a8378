"""The compiled matcher, the search and plain `kanren.run` give the same answers."""

from __future__ import annotations

import re
from random import Random

import pytest
from etuples import etuple
from hypothesis import HealthCheck, assume, currently_in_test_context, given, note, settings
from hypothesis import strategies as st
from kanren import conde, eq, lall
from unification import reify, var

import relgraph.tensor as at
from relgraph.graph.basic import Constant, ancestors, as_string, equal_computations, graph_inputs
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import KanrenRelationSub, NoSuchDirection, whereo
from relgraph.graph.kanren.codegen import NotCompilable
from relgraph.graph.kanren.compilation import extract
from relgraph.graph.kanren.goals import fitted
from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.matching import flat_arguments
from relgraph.graph.kanren.state import GuardedState, is_settled
from relgraph.graph.kanren.terms import build
from relgraph.graph.opt.dispatch import RewriterTables
from relgraph.testing.discovery import discover_laws
from relgraph.testing.instances.instance import direction_of
from relgraph.testing.instances.instantiation import PatternInstantiator
from relgraph.testing.random_terms import CannotInstantiate
from tests.graph.kanren.instances import Instances, Relations, all_answers, is_number
from tests.seeds import sampled, seed_of

BOOK = discover_laws()
# On how many nodes each direction of each law fires, and how many are drawn to find them.
NODES = 40 if settings().max_examples > 100 else 5
ATTEMPTS = 2000
RANDOMS = st.randoms(use_true_random=False)
NOT_BUILT = TypeError, ValueError, IndexError, OverflowError


def quick(examples):
    return settings(
        max_examples=max(examples, settings().max_examples if settings().max_examples > 100 else 0),
        suppress_health_check=list(HealthCheck),
    )


def once(answers):
    """Return answers without those that compute the same as an earlier one."""
    found = []
    for answer in answers:
        if not any(equal_computations([answer], [known]) for known in found):
            found.append(answer)
    return found


def same_answers(ours, theirs):
    assert len(ours) == len(theirs), (ours, theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert equal_computations([a], [b]), (ours, theirs)


def run_answers(relation, root, fgraph=None):
    """Return what plain kanren gives in place of `root`, as far as it fits.

    This is `kanren.run(0, q, relation(root, q))`, without the answers that hold goals back. Of a
    graph the state of the search has to know.
    """
    q = var()
    start = {} if fgraph is None else GuardedState(fgraph=fgraph)
    answers = [reify(q, s) for s in lall(relation(root, q))(start) if is_settled(s)]
    found = [fitted(build(a), root) for a in answers]
    return once([a for a in found if a is not None and a is not root])


def first(answers):
    return answers[:1]


def given_by(answer):
    return [] if answer is False else answer


def has_repeated_arguments(root, fgraph):
    """Return whether a sum or product that `root` depends on has an argument twice."""
    every = [flat_arguments(fgraph, v.owner)[0] for v in ancestors([root]) if v.owner is not None]
    return any(len(once(arguments)) < len(arguments) for arguments in every)


def graph_of(root, random):
    """Return a graph with `root`, in which something that it depends on may be read elsewhere."""
    others = [random.choice(list(ancestors([root])))] if random.randrange(2) else []
    inputs = [v for v in graph_inputs([root, *others]) if not isinstance(v, Constant)]
    return FunctionGraph(inputs, [root, *others], clone=False)


def compare(rewriter, functions, root, ordered=True, fgraph=None):
    """Compare the compiled functions of a relation, its search and plain kanren on a node."""
    node = root.owner
    if currently_in_test_context():
        note(f"on {as_string([], [root])[0]}, {[str(v.type) for v in graph_inputs([root])]}")
    try:
        expected = run_answers(rewriter.kanren_relation, root, fgraph)
    except NOT_BUILT as error:  # what is built has no type
        with pytest.raises(type(error), match=re.escape(str(error))):
            [list(function(fgraph, node)) for function in functions or [rewriter.transform]]
        return []
    if functions:
        every = once([a for function in functions for (a,) in function(fgraph, node)])
        if not ordered:
            assert len(once([*every, *expected])) == len(expected)
            every.sort(key=lambda a: [equal_computations([a], [b]) for b in expected].index(True))
        if has_repeated_arguments(root, fgraph):
            # a search tries only one of the two; the answers of both differ in their order
            every = [a for a in every if len(once([*expected, a])) == len(expected)]
        same_answers(every, expected)
    same_answers(given_by(rewriter.search(fgraph, node)), first(expected))
    if type(rewriter) is KanrenRelationSub and equal_computations(
        first(expected) or [root], [root]
    ):
        expected = []  # the node stays
    same_answers(given_by(rewriter.transform(fgraph, node)), first(expected))
    return expected


def compare_outputs(rewriter, root):
    """Compare what a law gives for one of several outputs with what plain kanren gives."""
    fgraph = FunctionGraph(list(graph_inputs([root])), [root], clone=False)
    try:
        expected = run_answers(rewriter.kanren_relation, root, fgraph)
    except NOT_BUILT as error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            rewriter.transform(fgraph, root.owner)
        return []
    for found in (rewriter.transform(fgraph, root.owner), rewriter.search(fgraph, root.owner)):
        same_answers([] if found is False else [found[root]], first(expected))
    return expected


def is_tried(rewriter, node):
    """Return whether an equilibrium tries a rewriter on a node, nested sums included."""
    tables = RewriterTables([rewriter])
    plan = tables.plan_for(node)
    early = (
        (*plan.early_nested, *tables.on_nested_sums(None, node, plan))
        if plan.has_nested_sum
        else plan.early
    )
    return rewriter in (*early, *plan.inward, *plan.late)


def compare_on(direction, function, root):
    rewriter = direction.rewriter
    if len(root.owner.outputs) > 1:
        expected = compare_outputs(rewriter, root)
    else:
        expected = compare(rewriter, [function] if function is not None else [], root)
    assert is_tried(rewriter, root.owner) or expected == []
    return expected


def _all_answers(rule):
    """Return a function that gives all answers of a rule; None where it would be too large."""
    try:
        return all_answers(rule)
    except NotCompilable:
        return None


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("name", sampled(BOOK, 80, "answers"))
def test_laws_of_the_book(name, direction):
    found = direction_of(BOOK[name], direction)
    if found is None:
        status = BOOK[name].extraction(direction).status
        assert status == "none" or (status, direction) == ("open", "backward")
        return
    random = Random(seed_of(name, direction))
    is_law = isinstance(BOOK[name], Law)
    matched = 0
    for rule in found.rules:
        instantiator = PatternInstantiator(rule, random, found.mixed)
        # a law may have other patterns to be tried on than its left side
        function = _all_answers(found.rewriter.rule) if is_law else None
        for attempt in range(ATTEMPTS):
            if matched >= NODES or (matched and attempt > 60 * NODES):
                return
            try:
                root = instantiator.instantiate().root
            except CannotInstantiate:
                instantiator.choices.record_outcome(success=False)
                continue
            fires = bool(compare_on(found, function, root))
            instantiator.choices.record_outcome(success=fires)
            matched += fires
    # its right side for vectors alone is not written down
    assert matched or (direction == "backward" and BOOK[name].tries), "no node was matched"


@quick(100)
@given(RANDOMS)
def test_random_laws(random):
    law = Relations(random).law()
    assume(law is not None)
    note(f"{law!r}, {law.sound}, mixed={law.mixed}, complex={law.complex}")
    for direction in ("forward", "backward"):
        try:
            rewriter = getattr(law, direction)
        except NoSuchDirection:
            continue
        try:
            functions = [all_answers(rewriter.rule)]
        except NotCompilable:
            functions = []
        for _ in range(3):
            node = Instances(random).node(rewriter.rule.pattern)
            if node is None:
                continue
            root = random.choice(node.outputs)
            if len(node.outputs) > 1:
                expected = compare_outputs(rewriter, root)
            else:
                expected = compare(rewriter, functions, root, fgraph=graph_of(root, random))
            assert rewriter.rule.might_match(node) or expected == []


@quick(100)
@given(RANDOMS)
def test_random_relations(random):
    relation, patterns = Relations(random).relation()
    _, others = Relations(random).relation()
    rewriter = KanrenRelationSub(relation)
    assert rewriter.closed is not None
    note(str(extract(relation, "relation")))
    functions = [all_answers(rule) for rule in rewriter.closed.rules]
    ordered = extract(relation, "relation").ordered
    for pattern in patterns * 2 + others:
        node = Instances(random).node(pattern)
        if node is not None:
            expected = compare(rewriter, functions, node.outputs[0], ordered)
            assert rewriter.might_match(node) or expected == []
    assert not rewriter.staged.fallback_reason


def test_choices_one_after_the_other_keep_the_order_of_the_search():
    def relation(i, o):
        x, y, left = var(), var(), var()
        either = conde([eq(left, x)], [eq(left, y)])
        squared = [whereo(is_number, left), eq(o, etuple(at.mul, left, left))]
        negated = [eq(o, etuple(at.neg, left))]
        return lall(eq(i, etuple(at.add, x, y)), either, conde(squared, negated))

    rewriter = KanrenRelationSub(relation)
    assert not extract(relation, "relation").ordered
    a, two = at.dvector("a"), at.constant([2.0])
    functions = [all_answers(rule) for rule in rewriter.closed.rules]
    for _ in range(5):
        expected = compare(rewriter, functions, a + two, ordered=False)
        assert len(expected) == 3
        assert expected[0].owner.op is at.neg
