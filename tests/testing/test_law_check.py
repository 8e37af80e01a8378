"""Checks of laws."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from etuples import etuple
from kanren import conde, eq, lall
from unification import var

import relgraph.tensor as at
from relations.kit.guards import are_positive, is_constant, is_nonnegative
from relations.kit.type_guards import ranko
from relations.kit.vocabulary import law, lvars, relation
from relgraph.graph.basic import Apply
from relgraph.graph.kanren import computo, whereo
from relgraph.graph.kanren.explanation import NoSuchDirection
from relgraph.graph.kanren.goals import argumentso
from relgraph.graph.kanren.terms import Term
from relgraph.graph.op import Op, TypedOp
from relgraph.tensor.reductions import CAReduce
from relgraph.testing import check_relation, law_tests
from relgraph.testing.discovery import CheckError, discover_laws
from tests.testing.test_graph_check import assert_shows_two_values, printed_by

a, x, y, z = lvars("a x y z")


def never(v):
    return False


def all_the_same(args):
    return len(args) > 1 and all(v is args[0] for v in args)


def first_of(args):
    return args[0]


def test_a_true_law_passes_and_says_what_it_was_tried_on():
    result = law("neg-neg", at.neg(-x), x).check(examples=60)
    assert result.passed, str(result)
    assert result.status == "passed"
    assert result.directions == ("forward",)
    assert 60 <= result.examples < 120
    assert 5 < result.instances <= result.examples
    assert 2 < result.types <= result.instances
    assert result.edge_values > 5
    assert result.counterexample is None
    assert "neg-neg: exact, passed" in str(result)


def test_a_failure_is_shrunk_to_python_that_reproduces_it():
    result = law("div-self", x / x, 1).check()
    assert result.status == "failed"
    found = result.counterexample
    source = str(found)
    assert source.startswith("# law div-self: x / x → 1\n# claimed exact, forward: the bits differ")
    assert_shows_two_values(source)
    (old,), (new,) = printed_by(source)
    assert np.array_equal(old, found.old_value, equal_nan=True)
    assert np.array_equal(new, found.new_value, equal_nan=True)
    assert len(source.splitlines()) < 20


def test_each_check_is_repeatable():
    wrong = law("wrong", x - y, y - x, sound="finite")
    first, second = (str(wrong.check(seed=3).counterexample) for _ in range(2))
    assert first == second
    assert law("right", at.neg(-x), x).check(seed=3).edge_values > 0


@pytest.mark.parametrize(
    ("sound", "passes"),
    [("exact", False), ("rounding", False), ("finite", True)],
)
def test_a_law_is_compared_as_its_class_says(sound, passes):
    assert law("factor", x * (y + z), x * y + x * z, sound=sound).check().passed is passes


def test_a_stronger_class_that_holds_is_reported():
    assert law("neg-neg", at.neg(-x), x, sound="finite").check().stronger == "exact"
    # of some hundreds of examples few have a -0 where it matters
    assert law("add-zero", x + 0, x, sound="rounding").check(examples=1000).stronger is None


def test_the_sign_of_zero_is_part_of_exact():
    result = law("add-zero", x + 0, x).check()
    assert result.reason == "the bits differ"


def test_stable_wants_the_right_side_nearer_the_truth():
    assert law("softplus", at.log(1 + at.exp(x)), at.softplus(x), sound="stable").check().passed
    worse = law("worse", at.softplus(x), at.log(1 + at.exp(x)), sound="stable").check()
    assert worse.status == "failed"
    assert "the true value is" in worse.reason


def test_stable_is_checked_forward_alone():
    result = law("erfc", 1 - at.erf(x), at.erfc(x), sound="stable").check(examples=30)
    assert result.directions == ("forward",)


def test_rounding_allows_what_rounding_moves_and_nothing_else():
    assert law("assoc", (x + y) + z, x + (y + z), sound="rounding").check().passed
    assert law("exps", at.exp(x) * at.exp(y), at.exp(x + y), sound="rounding").check().passed
    wrong = law("wrong", at.exp(x) * at.exp(y), at.exp(x + y + 1e-9), sound="finite")
    assert wrong.check().reason == "they differ by more than rounding"


# -- domains -------------------------------------------------------------------------------------


def log_of_product(**options):
    return law("log-mul", at.log(x * y), at.log(x) + at.log(y), sound="domain", **options)


def test_a_domain_is_stated_needed_and_enough():
    result = log_of_product(domain=whereo(are_positive, x, y)).check(directions=["forward"])
    assert result.passed, str(result)


def test_a_domain_that_is_not_stated_leaves_a_law_unchecked():
    result = log_of_product().check()
    assert result.status == "unchecked"
    assert "without stating one" in result.reason


def are_numbers(*values):
    return not any(np.isnan(v).any() for v in values)


def test_a_domain_that_is_too_large_fails():
    result = log_of_product(domain=whereo(are_numbers, x, y)).check(directions=["forward"])
    assert result.status == "failed"
    assert result.reason == "they differ by more than rounding"
    assert np.isnan(result.counterexample.new_value).any()


def test_a_domain_that_holds_nowhere_leaves_a_law_unchecked():
    result = log_of_product(domain=whereo(never, x)).check(examples=40)
    assert result.status == "unchecked"
    assert "in no example the class makes a claim" in result.reason


def test_a_domain_that_is_not_needed_is_remarked_upon():
    result = law("neg-neg", at.neg(-x), x, sound="domain", domain=whereo(are_positive, x)).check()
    assert result.passed
    assert result.remarks == ("in all examples it holds outside of its domain too",)
    needed = law("root", at.sqrt(x * x), x, sound="domain", domain=whereo(are_positive, x)).check()
    assert needed.passed
    assert not any("outside of its domain" in remark for remark in needed.remarks)


def test_only_a_law_of_the_class_has_a_domain():
    with pytest.raises(ValueError, match="has a domain, but claims to be exact"):
        law("neg-neg", at.neg(-x), x, domain=whereo(are_positive, x))


# -- vacuous checks ------------------------------------------------------------------------------


def test_a_guard_that_admits_nothing_leaves_a_law_unchecked():
    result = law("never", at.neg(-x), x, whereo(never, x)).check()
    assert result.status == "unchecked"
    assert not result.passed
    assert "the condition never(x)" in result.reason
    assert result.refusals["the condition never(x)"] > 100


def test_guards_on_constants_find_constants():
    guarded = law("swap", x + y, y + x, whereo(is_constant, y), sound="rounding")
    result = guarded.check(examples=30)
    assert result.status == "passed", str(result)


class Tagged(TypedOp):
    """Gives back its input."""

    __props__ = ("tag",)

    def __init__(self, tag):
        self.tag = tag

    def as_inputs(self, *inputs):
        return [at.as_tensor_variable(v) for v in inputs]

    def output_types(self, *input_types):
        return list(input_types)

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.array(inputs[0])


def test_a_parameter_of_which_nothing_is_known_is_named():
    untag = law("untag", Term(Term(Tagged, [a], at.neg(x)._ops), [x], at.neg(x)._ops), x)
    result = untag.check(examples=30)
    assert result.status == "unchecked"
    assert "nothing is known of the parameter tag of Tagged" in result.reason
    checked = untag.check(examples=30, parameters={("Tagged", "tag"): lambda random, arguments: 1})
    assert checked.passed, str(checked)


@pytest.mark.parametrize("result", [at.second(x, 7.0), at.second(x, 8.0)])
def test_a_class_that_says_nothing_of_any_example_leaves_a_law_unchecked(result):
    # what is divided by zero is never finite, and there `finite` claims nothing
    nothing = law("nothing", 1 / (x / 0), result, sound="finite").check()
    assert nothing.status == "unchecked"
    assert "in no example the class makes a claim on a finite value" in nothing.reason
    assert nothing.examples >= 200


@pytest.mark.parametrize("reached", [False, True])
def test_each_rule_of_a_relation_is_tried(reached):
    """A rule that is never reached, or of which the class says nothing, leaves it unchecked."""

    @relation("two", sound="finite")
    def two(i, o):
        v = var()
        quotient = etuple(at.exp, etuple(at.true_div, v, 0))
        says_nothing = [eq(i, quotient), eq(o, etuple(at.second, v, 2.0))]
        never_reached = [eq(i, etuple(at.exp, v)), whereo(never, v), eq(o, v)]
        return conde(
            [eq(i, etuple(at.neg, etuple(at.neg, v))), eq(o, v)],
            says_nothing if reached else never_reached,
        )

    result = two.check()
    assert result.status == "unchecked"
    assert "exp" in result.reason and (not reached or "neg" not in result.reason)


# -- more that can be wrong ----------------------------------------------------------------------


def test_a_law_that_raises_an_error_fails():
    def broken(v):
        raise RuntimeError("not today")

    result = law("broken", at.neg(-x), x, whereo(broken, x)).check()
    assert result.status == "failed"
    assert "it raises RuntimeError: not today" in result.reason
    source = str(result.counterexample)
    assert "outputs = [--v0]" in source
    assert "# law.forward.transform(None, outputs[0].owner) raises" in source
    assert printed_by(source) == []


def test_a_law_whose_result_raises():
    picked = law("third", at.second(x, y), at.specify_shape(at.second(x, y), [3]))
    result = picked.check(examples=60)
    assert result.status == "failed"
    source = str(result.counterexample)
    assert "it raises ValueError: specify_shape" in source
    assert f"# before: {' '.join(repr(result.counterexample.old_value).split())}" in source
    with pytest.raises(ValueError, match="specify_shape"):
        printed_by(source)


def test_a_law_may_raise_on_a_graph_that_is_not_valid():
    """What increments an array twice has a shape that `y + z` has not."""
    assert discover_laws()["inc-twice"].check().passed


class Cube(Op):
    """Declares the dtype of its input, and computes another one of booleans."""

    __props__ = ()

    def make_node(self, x):
        x = at.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] ** 3


def test_an_op_that_computes_another_dtype_than_it_declares_is_named():
    found = law("cube-mul", Cube()(a) * Cube()(b), Cube()(a * b), sound="rounding").check()
    assert found.status == "failed"
    assert "dtype changes" in found.reason and "Cube computes int" in found.reason
    assert found.reason.endswith("where its output is bool")


def test_both_directions_are_checked():
    both = law("neg-sub", -(x - y), y - x, sound="rounding")
    assert both.check(examples=40).directions == ("forward", "backward")
    assert both.check(examples=40, directions=["backward"]).directions == ("backward",)
    with pytest.raises(NoSuchDirection):
        law("drop", x - x, 0, sound="finite").check(directions=["backward"])


def test_any_goal_constructor_can_be_checked():
    def double_neg(i, o):
        v = var()
        return lall(eq(i, etuple(at.neg, etuple(at.neg, v))), eq(o, v))

    result = check_relation(double_neg, examples=40)
    assert result.passed, str(result)
    assert result.name == "double_neg"

    def wrong(i, o):
        v = var()
        return lall(eq(i, etuple(at.neg, v)), eq(o, v))

    assert check_relation(wrong).status == "failed"
    assert check_relation(double_neg, examples=20, sound="finite").stronger == "exact"
    with pytest.raises(TypeError, match="no law and no goal constructor"):
        check_relation(3)


@pytest.mark.parametrize("is_right", [True, False])
def test_an_open_relation_is_tried_on_the_ops_that_it_mentions(is_right):
    @relation("same-terms", sound="finite")
    def same_termso(i, o):
        """``x + x → 2 * x``"""
        args, n, v = lvars("args n v")
        return lall(
            argumentso(i, at.add, args),
            whereo(all_the_same, args),
            computo(v, first_of, args),
            computo(n, len, args),
            eq(o, n * v if is_right else v),
        )

    assert same_termso.extraction().status == "open"
    result = same_termso.check(examples=30 if is_right else 100)
    assert result.algebra == "``x + x → 2 * x``"
    if is_right:
        assert result.status == "passed", str(result)
        checked = same_termso.check(examples=30, patterns=[at.add(x, x)])
        assert checked.status == "passed", str(checked)
    else:
        assert result.status == "failed"
        assert "# law same-terms: ``x + x → 2 * x``" in str(result)
        assert_shows_two_values(str(result.counterexample))


@pytest.mark.parametrize("options", [{"examples": 0}, {"sound": "certain"}])
def test_bad_options(options):
    with pytest.raises(ValueError, match=r"examples is at least 1|sound is one of"):
        check_relation(law("neg-neg", at.neg(-x), x), **options)


# -- the form for pytest -------------------------------------------------------------------------

test_laws = law_tests([law("neg-neg", at.neg(-x), x), (law("sub-zero", x - 0, x),)], examples=30)


def test_the_form_for_pytest_fails_with_the_counterexample():
    wrong = law("wrong", -x, x)
    check = law_tests([wrong], examples=30)
    (mark,) = check.pytestmark
    assert mark.kwargs["ids"] == ["wrong"]
    with pytest.raises(AssertionError, match="# law wrong: -x → x"):
        check(wrong)


@pytest.mark.parametrize(
    ("one", "passes"),
    [
        (law("right", at.neg(-x), x), True),
        (law("wrong", -x, x), False),
        (law("unchecked", at.neg(-x), x, whereo(never, x)), False),
    ],
)
def test_a_result_is_true_if_it_passed(one, passes):
    assert bool(one.check(examples=20)) is passes


def test_the_form_for_pytest_fails_for_what_is_unchecked():
    nothing = law("never", at.neg(-x), x, whereo(never, x))
    with pytest.raises(AssertionError, match="never: exact, unchecked"):
        law_tests([nothing], examples=30)(nothing)


def test_laws_for_pytest_have_names_of_their_own():
    with pytest.raises(CheckError, match="two laws are called one"):
        law_tests([law("one", at.neg(-x), x), law("one", x - 0, x)])
    with pytest.raises(ValueError, match="no laws"):
        law_tests([])


def test_no_finite_number_is_near_an_infinite_one():
    found = law("t", at.log(at.exp(x)), at.switch(at.isinf(x), 5, x), sound="stable").check()
    assert re.match("the true value is -?inf, to which the old one is nearer", found.reason)


def test_what_an_open_op_is_does_not_matter_to_phases():
    """The check says what it finds; the form that a phase leaves can't be found out."""
    s = lvars("s")
    found = law("t", CAReduce(s, a)(x), -CAReduce(s, a)(x), sound="rounding").check()
    assert found.status == "failed"


