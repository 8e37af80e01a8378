"""Enumeration: every form once, the smaller ones first, and no end is needed."""

import itertools
from typing import Any

import pytest
from kanren import conde, eq

import relgraph.tensor as at
from relgraph import forms, law, lvars, pprint, relation

a, b, c = lvars("a b c")
x, y, z = at.dvectors("x", "y", "z")
FACTOR = law("factor", a * b + a * c, a * (b + c), sound="finite")
LOG_EXP = law("log-exp", at.log(at.exp(a)), a, sound="finite")


def texts(*args: Any, **options: Any) -> list[str]:
    return [pprint(form) for form in forms(*args, **options)]


def test_both_directions_and_every_place() -> None:
    assert texts(at.sin(x * (y + z)), [FACTOR]) == [
        "sin((x * (y + z)))",
        "sin(((x * y) + (x * z)))",
    ]
    assert set(texts(at.log(at.exp(x)) + y, [LOG_EXP])) == {"(log(exp(x)) + y)", "(x + y)"}


def test_each_once_up_to_the_order_of_two() -> None:
    found = texts((x + y) * (x + z), FACTOR)
    assert len(found) == len(set(found)) > 3
    assert not {"((y + x) * (x + z))", "((x + z) * (x + y))"} & set(found)


def test_one_direction_alone() -> None:
    assert len(texts(x * (y + z), [FACTOR.forward])) == 1
    assert len(texts(x * (y + z), [FACTOR.backward])) == 2


def test_smaller_forms_come_first_or_cheaper_ones() -> None:
    twice = law("twice", a + a, 2 * a, sound="finite")
    assert texts(2 * at.exp(x), [twice])[0] == "(2.0 * exp(x))"
    steps = texts(at.exp(x) + at.exp(x), [twice], cost=lambda node: 5 * (node.op is at.add))
    assert steps == ["(exp(x) + exp(x))", "(2.0 * exp(x))"]


def test_infinitely_many_forms_are_given_lazily() -> None:
    grows = law("grows", at.exp(a), at.exp(at.log(at.exp(a))), sound="finite")
    assert len(list(forms(at.exp(x), [grows.forward], limit=7))) == 7
    assert len(list(itertools.islice(forms(at.exp(x), [grows.forward]), 5))) == 5


def test_infinitely_many_neighbours_keep_nobody_waiting() -> None:
    @relation("sines", sound="stable")
    def sineso(before: Any, after: Any) -> Any:
        """Everything may become a sine of a sine of …, or a cosine of itself."""

        def endless(state: Any) -> Any:
            now = before
            while True:
                now = at.sin(now)
                yield from eq(after, now)(state)

        return conde([endless], [eq(after, at.cos(before))])

    found = texts(at.exp(x), sineso.forward, limit=6)
    assert "cos(exp(x))" in found and len(found) == 6


def test_a_plain_relation_will_do() -> None:
    assert texts(x * y, lambda before, after: eq(after, at.tanh(y)), limit=2) == [
        "(x * y)",
        "tanh(y)",
    ]


def test_answers_that_hold_a_variable_are_left_out() -> None:
    one = law("one", a / a, 1, sound="finite")
    assert texts(x + 1, lambda before, after: one(after, before)) == ["(x + 1.0)"]


def test_wrong_use_is_named() -> None:
    with pytest.raises(TypeError, match="forms wants a variable"):
        forms(3, [FACTOR])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'foo'"):
        forms(x, ["foo"])
