"""Which operand says what an operator means."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from relgraph.graph.notation import LeadingOperators, Operators, OpNamespace

NAMES = {
    **{"add": "add", "sub": "sub", "mul": "mul", "truediv": "true_div", "matmul": "matmul"},
    **{"lt": "lt", "le": "le", "gt": "gt", "ge": "ge"},
}


class Plain(Operators):
    pass


class Leading(LeadingOperators):
    pass


for kind in (Plain, Leading):
    kind._ops = OpNamespace(
        kind,
        **{
            name: lambda x, y, name=name, kind=kind: (kind, name, type(x), type(y))
            for name in NAMES.values()
        },
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_leading_operand_says(name: str) -> None:
    apply, op = getattr(operator, name), NAMES[name]
    assert apply(Plain(), Plain()) == (Plain, op, Plain, Plain)
    assert apply(Leading(), Leading()) == (Leading, op, Leading, Leading)
    assert apply(Leading(), Plain()) == (Leading, op, Leading, Plain)
    assert apply(Plain(), Leading()) == (Leading, op, Plain, Leading)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "matmul"])
def test_an_array_on_the_left(name: str) -> None:
    found = getattr(operator, name)(np.ones(2), Leading())
    assert found == (Leading, NAMES[name], np.ndarray, Leading)
