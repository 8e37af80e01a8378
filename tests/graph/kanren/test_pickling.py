"""Laws and rewriters are pickled and copied: by name where a module holds them."""

from __future__ import annotations

import copy
import pickle

import pytest
from kanren import eq

import relations
import relgraph.tensor as at
from relations.kit.constant_arithmetic import known
from relations.kit.index_arithmetic import as_softmax_axis
from relgraph import law, lvars, optimize_graph, relation
from relgraph.graph.kanren import KanrenRelationSub, several, whereo
from relgraph.graph.traversal import equal_computations
from relgraph.tensor.softmaxes import LogSumExp

a, b = lvars("a b")
xs = several(a)
IN_A_TABLE = (law("in-a-table", at.sinh(a), at.cosh(a), sound="domain"),)


@relation("in-a-module", sound="domain")
def in_a_module(in_lv, out_lv):
    return eq(in_lv, out_lv)


def is_scalar(var):
    return var.type.ndim == 0


def own_law():
    return law("own", at.exp(at.log(a)), a, whereo(is_scalar, a), sound="finite")


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize(
    "phase", [relations.CANONICALIZE, relations.STABILIZE, relations.SPECIALIZE, relations.BLAS]
)
def test_laws_of_the_book_are_pickled_by_name(phase):
    assert len(phase) > 0
    assert all(map(lambda new, old: new is old, pickled(phase), phase))
    assert copy.deepcopy(phase) == phase
    for one in phase:
        assert pickled(one.forward).name == one.forward.name


@pytest.mark.parametrize("thing", [*IN_A_TABLE, in_a_module, IN_A_TABLE[0].forward, a])
def test_what_a_module_holds_is_pickled_by_name(thing):
    assert pickled(thing) is thing
    assert copy.copy(thing) is thing and copy.deepcopy(thing) is thing


def test_a_law_of_no_module_is_pickled_by_value():
    written = own_law()
    s, v = at.dscalar("s"), at.dvector("v")
    assert optimize_graph(at.exp(at.log(s)), include=(), custom_opt=written) is s
    read = pickled(written)
    assert read is not written and str(read) == str(written) and read.tags == written.tags
    assert optimize_graph(at.exp(at.log(s)), include=(), custom_opt=read) is s
    assert optimize_graph(at.exp(at.log(s)), include=(), custom_opt=pickled(read.forward)) is s
    kept = at.exp(at.log(v))
    assert optimize_graph(kept, include=(), custom_opt=read, clone=False) is kept


@pytest.mark.parametrize(
    "term", [a + b, at.sum(a, axis=b), at.exp(a) * 2.0, at.add(a, xs), at.exp(a) - at.dscalar("c")]
)
def test_terms(term):
    assert str(pickled(term)) == str(term)
    assert pickled(term)._ops is term._ops


def test_a_relation_of_ones_own_as_a_rewriter():
    def goal(in_lv, out_lv):
        return eq(in_lv, out_lv)

    assert copy.copy(KanrenRelationSub(goal)).name == "goal"
    used = KanrenRelationSub(in_a_module)
    used.transform(None, at.exp(at.dvector("x")).owner)
    assert pickled(used).kanren_relation is in_a_module
    with pytest.raises((pickle.PicklingError, AttributeError), match="goal"):
        pickled(KanrenRelationSub(goal))


def test_computed_values_are_pickled_as_they_are_written():
    c, d, x = lvars("c d x")
    v = at.dvector("v")
    for written, before in (
        (law("own-known", (c * x) / d, known(c / d) * x, sound="rounding"), (3.0 * v) / 4.0),
        (
            law("own-axes", at.log(at.sum(at.exp(x), axis=a)), LogSumExp(as_softmax_axis(a))(x)),
            at.log(at.sum(at.exp(v))),
        ),
    ):
        read = pickled(written)
        assert str(read) == str(written)
        after = optimize_graph(before, include=(), custom_opt=read)
        assert after is not before
        assert equal_computations([after], [optimize_graph(before, include=(), custom_opt=written)])
