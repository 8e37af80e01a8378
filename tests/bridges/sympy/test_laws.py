"""Laws as equations of SymPy's, and its equations as laws."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import sympy as sp

import relgraph.tensor as at
from relgraph import law, lvars, optimize_graph
from relgraph.bridges.sympy import law_from_sympy, law_to_sympy
from tests.bridges.sympy.law_truth import laws_of_the_book, verdict, written

x, y = sp.symbols("x y", real=True)


def test_sympy_confirms_the_elementwise_laws_of_the_book() -> None:
    laws, others = written()
    assert len(laws) + len(others) == len(laws_of_the_book())
    assert "no elementwise term" in others["log-softmax"] and all(others.values())
    verdicts = {law.name: verdict(law) for law in laws}
    tally = Counter(verdicts.values())
    assert [name for name, found in verdicts.items() if found == "refuted"] == []
    assert tally["equal"] + tally["confirmed"] >= 570
    assert tally["unsaid"] == 0


def test_a_false_law_is_refuted() -> None:
    a, b = lvars("a b")
    false = law("a-false-law", at.exp(a + b), at.exp(a) + at.exp(b))
    assert verdict(law_to_sympy(false)) == "refuted"


def test_assumptions_say_what_conditions_say() -> None:
    book = laws_of_the_book()
    made = law_to_sympy(book["nonnegative-lt-zero"])
    assert made.lhs is sp.false and made.rhs is sp.false
    made = law_to_sympy(book["pow-neg-even"])
    (c,) = [s for s in made.rhs.free_symbols if s.name == "c"]
    assert c.is_even and made.conditions == ()
    assert verdict(made) == "confirmed"
    made = law_to_sympy(book["neq-true"])
    assert made.conditions == ("is_boolean(c)",)


def test_what_is_not_elementwise_is_refused_by_name() -> None:
    with pytest.raises(NotImplementedError, match="log-softmax: Softmax"):
        law_to_sympy(laws_of_the_book()["log-softmax"])


def test_an_equation_becomes_a_law_that_fires() -> None:
    made = law_from_sympy("double-angle", 2 * sp.sin(x) * sp.cos(x), sp.sin(2 * x))
    v = at.dvector("v")
    found = optimize_graph(2 * at.sin(v) * at.cos(v), include=(), custom_opt=made)
    values = np.array([0.3, 2.0])
    np.testing.assert_allclose(found.eval({"v": values}), np.sin(2 * values))
    assert str(found.owner.op) == "sin"
    assert made.check(examples=20).passed


def test_assumptions_become_conditions() -> None:
    p = sp.Symbol("p", positive=True)
    n = sp.Symbol("n", integer=True, nonnegative=True)
    made = law_from_sympy("abs-of-positive", sp.Abs(y, evaluate=False) * p, y * p)
    assert [str(c) for c in made.conditions] == ["is_positive(p)"]
    made = law_from_sympy("powers", sp.Eq(x ** (n + 1), x * x**n, evaluate=False))
    assert [str(c) for c in made.conditions] == ["is_integer(n)", "is_nonnegative(n)"]


def test_a_law_comes_back_as_the_law_it_was() -> None:
    book = laws_of_the_book()
    for name in ("log-exp", "exp-up-and-down", "tan-step-mirrored"):
        sides = law_to_sympy(book[name])
        if sides.lhs == sides.rhs:
            continue
        back = law_to_sympy(law_from_sympy(f"{name}-back", sides.lhs, sides.rhs))
        assert (back.lhs, back.rhs) == (sides.lhs, sides.rhs)


def test_half_an_equation_is_refused() -> None:
    with pytest.raises(TypeError, match="one side alone"):
        law_from_sympy("half", sp.sin(x))
    with pytest.raises(NotImplementedError, match="LambertW"):
        law_from_sympy("lambert", sp.LambertW(x), x)
