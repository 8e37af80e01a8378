"""optimize_graph and is_same_graph."""

import pytest

import relgraph
import relgraph.tensor as at
from relgraph.compile import is_same_graph, optimize_graph
from relgraph.graph import opt_utils
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import EquilibriumOptimizer, OpSub
from relgraph.tensor.terms import law, lvars


def test_gives_what_it_was_given() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    assert optimize_graph((x * y) / y) is x
    assert optimize_graph([(x * y) / y, y]) == [x, y]
    fgraph = FunctionGraph([x, y], [(x * y) / y], clone=False)
    assert optimize_graph(fgraph) is fgraph
    assert fgraph.outputs == [x]


def test_cloning() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    e = at.exp((x * y) / y)
    copy = optimize_graph(e, clone=True)
    assert copy is not e and e.owner.inputs[0].owner.op is at.true_div
    fgraph = FunctionGraph([x, y], [e], clone=False)
    other = optimize_graph(fgraph, clone=True)
    assert other is not fgraph and len(fgraph.apply_nodes) == 3 and len(other.apply_nodes) == 1
    assert optimize_graph(e) is e
    assert e.owner.inputs == [x]


def test_custom_optimizers() -> None:
    x = at.dvector("x")
    (x_lv,) = lvars("x")
    exp_to_log = OpSub(at.exp, at.log)
    for custom in (
        exp_to_log,
        EquilibriumOptimizer([exp_to_log]),
        law("exp-log", at.exp(x_lv), at.log(x_lv)),
    ):
        out = optimize_graph(at.exp(at.exp(x)), include=[], custom_opt=custom)
        assert relgraph.pprint(out) == "log(log(x))"
    with pytest.raises(TypeError, match="expected a LocalOptimizer or a law"):
        optimize_graph(x, custom_opt="merge")


def test_what_is_included() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    e = (x * y) / y
    assert optimize_graph(e, include=()) is e
    assert optimize_graph(e, exclude=["finite"]) is e
    assert optimize_graph(e, include=["finite"], require=["nothing"]) is e
    assert optimize_graph(e, include=["canonicalize", "specialize"]) is x


def test_documented_address() -> None:
    assert opt_utils.optimize_graph is optimize_graph is relgraph.optimize_graph
    assert opt_utils.is_same_graph is is_same_graph


def test_is_same_graph() -> None:
    x, y, z = at.dvector("x"), at.dvector("y"), at.dvector("z")
    assert is_same_graph(at.exp(x + y), at.exp(x + y))
    assert not is_same_graph(at.exp(x + y), at.exp(y + x))
    assert is_same_graph(at.exp(x + y), at.exp(x + z), givens={y: z})
    assert is_same_graph(at.exp(x + y), at.exp(x + z), givens=[(y, z)])
