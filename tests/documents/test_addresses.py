"""Every name that the documents promise is where they say."""

from __future__ import annotations

from importlib import import_module

import pytest

ADDRESSES = {
    "relgraph": """
        function shared grad dprint pprint config In Out Mode optimize_graph law relation lvars
        compile graph gradient printing scalar tensor testing""",
    "relgraph.graph.basic": """
        Apply Variable Constant ancestors graph_inputs vars_between orphans_between applys_between
        clone clone_get_equiv clone_replace general_toposort io_toposort walk as_string
        list_of_nodes is_in_ancestors equal_computations view_roots io_connection_pattern""",
    "relgraph.graph.op": "Op HasInnerGraph",
    "relgraph.graph.type": "Type",
    "relgraph.graph.fg": "FunctionGraph MissingInputError",
    "relgraph.graph.features": """
        Feature AlreadyThere ReplacementDidNotRemoveError BadOptimization Bookkeeper History
        Validator ReplaceValidate NodeFinder PrintListener NoOutputFromInplace""",
    "relgraph.graph.destroyhandler": "DestroyHandler",
    "relgraph.graph.utils": """
        InconsistencyError MissingInputError MethodNotDefined MetaType MetaObject""",
    "relgraph.graph.opt": """
        GlobalOptimizer LocalOptimizer FromFunctionOptimizer optimizer inplace_optimizer
        SequenceOptimizer SeqOptimizer MergeOptimizer FromFunctionLocalOptimizer local_optimizer
        LocalOptGroup OpSub OpRemove PatternSub NavigatorOptimizer TopoOptimizer in2out out2in
        topogroup_optimizer OpKeyOptimizer EquilibriumOptimizer check_chain copy_stack_trace""",
    "relgraph.graph.optdb": """
        OptimizationDatabase OptimizationQuery EquilibriumDB SequenceDB LocalGroupDB TopoDB
        ProxyDB""",
    "relgraph.graph.opt_utils": "optimize_graph is_same_graph",
    "relgraph.graph.unify": "eval_if_etuple ConstrainedVar convert_strs_to_vars",
    "relgraph.graph.kanren": "KanrenRelationSub",
    "relgraph.compile": """
        function In Out shared optdb predefined_optimizers predefined_modes register_canonicalize
        register_stabilize register_specialize""",
    "relgraph.compile.mode": """
        Mode get_mode get_default_mode register_optimizer register_mode""",
    "relgraph.printing": """
        debugprint dprint pprint OperatorPrinter FunctionPrinter PatternPrinter IgnorePrinter
        DefaultPrinter Print""",
    "relgraph.gradient": """
        grad Lop Rop jacobian hessian verify_grad disconnected_grad zero_grad consider_constant
        DisconnectedType DisconnectedInputError NullTypeGradError""",
    "relgraph.scalar": """
        float64 int64 bool add mul sub true_div int_div neg sqr identity Composite constant""",
    "relgraph.tensor.math": "_dot",
    "relgraph.tensor.type": """
        TensorType values_eq_approx_always_true values_eq_approx_remove_nan
        values_eq_approx_remove_inf""",
    "relgraph.tensor": """
        scalar vector matrix row col tensor3 tensor4 dvector lscalar zmatrix TensorType
        as_tensor_variable constant eq neq lt le gt ge sqr invert switch second set_subtensor
        inc_subtensor erf erfc sigmoid softplus""",
    "relgraph.testing": "law_tests check_optimizer",
}


@pytest.mark.parametrize(
    ("module", "name"),
    [(module, name) for module in ADDRESSES for name in ADDRESSES[module].split()],
)
def test_the_name_is_there(module: str, name: str) -> None:
    assert getattr(import_module(module), name) is not None
