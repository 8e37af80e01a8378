"""Rewriting to a fixpoint: visits, costs, postponed nodes, and divergence."""

from __future__ import annotations

import gc
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgraph.tensor as at
from relations.kit.vocabulary import lvars
from relgraph.graph.basic import Constant
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import law
from relgraph.graph.opt import (
    DivergenceError,
    DivergenceWarning,
    EquilibriumOptimizer,
    GlobalOptimizer,
    LocalOptimizer,
    MergeOptimizer,
    OpRemove,
    PatternSub,
    SequenceOptimizer,
    in2out,
    limits,
    local_optimizer,
)
from relgraph.graph.opt.limits import (
    VISITS_AT_LEAST,
    VISITS_PER_NODE,
    CycleDetector,
    Step,
)
from relgraph.graph.opt.merge import node_key
from relgraph.graph.reference import evaluate
from relgraph.scalar import (
    abs,
    add,
    exp,
    float64,
    identity,
    log,
    maximum,
    mul,
    neg,
    sub,
)
from tests.families.counting import calls_of
from tests.graph.toys import MyOp, Watcher

NEG_NEG = PatternSub((neg, (neg, "v")), "v", name="neg-neg")
ADD_NEG = PatternSub((add, "a", (neg, "b")), (sub, "a", "b"), name="add-neg")
SUB_NEG = PatternSub((sub, "a", (neg, "b")), (add, "a", "b"), name="sub-neg")
ABS_NEG = PatternSub((abs, (neg, "v")), (abs, "v"), name="abs-neg")
ABS_ABS = PatternSub((abs, (abs, "v")), (abs, "v"), name="abs-abs")
MAX_SAME = PatternSub((maximum, "v", "v"), "v", name="max-same", allow_multiple_clients=True)
EXACT = [NEG_NEG, ADD_NEG, SUB_NEG, ABS_NEG, ABS_ABS, MAX_SAME]


def text(fgraph):
    return str(fgraph)[len("FunctionGraph(") : -1]


DEEP = PatternSub((log, (exp, (abs, (neg, "v")))), "v", name="deep")

# (rewriters, a graph, how it is written at the end, how often they were applied)
REWRITTEN = [
    (EXACT, lambda x, y: neg(abs(neg(neg(neg(x))))), "neg(abs(x))", {"neg-neg": 1, "abs-neg": 1}),
    # the change is three levels below the node that can be rewritten because of it
    (
        [DEEP, OpRemove(identity)],
        lambda x, y: log(exp(abs(identity(neg(x))))),
        "x",
        {"deep": 1, "identity(x) -> x": 1},
    ),
    # two sides merge on the way, and the sum that has not changed stays
    (
        [NEG_NEG, MAX_SAME],
        lambda x, y: maximum(add(x, neg(neg(y))), add(y, x)),
        "add(y, x)",
        {"neg-neg": 1, "MergeOptimizer": 1, "max-same": 1},
    ),
    ([], lambda x, y: exp(x), "exp(x)", {}),
    ([ADD_NEG, NEG_NEG], lambda x, y: neg(neg(x)), "x", {"neg-neg": 1}),
]


@pytest.mark.parametrize(("rewriters", "build", "written", "applied"), REWRITTEN)
def test_rewriting_to_a_fixpoint(graphs, rewriters, build, written, applied):
    fgraph = graphs(build(graphs.x, graphs.y))
    before = len(fgraph.apply_nodes)
    optimizer = EquilibriumOptimizer(rewriters)
    optimizer.add_requirements(fgraph)
    features = list(fgraph.features)
    record = optimizer.optimize(fgraph)
    assert text(fgraph) == written and fgraph.features == features
    assert record.stop_reason == "fixpoint" and record.applied == applied
    sizes = (record.nodes_start, record.nodes_end, record.nodes_max)
    assert sizes == (before, len(fgraph.apply_nodes), before)
    # one that did nothing is on record too
    found = {r.name: r.applied for r in record.rewriters.values()}
    assert found == {name: applied.get(name, 0) for name in found}
    assert len(found) >= len(rewriters)


