"""Modes: predefined ones, own laws, constant folding, and that a second run changes nothing."""

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import relgraph.tensor as at
from relations.kit.vocabulary import law, lvars
from relgraph.compile import (
    Mode,
    function,
    get_default_mode,
    get_mode,
    optdb,
    optimize_graph,
    predefined_modes,
    predefined_optimizers,
)
from relgraph.compile.database import constant_folding
from relgraph.graph.basic import Apply, Constant, Variable
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.op import Op
from relgraph.graph.opt import (
    EquilibriumOptimizer,
    MergeOptimizer,
    OpSub,
    SequenceOptimizer,
    in2out,
)
from relgraph.graph.optdb import OptimizationQuery
from relgraph.graph.traversal import equal_computations
from relgraph.printing import Print
from relgraph.tensor.elemwise import Elemwise
from relgraph.testing import graphs
from relgraph.vm import LINKERS


def ops(f: Any) -> list[Any]:
    """Return the ops of a function; in place of a fused op those of which it consists."""
    found: list[Any] = []
    for node in f.maker.fgraph.toposort():
        inner = getattr(getattr(node.op, "scalar_op", None), "nodes", None)
        found += [node.op] if inner is None else [at.Elemwise(n.op) for n in inner]
    return found


def graph() -> tuple[Variable, Variable]:
    x = at.dvector("x")
    return x, at.exp(x * 1) + at.tanh(at.exp(x * 1))


def test_predefined_optimizers() -> None:
    x, e = graph()
    exps = {
        name: ops(function([x], e, name)).count(at.exp)
        for name in (None, "None", "merge", "fast_compile", "fast_run", "o1", "o4", "stabilize")
    }
    assert exps == {
        None: 1, "None": 2, "merge": 1, "fast_compile": 1, "fast_run": 1, "o1": 1, "o4": 1,
        "stabilize": 1,
    }  # fmt: skip
    assert at.mul in ops(function([x], e, "merge"))
    assert at.mul in ops(function([x], e, "o1"))
    assert at.mul not in ops(function([x], e, "o3"))
    assert set(predefined_optimizers) <= set(predefined_modes)
    assert get_mode("FAST_RUN") is get_mode("fast_run") is get_default_mode() is get_mode(None)


@pytest.mark.parametrize("name", sorted(set(predefined_modes) - {None}))
def test_every_predefined_mode_computes(name: str) -> None:
    x, e = graph()
    np.testing.assert_allclose(
        function([x], e, name)([0.0, 1.0]), [1 + np.tanh(1), np.e + np.tanh(np.e)]
    )


def test_constants_are_folded_in_fast_compile() -> None:
    x = at.dvector("x")
    e = x * at.exp(at.constant([1.0, 2.0]) + 1)
    assert ops(function([x], e, "fast_compile")) == [at.mul]
    assert len(ops(function([x], e, Mode(optimizer=None)))) > 2


def test_queries_are_refined() -> None:
    x, e = graph()
    mode = get_mode("fast_run")
    assert (
        ops(function([x], e, mode.excluding("canonicalize", "stabilize", "specialize"))).count(
            at.mul
        )
        == 1
    )
    assert at.mul in ops(function([x], e, mode.excluding("mul-one")))
    assert at.mul not in ops(function([x], e, mode.requiring("fast_run")))
    assert at.mul not in ops(function([x], e, Mode(optimizer=None).including("canonicalize")))
    assert at.mul in ops(function([x], e, get_mode("merge")))
    assert at.mul not in ops(function([x], e, Mode(optimizer=None).including("mul-one")))
    assert at.mul not in ops(function([x], e, get_mode("merge").including("mul_specialize")))


def test_classes_of_laws_are_included_and_excluded() -> None:
    x = at.dvector("x")
    cases = {
        "exact": (x * 1, at.mul),
        "rounding": (x + 0.0, at.add),
        "stable": (at.log(1 + x), at.log),
        "finite": (x * 0, at.mul),
        "domain": (at.log(x * at.exp(x)) + at.log(x * at.sin(x)), at.mul),
    }
    for name, (e, op) in cases.items():
        none = Mode(optimizer=None)
        assert op in ops(function([x], e, none))
        assert op not in ops(function([x], e, none.including(name)))
        assert op in ops(function([x], e, none.including(name).excluding(name)))
        in_fast_run = op not in ops(function([x], e, "o3"))
        assert in_fast_run is (name != "domain")
        assert op in ops(function([x], e, get_mode("o3").excluding(name)))


def test_what_is_finite_alone_has_to_be_asked_for_unless_the_table_does() -> None:
    x = at.dvector("x")
    e = at.exp(at.log(x))
    assert ops(function([x], e, "o3")) == [at.log, at.exp]
    assert ops(function([x], e, get_mode("o3").including("finite"))).count(at.log) == 0
    assert (
        ops(function([x], e, get_mode("o3").including("inverse-where-defined"))).count(at.log) == 0
    )


