"""What has come to rest stays as it is: a second run of a mode changes no graph."""

from hypothesis import HealthCheck, given, settings

from relgraph.compile import optdb, predefined_optimizers
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.traversal import equal_computations
from relgraph.testing import graphs


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(graphs())
def test_a_second_run_changes_nothing(drawn):
    optimizer = optdb.query(predefined_optimizers["fast_run"])
    once = FunctionGraph(inputs=list(drawn.inputs), outputs=list(drawn.outputs), clone=True)
    optimizer.optimize(once)
    twice = FunctionGraph(inputs=once.inputs, outputs=once.outputs, clone=True)
    optimizer.optimize(twice)
    assert equal_computations(twice.outputs, once.outputs, twice.inputs, once.inputs)
