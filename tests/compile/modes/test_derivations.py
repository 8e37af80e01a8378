"""Derivations of whole optimizations: what `trace=True` gives."""

from typing import Any

import numpy as np
import pytest

import relgraph.tensor as at
from relgraph.compile import Mode, function, optimize_graph, shared
from relgraph.demo.model import naive_model
from relgraph.gradient import grad
from relgraph.graph.basic import equal_computations
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import Recorder
from relgraph.tensor.lawkit.vocabulary import law, lvars


def same(a: FunctionGraph, b: FunctionGraph) -> bool:
    return equal_computations(a.outputs, b.outputs, a.inputs, b.inputs)


def everything() -> list[Any]:
    x, y, A, n = at.dvector("x"), at.dvector("y"), at.dmatrix("A"), at.lscalar("n")
    softmax = at.exp(x) / at.sum(at.exp(x))
    return [
        (x * y) / y,
        at.log(1 + at.exp(-(A @ x))),
        [grad(at.sum(at.log(1 + at.exp(A @ x))), v) for v in (A, x)],
        [softmax, at.log(softmax), at.sum(softmax)],
        x[1:n] * 1.0 + at.zeros_like(x[1:n]),
        at.constant(2.0) * 3.0 + at.constant(1.0),
        [x, x],
    ]


@pytest.mark.parametrize("outputs", everything(), ids=range(len(everything())))
@pytest.mark.parametrize("include", ["fast_run", "fast_compile", "canonicalize", "stabilize"])
def test_replay_reaches_the_same_graph(outputs: Any, include: str) -> None:
    graph = FunctionGraph(outputs=outputs if isinstance(outputs, list) else [outputs])
    original = graph.clone()
    result, derivation = optimize_graph(graph, include=[include], trace=True)
    assert result is graph
    assert same(derivation.replay(original), graph)
    assert same(derivation.replay(), graph)


def test_the_naive_logistic_loss_and_its_gradient() -> None:
    model = naive_model()
    graph, derivation = optimize_graph(
        model.graph(), include=["fast_run"], exclude=["inplace"], trace=True
    )
    assert same(derivation.replay(model.graph()), graph)
    names = [step.name for step in derivation]
    assert {"sigmoid", "log-sigmoid", "MergeOptimizer", "constant_folding"} <= set(names)
    step = derivation[names.index("log-sigmoid")]
    assert str(step).endswith("log(sigmoid(X @ w + b)) → -softplus(-(X @ w + b))")
    assert (step.direction, step.sound) == ("forward", "stable")
    replayed = derivation.replay()
    values = [np.ones((3, 2)), np.array([0.0, 1.0, 1.0]), np.array([0.3, -0.2]), 0.1]
    mode = Mode("py", None)
    expected = function(list(model.inputs), list(model.outputs), mode)(*values)
    for a, b in zip(
        function(replayed.inputs, replayed.outputs, mode)(*values), expected, strict=True
    ):
        np.testing.assert_allclose(a, b)


def test_what_is_returned() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    out, derivation = optimize_graph((x * y) / y, trace=True)
    assert out is x and str(derivation) == "1. mul-div-cancel: x * y / y → x"
    outs, derivation = optimize_graph([(x * y) / y, y], trace=True)
    assert outs == [x, y] and len(derivation) == 1
    assert optimize_graph((x * y) / y, trace=False) is x
    e = at.exp((x * y) / y)
    copy, derivation = optimize_graph(e, clone=True, trace=True)
    assert copy is not e
    assert equal_computations([derivation.replay(e)], [copy], [x], [copy.owner.inputs[0]])
    a = lvars("a")
    swap = law("exp-log", at.exp(a), at.log(a), sound="domain")
    _, derivation = optimize_graph(at.exp(x), include=[], custom_opt=swap, trace=True)
    assert [(s.name, s.sound) for s in derivation] == [("exp-log", "domain")]


def test_the_recorder_is_gone_afterwards() -> None:
    x = at.dvector("x")
    graph = FunctionGraph([x], [at.log(at.exp(x))])
    optimize_graph(graph, trace=True)
    assert not any(isinstance(feature, Recorder) for feature in graph.features)
    graph = FunctionGraph([x], [at.log(at.exp(x))])
    with pytest.raises(TypeError):
        optimize_graph(graph, custom_opt="no optimizer", trace=True)
    assert not any(isinstance(feature, Recorder) for feature in graph.features)


def test_functions() -> None:
    w, x = shared(np.array([1.0, 2.0]), "w"), at.dvector("x")
    loss = at.sum(at.log(1 + at.exp(-w * x)))
    f = function([x], [loss, w], updates={w: w - 0.1 * grad(loss, w)}, trace=True)
    assert f.derivation is not None
    assert same(f.derivation.replay(), f.maker.fgraph)
    assert "softplus" in str(f.derivation)
    # so are the copies that keep results and inputs apart
    assert "insert_copies" in [step.name for step in f.derivation]
    assert f.copy().derivation is f.derivation
    assert not any(isinstance(feature, Recorder) for feature in f.maker.fgraph.features)
    assert function([x], loss).derivation is None
    np.testing.assert_allclose(f([1.0, 1.0])[0], np.sum(np.log1p(np.exp([-1.0, -2.0]))))
