"""What is kept of proofs, by what laws say: that they follow from others, and where it is shown."""

from __future__ import annotations

import json

import pytest

import relations
import relgraph.tensor as at
from relations import proofs
from relations.kit.guards import is_nonnegative
from relations.proofs import UNKNOWN, Ground, Standing, structure_of
from relgraph import Mode, function, law, lvars, optimize_graph
from relgraph.__main__ import main
from relgraph.display.laws import law_html
from relgraph.graph.kanren import whereo
from relgraph.graph.kanren.laws import Law
from relgraph.graph.traversal import equal_computations
from relgraph.proof.derived import COMMUTES, Grounds
from relgraph.proof.layout_facts import MOST_AXES
from relgraph.proof.proving import Proof, derived, derived_in_turn, prove
from relgraph.proof.statements import NotElementwise, NotStated, statements
from relgraph.search.proof import REORDERED
from relgraph.tensor.elemwise import Elemwise
from relgraph.testing.discovery import discover_laws
from relgraph.testing.random_terms import scalar_ops

BOOK = discover_laws([])
x, y = lvars("x y")

LAWS = (
    law("double-neg", at.neg(-x), x),
    law("by-minus", x / -y, -(x / y)),
    law("over-minus", -x / y, -(x / y)),
)
SIGNS = law("signs", -(-x / -y), -(x / y))


def tried(one, by_dtype=None):
    """Return a proof that says that nothing was found."""
    digest = structure_of(one)
    return Proof(one.name, "checked", "", "not tried", (), by_dtype or {}, "", digest, 0.0, "")


def test_a_law_follows_from_others():
    found = derived(SIGNS, tried(SIGNS), Grounds(LAWS))
    assert (found.status, found.over, found.reason) == ("derived", "bits", "")
    assert found.by_dtype["float64"] == found.by_dtype["bfloat16"] == "derived"
    assert {ground.law for ground in found.rests_on} == {one.name for one in LAWS}
    assert str(found).startswith("signs: derived from ")
    alone = derived(SIGNS, tried(SIGNS), Grounds(LAWS[:1]))
    assert (alone.status, alone.reason) == ("checked", "not tried")


def test_derivations_are_replayed():
    grounds, dtypes = Grounds(LAWS), ("float64", "float16", "int8")
    every = list(statements(SIGNS, dtypes))
    assert every
    for statement in every:
        derivation = grounds.derivation(SIGNS, statement)
        assert equal_computations(derivation.replay([statement.old]), [statement.new])
        names = {ground.law for ground in grounds.of(derivation)}
        assert {step.name for step in derivation} <= {*names, REORDERED.label}


def test_an_exact_law_rests_on_exact_ones_alone():
    own = law("own", -abs(-x), -abs(x))
    rounding = law("of-signs", abs(-x), abs(x), sound="rounding")
    assert derived(own, tried(own), Grounds([rounding])).status == "checked"
    looser = law("own", -abs(-x), -abs(x), sound="finite")
    found = derived(looser, tried(looser), Grounds([rounding]))
    assert (found.status, found.over) == ("derived", "reals")


def test_arguments_change_places_where_that_is_proved():
    swapped = [op for op in scalar_ops(2) if Elemwise(op, ()).commutative]
    assert {op.name for op in swapped} > COMMUTES
    for op in swapped:
        both = Elemwise(op, ())
        own = law(f"swapped {op}", both(x, y), both(y, x), mixed=True)
        # each beside all others
        dtypes = [d for d in ("bool", "float32") if d not in both.rounds_by_order]
        if op.name in COMMUTES:
            assert prove(own, dtypes=dtypes, grounds=()).status == "proved"
        else:
            proof = tried(own, {"float64": "checked"})
            assert derived(own, proof, Grounds([]), ("float64",)).status == "checked"


def test_guards_are_not_assumed():
    guarded = law("guarded", abs(x), x, whereo(is_nonnegative, x))
    own = law("own", -abs(x), -x, whereo(is_nonnegative, x))
    proof = tried(own, {"float64": "checked"})
    assert derived(own, proof, Grounds([guarded]), ("float64",)).status == "checked"


def test_no_step_goes_where_the_sides_may_be_defined_and_it_is_not():
    around = law("around", abs(x), at.sqr(at.sqrt(x)), sound="finite")
    back = law("back", at.sqr(at.sqrt(x)), x, sound="finite")
    own = law("own", at.sin(abs(x)), at.sin(x), sound="finite")
    assert derived(own, tried(own), Grounds([around, back])).status == "checked"


def test_laws_rest_on_those_before_them():
    first = law("first", at.neg(at.neg(-(x / -y))), x / y)
    in_turn = law("in-turn", at.sin(x), at.cos(x)), law("back-again", at.cos(x), at.sin(x))
    every = {one.name: one for one in (*LAWS, SIGNS, first, *in_turn)}
    results = [tried(one).as_dict() for one in (first, SIGNS, *in_turn)]
    results += [{**tried(one).as_dict(), "status": "proved", "over": "bits"} for one in LAWS]
    found = {proof.law: proof for proof in derived_in_turn(results, every)}
    assert set(found) == {"first", "signs"}


def test_a_derived_law_is_kept_with_what_it_rests_on(kept_elsewhere):
    ground = BOOK["conj-real"]
    own = BOOK["conj-cast"]
    rests_on = (Ground(ground.name, ground.module, structure_of(ground)),)
    proved = (structure_of(ground), Standing(ground.name, "proved", "reals", "", ()))
    follows = (structure_of(own), Standing(own.name, "derived", "reals", "", rests_on))
    proofs.keep([proved, follows], BOOK)
    assert own.proof == follows[1] and own.name in proofs.proved_names()
    assert str(own.proof) == "derived from conj-real over the reals"
    assert repr(own).endswith("(derived from conj-real over the reals)")
    v = at.dvector("v")
    graph = at.conj(at.cast(v, "float32"))
    _, steps = optimize_graph(graph, include=[], custom_opt=own, trace=True)
    assert steps.rests_on == "derived"