class TestFixpoint:
    @pytest.mark.parametrize("ignore", [True, False])
    @pytest.mark.parametrize("inputs", [True, False])
    def test_orders_give_the_same(self, graphs, ignore, inputs):
        opt = EquilibriumOptimizer(EXACT, ignore_newtrees=ignore, tracks_on_change_inputs=inputs)
        x, y = graphs.x, graphs.y
        fgraph = graphs(sub(add(x, neg(abs(neg(y)))), neg(abs(neg(neg(y))))))
        opt.optimize(fgraph)
        assert text(fgraph) == "add(sub(x, *1 -> abs(y)), *1)"

    def test_children_of_a_template_come_first(self, graphs):
        template = PatternSub((exp, "v"), (neg, (abs, (log, "v"))))
        for ignore in (True, False):
            watcher = Watcher()
            fgraph = graphs(exp(graphs.x))
            EquilibriumOptimizer([template, watcher], ignore_newtrees=ignore).optimize(fgraph)
            assert watcher.seen[:3] == ["log(x)", "abs(log(x))", "neg(abs(log(x)))"]


@st.composite
def terms(draw):
    """A term over three inputs in which the exact laws find something to do."""
    inputs = [float64(name) for name in "xyz"]
    known = list(inputs)
    for _ in range(draw(st.integers(1, 25))):
        op = draw(st.sampled_from([neg, neg, abs, add, sub, maximum, exp]))
        arity = 1 if op in (neg, abs, exp) else 2
        known.append(op(*[draw(st.sampled_from(known[-8:])) for _ in range(arity)]))
    return inputs, [known[-1], known[-2]]


@given(terms(), st.booleans(), st.tuples(*[st.floats(-4, 4)] * 3))
def test_values_stay_and_it_is_a_fixpoint(term, ignore, values):
    inputs, outputs = term
    fgraph = FunctionGraph(inputs, outputs, clone=False)
    before = evaluate(outputs, dict(zip(inputs, values, strict=True)))
    EquilibriumOptimizer(EXACT, ignore_newtrees=ignore).optimize(fgraph)
    fgraph.check_integrity()
    after = evaluate(fgraph.outputs, dict(zip(inputs, values, strict=True)))
    assert [float(v).hex() for v in after] == [float(v).hex() for v in before]
    for node in fgraph.apply_nodes:
        for exact in EXACT:
            assert node.op not in exact.tracks() or exact.transform(fgraph, node) is False
    assert len({node_key(node) for node in fgraph.apply_nodes}) == len(fgraph.apply_nodes)
    assert MergeOptimizer().optimize(fgraph).nb_merged == 0