def test_whole_numbers_of_a_stable_law_have_true_values_too():
    wrong = law(
        "t", at.sqr(x - y) - at.sqr(x), y * (y - 2 * x) + 0 * y + at.eq(x, 7), sound="stable"
    )
    assert "the true value is " in wrong.check(examples=20, shrink=False).reason


def test_from_the_end_of_the_range_rounding_leads_beyond_it_and_not_back():
    largest = np.finfo("float64").max
    wrong = at.switch(at.eq(x, largest), 6.0, x + 1)
    grown = law("grown", at.exp(at.log1p(x)), wrong, whereo(is_nonnegative, x), sound="stable")
    assert check_relation(grown, shrink=False).counterexample.why.startswith(
        "the true value is 1.79"
    )


# A law that no graph of its own calls matches is reported, with a word on why.

b, axis = lvars("b axis")


class LastAxis(TypedOp):
    """An Op that makes its nodes with another parameter than it was called with, and is silent
    about it: the library's own say it by `relative`."""

    __props__ = ("axis",)

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def make_node(self, *inputs: Any) -> Any:
        (x,) = inputs
        if x.type.ndim == 0:
            raise ValueError("a number has no last axis")
        op: Any = LastAxis(self.axis % x.type.ndim)
        return TypedOp.make_node(op, x)

    def output_types(self, *input_types: Any) -> Sequence[Any]:
        return input_types


