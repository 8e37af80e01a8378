"""`Graph optimization`, the older form of the first document, as a reader types it.

``theano.gof`` is read as ``relgraph.graph``, ``Env`` as ``FunctionGraph``, ``env`` as ``fgraph``,
and what has another name since by that name, as in the newer document: ``gof.Optimizer`` as
``gof.GlobalOptimizer``, ``toolbox`` as ``features``, ``extend`` as ``attach_feature``, ``div`` as
``true_div``, ``double`` as ``float64``, ``merge_optimizer`` as ``MergeOptimizer()``. A
`LocalOptimizer` is given the graph beside the node, an optimizer returns what it counted, and a
graph shows as ``FunctionGraph(...)`` and not as a list.

The sections `The optimization database`, `Using PatternSub` and `Inplace optimizations` have no
code.
"""

import relgraph.tensor as at
from relgraph import graph as gof
from relgraph.graph.features import ReplaceValidate
from tests.documents import test_graph_rewriting as newer

SIMPLIFY = """
    from relgraph import graph as gof
    from relgraph.graph import features

    class Simplify(gof.GlobalOptimizer):
        def add_requirements(self, fgraph):
            fgraph.attach_feature(features.ReplaceValidate())
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

# The document takes the scalars and their ops from another page.
SCALARS = "from relgraph.scalar import add, float64, mul, true_div"


def older(block: str) -> str:
    """Return a block of the newer document as the older one has it."""
    return block.replace("relgraph.graph.fg.", "gof.")


SIMPLIFIED, NOT_MERGED, MERGED = map(older, (newer.SIMPLIFIED, newer.NOT_MERGED, newer.MERGED))

LOCAL_SIMPLIFY = """
    class LocalSimplify(gof.LocalOptimizer):
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

    local_simplify = LocalSimplify()
"""

LOCALLY_SIMPLIFIED = """
    >>> x = float64('x')
    >>> y = float64('y')
    >>> z = float64('z')
    >>> a = add(z, mul(true_div(mul(y, x), y), true_div(z, x)))
    >>> e = gof.FunctionGraph([x, y, z], [a])
    >>> e
    FunctionGraph(add(z, mul(true_div(mul(y, x), y), true_div(z, x))))
    >>> simplify = gof.TopoOptimizer([local_simplify])
    >>> _ = simplify.optimize(e)
    >>> e
    FunctionGraph(add(z, mul(x, true_div(z, x))))
"""


def test_global_optimization(reader) -> None:
    reader.writes(SCALARS, SIMPLIFY).types(SIMPLIFIED, NOT_MERGED, MERGED)


def test_global_optimization_a_feature_that_is_there_is_left_out() -> None:
    """The note in parentheses: attaching ReplaceValidate again does nothing."""
    x = at.dvector("x")
    fgraph = gof.FunctionGraph([x], [at.exp(x)])
    fgraph.attach_feature(ReplaceValidate())
    method = fgraph.replace_validate
    fgraph.attach_feature(ReplaceValidate())
    assert fgraph.replace_validate is method
    assert [type(f) for f in fgraph.features].count(ReplaceValidate) == 1


def test_local_optimization_in_a_navigator(reader) -> None:
    """Its navigator takes a list of local optimizers; they are tried in turn."""
    reader.writes(SCALARS, SIMPLIFY, LOCAL_SIMPLIFY).types(LOCALLY_SIMPLIFIED)