class TestEndless:
    MOST_CALLS = 500_000
    """So many functions are called before rewriting without end stops."""

    def diverged(self, laws, fgraph, most_calls=MOST_CALLS, **options):
        def stopped():
            with pytest.raises(DivergenceError) as info:
                EquilibriumOptimizer(laws, **options).optimize(fgraph)
            return info.value

        calls, error = calls_of(stopped)
        assert calls < most_calls
        assert gc.isenabled()
        fgraph.check_integrity()
        return error

    def test_a_law_that_undoes_itself(self, graphs):
        swap = PatternSub((add, "a", "b"), (add, "b", "a"))
        error = self.diverged([swap], graphs(add(graphs.x, graphs.y)))
        assert error.stop_reason == error.record.stop_reason == "cycle"
        assert error.rewriters == ("add(a, b) -> add(b, a)",)
        assert "undoes itself" in str(error) and len(error.steps) == 2
        assert "add(x, y) -> add(y, x)" in str(error)

    def test_laws_that_undo_each_other(self, graphs):
        laws = [
            PatternSub((exp, "v"), (log, "v"), name="there"),
            NEG_NEG,
            PatternSub((log, "v"), (exp, "v"), name="back"),
        ]
        error = self.diverged(laws, graphs(add(exp(neg(neg(graphs.x))), graphs.y)))
        assert str(error) == (
            "EquilibriumOptimizer goes in a circle: there and back undo each other. After 2 "
            "rewrites the graph is back:\n  there: exp(x) -> log(x)\n  back: log(x) -> exp(x)"
        )
        assert set(error.rewriters) == {"there", "back"}

    @pytest.mark.parametrize("period", [3, 7, 20])
    def test_a_cycle_of_any_period(self, graphs, period):
        ops = [MyOp(f"f{k}") for k in range(period)]
        pairs = zip(ops, [*ops[1:], ops[0]], strict=True)
        laws = [PatternSub((op, "v"), (after, "v"), name=str(op)) for op, after in pairs]
        error = self.diverged(laws, graphs(ops[0](graphs.x)))
        assert len(error.steps) == period and {*error.rewriters} == {str(op) for op in ops}
        # long ones are cut
        assert str(error).endswith("... and 8 more") is (period == 20)

    def test_a_cycle_in_a_large_graph(self, graphs):
        out = graphs.x
        for _ in range(5_000):
            out = add(exp(out), graphs.y)
        laws = [
            PatternSub((log, "v"), (abs, "v"), name="there"),
            PatternSub((abs, "v"), (log, "v"), name="back"),
        ]
        error = self.diverged(laws, graphs(log(out)), most_calls=math.inf)
        assert error.stop_reason == "cycle"

    def test_a_cycle_through_what_a_node_reads(self, graphs):
        @local_optimizer([exp])
        def outside(fgraph, node):
            return [exp(neg(graphs.y))] if node.inputs[0] is graphs.x else False

        @local_optimizer([neg])
        def inside(fgraph, node):
            return [graphs.x]

        error = self.diverged([outside, inside], graphs(exp(graphs.x)))
        assert error.stop_reason == "cycle"
        assert set(error.rewriters) == {"outside", "inside"}

    @pytest.mark.parametrize("ignore", [True, False])
    def test_growth(self, graphs, ignore):
        grow = PatternSub((exp, "v"), (exp, (neg, (neg, "v"))), name="grow")
        error = self.diverged([grow], graphs(exp(graphs.x)), ignore_newtrees=ignore)
        assert error.stop_reason == error.record.stop_reason == "budget"
        assert error.rewriters == ("grow",) and "applied grow" in str(error)
        assert "-> exp(neg(neg(" in str(error)

    def test_growth_around_what_is_replaced(self, graphs):
        @local_optimizer([exp])
        def wrap(fgraph, node):
            return [neg(neg(node.outputs[0]))]

        assert "wrap" in str(self.diverged([wrap], graphs(exp(graphs.x))))

    def test_an_explicit_budget_warns_and_stops(self, graphs):
        grow = PatternSub((exp, "v"), (exp, (neg, (neg, "v"))), name="grow")
        fgraph = graphs(log(exp(graphs.x)))
        opt = EquilibriumOptimizer([grow], max_use_ratio=10)
        with pytest.warns(DivergenceWarning, match="applied grow 21 times") as caught:
            record = opt.optimize(fgraph)
        assert len(caught) == 1
        assert record.stop_reason == "budget"
        assert record.applied == {"grow": 21}
        fgraph.check_integrity()


class Removes(GlobalOptimizer):
    """Takes one application of an op out of the graph at each call."""

    def __init__(self, op, calls):
        self.op, self.calls = op, calls
        self.name = f"remove-{op}"

    def apply(self, fgraph):
        self.calls.append(self.name)
        for node in fgraph.toposort():
            if node.op == self.op:
                fgraph.replace(node.outputs[0], node.inputs[0])
                return None


class TestGlobalOptimizers:
    def test_until_they_change_nothing(self, graphs):
        calls = []
        fgraph = graphs(exp(exp(exp(graphs.x))))
        record = EquilibriumOptimizer([Removes(exp, calls)]).optimize(fgraph)
        assert text(fgraph) == "x"
        assert calls == ["remove-exp"] * 4
        assert record.applied == {"remove-exp": 3}

    def test_final_and_cleanup(self, graphs):
        calls = []
        opt = EquilibriumOptimizer(
            [Removes(exp, calls), NEG_NEG],
            final_optimizers=[Removes(log, calls)],
            cleanup_optimizers=[Removes(identity, calls)],
        )
        fgraph = graphs(identity(neg(log(exp(neg(graphs.x))))))
        record = opt.optimize(fgraph)
        assert text(fgraph) == "x"
        assert calls[:3] == ["remove-exp", "remove-identity", "remove-log"]
        assert record.applied["neg-neg"] == 1

    def test_other_things_are_refused(self):
        with pytest.raises(TypeError, match="expected a GlobalOptimizer, got neg-neg"):
            EquilibriumOptimizer([], final_optimizers=[NEG_NEG])
        with pytest.raises(TypeError, match="expected a LocalOptimizer or a law"):
            EquilibriumOptimizer([exp])


