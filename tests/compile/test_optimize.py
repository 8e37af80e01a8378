"""`optimize_graph`, `is_same_graph`, `eval`, and derivations of whole optimizations."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import relgraph
import relgraph.tensor as at
from relations import CANONICALIZE, SPECIALIZE, STABILIZE
from relations.kit.vocabulary import law, lvars
from relgraph.compile import Mode, function, is_same_graph, optdb, optimize_graph, shared
from relgraph.compile.database import constant_folding
from relgraph.demo.model import naive_model
from relgraph.gradient import grad
from relgraph.graph import opt_utils
from relgraph.graph.basic import Constant, equal_computations, graph_inputs
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import EquilibriumOptimizer, OpSub, Recorder
from relgraph.graph.opt.base import read_answer
from relgraph.graph.opt.dispatch import union_of
from relgraph.graph.opt.merge import hash_consing_table, merged_copy, node_key
from relgraph.graph.optdb import OptimizationQuery
from relgraph.graph.utils import MissingInputError
from relgraph.testing import graphs
from relgraph.testing.random_graphs import graphs as random_graphs
from tests.arrays import assert_close
from tests.families import FAMILIES, value_and_gradient
from tests.seeds import sampled


@pytest.mark.parametrize("said", [{}, {"clone": True}])
@pytest.mark.parametrize("options", [{}, {"include": []}, {"trace": True}], ids=str)
def test_variables_are_copied_over_the_same_inputs(said: Any, options: Any) -> None:
    x, y, w = at.dvector("x"), at.dvector("y"), relgraph.shared(2.0)
    e = at.exp((x * y) / y) * w
    before = relgraph.pprint(e)
    found = optimize_graph(e, custom_opt=OpSub(at.exp, at.expm1), **said, **options)
    new = found[0] if "trace" in options else found
    assert relgraph.pprint(e) == before
    assert {v for v in graph_inputs([new]) if not isinstance(v, Constant)} <= {x, y, w}
    run = relgraph.function([x, y], new, on_unused_input="ignore")
    assert run([1.0], [3.0]) == pytest.approx(np.expm1(1.0) * 2)


def test_unsaid_clone_changes_a_function_graph() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    fgraph = FunctionGraph([x, y], [at.exp((x * y) / y)], clone=False)
    other = optimize_graph(fgraph, clone=True)
    assert other is not fgraph and len(fgraph.apply_nodes) == 3 and len(other.apply_nodes) == 1
    assert optimize_graph(fgraph) is fgraph and len(fgraph.apply_nodes) == 1


def test_without_a_clone_the_given_nodes_change() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    e = at.exp((x * y) / y)
    assert optimize_graph(e, clone=False) is e
    assert e.owner.inputs == [x]


def test_custom_optimizers() -> None:
    x = at.dvector("x")
    x_lv = lvars("x")
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
    for options in ({"include": ()}, {"exclude": ["finite"]}):
        assert is_same_graph(optimize_graph(e, **options), e)
    assert is_same_graph(optimize_graph(e, include=["finite"], require=["exact"]), e)
    assert optimize_graph(e, include=["canonicalize", "specialize"]) is x


def test_tags_that_nothing_has() -> None:
    x = at.dvector("x")
    with pytest.raises(TypeError, match=r"include=\['canonicalize'\], not a string"):
        optimize_graph(x * 1, include="canonicalize")
    with pytest.raises(ValueError, match=r"'canonicalise'; did you mean 'canonicalize'"):
        optimize_graph(x * 1, include=["canonicalise"])
    with pytest.raises(ValueError, match=r"exclude: no rewriter has the tag 'qqq'$"):
        optimize_graph(x * 1, exclude=["qqq"])
    for change in (Mode().including, Mode().excluding, Mode().requiring):
        with pytest.raises(ValueError, match="'fast_rum'; did you mean 'fast_run'"):
            change("fast_rum")
    assert Mode().excluding("inplace", "local_remove_all_assert") is not None


def test_documented_address() -> None:
    assert opt_utils.optimize_graph is optimize_graph is relgraph.optimize_graph
    assert opt_utils.is_same_graph is is_same_graph


def test_is_same_graph() -> None:
    x, y, z = at.dvector("x"), at.dvector("y"), at.dvector("z")
    assert is_same_graph(at.exp(x + y), at.exp(x + y))
    assert not is_same_graph(at.exp(x + y), at.exp(y + x))
    assert is_same_graph(at.exp(x + y), at.exp(x + z), givens={y: z})
    assert is_same_graph(at.exp(x + y), at.exp(x + z), givens=[(y, z)])


def test_is_same_graph_given_what_is_equal_in_either_direction() -> None:
    x, y, z, t = (at.dvector(name) for name in "xyzt")
    for givens in ({x: y}, {y: x}, {x: y, y: x}, {x: z, y: z}, {x: z, z: y}, [(x, y), (y, z)]):
        assert is_same_graph(x, y, givens=givens)
        assert is_same_graph(y, x, givens=givens)
        assert is_same_graph(at.exp(x + y), at.exp(y + x), givens=givens)
        assert not is_same_graph(x, at.exp(y), givens=givens)
    for givens in ({t: x * y}, {x * y: t}):
        assert is_same_graph(t + z, x * y + z, givens=givens)
        assert is_same_graph(x * y + z, t + z, givens=givens)
    assert is_same_graph(t + z, x * z + z, givens={t: x * y, y: z})
    assert not is_same_graph(x, y, givens={x: z})


def test_what_collapses_while_it_is_copied_collapses_anyway() -> None:
    """A copy, on which the optimizers have begun, comes to what a graph without a copy does."""
    optimizer = optdb.query(OptimizationQuery(include=["fast_run"]))
    tables = union_of(optimizer.collapsing_first())
    collapsed = 0

    @settings(max_examples=160)
    @given(random_graphs(matching=optimizer))
    def check(graph: Any) -> None:
        nonlocal collapsed
        outputs = list(graph.outputs)
        with hash_consing_table(merged_copy(outputs, tables)) as table:
            collapsed += bool(table.collapsed)
        copied = FunctionGraph(outputs=optimize_graph(outputs, include=["fast_run"], clone=True))
        stepwise = FunctionGraph(outputs=outputs, clone=True)
        optimizer.optimize(stepwise)
        assert str(copied) == str(stepwise)

    check()
    assert collapsed >= 10


def test_what_becomes_equal_as_it_is_copied_collapses_there() -> None:
    """The equilibrium would do it too, with two visits for each node."""
    x, y = at.dvectors("x", "y")
    tables = union_of(optdb.query(OptimizationQuery(include=["fast_run"])).collapsing_first())
    for written in (
        x * at.sin(y) / at.sin(y),
        at.log(at.exp(x) * y / y),
        x * at.sin(y) / at.sin(at.log(at.exp(y))),
    ):
        assert len(merged_copy([written], tables).apply_nodes) == 0, written


def shared_by_a_collapse(x: Any) -> list[Any]:
    logarithm = at.log(at.cosh(x))
    return [at.log(at.sum(at.exp(logarithm))[None, None]), logarithm]


def broadcast_to_fit(x: Any) -> list[Any]:
    """The law that takes the part that was set answers with one element, which is broadcast."""
    start, vector = at.constant(-2), at.atleast_1d(x).repeat(at.argmax(x) + 1)
    return [at.set_subtensor(vector[start:], np.ones(1, "float32"))[start:]]


@pytest.mark.parametrize("written", [shared_by_a_collapse, broadcast_to_fit])
def test_what_collapses_in_a_copy_collapses_without_it(written: Any) -> None:
    outputs = written(at.fscalar("x"))
    copied = FunctionGraph(outputs=optimize_graph(outputs, include=["fast_run"], clone=True))
    stepwise = FunctionGraph(outputs=outputs, clone=True)
    optdb.query(OptimizationQuery(include=["fast_run"])).optimize(stepwise)
    assert str(copied) == str(stepwise)


def test_the_graph_worked_on_goes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not when the collector finds it: what is known of each of its nodes takes memory."""
    worked_on = []
    begin = EquilibriumOptimizer.apply

    def apply(self: Any, fgraph: Any, start_from: Any = None) -> Any:
        worked_on.append(weakref.ref(fgraph))
        return begin(self, fgraph, start_from)

    monkeypatch.setattr(EquilibriumOptimizer, "apply", apply)
    x = at.dvector("x")
    gc.disable()
    try:
        optimize_graph(at.log(at.exp(x * 2.0 + x)) / x, include=["fast_run"], clone=True)
        assert worked_on and all(fgraph() is None for fgraph in worked_on)
    finally:
        gc.enable()


