"""Without Z3 nothing is proved, and everything else works, what is kept of proofs too."""

import sys

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import Mode, function, law, lvars, optimize_graph
from relgraph.__main__ import main
from relgraph.testing.discovery import discover_laws

x, y = lvars("x y")


@pytest.fixture(autouse=True)
def _no_z3(monkeypatch):
    for name in [n for n in sys.modules if n.partition(".")[0] == "z3" or "relgraph.proof" in n]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "z3", None)


def test_a_proof_says_what_to_install():
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'relgraph\[prove\]'"):
        law("own", -x / -y, x / y).prove()


@pytest.mark.parametrize("jobs", [["--jobs", "1"], ["--changed"]])
def test_the_command_says_what_to_install(jobs, capsys, monkeypatch):
    monkeypatch.setattr("relations.proofs.kept", dict)  # all laws have changed
    assert main(["prove", "--law", "neg-neg", *jobs]) == 2
    assert "pip install 'relgraph[prove]'" in capsys.readouterr().err


def test_laws_are_applied_checked_and_shown():
    proved = discover_laws([])["neg-div-neg"]
    assert repr(proved).endswith("(proved)")
    assert law("own", -x / -y, x / y).check(examples=20).passed
    v = at.dvector("v")
    _, steps = optimize_graph(-v / -(v + 2), trace=True)
    assert steps.rests_on == "proved"
    assert "proved" in str(proved.explain(-v / -(v + 1)))
    run = function([v], -v / -(v + 1), mode=Mode().requiring("proved"))
    assert np.allclose(run([1.0, 2.0]), [1 / 2, 2 / 3])
    assert not [name for name in sys.modules if name.startswith("relgraph.proof.")]