@pytest.mark.parametrize(
    "written",
    [
        law("t", at.softmax(a + 1), at.softmax(a), sound="finite"),
        law("t", at.sum(-a, axis=0), -at.sum(a, axis=0), sound="rounding"),
        law("t", at.cumsum(at.flip(a, axis=-1), axis=-1), a, sound="domain"),
        law("t", at.exp(a) & True, a, sound="domain", mixed=True),
        law("t", at.exp(a), a, whereo(lambda v: False, a), sound="domain"),  # only a condition
        law("t", at.sum(at.exp(a), axis=axis), at.sum(a, axis=axis), sound="domain"),  # open
        relation("t")(lambda in_lv, out_lv: whereo(bool, in_lv)),
    ],
)
def test_nothing_is_said_of_others(written: Any) -> None:
    reason = written.check(examples=20, shrink=False).reason
    assert "the same calls" not in reason and "is no node" not in reason


def test_a_parameter_that_nodes_do_not_have() -> None:
    silent = law("t", LastAxis(-1)(at.exp(a)), LastAxis(-1)(a), sound="rounding")
    result = silent.check(examples=20)
    assert result.status == "unchecked"
    assert "no graph that the same calls make is matched" in result.reason
    assert "the law wants LastAxis(exp(a), axis=-1), and the graph has" in result.reason


def test_a_rank_that_an_elementwise_op_has_changed() -> None:
    shifted = law("t", at.exp(a + b), at.exp(a), ranko(a, 1), ranko(b, 0), sound="domain")
    result = shifted.check(examples=20)
    assert result.status == "unchecked"
    assert "such as exp(" in result.reason
    assert re.search(r"has_rank\(b, 0\) says no \(b = .*None", result.reason)


@pytest.mark.parametrize("goal", [lambda v: v.missing, lambda v: at.all(v > 0)])
def test_a_domain_that_raises_is_named(goal: Any) -> None:
    root = law("t", at.sqrt(at.sqr(a)), a, sound="domain", domain=whereo(goal, a))
    result = root.check(examples=20)
    assert result.status == "failed"
    assert result.reason.startswith("its domain raises ")


def test_a_call_that_makes_no_node() -> None:
    same = law("t", at.transpose(a, (0, 1)), a)
    result = same.check(examples=20)
    assert not result.passed
    assert "is no node" in result.reason