class TestLate:
    def test_collectors_wait_and_begin_outside(self, graphs):
        seen = []

        @local_optimizer([add])
        def flatten(fgraph, node):
            seen.append(len(node.inputs))
            inner = [v for v in node.inputs if v.head is add]
            if not inner:
                return False
            flat = [w for v in node.inputs for w in (v.owner.inputs if v.head is add else [v])]
            return [add(*flat)]

        flatten.late = True
        x, y, z = graphs.inputs
        fgraph = graphs(add(add(add(x, neg(neg(y))), z), x))
        EquilibriumOptimizer([flatten, NEG_NEG]).optimize(fgraph)
        assert text(fgraph) == "add(x, y, z, x)"
        assert seen[:2] == [2, 3]


class TestDispatch:
    def test_ops_classes_and_anything(self, graphs):
        watchers = [Watcher(exp), Watcher(type(neg)), Watcher()]
        opt = EquilibriumOptimizer(watchers)
        fgraph = graphs(exp(neg(graphs.x)))
        plan = opt.tables.plan_for(fgraph.outputs[0].owner)
        assert plan.early == (watchers[0], watchers[2])
        opt.optimize(fgraph)
        assert [w.seen for w in watchers] == [
            ["exp(neg(x))"],
            ["neg(x)"],
            ["neg(x)", "exp(neg(x))"],
        ]

    def test_requirements(self, graphs):
        class Needy(LocalOptimizer):
            def add_requirements(self, fgraph):
                fgraph.needed = True

            def transform(self, fgraph, node):
                return False

        fgraph = graphs(exp(graphs.x))
        EquilibriumOptimizer([Needy()]).optimize(fgraph)
        assert fgraph.needed

    def test_summary(self, capsys):
        opt = EquilibriumOptimizer([NEG_NEG, ADD_NEG], final_optimizers=[MergeOptimizer()])
        opt.name = "tidy"
        opt.print_summary()
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("EquilibriumOptimizer tidy id=")
        assert [line.split()[1] for line in lines[1:]] == ["neg-neg", "add-neg", "MergeOptimizer"]


def equilibrium(*rewriters, **options):
    return EquilibriumOptimizer(rewriters, **options)


def of_sums():
    return Watcher(add, subsumes_nested=True)


ABS = PatternSub((abs, "v"), "v")

# (a watcher, what runs beside it in each phase, on which graph, and what it is tried on): what an
# equilibrium has left at rest, the next one does not look at again
WATCHED = [
    (Watcher, [[], []], lambda x, y, z: exp(neg(x)), ["neg(x)", "exp(neg(x))"]),
    # where something changes, it does
    (
        Watcher,
        [[], [NEG_NEG]],
        lambda x, y, z: add(exp(neg(neg(x))), y),
        ["neg(x)", "neg(neg(x))", "exp(neg(neg(x)))", "add(exp(neg(neg(x))), y)", "exp(x)"],
    ),
    # and where what may look at anything is tried
    (lambda: Watcher(exp, depth=None), [[], []], lambda x, y, z: exp(x), ["exp(x)", "exp(x)"]),
    # the outer sum alone, and again since there was a change inside of it
    (
        of_sums,
        [[], [NEG_NEG]],
        lambda x, y, z: add(add(x, neg(neg(y))), z),
        ["add(add(x, neg(neg(y))), z)", "add(add(x, y), z)"],
    ),
    (of_sums, [[]], lambda x, y, z: neg(add(add(x, y), z)), ["add(add(x, y), z)"]),
    # a sum that becomes nested is left to the outer one
    (of_sums, [[ABS]], lambda x, y, z: add(abs(add(x, y)), z), ["add(x, y)", "add(add(x, y), z)"]),
]


