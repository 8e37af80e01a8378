"""`Graph Rewriting`, from the optimization database on to its structure: as a reader types it."""

import inspect

import pytest

import relgraph.tensor as at
from relgraph.compile import (
    function,
    optdb,
    optimize_graph,
    register_canonicalize,
    register_specialize,
    register_stabilize,
)
from relgraph.graph.basic import Constant
from relgraph.graph.destroyhandler import DestroyHandler
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import (
    EquilibriumOptimizer,
    MergeOptimizer,
    OpSub,
    PatternSub,
    SeqOptimizer,
    SequenceOptimizer,
    in2out,
    local_optimizer,
)
from relgraph.graph.optdb import (
    EquilibriumDB,
    OptimizationDatabase,
    OptimizationQuery,
    SequenceDB,
)
from tests.documents.blocks import REWRITING, runs
from tests.documents.test_graph_rewriting import SIMPLIFY

QUERIES = """
    from relgraph.scalar import add, float64, mul, true_div
    from relgraph.graph.optdb import OptimizationQuery
    from relgraph.compile import optdb

    fast_run = optdb.query(OptimizationQuery(include=['fast_run']))

    fast_compile = optdb.query(OptimizationQuery(include=['fast_compile']))

    fast_run_no_inplace = optdb.query(OptimizationQuery(include=['fast_run'],
                                                        exclude=['inplace']))
"""

REGISTERED = "optdb.register('simplify', simplify, 'fast_run', position=0.5)"


def names(optimizer: SequenceOptimizer) -> list[str | None]:
    return [opt.name for opt in optimizer]


def rewriters(optimizer: SequenceOptimizer, phase: str) -> list[str | None]:
    """Return the names of the local rewriters in one phase of a sequence."""
    (found,) = [opt for opt in optimizer if opt.name == phase]
    return [local.name for local in found.local_optimizers]


def test_definition_of_optdb() -> None:
    assert isinstance(optdb, SequenceDB) and issubclass(SequenceDB, OptimizationDatabase)
    for phase in ("canonicalize", "stabilize", "specialize"):
        assert isinstance(optdb[phase], EquilibriumDB)
    made = optdb.query(OptimizationQuery(include=["fast_run"]))
    assert isinstance(made, SequenceOptimizer) and SeqOptimizer is SequenceOptimizer
    (canonicalize,) = [opt for opt in made if opt.name == "canonicalize"]
    assert isinstance(canonicalize, EquilibriumOptimizer)


# a call with the names of its arguments for arguments
@runs(REWRITING, "OptimizationQuery", "OptimizationQuery(include, require=None")
# a listing of fields
@runs(REWRITING, "OptimizationQuery", "class OptimizationQuery")
def test_optimization_query_the_call() -> None:
    """The call `OptimizationQuery(include, require=None, exclude=None, subquery=None)`.

    What each of these does, `tests/graph/test_optdb.py` shows.
    """
    found = list(inspect.signature(OptimizationQuery).parameters.values())[:4]
    assert [p.name for p in found] == ["include", "require", "exclude", "subquery"]
    assert [p.default for p in found] == [inspect.Parameter.empty, None, None, None]
    assert vars(OptimizationQuery(["a"])).keys() >= {p.name for p in found}


@runs(REWRITING, "OptimizationQuery: examples", "from aesara.graph.optdb import OptimizationQuery")
def test_examples(reader) -> None:
    reader.writes(QUERIES)
    run, compile_, no_inplace = (
        reader.names[name] for name in ("fast_run", "fast_compile", "fast_run_no_inplace")
    )
    assert names(compile_)[:2] == ["merge1", "canonicalize"]
    assert "specialize" not in names(compile_)
    assert {"merge1", "canonicalize", "specialize", "add_destroy_handler"} <= set(names(run))
    assert set(names(run)) > set(names(no_inplace)) > set(names(compile_))
    assert "add_destroy_handler" not in names(no_inplace)


