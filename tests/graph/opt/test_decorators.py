import pytest

from relgraph.graph.features import ReplaceValidate
from relgraph.graph.opt import (
    FromFunctionLocalOptimizer,
    FromFunctionOptimizer,
    TopoOptimizer,
    inplace_optimizer,
    local_optimizer,
    optimizer,
)
from relgraph.scalar import add, exp, float64, log, mul
from relgraph.scalar.op import ScalarOp


def test_optimizer(graphs):
    @optimizer
    def exp_to_x(fgraph):
        """Doc."""
        for node in fgraph.toposort():
            if node.op == exp:
                fgraph.replace_validate(node.outputs[0], node.inputs[0])
        return "done"

    assert isinstance(exp_to_x, FromFunctionOptimizer)
    assert exp_to_x.name == "exp_to_x" and exp_to_x.__doc__ == "Doc."
    fgraph = graphs(log(exp(graphs.x)))
    assert exp_to_x.optimize(fgraph) == "done"
    assert str(fgraph) == "FunctionGraph(log(x))"


def test_inplace_optimizer_attaches_a_destroy_handler(graphs):
    @inplace_optimizer
    def nothing(fgraph):
        pass

    fgraph = graphs(exp(graphs.x))
    nothing.optimize(fgraph)
    assert hasattr(fgraph, "destroyers") and hasattr(fgraph, "replace_validate")


def test_local_optimizer(graphs):
    @local_optimizer([log])
    def log_exp(fgraph, node):
        """Doc."""
        inner = node.inputs[0].owner
        return [inner.inputs[0]] if inner is not None and inner.op == exp else False

    assert isinstance(log_exp, FromFunctionLocalOptimizer)
    assert log_exp.name == "log_exp" and log_exp.__doc__ == "Doc."
    assert list(log_exp.tracks()) == [log]
    fgraph = graphs(log(exp(graphs.x)))
    TopoOptimizer(log_exp).optimize(fgraph)
    assert fgraph.outputs == [graphs.x]


def test_requirements(graphs):
    @local_optimizer(None, requirements=[lambda fg: fg.attach_feature(ReplaceValidate())])
    def needy(fgraph, node):
        return False

    @local_optimizer([ScalarOp], inplace=True)
    def inplace(fgraph, node):
        return False

    fgraph = graphs(add(graphs.x, graphs.y))
    needy.add_requirements(fgraph)
    assert hasattr(fgraph, "replace_validate")
    inplace.add_requirements(fgraph)
    assert hasattr(fgraph, "destroyers")
    assert needy.tracks() is None


@pytest.mark.parametrize(
    ("tracks", "error"),
    [([], ValueError), ([mul, "mul"], TypeError), (mul, TypeError), ([int], TypeError)],
)
def test_bad_tracks(tracks, error):
    with pytest.raises(error, match="tracks"):
        local_optimizer(tracks)


def test_the_function_is_asked_about_tracked_nodes_alone():
    asked = []

    @local_optimizer([exp, type(add)])
    def watch(fgraph, node):
        asked.append(node.op)
        return False

    x = float64("x")
    for var in (exp(x), log(x), add(x, x)):
        assert watch.transform(None, var.owner) is False
    assert asked == [exp, add]
