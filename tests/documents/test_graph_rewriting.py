"""`Graph Rewriting`, global and local optimizations: its code as a reader types it.

``aesara`` is read as ``relgraph``. What the copy lost is put back: the indentation of the code, and
the ``-`` of ``*1 -> add(y, z)``. Comments are not copied.
"""

import inspect

import pytest

from relgraph.graph.opt import (
    GlobalOptimizer,
    LocalOptimizer,
    OpRemove,
    OpSub,
    PatternSub,
)
from tests.documents.blocks import REWRITING, runs

SIMPLIFY = """
    import relgraph
    from relgraph.graph.opt import GlobalOptimizer
    from relgraph.graph.features import ReplaceValidate

    class Simplify(GlobalOptimizer):
        def add_requirements(self, fgraph):
            fgraph.attach_feature(ReplaceValidate())

        def apply(self, fgraph):
            for node in fgraph.toposort():
                if node.op == true_div:
                    x, y = node.inputs
                    z = node.outputs[0]
                    if x.owner and x.owner.op == mul:
                        a, b = x.owner.inputs
                        if y == a:
                            fgraph.replace_validate(z, b)
                        elif y == b:
                            fgraph.replace_validate(z, a)

    simplify = Simplify()
"""

SIMPLIFIED = """
    >>> from relgraph.scalar import float64, add, mul, true_div
    >>> x = float64('x')
    >>> y = float64('y')
    >>> z = float64('z')
    >>> a = add(z, mul(true_div(mul(y, x), y), true_div(z, x)))
    >>> e = relgraph.graph.fg.FunctionGraph([x, y, z], [a])
    >>> e
    FunctionGraph(add(z, mul(true_div(mul(y, x), y), true_div(z, x))))
    >>> simplify.optimize(e)
    >>> e
    FunctionGraph(add(z, mul(x, true_div(z, x))))
"""

NOT_MERGED = """
    >>> x = float64('x')
    >>> y = float64('y')
    >>> z = float64('z')
    >>> a = true_div(mul(add(y, z), x), add(y, z))
    >>> e = relgraph.graph.fg.FunctionGraph([x, y, z], [a])
    >>> e
    FunctionGraph(true_div(mul(add(y, z), x), add(y, z)))
    >>> simplify.optimize(e)
    >>> e
    FunctionGraph(true_div(mul(add(y, z), x), add(y, z)))
"""

MERGED = """
    >>> from relgraph.graph.opt import MergeOptimizer
    >>> MergeOptimizer().optimize(e)
    (0, ..., None, None, {}, 1, 0)
    >>> e
    FunctionGraph(true_div(mul(*1 -> add(y, z), x), *1))
    >>> simplify.optimize(e)
    >>> e
    FunctionGraph(x)
"""

LOCAL_SIMPLIFY = """
    from relgraph.graph.opt import LocalOptimizer

    class LocalSimplify(LocalOptimizer):
        def transform(self, fgraph, node):
            if node.op == true_div:
                x, y = node.inputs
                if x.owner and x.owner.op == mul:
                    a, b = x.owner.inputs
                    if y == a:
                        return [b]
                    elif y == b:
                        return [a]

            return False

        def tracks(self):
            return [true_div]

    local_simplify = LocalSimplify()
"""

LOCALLY_SIMPLIFIED = """
    >>> x = float64('x')
    >>> y = float64('y')
    >>> z = float64('z')
    >>> a = add(z, mul(true_div(mul(y, x), y), true_div(z, x)))
    >>> e = relgraph.graph.fg.FunctionGraph([x, y, z], [a])
    >>> e
    FunctionGraph(add(z, mul(true_div(mul(y, x), y), true_div(z, x))))
    >>> simplify = relgraph.graph.opt.TopoOptimizer(local_simplify)
    >>> simplify.optimize(e)
    (<relgraph.graph.opt.TopoOptimizer object at 0x...>, 1, 5, 3, ..., ..., ...)
    >>> e
    FunctionGraph(add(z, mul(x, true_div(z, x))))
"""

SHORTCUTS = """
    from relgraph.scalar import identity
    from relgraph.graph.opt import OpSub, OpRemove, PatternSub

    add_to_mul = OpSub(add, mul)
    remove_identity = OpRemove(identity)
    local_simplify_1 = PatternSub((true_div, (mul, 'x', 'y'), 'y'), 'x')
    local_simplify_2 = PatternSub((true_div, (mul, 'x', 'y'), 'x'), 'y')
"""


# a listing of methods with their arguments
@runs(REWRITING, "Global optimization", "class GlobalOptimizer")
# a listing of methods with their arguments
@runs(REWRITING, "Local optimization", "class LocalOptimizer")
def test_global_and_local_optimization_the_methods() -> None:
    """The listing of the two classes: the methods are there and take what it says."""
    for cls, methods in {
        GlobalOptimizer: {"apply": "fgraph", "add_requirements": "fgraph", "optimize": "fgraph"},
        LocalOptimizer: {"transform": "fgraph node", "add_requirements": "fgraph", "tracks": ""},
    }.items():
        for name, arguments in methods.items():
            found = list(inspect.signature(getattr(cls, name)).parameters.values())[1:]
            taken = [p.name for p in found if p.kind is p.POSITIONAL_OR_KEYWORD]
            assert taken == arguments.split(), f"{cls.__name__}.{name}"


