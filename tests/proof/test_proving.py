"""Proofs of laws: what is proved, what is refuted, and that wrong laws are never proved."""

import pytest
from kanren import eq

import relgraph.tensor as at
from relations.kit.guards import is_discrete_zero, is_positive, nonnegativeo
from relations.kit.numbers import has_dtype, is_at_most
from relgraph import lvars
from relgraph.graph.kanren import law, relation, whereo
from relgraph.proof.proving import prove, structure_of
from relgraph.testing.discovery import discover_laws
from tests.seeds import sampled

LAWS = discover_laws()
x, y, z, c = lvars("x y z c")


BIT_BY_BIT = [
    "neg-div-neg",
    "mul-one",
    "sub-self-integer",
    "mul-self-boolean",
    "abs-quotient",
    "clip-sigmoid",
    "sqr-abs",
    "mod-twice",
    "int-div-twice",
    "round-quotient",
    "zero-sub-other",
]


@pytest.mark.parametrize("name", sampled(BIT_BY_BIT, 5, "proofs bit by bit"))
def test_exact_laws_of_the_book_are_proved_bit_by_bit(name):
    found = LAWS[name].prove()
    assert (found.status, found.over, found.reason) == ("proved", "bits", "")
    assert set(found.by_dtype.values()) == {"proved"}


@pytest.mark.parametrize("name", ["mul-div-cancel", "sqr-sqrt", "add-zero"])
def test_other_laws_are_proved_over_the_reals(name):
    found = LAWS[name].prove()
    assert (found.status, found.over) == ("proved", "reals")


def test_what_is_proved_covers_the_dtypes_that_a_law_admits():
    floats = {"float16", "bfloat16", "float32", "float64"}
    assert set(LAWS["neg-div-neg"].prove().by_dtype) == floats
    integers = {f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)}
    assert set(LAWS["sub-self-integer"].prove().by_dtype) == integers


def test_all_values_are_tried_where_they_are_few():
    found = LAWS["pow-one"].prove()
    assert found.by_dtype["float16"] == "exhausted" and found.status == "exhausted"


def test_a_law_about_a_choice_is_proved_bit_by_bit():
    found = prove(LAWS["switch-to-cast"], dtypes=("bool",))
    assert (found.status, found.over, found.reason) == ("proved", "bits", "")
    assert set(found.by_dtype) == {"bool"}


def test_a_law_with_several_dtypes_is_proved_for_each_combination():
    sides = [at.lt(at.cast(x, d), at.cast(y, d)) for d in ("float64", "float32")]
    guard = whereo(has_dtype, x, "float32")
    of_one = law("compared as float32s", *sides, guard)
    assert prove(of_one, dtypes=("float32",)).status == "proved"
    of_any = law("compared as float32s", *sides, guard, mixed=True)
    found = prove(of_any, dtypes=("float32",))
    assert found.status == "refuted" and "float64" in found.counterexample


def test_guards_are_assumed():
    found = prove(law("guarded", abs(x), x, nonnegativeo(x)), 5)
    assert found.by_dtype["int8"] == "proved"
    assert found.by_dtype["float64"] == "refuted"  # of -0.0, which is not negative


def test_a_guard_is_known_by_what_it_is_and_not_by_its_name():
    def is_nonnegative(v):
        return True

    found = prove(law("guarded", abs(x), x, whereo(is_nonnegative, x)), 5)
    assert found.by_dtype["int8"] == "checked" and "is_nonnegative" in found.reason


@pytest.mark.parametrize("sound", ["exact", "rounding", "finite"])
def test_what_guards_and_divisors_admit_nothing_of_is_not_proved(sound):
    guards = (whereo(is_positive, x), whereo(is_at_most, x, -1))
    found = prove(law("of nothing", at.sqr(x), x - 1, *guards, sound=sound), 5, ("int8", "float32"))
    assert (found.status, found.by_dtype) == ("checked", {})
    assert "holds of no values" in found.reason


def test_a_quotient_by_zero_is_not_proved():
    found = prove(law("by zero", x / (y - y), x + 1, sound="rounding"))
    assert (found.status, found.over) == ("checked", "")
    assert "holds of no values" in found.reason


def test_a_guard_of_integers_says_nothing_of_floats():
    found = prove(law("discrete", x * c, c, whereo(is_discrete_zero, c)), 5)
    assert found.by_dtype["int8"] == "proved" and "float64" not in found.by_dtype


def test_a_guard_that_is_not_stated_refutes_nothing():
    found = prove(law("unknown", abs(x), x, whereo(_is_odd, x)), 5)
    assert found.status == "checked" and "_is_odd" in found.reason


def _is_odd(v):
    return True


def test_relations_and_laws_about_more_than_elements_are_left_to_the_checker():
    found = LAWS["sum-of-alloc"].prove()
    assert found.status == "checked" and found.reason
    found = prove(law("layout", at.sum(x), at.sum(at.neg(at.neg(x)))), 5)
    assert found.status == "checked" and "it is not stated where" in found.reason


def test_a_law_about_several_ops_is_proved_for_all_of_them_or_not_at_all():
    found = LAWS["even-neg"].prove()
    assert found.status == "checked" and found.reason and not found.over


def test_the_digest_follows_what_a_law_says():
    same = law("one", x + y, y + x)
    assert structure_of(same) == structure_of(law("other", x + y, y + x))
    assert structure_of(same) != structure_of(law("one", x + y, x))
    assert structure_of(same) != structure_of(law("one", x + y, y + x, sound="finite"))


def test_the_digest_of_a_relation_follows_how_it_is_written():
    @relation("one")
    def one(old, new):
        return eq(old, at.neg(new))

    first = one

    @relation("one")
    def one(old, new):
        return eq(old, at.exp(new))

    assert structure_of(first) != structure_of(one)