@runs(REWRITING, "Registering an Optimizer", "optdb.register('simplify', simplify")
def test_registering_an_optimizer(reader) -> None:
    """Once it is registered `function` includes it; functions made before stay as they are."""
    reader.writes(QUERIES, SIMPLIFY)
    reader.types(
        """
        >>> from relgraph import function
        >>> x, y = float64('x'), float64('y')
        >>> before = function([x, y], add(true_div(mul(x, y), y), y), mode='FAST_RUN')
        >>> graph_before = str(before.maker.fgraph)
        """
    )
    reader.writes(REGISTERED)
    reader.types(
        """
        >>> after = function([x, y], add(true_div(mul(x, y), y), y), mode='FAST_RUN')
        >>> after.maker.fgraph
        FunctionGraph(add(x, y))
        >>> str(before.maker.fgraph) == graph_before
        True
        >>> print(before(3.0, 2.0), after(3.0, 2.0))
        5.0 5.0
        """
    )
    made = optdb.query(OptimizationQuery(include=["fast_run"]))
    assert names(made)[:4] == ["merge1", "simplify", "sparse_structure", "canonicalize"]
    assert "simplify" not in names(optdb.query(OptimizationQuery(include=["fast_compile"])))


def test_registering_a_local_optimizer_in_a_navigator(reader) -> None:
    """The first of the two ways: wrapped in a navigator, like a global one."""
    x = at.dvector("x")
    optdb.register("to_cosh", in2out(OpSub(at.sinh, at.cosh)), "fast_run", position=60)
    assert function([x], at.sinh(x)).maker.fgraph.outputs[0].owner.op is at.cosh


# a listing of two databases
@runs(REWRITING, "Registering a LocalOptimizer", "canonicalize()")
@pytest.mark.parametrize(
    ("register", "phase"),
    [
        (register_canonicalize, "canonicalize"),
        (register_stabilize, "stabilize"),
        (register_specialize, "specialize"),
    ],
)
def test_registering_a_local_optimizer_in_a_phase(reader, register, phase: str) -> None:
    """The second way: in an EquilibriumDB. There are two in the document, and stabilize."""
    x = at.dvector("x")

    @register
    @local_optimizer([at.sinh])
    def my_sinh(fgraph, node):
        return [at.cosh(node.inputs[0])]

    assert my_sinh.name in rewriters(optdb.query("+fast_run"), phase)
    assert function([x], at.sinh(x)).maker.fgraph.outputs[0].owner.op is at.cosh
    with pytest.raises(ValueError, match=rf"'my_sinh' .* {phase} already, registered at .*\.py:\d"):
        register(my_sinh)
    optdb[phase].register("by hand", PatternSub((at.tanh, "v"), (at.cosh, "v")), "fast_run")
    assert function([x], at.tanh(x)).maker.fgraph.outputs[0].owner.op is at.cosh


def test_registering_a_local_optimizer_what_the_phases_are_for() -> None:
    """What the document says of canonicalize and specialize: constants fold, squares appear."""
    x = at.dvector("x")
    folded = optimize_graph(x + at.constant(2.0) * at.constant(2.0))
    (four,) = [v for v in folded.owner.inputs if isinstance(v, Constant)]
    assert folded.owner.op is at.add and four.data.ravel().tolist() == [4.0]
    special = function([x], x * x).maker.fgraph.outputs[0]
    assert special.owner.op is at.sqr


# a table
@runs(REWRITING, "optdb structure", "Order, Name")
def test_optdb_structure() -> None:
    """The table of orders and names, with stabilize between canonicalize and specialize."""
    table = {
        "merge1": 0,
        "canonicalize": 1,
        "specialize": 2,
        "merge2": 49,
        "add_destroy_handler": 49.5,
        "merge3": 100,
    }
    found = {name: optdb._entries[name].position for name in table}
    assert found == table
    assert 1 < optdb._entries["stabilize"].position < 2
    for merge in ("merge1", "merge2", "merge3"):
        assert isinstance(optdb[merge], MergeOptimizer)
    tags = optdb._entries["add_destroy_handler"].tags
    assert "fast_run" in tags and "inplace" in tags


def test_optdb_structure_inplace_comes_after_the_destroy_handler() -> None:
    for name, entry in optdb._entries.items():
        if "inplace" in entry.tags and name != "add_destroy_handler":
            assert entry.position >= 50, name


def test_optdb_structure_the_destroy_handler_is_added_late() -> None:
    x = at.dvector("x")
    for cutoff, handled in ((49.5, False), (50, True)):
        fgraph = FunctionGraph([x], [at.exp(x)])
        optdb.query("+fast_run", position_cutoff=cutoff).optimize(fgraph)
        assert any(isinstance(f, DestroyHandler) for f in fgraph.features) is handled
