"""What is kept of proofs: by what laws say, and where it is shown."""

import json

import relations
import relgraph.tensor as at
from relations import proofs
from relations.proofs import UNKNOWN, Standing
from relgraph import Mode, function, law, lvars, optimize_graph
from relgraph.__main__ import main
from relgraph.display.laws import law_html
from relgraph.graph.kanren.laws import Law
from relgraph.proof.layout_facts import MOST_AXES
from relgraph.proof.statements import NotElementwise, NotStated, statements
from relgraph.testing.discovery import discover_laws

BOOK = discover_laws([])
x, y = lvars("x y")


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