@pytest.mark.parametrize(
    ("make", "phases", "build", "seen"), WATCHED, ids=[" ".join(row[-1]) for row in WATCHED]
)
def test_what_a_rewriter_is_tried_on(graphs, make, phases, build, seen):
    watcher = make()
    equilibria = [equilibrium(watcher, *others) for others in phases]
    SequenceOptimizer(*equilibria).optimize(graphs(build(*graphs.inputs)))
    assert watcher.seen == seen


def test_a_change_between_two_equilibria_is_noticed(graphs):
    watcher = Watcher(exp)
    phases = SequenceOptimizer(equilibrium(watcher), in2out(NEG_NEG), equilibrium(watcher))
    phases.optimize(graphs(exp(neg(neg(graphs.x)))))
    assert watcher.seen == ["exp(neg(neg(x)))", "exp(x)"]


def test_another_rewriter_is_tried_on_what_is_at_rest(graphs):
    first, second = Watcher(), Watcher()
    phases = SequenceOptimizer(equilibrium(first), equilibrium(first, second))
    phases.optimize(graphs(exp(neg(graphs.x))))
    assert first.seen == second.seen == ["neg(x)", "exp(neg(x))"]


def test_an_equilibrium_that_gave_up_left_nothing_at_rest(graphs):
    watcher = Watcher(exp)
    bounded = equilibrium(NEG_NEG, watcher, max_use_ratio=0)
    with pytest.warns(DivergenceWarning):
        SequenceOptimizer(bounded, equilibrium(watcher)).optimize(graphs(exp(neg(neg(graphs.x)))))
    assert watcher.seen == ["exp(x)"]


def test_a_sum_that_gets_another_reader_is_visited_again(graphs):
    watcher = of_sums()

    @local_optimizer([neg])
    def split(fgraph, node):
        total = node.inputs[0].owner
        return [mul(total.inputs[0], total.inputs[1])] if total is not None else False

    fgraph = graphs(neg(add(add(graphs.x, graphs.y), graphs.z)))
    equilibrium(watcher, split).optimize(fgraph)
    assert watcher.seen[-1] == "add(x, y)"


# Frugal rewriters: applied only where the graph costs no more after that.

a, b, c = lvars("a b c")
x, y, z = at.dvectors("x", "y", "z")

MOVE = law("move", (a + b) * c, a * c + b * c, sound="finite")
TWICE = law("twice", a + a, 2.0 * a)
SIGN = law("sign", at.exp(-a), 1 / at.exp(a), sound="finite")
DROP = law("drop", a + b - b, a, sound="finite")


def rewritten(outputs, *laws, cost=lambda node: 1.0):
    fgraph = FunctionGraph(outputs=outputs, clone=True)
    frugal = [one.forward for one in laws]
    applied = EquilibriumOptimizer(frugal, frugal=frugal, cost=cost).optimize(fgraph).applied
    return {one.name: applied[one.name] for one in laws if applied[one.name]}


def test_what_adds_nodes_is_left_alone():
    assert not rewritten([(x + y) * z], MOVE)


def test_what_is_there_already_is_not_added():
    assert rewritten([(x + y) * z, x * z, y * z], MOVE) == {"move": 1}


@pytest.mark.parametrize("read", [False, True])
def test_what_is_read_elsewhere_does_not_go(read):
    """exp(-x) is two nodes, and so is 1 / exp(x); the sign stays where it is read."""
    outputs = [at.exp(-x), *([at.sin(-x)] if read else [])]
    assert rewritten(outputs, SIGN) == ({} if read else {"sign": 1})


def test_it_is_tried_again_when_the_other_reader_has_gone():
    shared = -x
    readers = [at.exp(shared) * y, at.sin(y + shared - shared)]
    assert rewritten(readers, SIGN, DROP) == {"sign": 1, "drop": 1}


def test_costs_are_weighed_by_what_is_given():
    assert rewritten([x + x], TWICE) == {"twice": 1}
    dear = {at.mul: 3.0}
    assert not rewritten([x + x], TWICE, cost=lambda node: dear.get(node.op, 1.0))


# How often an equilibrium visits a node, and the error when that is too often.


def visits_by_node(record):
    return record.visits / (record.nodes_start + record.made)


def watching(op):
    """Return a rewriter that looks deep and does nothing."""
    return Watcher(op, depth=4)


