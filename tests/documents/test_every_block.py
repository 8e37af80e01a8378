"""Which test runs which block of code of `Graph Rewriting` and `How to Make Ops`.

The tables list the blocks in the order of the documents, by their section and their first words,
with the test that runs them; or, where a block is no code, the reason, and the test that holds
the library to it if there is one.
"""

import ast
from pathlib import Path
from typing import NamedTuple

import pytest

HERE = Path(__file__).parent


class Block(NamedTuple):
    """One block: where it stands, how it begins, and what becomes of it.

    `test` is ``file::function`` or ``file::class::function``; `no_code` says why a block is not
    run as it stands.
    """

    section: str
    begins: str
    test: str
    no_code: str = ""


REWRITING, RELATIONS, DATABASE, PROFILING, OPS, STORAGE = (
    "test_graph_rewriting.py",
    "test_graph_rewriting_relations.py",
    "test_optimization_database.py",
    "test_profiling_report.py",
    "test_making_ops.py",
    "test_making_ops_storage.py",
)
LISTING = "a listing of methods with their arguments"
REPORT = "what a program prints"
CALL = "a call with the names of its arguments for arguments"

GRAPH_REWRITING = [
    Block(
        "Global optimization",
        "class GlobalOptimizer",
        f"{REWRITING}::test_global_and_local_optimization_the_methods",
        LISTING,
    ),
    Block(
        "Local optimization",
        "class LocalOptimizer",
        f"{REWRITING}::test_global_and_local_optimization_the_methods",
        LISTING,
    ),
    Block(
        "A simplification rule: global optimization",
        "import aesara / class Simplify",
        f"{REWRITING}::test_simplification_rule_global_optimization",
    ),
    Block(
        "A simplification rule: global optimization",
        ">>> from aesara.scalar import float64",
        f"{REWRITING}::test_simplification_rule_global_optimization_tested",
    ),
    Block(
        "A simplification rule: global optimization",
        ">>> x = float64('x') / a = true_div",
        f"{REWRITING}::test_simplification_rule_equal_terms_are_not_the_same",
    ),
    Block(
        "A simplification rule: global optimization",
        ">>> from aesara.graph.opt import MergeOptimizer",
        f"{REWRITING}::test_simplification_rule_merge",
    ),
    Block(
        "Local Optimization",
        "from aesara.graph.opt import LocalOptimizer",
        f"{REWRITING}::test_local_optimization",
    ),
    Block(
        "Local Optimization",
        ">>> x = float64('x') / a = add",
        f"{REWRITING}::test_local_optimization_in_a_navigator",
    ),
    Block(
        "OpSub, OpRemove, PatternSub",
        "OpSub(op1, op2)",
        f"{REWRITING}::test_shortcuts_the_listing",
        LISTING,
    ),
    Block(
        "OpSub, OpRemove, PatternSub",
        "from aesara.scalar import identity",
        f"{REWRITING}::test_shortcuts",
    ),
    Block(
        "Unification and reification",
        ">>> from unification import unify",
        f"{RELATIONS}::test_unification",
    ),
    Block(
        "Unification and reification",
        ">>> res = reify(etuple(add",
        f"{RELATIONS}::test_reification",
    ),
    Block("Unification and reification", ">>> res.evaled_obj", f"{RELATIONS}::test_evaluation"),
    Block("Unification and reification", ">>> from cons import cons", f"{RELATIONS}::test_cons"),
    Block(
        "Unification and reification",
        ">>> res = reify(cons(mul",
        f"{RELATIONS}::test_cons_reified",
    ),
    Block(
        "miniKanren",
        "import aesara / import aesara.tensor as at",
        f"{RELATIONS}::test_minikanren_relation",
    ),
    Block("miniKanren", ">>> x_at = at.vector", f"{RELATIONS}::test_minikanren_first_graph"),
    Block("miniKanren", ">>> res = optimize_graph", f"{RELATIONS}::test_minikanren_distributed"),
    Block("miniKanren", ">>> z_at = at.vector", f"{RELATIONS}::test_minikanren_more_cases"),
    Block("miniKanren", ">>> dot_gather_opt", f"{RELATIONS}::test_minikanren_gathered"),
    Block(
        "OptimizationQuery",
        "OptimizationQuery(include, require=None",
        f"{DATABASE}::test_optimization_query_the_call",
        CALL,
    ),
    Block(
        "OptimizationQuery",
        "class OptimizationQuery",
        f"{DATABASE}::test_optimization_query_the_fields",
        "a listing of fields",
    ),
    Block(
        "OptimizationQuery: examples",
        "from aesara.graph.optdb import OptimizationQuery",
        f"{DATABASE}::test_examples",
    ),
    Block(
        "Registering an Optimizer",
        "optdb.register('simplify', simplify",
        f"{DATABASE}::test_registering_an_optimizer",
    ),
    Block(
        "Registering a LocalOptimizer",
        "canonicalize()",
        f"{DATABASE}::test_registering_a_local_optimizer_in_a_phase",
        "a listing of two databases",
    ),
    Block("optdb structure", "Order, Name", f"{DATABASE}::test_optdb_structure", "a table"),
    Block(
        "Profiling function compilation",
        "Function profiling",
        f"{PROFILING}::test_function_profiling",
        REPORT,
    ),
    Block(
        "Detailed profiling of optimizations",
        "Optimizer Profile",
        f"{PROFILING}::test_detailed_profiling",
        REPORT,
    ),
    Block(
        "Detailed profiling of optimizations",
        "Optimizer Profile / SeqOptimizer OPT_FAST_RUN (explained)",
        f"{PROFILING}::test_detailed_profiling_of_a_sequence",
        REPORT,
    ),
    Block(
        "Detailed profiling of optimizations",
        "0.751816s ('canonicalize', 'EquilibriumOptimizer', 4) (explained)",
        f"{PROFILING}::test_detailed_profiling_of_an_equilibrium",
        REPORT,
    ),
]