def test_what_is_unsafe_is_in_no_phase() -> None:
    x = at.dvector("x")
    e = at.log(x * at.sin(x))
    for tag in ("canonicalize", "stabilize", "specialize"):
        assert at.mul in ops(function([x], e, Mode(optimizer=None).including(tag)))
    assert at.mul not in ops(function([x], e, "unsafe"))


def test_strict_holds_exact_laws_and_merging_alone() -> None:
    optimizer = get_mode("strict").optimizer
    assert isinstance(optimizer, SequenceOptimizer)
    assert "merge1" in [opt.name for opt in optimizer]
    laws = [
        law
        for opt in optimizer
        for law in getattr(opt, "local_optimizers", ())
        if law.name != "constant_folding"
    ]
    phases = [optdb[phase] for phase in ("canonicalize", "stabilize", "specialize")]
    sound = {name: getattr(db[name], "sound", None) for db in phases for name in db}
    assert laws
    assert {sound[law.name] for law in laws} == {"exact"}


def test_optimizers_of_ones_own() -> None:
    x, e = graph()
    to_neg = EquilibriumOptimizer([OpSub(at.exp, at.neg)])
    assert ops(function([x], e, Mode(optimizer=to_neg))).count(at.neg) == 1
    registered = get_mode("merge").register((to_neg, 50))
    assert at.neg in ops(function([x], e, registered))
    assert at.neg not in ops(function([x], e, "merge"))
    query = OptimizationQuery(include=["merge"])
    assert Mode(optimizer=query).optimizer.name == "optdb"
    with pytest.raises(TypeError, match="can't include anything"):
        Mode(optimizer=to_neg).including("merge")
    with pytest.raises(TypeError, match="can't register anything"):
        Mode(optimizer=to_neg).register((to_neg, 1))


def test_linkers() -> None:
    class Traced:
        name = "traced"
        linked: list[FunctionGraph] = []

        def link(self, fgraph: FunctionGraph) -> Any:
            self.linked.append(fgraph)
            return Mode("py").linker.link(fgraph)

    x, e = graph()
    f = function([x], e, Mode(Traced()))
    assert Traced.linked == [f.maker.fgraph]
    assert f([0.0])[0] == 1 + np.tanh(1)
    assert [Mode().linker.name, Mode("py").linker.name] == ["vm", "py"]
    assert repr(Mode("py", None)) == "Mode(linker='py', optimizer=None)"


def test_a_mode_sees_what_is_registered_later() -> None:
    x, e = graph()
    to_neg = EquilibriumOptimizer([OpSub(at.exp, at.neg)])
    try:
        optdb.register("test_to_neg", to_neg, "fast_run", position=40)
        assert at.neg in ops(function([x], e))
    finally:
        optdb.remove_tags("test_to_neg", "fast_run")
    assert at.neg not in ops(function([x], e))


# Laws of one's own in a mode, and in one call.

X = at.dvector("x")
a, b = lvars("a b")
SINH = law("sinh-cosh", at.sinh(a), at.cosh(a), sound="domain")
COSH = law("cosh-tanh", at.cosh(a), at.tanh(a), sound="domain")
SQUARES = law("squares", at.sin(a) ** 2 + at.cos(a) ** 2, 1, sound="rounding")


def op_names(output: Any, mode: Any) -> list[str]:
    return [str(node.op) for node in function([X], output, mode).maker.fgraph.toposort()]


@pytest.mark.parametrize(
    "mode",
    [
        Mode(optimizer=SINH),
        Mode(optimizer=[SINH]),
        Mode(optimizer=SINH.forward),
        Mode(optimizer=None).including(SINH),
        Mode(optimizer=MergeOptimizer()).including(SINH),
        Mode().including(SINH),
        Mode().including([(SINH,)]),
        Mode().register(SINH),
        Mode().register((SINH, 2.3)),
        Mode().register((in2out(SINH.forward), 2.3)),
        Mode("py").including("finite", SINH),
        get_mode("strict").including(SINH),
        Mode().including(OpSub(at.sinh, at.cosh)),
        Mode().including(in2out(OpSub(at.sinh, at.cosh))),
    ],
    ids=map(str, range(14)),
)
def test_a_law_is_applied(mode: Mode) -> None:
    assert op_names(at.sinh(X), mode) == ["cosh"]
    np.testing.assert_array_equal(function([X], at.sinh(X), mode)([1.0]), np.cosh([1.0]))