@pytest.mark.parametrize("given", [None, 3.0, "x", np.ones(2), {at.dvector()}, at.dvector], ids=str)
def test_what_is_no_graph(given: Any) -> None:
    with pytest.raises(TypeError, match="optimize_graph takes a FunctionGraph, a variable, or"):
        optimize_graph(given)
    with pytest.raises(TypeError, match=r"optimize_graph: element 1 is .*, which is no variable"):
        optimize_graph([at.dvector(), given])


# Variable.eval.


def test_values_by_variable_and_by_name() -> None:
    x, y, s = at.dvector("x"), at.dscalar("y"), shared(100.0, "s")
    e = x * y + s
    np.testing.assert_array_equal(e.eval({x: [1, 2], "y": 10}), [110, 120])
    assert at.constant(3.0).eval() == 3
    assert (s + 1).eval({s: 1.0}) == 2


def test_what_is_missing_or_unknown() -> None:
    x, y = at.dvector("x"), at.dvector("y")
    with pytest.raises(MissingInputError, match="y"):
        (x + y).eval({x: [1.0]})
    with pytest.raises(KeyError, match=r"0 inputs of .* are called 'z'"):
        (x + y).eval({"z": [1.0]})


# Derivations of whole optimizations: what `trace=True` gives.


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


# Equilibria: what they skip can't have changed, and a long way to rest is no divergence.