MAKING_OPS = [
    Block(
        "Parametrization",
        "Broadcast(<scalar op>, <inplace?>)",
        f"{OPS}::TestParametrization::test_broadcast",
        "a form with names for arguments, as the three that follow",
    ),
    Block(
        "Parametrization",
        "Reduce(<scalar op>, <axes>)",
        f"{OPS}::TestParametrization::test_reduce",
        "see above",
    ),
    Block(
        "Parametrization",
        "Add(<output type inferrer>)",
        f"{OPS}::TestParametrization::test_add_with_an_output_type_inferrer",
        "see above",
    ),
    Block(
        "Parametrization",
        "Composite(<graph>)",
        f"{OPS}::TestParametrization::test_composite",
        "see above",
    ),
    Block(
        "Parametrization: ideas",
        "MyOp(<debug>)",
        f"{OPS}::TestParametrization::test_a_debugging_op",
        "an idea",
    ),
    Block(
        "Parametrization: ideas",
        "MyOp(<allow C>)",
        "",
        "an idea about C code, of which there is none here",
    ),
    Block(
        "Op.make_node()",
        "make_node(self, *inputs)",
        f"{OPS}::TestMakeNode::test_signatures",
        "a signature",
    ),
    Block(
        "Op.make_node()",
        "return Apply(self, <wrapped inputs>, <outputs>)",
        f"{OPS}::TestMakeNode::test_apply_takes_lists_of_variables",
        CALL,
    ),
    Block(
        "Op.make_node()",
        "from aesara.scalar import * / class Add(Op)",
        f"{OPS}::TestMakeNode::test_example",
    ),
    Block(
        "Op.make_node()",
        "1. node1.op == node2.op",
        f"{OPS}::TestMakeNode::test_same_behavior",
        "conditions in a numbered list; they are typed as expressions",
    ),
    Block("__call__", "if len(outputs) is 1", f"{OPS}::TestCall::test_pseudocode", "pseudocode"),
    Block(
        "perform",
        "perform(self, node, inputs, output_storage)",
        f"{OPS}::TestMakeNode::test_signatures",
        "a signature",
    ),
    Block("perform", "class Add(Op) / perform", f"{OPS}::TestPerform::test_example"),
    Block(
        "grad",
        "grad(self, inputs, output_gradients)",
        f"{OPS}::TestMakeNode::test_signatures",
        "a signature",
    ),
    Block(
        "grad",
        "def grad(self, (x, ), (gz, ))",
        f"{OPS}::TestGrad::test_semantics_one_input",
        "a sketch in mathematics: dz/dx is no expression, and the parameters are old syntax",
    ),
    Block(
        "grad",
        "def grad(self, (x, y), (gz, gw))",
        f"{OPS}::TestGrad::test_semantics_two_inputs",
        "see above",
    ),
    Block("grad", "class Mul(Op)", f"{OPS}::TestGrad::test_example"),
    Block(
        "grad",
        "return gx,",
        f"{OPS}::TestGrad::test_one_input_list_or_tuple",
        "single statements in a list of what is fine",
    ),
    Block(
        "Destroyers",
        "add_inplace.destroy_map == {0: [0]}",
        f"{STORAGE}::TestDestroyersAndViewers::test_destroy_map",
        "an expression in a sentence",
    ),
    Block(
        "Viewers",
        "transpose.view_map == {0: [0]}",
        f"{STORAGE}::TestDestroyersAndViewers::test_view_map",
        "an expression in a sentence",
    ),
    Block(
        "Hidden outputs",
        "class Add(Op) / default_output",
        f"{STORAGE}::TestHiddenOutputs::test_example_the_buffer_is_used_again",
    ),
]

# How many blocks the documents have, counted by reading them.
COUNTS = {"Graph Rewriting": (GRAPH_REWRITING, 30), "How to Make Ops": (MAKING_OPS, 21)}


def names_of_tests(file: str) -> set[str]:
    """Return the names of the tests in a file of this folder, those in classes with the class."""
    tree = ast.parse((HERE / file).read_text(encoding="utf-8"))
    found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for cls in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        found |= {f"{cls.name}::{f.name}" for f in cls.body if isinstance(f, ast.FunctionDef)}
    return found


@pytest.mark.parametrize("document", COUNTS)
def test_every_block_is_listed_once(document: str) -> None:
    blocks, count = COUNTS[document]
    assert len(blocks) == count
    assert len({(block.section, block.begins) for block in blocks}) == count


@pytest.mark.parametrize("document", COUNTS)
def test_every_block_is_run_or_is_no_code(document: str) -> None:
    for block in COUNTS[document][0]:
        assert block.test or block.no_code, block


@pytest.mark.parametrize("document", COUNTS)
def test_the_tests_are_there(document: str) -> None:
    for block in COUNTS[document][0]:
        if block.test:
            file, _, name = block.test.partition("::")
            assert name.rpartition("::")[2].startswith("test_") and name in names_of_tests(file), (
                block
            )