def test_lists_of_laws_work_together() -> None:
    both = [SINH, COSH]
    assert op_names(at.sinh(X), Mode(optimizer=both)) == ["tanh"]
    assert op_names(at.sinh(X), Mode().including(both)) == ["tanh"]
    assert op_names(at.sinh(X), Mode().register(SINH).including(COSH)) == ["tanh"]
    assert op_names(at.sinh(X), Mode(optimizer=SINH)) == ["cosh"]
    assert optimize_graph(at.sinh(X), include=[], custom_opt=both).owner.op is at.tanh
    assert optimize_graph(at.sinh(X), custom_opt=(SINH, [COSH])).owner.op is at.tanh
    assert op_names(at.sinh(X), Mode(optimizer=[])) == ["sinh"]


def test_alone_a_law_leaves_the_rest_as_it_is() -> None:
    assert op_names(at.sinh(X * 1), Mode(optimizer=SINH)) == ["mul", "cosh"]
    assert op_names(at.sinh(X * 1), Mode().including(SINH)) == ["cosh"]
    assert op_names(at.sinh(X * 1), Mode(optimizer=SINH).including("canonicalize")) == ["cosh"]


def test_it_is_applied_to_the_graph_as_written_and_what_it_gives_is_simplified() -> None:
    mode = Mode().including(SQUARES)
    assert op_names(X * (at.sin(X) ** 2 + at.cos(X) ** 2), mode) == ["deep_copy"]


def test_it_is_tried_in_the_form_that_phases_leave() -> None:
    # as it was written there is no power; phases make a product one, and call it `sqr`
    powers = law("power", at.tanh(a) ** 2, at.sinh(a), sound="domain")
    twice = at.exp(at.log(at.tanh(X))) * at.tanh(X)
    unfused = Mode().excluding("elemwise_fusion", "inplace").including("finite")
    assert op_names(twice, unfused) == ["tanh", "sqr"]
    assert op_names(twice, Mode().including("finite", powers)) == ["sinh"]


def test_a_law_of_the_same_name_is_replaced() -> None:
    mode = Mode().including(COSH, SINH)
    again = law("sinh-cosh", at.sinh(a), at.tanh(a), sound="domain")
    replaced = mode.including(again)
    assert replaced.own == (COSH, again)
    assert op_names(at.sinh(X), replaced) == ["tanh"]
    assert mode.own == (COSH, SINH)
    assert mode.including(SINH.backward).own[2] is SINH.backward


def test_unregistering() -> None:
    mode = Mode().including(SINH, COSH)
    assert op_names(at.sinh(X), mode.unregister(COSH)) == ["cosh"]
    assert op_names(at.sinh(X), mode.unregister("sinh-cosh")) == ["sinh"]
    assert mode.unregister(COSH, SINH).own == ()
    assert mode.excluding("sinh-cosh", "mul-one").own == (COSH,)
    assert mode.excluding("domain").own == () == mode.excluding("domain").excluding("finite").own
    with pytest.raises(ValueError, match="no rewriter has the tag 'tanh-cosh'"):
        mode.excluding("tanh-cosh")
    with pytest.raises(KeyError, match="no law of its own called 'squares'; it has sinh"):
        mode.unregister(SQUARES)


def test_tags_and_own_laws_stay_with_each_other() -> None:
    mode = Mode().including(SINH).excluding("canonicalize").requiring("fast_run")
    assert mode.own == (SINH,)
    assert "own=[sinh-cosh]" in repr(mode)
    loaded = pickle.loads(pickle.dumps(mode))
    assert repr(loaded) == repr(mode)
    assert op_names(at.sinh(X), loaded) == ["cosh"]
    assert loaded.linker is LINKERS["vm"]


def test_a_derivation_names_them() -> None:
    f = function([X], at.sinh(X * 1), Mode().including(SINH), trace=True)
    steps = [(step.name, step.sound) for step in f.derivation]
    assert steps == [("sinh-cosh", "domain"), ("mul-one", "exact")]


