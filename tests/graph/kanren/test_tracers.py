"""One staged relation on nodes of many ranks and classes: it does on each what `run` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from random import Random
from typing import Any

import pytest
from etuples import etuple
from kanren import conde, eq, run
from kanren.core import Zzz
from unification import var

import relgraph.tensor as at
from relations.kit.vocabulary import law, lvars
from relgraph import scalar
from relgraph.graph.basic import Variable
from relgraph.graph.kanren import KanrenRelationSub, build
from relgraph.graph.kanren.partial_evaluation import Trace, partially_evaluate
from relgraph.graph.traversal import equal_computations
from tests.seeds import seed_of

x = lvars("x")

TENSORS = [at.TensorType("float64", (None,) * rank)(f"v{rank}") for rank in (1, 2, 3)]
TENSORS += [at.TensorType("float64", (1,))("one"), at.TensorType("float32", (1, 3))("row")]


def under_exponentials(pattern: Callable[[Any], Any], result: Callable[[Any], Any]) -> Any:
    """Return the relation that replaces what is under any number of exponentials: it is open."""

    def relation(in_lv: Any, out_lv: Any) -> Any:
        a, b = var(), var()
        deeper = [eq(in_lv, etuple(at.exp, b)), Zzz(relation, b, out_lv)]
        return conde([eq(in_lv, pattern(a)), eq(out_lv, result(a))], deeper)

    return relation


def plain_answer(relation: Any, old: Variable) -> Any:
    q = var()
    found = run(1, q, relation(old, q))
    return build(found[0]) if found else None


def orders_of(nodes: Sequence[Variable], count: int) -> Iterator[Sequence[int]]:
    """Yield some orders of nodes: all if they are few."""
    if len(nodes) < 5:
        return permutations(range(len(nodes)))
    orders = (Random(seed_of("order", i)) for i in range(count))
    return (order.sample(range(len(nodes)), len(nodes)) for order in orders)


def check_in_many_orders(
    relation: Any, nodes: Sequence[Variable], least: int, is_open: bool = True
) -> None:
    """Check that one rewriter, met by nodes in any order and again, does as `run` on each."""
    expected = [plain_answer(relation, old) for old in nodes]
    assert sum(new is not None for new in expected) >= least
    assert not is_open or not any(partially_evaluate(relation, Trace(old)).reason for old in nodes)
    for order in orders_of(nodes, count=8):
        rewriter = KanrenRelationSub(relation) if is_open else relation.forward
        assert not is_open or rewriter.closed is None
        for k in [*order, *order, *order]:
            found, new = rewriter.transform(None, nodes[k].owner), expected[k]
            assert bool(found) == (new is not None), nodes[k]
            assert new is None or equal_computations(found, [new])


def with_exponentials(olds: Sequence[Variable]) -> list[Variable]:
    return [new for old in olds for new in (old, at.exp(old), at.exp(at.exp(old)))]


AXES = {
    "softmax": (at.softmax, at.log_softmax, lambda v: [at.softmax(v), at.softmax(v, axis=0)]),
    "sum of all": (at.sum, at.prod, lambda v: [at.sum(v), at.sum(v, axis=0), at.sum(v, axis=-1)]),
    "sum over the last": (
        lambda v: at.sum(v, axis=-1),
        lambda v: at.prod(v, axis=-1),
        lambda v: [at.sum(v), at.sum(v, axis=0), at.sum(v, axis=-1), at.sum(v, axis=v.ndim - 1)],
    ),
    "order along the last": (
        lambda v: at.sort(v, axis=-1),
        lambda v: at.cumsum(v, axis=-1),
        lambda v: [at.sort(v), at.sort(v, axis=0), at.sort(-v, axis=v.ndim - 1)],
    ),
}


@pytest.mark.parametrize("name", AXES)
def test_an_axis_of_a_staged_relation_is_that_of_the_node(name: str) -> None:
    pattern, result, spellings = AXES[name]
    relation = under_exponentials(lambda a: etuple(pattern, a), lambda a: etuple(result, a))
    nodes = [old for v in TENSORS for old in with_exponentials(spellings(v))]
    check_in_many_orders(relation, nodes, least=3 * len(TENSORS))


@pytest.mark.parametrize("name", AXES)
def test_an_axis_of_a_compiled_law_is_that_of_the_node(name: str) -> None:
    pattern, result, spellings = AXES[name]
    rule = law(f"{name} of exponentials", pattern(at.exp(x)), result(at.exp(x)), sound="finite")
    nodes = [old for v in TENSORS for old in spellings(at.exp(v))]
    check_in_many_orders(rule, nodes, least=len(TENSORS), is_open=False)


def test_operators_in_a_function_are_those_of_the_node() -> None:
    relation = under_exponentials(
        lambda a: etuple(lambda v: v * v + 1, a), lambda a: etuple(lambda v: v - 1, a)
    )
    s, v = scalar.float64("s"), TENSORS[0]
    check_in_many_orders(relation, [v * v + 1, v * v + 2, scalar.exp(s), s * s + 2], least=1)
    check_in_many_orders(relation, [s * s + 1, s * s + 2, at.exp(v), v * v + 2], least=1)
