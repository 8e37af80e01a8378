"""What waits for the rest to be done, and in which order it is taken."""

import pytest

from relgraph.graph.opt.dispatch.plan import Plan
from relgraph.graph.opt.equilibrium.postponed import PATIENCE, Postponed, Resting
from relgraph.scalar import float64, neg

FIRST, SECOND, INWARD, IDLE = (
    Plan(False, (), inward, late, (), (), *[False] * 4, bool(inward or late))
    for inward, late in (((), ("a",)), ((), ("b",)), (("c",), ()), ((), ()))
)


@pytest.fixture
def nodes():
    return [neg(float64()).owner for _ in range(4)]


def taken(resting):
    found = []
    while (item := resting.take()) is not None:
        found.append(item)
    return found


def test_they_are_taken_in_the_order_in_which_they_came(nodes):
    resting = Resting()
    for node in nodes:
        resting.put(node, FIRST, True)
    assert taken(resting) == [(node, FIRST) for node in nodes]
    assert resting.take() is None


def test_one_that_waits_keeps_its_place_and_gets_a_new_plan_if_it_is_looked_at_anew(nodes):
    a, b, *_ = nodes
    resting = Resting()
    resting.put(a, FIRST, True)
    resting.put(b, FIRST, True)
    resting.put(a, SECOND, True)
    resting.put(b, SECOND, False)
    assert taken(resting) == [(a, SECOND), (b, FIRST)]


def test_what_is_new_goes_first_and_what_was_taken_before_comes_last(nodes):
    a, b, c, new = nodes
    resting = Resting()
    for node in (a, b, c):
        resting.put(node, FIRST, True)
    assert resting.take() == (a, FIRST)
    resting.put(a, SECOND, True)
    resting.put(new, FIRST, True)
    assert taken(resting) == [(new, FIRST), (b, FIRST), (c, FIRST), (a, SECOND)]


def test_one_may_be_left_out(nodes):
    a, b, *_ = nodes
    resting = Resting()
    resting.put(a, FIRST, True)
    resting.put(b, FIRST, True)
    resting.forget(a)
    assert taken(resting) == [(b, FIRST)]


def test_what_is_left_to_do_is_noted_by_kind(nodes):
    a, b, c, d = nodes
    postponed = Postponed()
    postponed.put(a, INWARD, False, True, False)
    postponed.put(b, FIRST, False, True, False)
    postponed.put(c, IDLE, True, True, False)
    postponed.put(d, FIRST, False, True, False)
    postponed.put(d, IDLE, False, True, True)  # there is nothing left to do
    assert postponed.inward == {a: INWARD}
    assert taken(postponed.resting) == [(b, FIRST), (c, IDLE)]


def test_who_has_been_looked_at_often_waits(nodes):
    a, b, *_ = nodes
    postponed = Postponed()
    for _ in range(PATIENCE):
        assert list(postponed.soon([a, b])) == [a, b]
        postponed.count_look(a)
    assert list(postponed.soon([a, b])) == [b]
    assert postponed.take_impatient() == [a]
    assert postponed.take_impatient() == []