WRONG = {
    # wrong at one value, or one sign
    "sub-zero from the left": (0 - x, -x),
    "add-zero": (x + 0, x),
    "mul-zero": (x * 0, 0),
    "zero-mul": (0 * x, 0),
    "sub-self": (x - x, 0),
    "div-self": (x / x, 1),
    "eq-self": (at.eq(x, x), True),
    "neq-self": (at.neq(x, x), False),
    "le-self": (at.le(x, x), True),
    "ge-self": (at.ge(x, x), True),
    "abs of a difference": (abs(x - y), x - y),
    "abs-neg": (abs(-x), -abs(x)),
    "neg of zero": (-(x - y), y - x),
    "double neg of a sum": (-(x + y), -x + y),
    "sqrt-sqr": (at.sqrt(at.sqr(x)), x),
    "sqr-sqrt": (at.sqr(at.sqrt(x)), x),
    "sign times abs": (at.sign(x) * abs(x), x),
    "sign of square": (at.sign(at.sqr(x)), 1),
    "minimum with one": (at.minimum(x, 1) + at.maximum(x, 1), x),
    "maximum of neg": (at.maximum(x, -x), abs(x)),
    "minimum first": (at.minimum(x, y), at.switch(at.lt(x, y), x, y)),
    "not lt": (at.invert(at.lt(x, y)), at.ge(x, y)),
    "not le": (at.invert(at.le(x, y)), at.gt(x, y)),
    "not gt": (at.invert(at.gt(x, y)), at.le(x, y)),
    "lt of neg": (at.lt(-x, -y), at.lt(x, y)),
    "lt of sum": (at.lt(x + z, y + z), at.lt(x, y)),
    "lt of double": (at.lt(x + x, y + y), at.lt(x, y)),
    "eq of sqr": (at.eq(at.sqr(x), at.sqr(y)), at.eq(x, y)),
    "eq of difference": (at.eq(x - y, 0), at.eq(x, y)),
    "product of twos": ((x * 2) / 2, x),
    "sum of halves": (x / 2 + x / 2, x),
    "regrouped sum": ((x + y) + z, x + (y + z)),
    "regrouped product": ((x * y) * z, x * (y * z)),
    "distributed": (x * (y + z), x * y + x * z),
    "times reciprocal": (x / y, x * at.reciprocal(y)),
    "one by one by": (1 / (1 / x), x),
    "quotient of quotients": ((x / y) / z, x / (y * z)),
    "floor-neg": (at.floor(-x), -at.floor(x)),
    "ceil as floor": (at.ceil(x), at.floor(x) + 1),
    "trunc as floor": (at.trunc(x), at.floor(x)),
    "round of half": (at.round(x), at.floor(x + 0.5)),
    "floor of sum": (at.floor(x + y), at.floor(x) + at.floor(y)),
    "isnan of sum": (at.isnan(x + y), at.or_(at.isnan(x), at.isnan(y))),
    "isinf of product": (at.isinf(x * y), at.or_(at.isinf(x), at.isinf(y))),
    "clip twice": (at.clip(at.clip(x, 0, 1), 1, 2), at.clip(x, 0, 2)),
    "switch swapped": (at.switch(at.lt(x, 0), -x, x), abs(x)),
    "switch of equal": (at.switch(at.eq(x, y), x, y), y),
    "int floor": (at.int_div(-x, y), -at.int_div(x, y)),
    "division with a rest": (at.int_div(x, y) * y + at.mod(x, y), x),
    "divided twice": (at.int_div(at.int_div(x, y), z), at.int_div(x, y * z)),
    "mod of neg": (at.mod(-x, y), -at.mod(x, y)),
    "xor as or": (at.xor(x, y), at.or_(x, y)),
    "and as mul": (at.and_(x, y), x * y),
    "invert as neg": (at.invert(x), -x),
}


@pytest.mark.parametrize("name", sampled(WRONG, 27, "wrong laws to prove"))
def test_a_wrong_law_is_not_proved(name):
    wrong = law(f"wrong {name}", *WRONG[name], mixed=name.startswith("is"))
    found = prove(wrong, 0.5, ("float16", "int8", "bool"))
    assert found.status in ("refuted", "checked"), found


@pytest.mark.parametrize("name", ["add-zero", "sub-self", "switch of equal", "abs-neg"])
def test_a_refuted_law_has_a_counterexample(name):
    found = prove(law(f"wrong {name}", *WRONG[name]), 5)
    assert found.status == "refuted"
    assert "the sides are" in found.counterexample
    assert str(found).endswith(found.report)


@pytest.mark.parametrize("sound", ["rounding", "finite"])
def test_a_law_that_is_wrong_over_the_reals_is_refuted(sound):
    found = prove(law("wrong square", at.sqr(x + y), at.sqr(x) + at.sqr(y), sound=sound))
    assert found.status == "refuted" and f"they differ by more than {sound}" in found.report
    discrete = law("discrete", x * c, c + x, whereo(is_discrete_zero, c), sound=sound)
    assert prove(discrete).status == "checked"  # no float64 is admitted


def test_a_counterexample_is_of_float64s_if_there_is_one():
    assert "np.float64(-0.0)" in prove(law("plus", x + 0.0, x), 5).counterexample


def test_the_report_of_a_refuted_law_computes_both_sides(capsys):
    found = prove(law("plus", x + 0.0, x), 5)
    assert found.report.startswith("# law plus: x + 0.0 → x")
    exec(found.report, {})
    before, after = capsys.readouterr().out.split()
    assert (before, after) == ("[0.]", "[-0.]")