ONE, MANY = "expected a LocalOptimizer or a law", "a law or a LocalOptimizer"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Mode("c"), ValueError, "no linker is called 'c'; there are py, vm.*jax"),
        (lambda: Mode(optimizer="best"), ValueError, "no optimizer is called 'best'"),
        (lambda: Mode(optimizer=3), TypeError, "is not the name of an optimizer, .*" + MANY),
        (lambda: Mode(3), TypeError, "a linker has a name"),
        (lambda: get_mode("best"), ValueError, "no mode is called 'best'"),
        (lambda: get_mode(3), TypeError, "neither a Mode"),
        (lambda: Mode().including(3), TypeError, ONE + ", got 3"),
        (lambda: Mode(optimizer=[SINH, None]), TypeError, ONE + ", got None"),
        (lambda: Mode().including(SINH, "canonicalise"), ValueError, "did you mean 'canonicalize'"),
        (lambda: optimize_graph(X, custom_opt=[SINH, "merge"]), TypeError, ONE),
    ],
)
def test_what_is_wrong_is_named(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


# What has come to rest stays as it is: a second run of a mode changes no graph.


def assert_a_second_run_changes_nothing(inputs, outputs):
    optimizer = optdb.query(predefined_optimizers["fast_run"])
    once = FunctionGraph(inputs=list(inputs), outputs=list(outputs), clone=True)
    optimizer.optimize(once)
    twice = FunctionGraph(inputs=once.inputs, outputs=once.outputs, clone=True)
    optimizer.optimize(twice)
    assert equal_computations(twice.outputs, once.outputs, twice.inputs, once.inputs)


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(graphs())
def test_a_second_run_changes_nothing(drawn):
    assert_a_second_run_changes_nothing(drawn.inputs, drawn.outputs)


@pytest.mark.parametrize("ndim", [0, 1])
def test_a_second_run_leaves_a_law_against_cancellation_alone(ndim):
    x = at.TensorType("float64", (1,) * ndim)("x")
    assert_a_second_run_changes_nothing([x], [at.log1p(x) - at.log(x)])


ROW, V, B = at.drow("row"), at.TensorType("float64", (1,))("v"), at.bscalar("b")
H = at.TensorType("float16", (2,))("h")


@pytest.mark.parametrize(
    "graph",
    [
        at.log(at.exp(ROW) * 0.4342),
        at.dot(at.add(V, V, V), at.add(V, V, V)) / -2.0 + 2.0,
        at.switch(at.gt(V, 0), at.add(at.add(V, V, V), X, V), 3.0),
        at.log(1 / (1 - V)),
        at.log(at.exp(-at.cosm1(B) / B) / at.constant(np.float16(0.25))),
        at.exp(H) / (np.full(2, 2.87, "float16") + at.exp(H)),
        1 - X**4,
        X**6 - V**4,
    ],
    ids=[
        "log of a multiple",
        "by a negative number",
        "broadcast sum",
        "chosen by a negative",
        "negative of a difference",
        "share beside a constant",
        "one less a power",
        "powers apart",
    ],
)
def test_a_second_run_leaves_signs_and_sums_alone(graph):
    assert_a_second_run_changes_nothing([ROW, V, X, B, H], [graph])


# Constant folding.


def folded(var: Variable) -> Variable:
    return optimize_graph(var, include=(), custom_opt=constant_folding, clone=False)


def test_folds_all_the_way() -> None:
    x = at.dvector("x")
    c = at.constant([1.0, 2.0])
    out = folded(x + at.exp(c * 2) * 3)
    assert out.owner is not None
    constant = out.owner.inputs[1]
    assert isinstance(constant, Constant)
    np.testing.assert_array_equal(constant.data, np.exp([2.0, 4.0]) * 3)
    assert constant.type.shape == (2,)


@pytest.mark.parametrize("mode", ["o1", "o4", "strict"])
def test_zero_by_zero_is_folded_before_a_law_makes_it_zero(mode: str) -> None:
    one, zero = at.tensor("float64", (1,), "one"), at.constant(0.0)
    quotients = [at.mean(at.zeros((0,))), zero / zero, at.var(one, ddof=1)]
    assert np.isnan(function([one], quotients, mode=mode)([2.0])).all()


def test_a_length_of_one_does_not_begin_to_broadcast() -> None:
    n = at.constant(1, dtype="int64")
    ones = at.alloc(at.constant(5.0), n)
    result = folded(ones)
    assert result.type.broadcastable == ones.type.broadcastable


class Failing(Op):
    """An op that can't be computed."""

    __props__ = ("folds",)

    def __init__(self, folds: bool) -> None:
        self.folds = folds

    def make_node(self, x: Any) -> Apply:
        x = at.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: Any) -> None:
        raise ValueError("never")

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        assert not self.folds or fgraph is not None
        return self.folds


def test_what_is_not_folded() -> None:
    for op in (Failing(True), Failing(False), Print("now")):
        var = op(at.constant([1.0]))
        assert folded(var) is var
    large = at.alloc(at.constant(1.0), at.constant(1000), at.constant(1000))
    assert folded(large) is large
    enormous = at.alloc(at.constant(1.0), at.constant(10**7), at.constant(10**8))
    assert folded(enormous) is enormous, "it isn't even tried"
    x = at.dvector("x")
    assert constant_folding.transform(None, (x + 1).owner) is False  # type: ignore[arg-type]


def test_constants_are_not_overwritten() -> None:
    c = at.constant([1.0, 2.0])
    inplace = Elemwise(at.add.scalar_op, {0: 0})
    answer = constant_folding.transform(None, inplace(c, c * 1).owner)  # type: ignore[arg-type]
    assert answer is False, "not all inputs are constants"
    (sum_,) = constant_folding.transform(None, inplace(c, c).owner)  # type: ignore[arg-type, misc]
    np.testing.assert_array_equal(sum_.data, [2, 4])
    np.testing.assert_array_equal(c.data, [1, 2])