@pytest.mark.parametrize(
    ("status", "digest"),
    [("checked", None), ("proved", "another digest")],
    ids=["status", "digest"],
)
def test_it_is_tried_again_when_what_it_rests_on_changes(kept_elsewhere, status, digest):
    ground, own = BOOK["conj-real"], BOOK["conj-cast"]
    said = digest or structure_of(ground)
    follows = Standing(
        own.name, "derived", "reals", "", (Ground(ground.name, ground.module, said),)
    )
    kept = Standing(ground.name, status, "reals", "", ())
    proofs.keep([(structure_of(ground), kept), (structure_of(own), follows)], BOOK)
    assert own.proof is UNKNOWN and own.name not in proofs.proved_names()
    assert not Ground("no-such-law", ground.module, "").holds


# What is kept of proofs: by what laws say, and where it is shown.


def test_something_is_kept_of_each_law_of_the_book():
    """If not: ``relgraph prove --changed --keep``."""
    unknown = [name for name, one in BOOK.items() if one.proof is UNKNOWN]
    assert not unknown
    assert not [standing for standing in proofs.kept().values() if standing.status == "refuted"]
    # laws that say the same share what is kept
    assert set(proofs.kept()) == {proofs.structure_of(one) for one in BOOK.values()}


def test_reasons_name_ops_as_laws_do():
    reasons = [standing.reason for standing in proofs.kept().values()]
    assert "output 1 of slogdet does not work element by element" in reasons
    said = [*reasons, *(str(c) for one in BOOK.values() for c in getattr(one, "conditions", ()))]
    assert not [text for text in said if " at 0x" in text or " object at " in text]


def test_enough_laws_hold_for_all_values():
    exact = [one for one in BOOK.values() if one.sound == "exact"]
    proved = [one for one in exact if one.proof.over in ("bits", f"ranks up to {MOST_AXES}")]
    assert all(one.proof.holds for one in proved)
    assert len(proved) >= 0.75 * len(exact)
    elementwise = [one for one in exact if is_elementwise(one)]
    assert sum(one.proof.over == "bits" for one in elementwise) >= 0.9 * len(elementwise) > 100


def is_elementwise(one):
    """Return whether a law is an equation of elementwise ops with so many arguments each."""
    try:
        return isinstance(one, Law) and next(statements(one), None) is not one
    except NotElementwise:
        return False
    except NotStated:
        return True


def test_a_law_that_says_something_else_is_not_proved():
    same = law("of another name", -x / -y, x / y)
    assert same.proof.holds and repr(same).endswith("(proved)")
    other = law("neg-div-neg", -x / y, x / y)
    assert other.proof is UNKNOWN and not repr(other).endswith("(proved)")


def test_a_mode_takes_proved_laws_alone():
    v = at.dvector("v")
    mode = Mode().requiring("proved")
    names = {rule.name for phase in mode.optimizer for rule in phase.local_optimizers}
    assert len(names) > 100 and all(BOOK[name].proof.holds for name in names)
    run = function([v], [-v / -(v + 1), at.log(1 + at.exp(v))], mode=mode)
    ops = [str(node.op) for node in run.maker.fgraph.apply_nodes]
    assert "neg" not in ops and "softplus" not in ops


def test_a_derivation_says_what_it_rests_on():
    v = at.dvector("v")
    _, steps = optimize_graph(-v / -(v + 2), trace=True)
    assert [step.proof for step in steps] == ["proved"] and steps.rests_on == "proved"
    _, steps = optimize_graph(at.log(1 + at.exp(v)), include=["stabilize"], trace=True)
    assert steps.rests_on == "checked"
    own = law("own", at.sin(x), at.cos(x))
    _, steps = optimize_graph(at.sin(v), include=[], custom_opt=own, trace=True)
    assert steps.rests_on == "checked"
    assert optimize_graph(v, trace=True)[1].rests_on == ""


def test_explanations_and_pages_show_it():
    rule = {one.name: one for one in relations.CANONICALIZE}["neg-div-neg"]
    v = at.dvector("v")
    assert "as was shown for all values: proved" in str(rule.explain(-v / -(v + 1)))
    assert "proved" in law_html(rule)
    assert "shown" not in str(BOOK["softplus"].explain(at.log(1 + at.exp(v))))


def test_only_what_changed_is_proved_again(kept_elsewhere, capsys):
    arguments = ["prove", "--law", "neg-div-neg", "--law", "mul-one", "--jobs", "1", "--keep"]
    assert main(arguments) == 0
    found = json.loads(kept_elsewhere.read_text())
    assert sorted(row[:3] for row in found.values()) == [
        ["mul-one", "proved", "bits"],
        ["neg-div-neg", "proved", "bits"],
    ]
    capsys.readouterr()
    assert main([*arguments, "--changed"]) == 0
    assert "no law has changed" in capsys.readouterr().out
    changed = Standing("neg-div-neg", "checked", "", "it was changed", ())
    proofs.keep([("another digest", changed)], BOOK)
    assert {standing.law: standing.status for standing in proofs.kept().values()} == {
        "mul-one": "proved",
        "neg-div-neg": "checked",
    }
    proofs.keep([], ["mul-one"])
    assert len(proofs.kept()) == 1
