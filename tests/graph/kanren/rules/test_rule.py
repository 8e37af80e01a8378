"""Rules: what is derived from their patterns and conditions."""

from relgraph.graph.kanren import law, logic_variables, one_cliento, whereo
from relgraph.graph.kanren.terms.term import Literal
from relgraph.scalar import exp, log, log1p, sub
from relgraph.scalar.type import ScalarVariable

x, y = logic_variables("x y", ScalarVariable._ops)


def test_required_numbers():
    def is_zero(number):
        return number is not None

    is_zero.number = 0
    assert law("times-one", x * 1, x).forward.rule.required_numbers == {Literal(1)}
    zero = law("times-zero", x * y, 0, whereo(is_zero, y)).forward.rule
    assert zero.required_numbers == {Literal(0)}
    assert law("exp-zero", exp(x * y), 1, whereo(is_zero, y)).forward.rule.required_numbers == set()


def test_collapsing_rules():
    """A collapsing rule replaces a node by a variable below it, and does not ask for clients."""
    assert law("log-exp", log(exp(x)), x).forward.collapses
    assert law("sub-zero", sub(x, y), x, whereo(bool, y)).forward.collapses
    assert not law("log1p", log(1 + x), log1p(x)).forward.collapses
    assert not law("sub-self", x - x, 0).forward.collapses
    assert not law("times-one", x * 1, x).forward.collapses  # of a product, which is regrouped
    alone = law("alone", log(exp(x)), x, one_cliento(exp(x)))
    assert not alone.forward.collapses