@pytest.mark.parametrize("laws", [CANONICALIZE, STABILIZE, SPECIALIZE], ids=["c", "st", "sp"])
def test_nothing_is_left_to_do(laws):
    optimizer = EquilibriumOptimizer([*laws, constant_folding])

    @settings(max_examples=60)
    @given(graphs(matching=optimizer))
    def check(drawn):
        fgraph = FunctionGraph(outputs=drawn.outputs, clone=True)
        assert optimizer.optimize(fgraph).stop_reason == "fixpoint"
        fgraph.check_integrity()
        for node in fgraph.toposort():
            for rewriter in optimizer.local_optimizers:
                answer = rewriter.transform(fgraph, node)
                assert read_answer(fgraph, node, rewriter, answer) is None, (rewriter, node)
        keys = [node_key(node) for node in fgraph.apply_nodes]
        assert len(set(keys)) == len(keys)

    check()


@pytest.mark.parametrize("depth", [1, 5, 40])
def test_a_change_far_inside_a_nest_of_sums(depth):
    # what is simplified late lies `depth` sums below the one that is looked at
    x, ys = at.dvector("x"), at.dvectors(*[f"y{i}" for i in range(depth)])
    e = x + -at.exp(at.log(at.exp(at.log(ys[0]))))
    for y in ys:
        e = y + e
    (out,) = optimize_graph([at.log(at.exp(e))], include=("canonicalize", "stabilize"), clone=True)
    laws = [law.forward for law in (*CANONICALIZE, *STABILIZE)]
    fgraph = FunctionGraph(outputs=[out])
    for node in fgraph.toposort():
        assert not any(law.transform(fgraph, node) for law in laws)


u, v = lvars("u v")
FIRST = law("first", at.tanh(u), at.sin(u), sound="domain")
THEN = law("then", at.sin(u), -u, sound="domain")


def test_what_looks_deep_sees_a_change_of_a_later_generation():
    # when the logarithm is looked at first, what is in it is not yet what it will be
    deep = law("deep", at.log(1 + at.exp(-u)), at.sqrt(u), sound="domain")
    x = at.dvector("x")
    fgraph = FunctionGraph(outputs=[at.log(1.0 + at.exp(at.tanh(x)))])
    record = EquilibriumOptimizer([deep, FIRST, THEN]).optimize(fgraph)
    assert record.applied == {"first": 1, "then": 1, "deep": 1}
    assert fgraph.outputs[0].owner.op is at.sqrt


@pytest.mark.parametrize("depth", [1, 2, 3, 6])
def test_a_nest_passes_on_what_changes_in_it_after_it_was_tried(depth):
    # the nests are tried from the outside, so the inner one changes when the outer one is done
    negated = law("add-neg", u + -v, u - v, sound="rounding")
    of_difference = law("of-difference", at.exp(u - v), -u, sound="domain")
    a, b, c, *ys = at.dvectors("a", "b", "c", *[f"y{i}" for i in range(depth + 1)])
    e = ys[0] + at.exp((a + b) + -c)
    for y in ys[1:]:
        e = y + e
    fgraph = FunctionGraph(outputs=[at.abs(e)])
    record = EquilibriumOptimizer([negated, of_difference]).optimize(fgraph)
    assert record.applied == {"add-neg": 2, "of-difference": 1}
    assert fgraph.outputs[0].owner.inputs[0].owner.op is at.sub


# A long way to rest is no divergence.


@pytest.mark.parametrize(("mode", "rtol", "atol"), [("fast_run", 1e-9, 1e-12), ("strict", 0, 0)])
@pytest.mark.parametrize("name", sampled(FAMILIES, 8, "long ways to rest"))
def test_it_comes_to_rest_with_its_gradient_and_keeps_the_values(name, mode, rtol, atol):
    outputs = value_and_gradient(FAMILIES[name], at, grad, 400)
    inputs = FunctionGraph(outputs=outputs, clone=False).inputs
    values = [np.linspace(0.3, 0.7, 8**v.type.ndim).reshape((8,) * v.type.ndim) for v in inputs]
    found, expected = (function(inputs, outputs, m)(*values) for m in (mode, Mode("py", None)))
    assert_close(found, expected, rtol, atol)


def test_a_cast_that_a_law_makes_joins_the_cast_below_it() -> None:
    x = at.dvector("x")
    flag = at.cast(x > 0, "uint32")
    fgraph = FunctionGraph(outputs=[at.tan(at.arctan(flag))], clone=True)
    optimizer = optdb.query(OptimizationQuery(include=["canonicalize", "stabilize", "specialize"]))
    optimizer.optimize(fgraph)
    assert str(fgraph) == "FunctionGraph(cast{float64}(gt(x, {0.0})))"