def ladder(x, y, steps):
    for _ in range(steps):
        x, y = y, add(x, neg(neg(y)))
    return y


@pytest.mark.parametrize("ignore_newtrees", [True, False])
def test_a_ladder_of_sums_is_climbed_once(graphs, ignore_newtrees):
    x, y, _ = graphs.inputs
    found = []
    for steps in (50, 400):
        optimizer = EquilibriumOptimizer([NEG_NEG, watching(add)], ignore_newtrees=ignore_newtrees)
        record = optimizer.optimize(graphs(ladder(x, y, steps)))
        assert record.applied == {"neg-neg": steps}
        found.append(visits_by_node(record))
    assert max(found) < 4
    assert found[1] < 1.1 * found[0]


@local_optimizer([mul])
def count_on(fgraph, node):
    """Replace a factor, again and again in the same place."""
    number = node.inputs[1]
    if not isinstance(number, Constant) or number.data > 100:
        return False
    return [mul(node.inputs[0], float(number.data) + 1.0)]


count_on.depth = 1


def fan(graphs):
    """Return a graph of 300 readers of what `count_on` rewrites 100 times."""
    value = exp(mul(graphs.x, 1.0))
    factors = [float64(f"k{i}") for i in range(300)]
    graphs.inputs = [*graphs.inputs, *factors]
    return graphs(*[abs(mul(value, k)) for k in factors])


@pytest.mark.parametrize("ignore_newtrees", [True, False])
def test_many_readers_wait_for_the_end_of_many_rewrites(graphs, ignore_newtrees):
    optimizer = EquilibriumOptimizer(
        [count_on, watching(abs), watching(mul)], ignore_newtrees=ignore_newtrees
    )
    record = optimizer.optimize(fan(graphs))
    assert record.applied["count_on"] == 100
    assert record.visits < 20 * (record.nodes_start + record.made)


def test_a_visit_puts_no_other_node_in_the_queue(graphs):
    x, y, _ = graphs.inputs
    optimizer = EquilibriumOptimizer([watching(op) for op in (add, mul, sub, neg)])
    record = optimizer.optimize(graphs(ladder(x, y, 200)))
    assert record.visits == record.nodes_start
    assert record.calls == record.nodes_start
    assert record.made == 0


def test_too_many_visits_are_an_error(graphs, monkeypatch):
    x, y, _ = graphs.inputs
    monkeypatch.setattr(limits, "VISITS_AT_LEAST", 0)
    monkeypatch.setattr(limits, "VISITS_PER_NODE", 0)
    optimizer = EquilibriumOptimizer([NEG_NEG, watching(add)], ignore_newtrees=True)
    with pytest.raises(DivergenceError, match=r"has visited nodes \d+ times") as caught:
        optimizer.optimize(graphs(ladder(x, y, 50)))
    error = caught.value
    assert error.stop_reason == error.record.stop_reason == "visits"
    assert error.rewriters == ("neg-neg",)
    assert "neg-neg" in str(error)


def test_the_nodes_that_are_visited_most_are_named(graphs, monkeypatch):
    optimizer = EquilibriumOptimizer([count_on, watching(abs), watching(mul)])
    graph = fan(graphs)
    monkeypatch.setattr(limits, "VISITS_AT_LEAST", 5_000)
    monkeypatch.setattr(limits, "VISITS_PER_NODE", 0)
    with pytest.raises(DivergenceError, match=r"(?s)count_on.*\n  (abs|mul)\(.*: \d+ times"):
        optimizer.optimize(graph)


def test_the_bound_is_the_one_that_is_documented():
    bound = f"{VISITS_AT_LEAST} + {VISITS_PER_NODE} * (nodes + nodes made)"
    assert bound in EquilibriumOptimizer.__doc__


class TestCycleWatch:
    def test_it_gives_up_and_grows_patient(self, graphs):
        fgraph = graphs(graphs.x)
        watch = CycleDetector(fgraph)
        watch.FIRST = watch.WORK = 10
        watch._most = 10
        assert watch.watching(40)
        for _ in range(10):
            fgraph.change_node_input("output", 0, exp(fgraph.outputs[0]))
            assert watch.observe(Step("grow", "a", "b"), 40) is None
        assert not watch.watching(159)
        assert watch.watching(160)