@runs(
    REWRITING,
    "A simplification rule: global optimization",
    "import aesara / class Simplify",
    ">>> from aesara.scalar import float64",
    ">>> x = float64('x') / a = true_div",
    ">>> from aesara.graph.opt import MergeOptimizer",
)
def test_simplification_rule_global_optimization(reader) -> None:
    reader.writes(SIMPLIFY).types(SIMPLIFIED, NOT_MERGED, MERGED)


def test_simplification_rule_many_instances(reader) -> None:
    """The document invites to try many instances of the quotient in one graph."""
    reader.writes(SIMPLIFY).types(
        SIMPLIFIED,
        """
        >>> t = z
        >>> for _ in range(50):
        ...     t = add(true_div(mul(y, t), y), true_div(mul(x, y), y))
        >>> e = relgraph.graph.fg.FunctionGraph([x, y, z], [t])
        >>> len(e.apply_nodes)
        250
        >>> simplify.optimize(e)
        >>> len(e.apply_nodes), {str(node.op) for node in e.apply_nodes}
        (50, {'add'})
        """,
    )


def test_simplification_rule_exercise_with_node_finder(reader) -> None:
    """The exercise: the method that NodeFinder publishes in place of `toposort`."""
    reader.writes(
        """
        import relgraph
        from relgraph.graph.opt import GlobalOptimizer
        from relgraph.graph.features import NodeFinder, ReplaceValidate

        class Simplify(GlobalOptimizer):
            def add_requirements(self, fgraph):
                fgraph.attach_feature(ReplaceValidate())
                fgraph.attach_feature(NodeFinder())

            def apply(self, fgraph):
                for node in fgraph.get_nodes(true_div):
                    x, y = node.inputs
                    z = node.outputs[0]
                    if x.owner and x.owner.op == mul:
                        a, b = x.owner.inputs
                        if y == a:
                            fgraph.replace_validate(z, b)
                        elif y == b:
                            fgraph.replace_validate(z, a)

        simplify = Simplify()
        """
    ).types(SIMPLIFIED, NOT_MERGED, MERGED)


@runs(
    REWRITING,
    "Local Optimization",
    "from aesara.graph.opt import LocalOptimizer",
    ">>> x = float64('x') / a = add",
)
def test_local_optimization(reader) -> None:
    reader.writes(SIMPLIFY).types(SIMPLIFIED).writes(LOCAL_SIMPLIFY).types(LOCALLY_SIMPLIFIED)
    assert reader.names["local_simplify"].tracks() == [reader.names["true_div"]]


# a listing of methods with their arguments
@runs(REWRITING, "OpSub, OpRemove, PatternSub", "OpSub(op1, op2)")
def test_shortcuts_the_listing() -> None:
    """The listing of OpSub, OpRemove and PatternSub: they take what it says, in this order."""
    for cls, count in ((OpSub, 2), (OpRemove, 1), (PatternSub, 2)):
        needed = [
            p for p in inspect.signature(cls).parameters.values() if p.default is inspect._empty
        ]
        assert len(needed) == count, cls.__name__
        assert issubclass(cls, LocalOptimizer)


@runs(REWRITING, "OpSub, OpRemove, PatternSub", "from aesara.scalar import identity")
def test_shortcuts(reader) -> None:
    reader.writes(SIMPLIFY).types(SIMPLIFIED).writes(SHORTCUTS).types(
        """
        >>> from relgraph.graph.opt import TopoOptimizer
        >>> def rewritten(local, term):
        ...     e = relgraph.graph.fg.FunctionGraph([x, y, z], [term])
        ...     _ = TopoOptimizer(local).optimize(e)
        ...     return e
        >>> rewritten(add_to_mul, add(x, add(y, z)))
        FunctionGraph(mul(x, mul(y, z)))
        >>> rewritten(remove_identity, mul(identity(x), identity(identity(y))))
        FunctionGraph(mul(x, y))
        >>> rewritten(local_simplify_1, add(z, true_div(mul(x, y), y)))
        FunctionGraph(add(z, x))
        >>> rewritten(local_simplify_2, add(z, true_div(mul(y, x), y)))
        FunctionGraph(add(z, x))
        >>> rewritten(local_simplify_1, true_div(mul(x, z), y))
        FunctionGraph(true_div(mul(x, z), y))
        """
    )


@pytest.mark.parametrize("wrong", ["simplify.apply(e)", "e.replace_validate(a, x)"])
def test_without_requirements_replace_validate_is_missing(reader, wrong: str) -> None:
    reader.writes(SIMPLIFY).types(SIMPLIFIED)
    with pytest.raises(AttributeError, match="replace_validate"):
        reader.writes(
            """
            e = relgraph.graph.fg.FunctionGraph(
                [x, y, z], [a := true_div(mul(x, y), y)], clone=False)
            """,
            wrong,
        )
