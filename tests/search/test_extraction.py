"""Extraction: the cheapest choice, checked against all choices."""

import itertools
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import law, lvars, pprint
from relgraph.search import forms
from relgraph.search.extraction import Candidate, exact, greedy, needed, ordered_trees, total
from tests.seeds import seed_of

Found = dict[int, list[Candidate]]


def candidate(term: int, cost: float, *children: int) -> Candidate:
    return Candidate(term, cost, children, tuple(dict.fromkeys(children)))


def random_classes(rng: np.random.Generator, cyclic: bool) -> Found:
    """Return classes with up to three terms, the last one being the root."""
    numbers = itertools.count()
    found: Found = {0: [candidate(next(numbers), 0.0)], 1: [candidate(next(numbers), 0.0)]}
    for at_ in range(2, 9):
        below = list(range(9 if cyclic else at_))
        terms = [candidate(next(numbers), float(rng.integers(1, 9)), *rng.choice(at_, 2))]
        for _ in range(rng.integers(0, 3)):
            children = [int(k) for k in rng.choice(below, 2) if k != at_]
            terms.append(candidate(next(numbers), float(rng.integers(1, 9)), *children))
        found[at_] = terms
    return found


def every_choice(found: Found, root: int) -> Iterator[float]:
    for terms in itertools.product(*found.values()):
        with suppress(ValueError):  # a class needs itself
            yield total(needed(dict(zip(found, terms, strict=True)), [root]))


@pytest.mark.parametrize("number", range(12))
def test_the_integer_program_is_exact(number: int) -> None:
    found = random_classes(
        np.random.default_rng(seed_of("classes", number)), cyclic=number % 2 == 0
    )
    first = greedy(found, [8])
    best = exact(found, [8], first, seconds=10)
    assert total(best) == pytest.approx(min(every_choice(found, 8)))
    assert total(first) >= total(best)


def test_the_greedy_choice_may_be_dearer() -> None:
    # alone 1 is cheapest by its own leaf; beside 2, by what both share
    found = {
        0: [candidate(0, 10.0)],
        1: [candidate(1, 9.0), candidate(2, 0.0, 0)],
        2: [candidate(3, 0.0, 0)],
        3: [candidate(4, 1.0, 1, 2)],
    }
    first = greedy(found, [3])
    assert total(first) == 20
    assert total(exact(found, [3], first)) == 11


def test_a_class_that_needs_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="needs itself"):
        needed({0: candidate(0, 1.0, 1), 1: candidate(1, 1.0, 0)}, [0])


def costs_of(found: Found, at_: int, depth: int) -> list[float]:
    """Return the costs of all trees of a class of a depth at most."""
    if depth == 0:
        return []
    costs = []
    for c in found[at_]:
        below = [costs_of(found, child, depth - 1) for child in c.arguments]
        costs += [max(c.cost, 1e-9) + sum(each) for each in itertools.product(*below)]
    return costs


def test_trees_come_in_order_and_none_is_missing() -> None:
    found = random_classes(np.random.default_rng(3), cyclic=False)
    trees = list(ordered_trees(found, 5, 20, lambda term, parts: (term, *parts)))
    expected = sorted(costs_of(found, 5, 8))[:20]
    assert [cost for cost, _ in trees] == pytest.approx(expected)
    assert len({tree for _, tree in trees}) == len(trees)


def test_forms_come_in_order_of_cost() -> None:
    a, b, c = lvars("a b c")
    x, y, z = at.dvectors("x", "y", "z")
    factor = law("factor", a * b + a * c, a * (b + c), sound="finite")
    found = [pprint(form) for form in forms(x * y + x * z, [factor]).in_order(5)]
    assert [text.count("*") for text in found] == [1, 2]
