"""`Scan` as an op: equality, copies, text, and its meaning."""

import copy
import pickle

import numpy as np
import pytest

import relgraph
import relgraph.tensor as at
from relgraph import scan
from relgraph.compile.optimize import is_same_graph
from relgraph.tensor.loops.scan_op import Scan

x = at.dvector("x")


def decaying(rate: float):
    return scan(lambda a, s: rate * s + at.exp(a), x, at.constant(0.0), name="decay")[0]


def test_loops_with_equal_steps_are_one_op() -> None:
    assert decaying(0.5).owner.op is decaying(0.5).owner.op
    assert decaying(0.5).owner.op is not decaying(0.25).owner.op
    assert is_same_graph(decaying(0.5), decaying(0.5))
    assert not is_same_graph(decaying(0.5), decaying(0.25))


def test_copies() -> None:
    out = decaying(0.5)
    assert pickle.loads(pickle.dumps(out)).owner.op is out.owner.op
    assert copy.deepcopy(out).owner.op is out.owner.op
    f = relgraph.function([x], out)
    for other in (pickle.loads(pickle.dumps(f)), f.copy(), copy.deepcopy(f)):
        np.testing.assert_array_equal(other([1.0, 2.0]), f([1.0, 2.0]))


def test_text_shows_the_step() -> None:
    text = relgraph.dprint(decaying(0.5), file="str")
    assert text.startswith("scan{for, decay}.1 [id A]")
    assert "Inner graphs:" in text
    assert "exp" in text


def test_inner_graph_as_a_function() -> None:
    op = decaying(0.5).owner.op
    assert op.inner_inputs == list(op.inputs)
    assert [float(v) for v in op.fn(np.array(0.0), np.array(4.0))] == [3.0, 3.0]


def test_an_explanation_is_of_the_step() -> None:
    a = relgraph.lvars("a")
    law = relgraph.law("log-of-exp", at.log(at.exp(a)), a, sound="finite")
    out, _ = scan(lambda row: at.log(at.exp(row)), x)
    assert relgraph.explain(law, out).matches
    assert "in a step of scan{for}, log(exp(" in str(relgraph.explain(law, out))
    out, _ = scan(lambda row: at.log(at.tanh(row)), x)
    other = relgraph.explain(law, out)
    assert not other.matches and other.nearest[0].wanted == "exp(a)"
    assert "in a step of scan{for}, log(tanh(" in str(other)


def test_a_derivation_is_replayed() -> None:
    f = relgraph.function([x], at.log(decaying(0.5) ** 2 + 1), trace=True)
    replayed = f.derivation.replay()
    assert len(replayed.apply_nodes) > 0
    assert any(isinstance(node.op, Scan) for node in replayed.apply_nodes)


def test_a_step_depends_on_its_inputs_alone() -> None:
    row, other = at.dscalar("row"), at.dscalar("other")
    with pytest.raises(ValueError, match=r"other is neither an input of the inner graph"):
        Scan([row], [row * other], 1, 0)
    with pytest.raises(TypeError, match=r"state 0 is a .* before a step and a"):
        Scan([row], [at.stack([row, row])], 0, 1)
    with pytest.raises(TypeError, match="takes 2 inputs, not 1"):
        Scan([row], [row], 1, 0)(3)
    with pytest.raises(TypeError, match="sequence 0 is a"):
        Scan([row], [row], 1, 0)(3, other)


def test_a_graph_with_the_loop_as_reference() -> None:
    out = decaying(0.5)
    value = relgraph.graph.reference.evaluate([out], {x: np.array([0.0, 0.0])})[0]
    assert value.tolist() == [1.0, 1.5]
