"""Functions of rules are kept as code, and as the places of what they use in their rules."""

from __future__ import annotations

import pickle

import pytest

import relations
import relgraph.tensor as at
from relgraph import law, lvars
from relgraph.graph.kanren import Law
from relgraph.graph.kanren.codegen import NotCompilable, written
from relgraph.graph.kanren.rewriters import FunctionMemory, parts_of

a, b = lvars("a b")
x, y = at.dvector("x"), at.dvector("y")


def every_law():
    pages = (relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE, relations.BLAS)
    named = {law.name: law for page in pages for law in page if isinstance(law, Law)}
    return sorted(named.values(), key=str)


def rule_of(lhs, rhs, name="own"):
    return law(name, lhs, rhs, sound="finite").forward.rule


def test_every_law_of_the_book_is_kept_and_comes_back_with_the_same_globals():
    memory = FunctionMemory(dict)
    made, open_laws = {}, 0
    for each in every_law():
        rule = each.forward.rule
        try:
            made[each.name] = memory.compiled(rule), rule
        except NotCompilable:
            open_laws += 1
    assert memory.learned == len(made) > 500
    later = FunctionMemory(memory.dump)
    for function, rule in made.values():
        again = later.compiled(rule)
        assert again is not function and again.__code__ == function.__code__
        for name in written(rule).constants:
            one, other = again.__globals__[name], function.__globals__[name]
            assert one is other or (type(one) is tuple and one == other), (rule.name, name)
    assert later.learned == 0


def test_a_function_that_comes_back_does_what_it_did():
    memory = FunctionMemory(dict)
    rule = rule_of(at.log(a) + at.log(b), at.log(a * b))
    first = memory.compiled(rule)
    again = FunctionMemory(memory.dump).compiled(rule)
    node = at.add(at.log(x), at.log(y)).owner
    (one,), (other,) = first(None, node), again(None, node)
    assert one.owner.op is other.owner.op is at.log
    assert one.owner.inputs[0].owner.inputs == other.owner.inputs[0].owner.inputs == [x, y]
    assert again(None, at.add(at.log(x), y).owner) is False


@pytest.mark.parametrize(
    "lhs, rhs",
    [
        (at.log(at.exp(a)) * b, a * b),
        (at.log(at.exp(b)) - a, a),
        (at.log(at.exp(a)) + b, a),
        (at.log(at.exp(a)) - b, b),
        (at.log(at.sin(a)) - b, a),
        (at.log(at.exp(a)) - a, a),
    ],
)
def test_a_rule_that_has_changed_is_compiled_anew(lhs, rhs):
    memory = FunctionMemory(dict)
    memory.compiled(rule_of(at.log(at.exp(a)) - b, a))
    later = FunctionMemory(memory.dump)
    later.compiled(rule_of(at.log(at.exp(b)) - a, b))
    assert later.learned == 0
    later.compiled(rule_of(lhs, rhs))
    assert later.learned == 1


def test_a_rule_with_another_claim_is_compiled_anew():
    memory = FunctionMemory(dict)
    for k, sound in enumerate(("finite", "rounding", "exact")):
        rule = law("own", at.log(at.exp(a)) + b, a + b, sound=sound).forward.rule
        later = FunctionMemory(memory.dump)
        later.compiled(rule)
        assert later.learned == 1, k
        memory = later


def test_parts_are_in_the_same_order_for_the_same_text():
    one, other = (rule_of(at.log(a * 2.5) + at.exp(b), at.log(a) + b) for _ in range(2))
    assert [type(p) for p in parts_of(one)] == [type(p) for p in parts_of(other)]
    assert [p for p in parts_of(one) if isinstance(p, float)] == [2.5]


def test_a_pickled_memory_is_empty():
    memory = FunctionMemory(dict)
    memory.compiled(rule_of(at.log(at.exp(a)), a))
    assert pickle.loads(pickle.dumps(memory)).dump() == {}
