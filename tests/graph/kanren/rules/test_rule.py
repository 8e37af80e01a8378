"""Rules: what is derived from their patterns and conditions."""

from relgraph.graph.kanren import computo, law, logic_variables, one_cliento, several, whereo
from relgraph.graph.kanren.terms import Literal
from relgraph.scalar import add, exp, log, log1p, mul, sub
from relgraph.scalar.type import ScalarVariable

x, xs, y, z = logic_variables("x xs y z", ScalarVariable._ops)


def test_required_numbers():
    def is_zero(number):
        return number is not None

    is_zero.number = 0
    assert law("times-one", x * 1, x).forward.rule.required_numbers == {Literal(1)}
    zero = law("times-zero", x * y, 0, whereo(is_zero, y)).forward.rule
    assert zero.required_numbers == {Literal(0)}
    assert law("exp-zero", exp(x * y), 1, whereo(is_zero, y)).forward.rule.required_numbers == set()


def test_a_number_that_one_of_several_arguments_must_be_is_required():
    def without_ones(factors):
        return mul(*factors)

    without_ones.number = 1
    among = law("one-among", mul(several(xs)), z, computo(z, without_ones, xs)).forward.rule
    assert among.required_numbers == {Literal(1)}
    inside = law("of-log", log(mul(several(xs))), z, computo(z, without_ones, xs)).forward.rule
    assert inside.required_numbers == set()


def test_readers_are_a_level_only_below_the_lowest_nodes():
    of_part = law("of-part", log(exp(x) + y), x, one_cliento(exp(x)), one_cliento(exp(x) + y))
    assert of_part.forward.rule.depth == 3
    assert law("of-leaf", log(exp(x) + y), x, one_cliento(x)).forward.rule.depth == 4


def test_what_is_left_to_the_outer_sum():
    """A condition on a variable that may take more of the terms there keeps a rule from it."""
    a, b = whereo(bool, x), whereo(bool, y)
    left = {
        "no condition": law("a", x + exp(y), y, sound="finite"),
        "inside": law("b", x + exp(y), y, b, sound="finite"),
        "stands elsewhere": law("c", (x - y) * y, x, b, sound="finite"),
        "not last": law("d", x + y * exp(z), y, a, sound="finite"),
        "twice": law("e", x + x, x, a, sound="finite"),
    }
    assert [name for name in left if not left[name].forward.rule.subsumes_nested] == []
    assert not law("f", x + exp(y), y, a, sound="finite").forward.rule.subsumes_nested
    assert not law("g", add(x, y, exp(z)), y, a, sound="finite").forward.rule.subsumes_nested


def test_collapsing_rules():
    """A collapsing rule replaces a node by a variable below it, and does not ask for clients."""
    assert law("log-exp", log(exp(x)), x).forward.collapses
    assert law("sub-zero", sub(x, y), x, whereo(bool, y)).forward.collapses
    assert not law("log1p", log(1 + x), log1p(x)).forward.collapses
    assert not law("sub-self", x - x, 0).forward.collapses
    assert not law("times-one", x * 1, x).forward.collapses  # of a product, which is regrouped
    alone = law("alone", log(exp(x)), x, one_cliento(exp(x)))
    assert not alone.forward.collapses
