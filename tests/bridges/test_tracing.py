"""`trace`: NumPy functions become graphs whose values are theirs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph import law, lvars, trace
from relgraph.tensor.type import TensorType

RNG = np.random.default_rng(0)


def logistic(parameters: Any, rows: Any, labels: Any, *, decay: Any = 0.1) -> Any:
    scores = rows @ parameters["weights"] + parameters["bias"]
    p = 1 / (1 + np.exp(-scores))
    loss = -np.mean(labels * np.log(p) + (1 - labels) * np.log(1 - p))
    return loss + decay * np.sum(parameters["weights"] ** 2), {"p": p}


SPECS = ({"weights": ("float64", 3), "bias": 0.0}, (float, (None, 3)), ("float64", None))


def test_values_are_those_of_the_function_with_its_nesting() -> None:
    traced = trace(logistic)(*SPECS)
    values = ({"weights": np.ones(3), "bias": 0.5}, RNG.normal(size=(4, 3)), np.eye(4)[0])
    loss, parts = traced.function()(*values)
    wanted, wanted_parts = logistic(*values)
    assert np.allclose(loss, wanted) and np.allclose(parts["p"], wanted_parts["p"])
    # lists of numbers represent arrays
    as_lists = ({"weights": [1, 1, 1], "bias": 0.5}, values[1].tolist(), [1.0, 0, 0, 0])
    assert np.allclose(traced.function()(*as_lists)[0], wanted)


def test_inputs_are_named_for_parameters() -> None:
    traced = trace(logistic)(*SPECS, decay=2.0)
    names = ["parameters.bias", "parameters.weights", "rows", "labels", "decay"]
    assert [v.name for v in traced.inputs] == names
    assert traced.inputs[2].type == TensorType("float64", (None, 3))
    assert [v.type.ndim for v in traced.outputs] == [0, 1]
    assert repr(traced).startswith("<Traced logistic(parameters.bias: TensorType(float64, ())")


def test_rewritten_is_right_where_the_function_is_not() -> None:
    traced = trace(logistic)(*SPECS)
    values = ({"weights": np.zeros(3), "bias": 800.0}, np.zeros((1, 3)), np.zeros(1))
    assert np.isinf(traced.function("None")(*values)[0])
    assert traced.rewritten().function("None")(*values)[0] == 800.0
    assert traced.rewritten(mode="fast_run").function("None")(*values)[0] == 800.0


class Pair(NamedTuple):
    first: Any
    rest: Any


def test_specifications_of_every_kind() -> None:
    x = at.dvector("x")
    traced = trace(lambda p, *others: Pair(p.first + p.rest[0], [others[0] * 2, None, 3]))(
        Pair(x, [np.float32(1)]), TensorType("int8", (None,)), np.zeros(2)
    )
    assert traced.inputs[0] is x
    assert [v.name for v in traced.inputs] == ["x", "p.rest.0", "others.0", "others.1"]
    assert [str(v.type.dtype) for v in traced.inputs] == ["float64", "float32", "int8", "float64"]
    found = traced.function()(Pair([1.0], [2.0]), np.int8([4]), [0.0, 0.0])
    assert isinstance(found, Pair) and found.first == [3.0]
    assert found.rest[0] == [8] and found.rest[1] is None and found.rest[2] == 3


def test_a_traced_function_is_drawn() -> None:
    traced = trace(np.tanh)(("float64", 2))
    assert "tanh" in str(traced._repr_svg_()) and "tanh" in str(traced._repr_html_())
    assert "tanh" in str(traced._repr_latex_())


def test_own_laws_alone_or_beside_a_mode() -> None:
    a = lvars("a")
    circle = law("circle", at.sin(a) ** 2 + at.cos(a) ** 2, 1, sound="finite")
    traced = trace(lambda x: np.log(1 + np.exp(x)) * (np.sin(x) ** 2 + np.cos(x) ** 2))(1.0)
    names = [
        {str(node.op) for node in traced.rewritten(**given).fgraph().apply_nodes}
        for given in ({"laws": circle}, {"laws": [circle], "mode": "stabilize"}, {})
    ]
    assert "sin" not in names[0] and "log" in names[0]
    assert "sin" not in names[1] and "softplus" in names[1]
    assert "sin" in names[2] and "softplus" in names[2]


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        (("x",), "argument x is specified by 'x'; wanted is an array"),
        ((("float64", ("n",)),), "argument x.0 is specified by 'float64'"),
    ],
)
def test_what_specifies_nothing_is_refused(specs: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        trace(lambda x: x)(*specs)


def test_wrong_use_names_what_is_wrong() -> None:
    with pytest.raises(TypeError, match="<lambda> returned 'text', which is no tensor"):
        trace(lambda x: "text")(1.0)
    run = trace(logistic)(*SPECS).function()
    with pytest.raises(TypeError, match=r"logistic: .* stands where \(\{'bias': \*, 'weights': \*"):
        run(1.0, 2.0)
    with pytest.raises(TypeError, match="logistic"):
        run({"weights": np.ones(2), "bias": 0.0}, np.ones((1, 3)), np.ones(1))
