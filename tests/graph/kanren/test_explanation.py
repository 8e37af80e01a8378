"""`explain`: every reason, where it is found, and that it never contradicts the rewriter."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import pytest
from etuples import etuple
from hypothesis import given, settings
from kanren import conde, conso, eq, lall
from kanren.constraints import neq
from kanren.core import fail
from kanren.goals import appendo, membero
from kanren.graph import mapo

import relgraph.tensor as at
from relations import CANONICALIZE, SPECIALIZE, STABILIZE
from relations.kit.vocabulary import lvars
from relgraph.graph.basic import Variable, equal_computations
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import (
    Explanation,
    KanrenRelationSub,
    NoSuchDirection,
    Reason,
    computed,
    computo,
    law,
    relation,
    whereo,
)
from relgraph.graph.kanren.explanation import explain
from relgraph.graph.notation import algebra, number_of
from relgraph.graph.unify import ConstrainedVar
from relgraph.printing import pprint
from relgraph.tensor.type import TensorType
from relgraph.testing import graphs
from tests.graph.kanren.instances import answer_of
from tests.graph.toys import MyOp

x, y, z, w = lvars("x y z w")
a, b, c, d = at.dvectors(*"abcd")

f, i, q = at.fvector("f"), at.bvector("i"), at.zvector("q")
TWO = MyOp("two", nout=2)


def is_small(value: Any) -> bool:
    return number_of(value) is not None and number_of(value) < 1


def half_of(value: Any) -> Any:
    return None


def twice(value: Any) -> Any:
    return 2 * value if isinstance(value, tuple) else 2 * number_of(value)


def is_two(value: Any) -> bool:
    return bool(value == 2)


def whole(n: Variable) -> int:
    return int(number_of(n))  # raises on nan


def is_a(value: Any) -> bool:
    return value is a


def is_positive(value: Any) -> bool:
    return number_of(value) is not None and number_of(value) > 0


def searched(i: Any, o: Any) -> Any:
    def only_with_a(s: Any) -> Any:
        yield from lall(eq(i, at.exp(a)), eq(o, b))(s)

    return only_with_a


def exps(i: Any, o: Any) -> Any:
    return lall(eq(i, at.exp(x)), mapo(eq, [x], [o]))


def hidden(s: Any) -> Any:
    yield s


def scaled(i: Any, o: Any) -> Any:
    logs = [eq(i, at.log(x)), eq(o, x)]
    product = [eq(i, at.exp(x * y)), hidden, whereo(is_positive, y), eq(o, x)]
    return conde(logs, product)


def open_condition(i: Any, o: Any) -> Any:
    return lall(eq(o, a), whereo(lambda v: True, z))


def opaque(goal: Callable[[Any, Any], Any]) -> KanrenRelationSub:
    """Return a rewriter by a goal of which nothing is known beforehand."""
    return KanrenRelationSub(lambda i, o: lambda s: goal(i, o)(s))


@relation("undo", sound="finite")
def undo(i: Any, o: Any) -> Any:
    return conde([eq(i, at.log(at.exp(x))), eq(o, x)], [eq(i, at.exp(at.log(x))), eq(o, x)])


log_sigmoid = law("log-sigmoid", at.log(at.sigmoid(x)), -at.softplus(-x), sound="stable")
sigmoid = law("sigmoid", 1 / (1 + at.exp(-x)), at.sigmoid(x), sound="rounding")
cancel = law("mul-div-cancel", x * y / y, x, sound="finite")
sum_neg = law("sum-neg", at.sum(-x, axis=y), -at.sum(x, axis=y))
exact = law("exact", x + y, y - -x)
triple = law("triple", at.exp(x) + at.log(y) + z, x, sound="domain")
add_neg = law("add-neg", x + -y, x - y)
small = law("small", x * y, x, whereo(is_small, y), sound="domain")
small_quotient = law("s", x / y, x, whereo(is_small, y))
late = law("late", x / y, x, whereo(lambda v: True, z), sound="domain")
of_half = law("halved", x + y, computed(half_of, x), sound="domain")
sub_self = law("sub-self", x - x, 0, sound="finite")
three = law("three", at.join(0, x, y, z), x)
exp_plus_log = law("exp-plus-log", at.exp(x) + at.log(at.exp(y)), x, sound="domain")
quotient_by_b = law("goal", x / y, x, eq(y, b), sound="domain")
held = law("held", x / y, x * z, whereo(is_two, z), computo(z, twice, y), sound="domain")
only = ConstrainedVar(is_a)
picky = relation("picky")(lambda i, o: lall(eq(i, etuple(at.exp, only)), eq(o, only)))
shift = law("shift", at.softmax(x + 1), at.softmax(x), sound="finite")
wider = law("wider", at.sum(x, axis=y), x, sound="domain")
huge = law("huge", at.exp(x), x + y, computo(y, lambda _: 10**400, x), sound="stable")
halved = law("halved", x * y, x + z, computo(z, whole, y), sound="finite")
doubled = law("doubled", at.sum(x, axis=z) / at.sum(y, axis=w), x, computo(z, twice, w))
A = at.TensorType("float64", (None,) * 4)("A")
one, ones = at.TensorType("float64", (1,))("one"), at.constant([1.0, 1.0, 1.0])
INFINITE = at.constant([1.0, float("inf")])
SEARCHED, SCALED = KanrenRelationSub(searched), KanrenRelationSub(scaled)
NO_NODE = KanrenRelationSub(searched, node_filter=lambda node: False)
NO_RESULT = KanrenRelationSub(searched, results_filter=lambda answers: None)
LISTED = KanrenRelationSub(lambda i, o: lall(hidden, eq(i, at.exp(x)), membero(x, (b, c))))
ELSE = KanrenRelationSub(undo, results_filter=lambda answers: None)
DIFFERENT = KanrenRelationSub(lambda i, o: lall(neq(x, y), eq(i, at.exp(x) * y), eq(o, y)))
LAST = KanrenRelationSub(lambda i, o: lall(conso(at.add, x, i), appendo(y, [b], x), eq(o, y)))
FIRST_OF_TWO = TWO(a)[0]


def at_path(var: Variable, path: tuple[int, ...]) -> Variable:
    for i in path:
        assert var.owner is not None
        var = var.owner.inputs[i]
    return var


def refused(why: Explanation, reason: Reason) -> Explanation:
    """Check what holds of every explanation of a law that does not match."""
    assert not why.matches and why.result is None and why.reason is reason
    first, second, *_ = str(why).splitlines()
    assert first.startswith(why.law) and "does not match" in first
    assert second.startswith("  ")
    return why


def test_a_match_is_told_with_bindings_and_result() -> None:
    why = cancel.explain(a * b * c / b)
    assert why.matches and why.reason is Reason.MATCH
    assert {name: algebra(v) for name, v in why.bindings.items()} == {"x": "a * c", "y": "b"}
    assert why.result is not None and algebra(why.result) == "a * c"
    assert str(why) == (
        "mul-div-cancel matches a * b * c / b\n  with x = a * c, y = b\n  and gives a * c"
    )


def test_both_directions() -> None:
    var = -at.softplus(-a)
    assert log_sigmoid.explain(var, direction="backward").matches
    why = refused(log_sigmoid.explain(-at.softplus(a), direction="backward"), Reason.OP)
    assert why.direction == "backward" and why.path == (0, 0) and why.wanted == "-x"
    assert str(why).startswith("log-sigmoid (backward) does not match -softplus(a)")
    with pytest.raises(ValueError, match="forward or backward, not 'sideways'"):
        log_sigmoid.explain(var, direction="sideways")


def test_a_direction_that_there_is_not() -> None:
    why = refused(cancel.explain(a, direction="backward"), Reason.DIRECTION)
    with pytest.raises(NoSuchDirection) as error:
        _ = cancel.backward
    assert why.found == str(error.value)


def test_only_variables_are_explained() -> None:
    with pytest.raises(TypeError, match="log-sigmoid is asked about a Variable, not 3"):
        log_sigmoid.explain(3)


def test_a_node_stays_that_an_answer_makes_again() -> None:
    again = KanrenRelationSub(lambda i, o: lall(eq(i, etuple(at.sum, x)), eq(o, etuple(at.sum, x))))
    refused(again.explain(at.sum(a)), Reason.SAME)


def test_an_error_of_a_condition_names_the_law_and_the_node() -> None:
    odd = law("odd", at.exp(x), x, whereo(lambda v: bool(v.odd), x))
    with pytest.raises(AttributeError, match="odd") as caught:
        odd.explain(at.exp(a))
    assert caught.value.__notes__ == ["raised in the rewriter odd on the node exp(a)"]


def test_nested_sums_that_are_read_elsewhere() -> None:
    both = law("both", x + y + z, at.exp(x), sound="domain")
    inner = a + b
    graph = FunctionGraph(outputs=[inner + c, inner], clone=False)
    found = explain(both.forward, graph.outputs[0], "both", fgraph=graph)
    refused(found, Reason.ARITY)
    assert both.explain(graph.outputs[0]).matches


MATCHES = [
    (sum_neg, at.sum(-at.dmatrix("A"), axis=1)),
    (add_neg, a + -b),
    (add_neg, (a + -b) + -c),
    (law("add-neg", x + -y, x - y, sound="rounding"), (a + -b) + c),
    (small, a * 0.5),
    (quotient_by_b, a / b),
    (held, a / 1.0),
    (picky, at.exp(a)),
    (law("cancel", x * y / y, x, sound="finite", mixed=True), f * a / a),
    (law("c", x * y / y, x, sound="finite", complex=True), q * q / q),
    (cancel, at.constant([1.0, 2.0]) * b / b),
    (undo, at.log(at.exp(a))),
    (SEARCHED, at.exp(a)),
    (SCALED, at.exp(a * 2.0)),
]


@pytest.mark.parametrize(("rule", "var"), MATCHES)
def test_a_match_gives_what_the_rewriter_gives(rule: Any, var: Any) -> None:
    why = rule.explain(var)
    assert why.matches and why.reason is Reason.MATCH
    (new,) = getattr(rule, "forward", rule).transform(None, var.owner)
    assert equal_computations([why.result], [new])


# (a law, a variable, and why it does not match: the reason and some of what is said)
REFUSED = [
    (
        log_sigmoid,
        a,
        "LEAF: it is an input: nothing computes it, and the law wants log(sigm",
    ),
    (log_sigmoid, at.constant(2.0), "LEAF: it is a constant: nothing computes it"),
    (
        log_sigmoid,
        at.exp(a),
        "OP: at the root the law wants log(sigmoid(x)), and the graph has e",
    ),
    (log_sigmoid, at.log(at.exp(a)), "OP: in log(exp(a)) the law wants sigmoid(x), and the graph"),
    (log_sigmoid, at.log(a), "OP: in log(a) the law wants sigmoid(x), and the graph has a"),
    # the attempt that got furthest
    (sigmoid, 1 / (1 + at.exp(b)), "OP: in exp(b) the law wants -x, and the graph has b"),
    # through nested sums
    (exp_plus_log, a + at.exp(b) + at.log(c), "OP: in log(c) the law wants exp(y), and the graph"),
    (sigmoid, 2 / (1 + at.exp(-a)), "NUMBER: the law wants 1, and the graph has 2.0"),
    (sub_self, a - b, "DIFFERENT: in a - b the law wants x (x = a), and the graph has b"),
    (sum_neg, at.prod(-a), "PARAMETER: the op is the right one with other parameters"),
    (sum_neg, at.exp(a), "OP: at the root the law wants sum(-x, axis=y), and the graph has exp(a)"),
    (three, at.join(0, a, b), "ARITY: at the root the number of arguments differs"),
    # it would match (a + b) + exp(c): the number alone is not why
    (exact, at.add(a, b, at.exp(c)), "GROUPING: x + y against a + b + exp(c)"),
    (triple, at.exp(a) + at.log(b), "ARITY: wants exp(x) + log(y) + z, and the graph has exp(a)"),
    (sigmoid, 1 / (a + b + at.exp(-c)), "PARTNER: none of the arguments a, b, exp(-c) is 1"),
    (cancel, a * b / c, "PARTNER: none of the arguments a, b is y (y = c)"),
    (sigmoid, 1 / (1 + at.exp(-a) + b), "LEFT_OVER: 1 + exp(-x) and no more, and b is left over"),
    (add_neg, (a + -b) + c, "GROUPING: an exact law may swap two arguments and never regroups"),
    (small, at.exp(a) / 2, "OP: at the root the law wants x * y, and the graph has exp(a) / 2.0"),
    (small_quotient, a / 3.0, "CONDITION: the condition is_small(y) says no (y = 3.0)"),
    (quotient_by_b, a / c, "GOAL: the goal eq of the relation fails (u = c, v = b)"),
    (of_half, a + b, "CONDITION: half_of(x) finds nothing"),
    (
        doubled,
        at.sum(A, 1) / at.sum(A, 3),
        "COMPUTED: z = twice(w) is computed to be (3, 3) (w =",
    ),
    (held, a / 3.0, "CONDITION: the condition is_two(z) says no (z = 6.0)"),
    (late, a / b, "PENDING: can't be decided: a variable of it stays open"),
    (picky, at.exp(b), "CONSTRAINT: in exp(b) the pattern's constraint does not accept b"),
    (
        cancel,
        f * a / a,
        "DTYPES: one dtype, and here are 2: float64 (f * a / a), float32 (f)",
    ),
    (cancel, i * i / i, "DTYPES: float64 (i * i / i), int8 (i * i)"),
    (cancel, q * q / q, "COMPLEX: not stated for complex numbers, and q * q / q is complex128"),
    (cancel, INFINITE * b / b, "NOT_FINITE: the law holds for finite values, and x = [ 1. inf]"),
    (halved, a * at.constant(float("nan")), "NOT_FINITE: and y = nan"),
    (
        wider,
        at.sum(a),
        "TYPE: a is of type TensorType(float64, (?,)), which does not fit",
    ),
    (huge, at.exp(a), "BUILD: the result x + y can't be built: int too large"),
    (shift, at.softmax(one + ones), "BROADCAST: would represent a constant that broadcasts"),
    (shift, at.softmax(ones + one), "BROADCAST: below an op that works on more than an element"),
    # it is not about broadcasting where the number is another one
    (shift, at.softmax(one + 2 * ones), "PARTNER: none of the arguments one, 2.0 * 1.0 is 1"),
    (relation("same")(eq), at.exp(a), "SAME: the result is what is there already"),
    (log_sigmoid, FIRST_OF_TWO, "OUTPUTS: at the root is two.0(a), one output of several"),
    (KanrenRelationSub(lambda i, o: fail), FIRST_OF_TWO, "GOAL: the goal fail of the relation"),
    (undo, at.exp(at.sqrt(a)), "OP: of its 2 rules, exp(log(x)) → x is nearest"),
    (SEARCHED, at.exp(c), "GOAL: the goal searched of the relation fails (i = exp(c))"),
    (SEARCHED, a, "LEAF: and the law wants a node to look at"),
    (KanrenRelationSub(exps), at.log(a), "OP: at the root the law wants exp(x), and the graph"),
    # the alternative that got furthest counts
    (SCALED, at.exp(a + b), "OP: in exp(a + b) the law wants x * y, and the graph has a + b"),
    (SCALED, at.exp(a * -2.0), "CONDITION: the condition is_positive(y) says no (y = -2.0)"),
    (LISTED, at.exp(a), "GOAL: the goal membero of the relation fails (ls = (b, c), x = a)"),
    (NO_NODE, at.exp(a), "FILTER: its node filter leaves this node out"),
    (LAST, at.add(a, b, c), "GOAL: appendo of the relation fails (out = e(a, b, c)"),
    (DIFFERENT, at.exp(a) * a, "CONDITION: the condition neq says no (x = a)"),
    (law("ones", ones * x, x), a * INFINITE, "DIFFERENT: and the graph has [ 1. inf]"),
    (ELSE, at.log(at.exp(a)), "FILTER: its results filter takes none of its answers"),
    (NO_RESULT, at.exp(a), "FILTER: its results filter takes none of its answers"),
    (opaque(lambda i, o: eq(o, x * y)), at.exp(a), "OPEN: the answer leaves ~x open"),
    (opaque(open_condition), at.exp(a), "PENDING: can't be decided"),
    (opaque(lambda i, o: eq(o, A)), at.exp(a), "TYPE: the result A is of type TensorType(float64"),
]


@pytest.mark.parametrize(("rule", "var", "why_not"), REFUSED, ids=[row[-1] for row in REFUSED])
def test_the_reason_is_said_and_its_place(rule: Any, var: Any, why_not: str) -> None:
    reason, said = why_not.split(": ", 1)
    why = refused(rule.explain(var), Reason[reason])
    assert said in str(why)
    if reason in ("OP", "NUMBER", "DIFFERENT"):
        assert algebra(at_path(var, why.path)) == why.found
    if reason not in ("OPEN", "OUTPUTS", "LEAF") and var is not FIRST_OF_TWO:
        assert answer_of(getattr(rule, "forward", rule), var) is False


# -- the engine and its explanation -------------------------------------------------------

OPS = (
    *(at.exp, at.log, at.sigmoid, at.softplus, at.log1p, at.neg, lambda v: 1 + at.exp(-v)),
    *(at.add, at.sub, at.mul, at.true_div),
)
RULES = list(dict.fromkeys((*CANONICALIZE, *STABILIZE, *SPECIALIZE)))


def asked(var: Any) -> list[Any]:
    """Return the laws that look at such a variable, and each eighth of the others in turn."""
    op = None if var.owner is None else var.owner.op
    turn = zlib.crc32(pprint(var).encode())

    def looks(rule: Any) -> bool:
        tracked = rule.forward.tracks()
        return tracked is None or any(
            isinstance(op, key) if isinstance(key, type) else op == key for key in tracked
        )

    return [rule for i, rule in enumerate(RULES) if (i + turn) % 8 == 0 or looks(rule)]


@settings(max_examples=15)
@given(graphs(OPS, "float64", max_nodes=8, max_outputs=1))
def test_no_explanation_contradicts_the_rewriter(drawn: Any) -> None:
    (var,) = drawn.outputs
    for rule in asked(var):
        why = rule.explain(var)
        rewritten = var.owner is not None and rule.forward.transform(None, var.owner) is not False
        assert why.matches is rewritten
        # of a relation without a list of rules nobody knows more than that it has no answer
        if rule.extraction("forward").status == "closed":
            assert why.reason is not Reason.NO_ANSWER, "the search found no fault with it"
        if why.matches:
            assert set(why.bindings) >= {str(v) for v in rule._variables}
        else:
            at_path(var, why.path)
        assert str(why)


def test_wide_sums_are_explained_quickly() -> None:
    wide = at.add(*[TensorType("float64", (None,))(f"v{i}") for i in range(300)])
    two = law("two", at.exp(x) + at.log(y), x, sound="domain")
    assert len(str(two.explain(wide)).splitlines()[0]) < 120
    # here there are millions of ways to match all but the last part
    chain = at.exp(x) + at.exp(y * z) + at.exp(z * w) + at.log(x)
    products = at.add(*[at.exp(a * b**i) for i in range(100)])
    assert "does not match" in str(law("chain", chain, x, sound="domain").explain(products))
