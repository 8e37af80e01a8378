"""The search for graphs that a rule matches."""

from __future__ import annotations

from random import Random

import pytest

import relgraph.tensor as at
from relgraph.graph.kanren import whereo
from relgraph.tensor.lawkit.vocabulary import law, lvars
from relgraph.testing.instances.directions import direction_of
from relgraph.testing.instances.instance_search import InstanceSearch

x, y, z = lvars("x y z")


def _is_thin(v):
    return v.type.ndim == 2 and v.type.shape[1] == 1 and v.type.shape[0] not in (1, None)


@pytest.mark.parametrize("seed", range(4))
def test_factors_that_fit_beside_each_other_are_found(seed):
    inner = law("thin", at.dot(at.dot(x, y), z), at.dot(x, at.dot(y, z)), whereo(_is_thin, x))
    direction = direction_of(inner, "forward")
    search = InstanceSearch(direction, direction.rules[0], Random(seed))
    search.find(3, 300)
    assert len(search.instances) == 3
