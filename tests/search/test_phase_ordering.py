"""Expressions on which a search finds a better form than greedy rewriting; random graphs."""

import numpy as np
import pytest

from relgraph import Mode, function
from relgraph.graph.basic import Constant, graph_inputs
from relgraph.search import SaturationOptimizer
from relgraph.testing import check_optimizer
from tests.search.phase_ordering import EXPRESSIONS, Comparison, compared, is_derived
from tests.seeds import seed_of

AS_WRITTEN = Mode("py", None)


def test_there_are_sixty() -> None:
    assert len({each.text for each in EXPRESSIONS}) == 60


@pytest.mark.parametrize("text", [each.text for each in EXPRESSIONS[::6]])
def test_a_search_finds_a_cheaper_form(text: str) -> None:
    found: Comparison = compared(text, nodes=700, seconds=60)
    assert found.best < found.fast_run and is_derived(found)
    inputs = [v for v in graph_inputs([found.given]) if not isinstance(v, Constant)]
    values = [_value(v) for v in inputs]
    as_written, rewritten = (
        function(inputs, graph, mode=AS_WRITTEN, on_unused_input="ignore")(*values)
        for graph in (found.given, found.graph)
    )
    np.testing.assert_allclose(rewritten, as_written, rtol=1e-9)


def _value(v: object) -> object:
    shape = tuple(n or 1 for n in v.type.shape)  # type: ignore[attr-defined]
    return np.random.default_rng(1).uniform(0.5, 1.5, shape)


# Random graphs: what a search finds has the values of the graph, in the class of its steps.


def test_values_are_kept_in_the_class_of_the_steps() -> None:
    # bounded by terms, not by time
    search = SaturationOptimizer(nodes=80, seconds=600)
    found = check_optimizer(search, examples=15, seed=seed_of("search"))
    assert found.passed, found
