"""The prefilter: which rules may match nodes of a structure."""

import relgraph.tensor as at
from relations.kit.functions import undoes
from relations.kit.vocabulary import lvars
from relgraph.graph.kanren import law, logic_variables, whereo
from relgraph.graph.kanren.prefilter import rule_might_match
from relgraph.scalar import exp, float64, log, mul
from relgraph.scalar.type import ScalarVariable

x, y = logic_variables("x y", ScalarVariable._ops)
a, b = float64("a"), float64("b")


def test_rules_may_match_by_structure():
    rule = law("log-exp", log(exp(x)), x, sound="finite").forward.rule
    assert rule_might_match(rule, log(exp(a)).owner)
    assert not rule_might_match(rule, log(a).owner)
    assert not rule_might_match(rule, exp(exp(a)).owner)
    product = law("exps", exp(x) * exp(y), exp(x + y), sound="finite").forward.rule
    assert rule_might_match(product, mul(a, exp(a), exp(b)).owner)
    assert not rule_might_match(product, mul(a, log(a)).owner)
    assert not rule_might_match(product, mul(a, exp(a)).owner)  # two are wanted
    assert rule_might_match(product, mul(exp(a), exp(a)).owner)
    assert rule_might_match(product, ((exp(a) * b) * a).owner)  # a partner may be further down


def test_conditions_about_the_ops_of_arguments_are_evaluated():
    s, t = logic_variables("s t")
    v, w = lvars("v"), at.dvector()
    pattern = at.Elemwise(s, ())(at.Elemwise(t, ())(v))
    rule = law("inverse", pattern, v, whereo(undoes, s, t)).forward.rule
    assert rule_might_match(rule, at.sinh(at.arcsinh(w)).owner)
    assert not rule_might_match(rule, at.sinh(at.sin(w)).owner)
