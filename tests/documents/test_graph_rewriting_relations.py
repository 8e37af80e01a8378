"""`Graph Rewriting`, unification and miniKanren: its code as a reader types it.

``aesara`` is read as ``relgraph``. What the copy lost is put back: the indentation of the code, and
the `` |`` that the lines of a printed graph begin with. Comments and docstrings are not copied.
"""

from kanren.assoccomm import associative

import relgraph.tensor as at
from tests.documents.blocks import REWRITING, runs

# What is left of the blocks before.
SCALARS = """
    import relgraph
    from relgraph.scalar import float64, add, mul, true_div

    x = float64('x')
    y = float64('y')
    z = float64('z')
"""

UNIFY = """
    >>> from unification import unify, reify, var
    >>> from etuples import etuple
    >>> y_lv = var()
    >>> y_lv
    ~_1
    >>> s = unify(add(x, y), etuple(add, x, y_lv))
    >>> s
    {~_1: y}
"""

REIFY = """
    >>> res = reify(etuple(add, y_lv, y_lv), s)
    >>> res
    e(<relgraph.scalar.basic.Add at 0x...>, y, y)
"""

EVALUATE = """
    >>> res.evaled_obj
    add.0
    >>> relgraph.dprint(res.evaled_obj)
    add [id A] ''
     |y [id B]
     |y [id B]
"""

CONS = """
    >>> from cons import cons
    >>> op_lv = var()
    >>> args_lv = var()
    >>> s = unify(cons(op_lv, args_lv), add(x, y))
    >>> s
    {~_2: <relgraph.scalar.basic.Add at 0x...>, ~_3: e(x, y)}
    >>> s = unify(cons(op_lv, args_lv), add(x, y, z))
    >>> s
    {~_2: <relgraph.scalar.basic.Add at 0x...>, ~_3: e(x, y, z)}
"""

RECONS = """
    >>> res = reify(cons(mul, args_lv), s)
    >>> res
    e(<relgraph.scalar.basic.Mul at 0x...>, x, y, z)
    >>> relgraph.dprint(res.evaled_obj)
    mul [id A] ''
     |x [id B]
     |y [id C]
     |z [id D]
"""

DISTRIBUTE = """
    import relgraph
    import relgraph.tensor as at
    from relgraph.graph.kanren import KanrenRelationSub
    from relgraph.graph.opt import EquilibriumOptimizer
    from relgraph.graph.opt_utils import optimize_graph
    from relgraph.tensor.math import _dot
    from etuples import etuple
    from kanren import conso, eq, fact, heado, tailo
    from kanren.assoccomm import assoc_flatten, associative
    from kanren.core import lall
    from kanren.graph import mapo
    from unification import vars as lvars

    relgraph.pprint.assign(
        _dot, relgraph.printing.OperatorPrinter("@", 1, "left")
    )

    fact(associative, at.add)

    def dot_distributeo(in_lv, out_lv):
        A_lv, add_term_lv, add_cdr_lv, dot_cdr_lv, add_flat_lv = lvars(5)
        return lall(
            eq(in_lv, etuple(_dot, A_lv, add_term_lv)),
            heado(at.add, add_term_lv),
            assoc_flatten(add_term_lv, add_flat_lv),
            tailo(add_cdr_lv, add_flat_lv),
            conso(at.add, dot_cdr_lv, out_lv),
            mapo(lambda x, y: conso(_dot, etuple(A_lv, x), y), add_cdr_lv, dot_cdr_lv),
        )

    dot_distribute_opt = EquilibriumOptimizer(
        [KanrenRelationSub(dot_distributeo)], max_use_ratio=10
    )
"""

DISTRIBUTE_EXAMPLE = """
    >>> x_at = at.vector("x")
    >>> y_at = at.vector("y")
    >>> A_at = at.matrix("A")
    >>> test_at = A_at.dot(x_at + y_at)
    >>> print(relgraph.pprint(test_at))
    (A @ (x + y))
"""

DISTRIBUTED = """
    >>> res = optimize_graph(
    ...     test_at, include=[], custom_opt=dot_distribute_opt, clone=False)
    >>> print(relgraph.pprint(res))
    ((A @ x) + (A @ y))
"""

DISTRIBUTED_DEEPER = """
    >>> z_at = at.vector("z")
    >>> w_at = at.vector("w")
    >>> test_at = A_at.dot((x_at + y_at) + (z_at + w_at))
    >>> print(relgraph.pprint(test_at))
    (A @ ((x + y) + (z + w)))
    >>> res = optimize_graph(
    ...     test_at, include=[], custom_opt=dot_distribute_opt, clone=False)
    >>> print(relgraph.pprint(res))
    (((A @ x) + (A @ y)) + ((A @ z) + (A @ w)))
    >>> B_at = at.matrix("B")
    >>> w_at = at.vector("w")
    >>> test_at = A_at.dot(x_at + (y_at + B_at.dot(z_at + w_at)))
    >>> print(relgraph.pprint(test_at))
    (A @ (x + (y + (B @ (z + w)))))
    >>> res = optimize_graph(
    ...     test_at, include=[], custom_opt=dot_distribute_opt, clone=False)
    >>> print(relgraph.pprint(res))
    ((A @ x) + ((A @ y) + ((A @ (B @ z)) + (A @ (B @ w)))))
"""

GATHERED = """
    >>> dot_gather_opt = EquilibriumOptimizer(
    ...     [KanrenRelationSub(lambda x, y: dot_distributeo(y, x))], max_use_ratio=10)
    >>> rev_res = optimize_graph(res, include=[], custom_opt=dot_gather_opt, clone=False)
    >>> print(relgraph.pprint(rev_res))
    (A @ (x + (y + (B @ (z + w)))))
"""


@runs(
    REWRITING,
    "Unification and reification",
    ">>> from unification import unify",
    ">>> res = reify(etuple(add",
    ">>> res.evaled_obj",
    ">>> from cons import cons",
    ">>> res = reify(cons(mul",
)
def test_unification(reader) -> None:
    reader.writes(SCALARS).types(
        UNIFY, REIFY, EVALUATE, CONS, ">>> s[op_lv] == add\nTrue\n", RECONS
    )


def test_unification_that_fails(reader) -> None:
    reader.writes(SCALARS).types(
        UNIFY,
        """
        >>> unify(add(x, y), etuple(mul, x, y_lv))
        False
        >>> unify(add(x, y), etuple(add, y, y_lv))
        False
        """,
    )


def test_evaluation(reader) -> None:
    """`evaled_obj` is the output of a node; a view of a graph evaluates to the graph's own."""
    reader.writes(SCALARS).types(
        UNIFY,
        REIFY,
        """
        >>> from relgraph.graph.unify import eval_if_etuple
        >>> type(res.evaled_obj.owner).__name__, res.evaled_obj is res.evaled_obj
        ('Apply', True)
        >>> eval_if_etuple(res) is res.evaled_obj, eval_if_etuple(x) is x
        (True, True)
        """,
    )


@runs(
    REWRITING,
    "miniKanren",
    "import aesara / import aesara.tensor as at",
    ">>> x_at = at.vector",
    ">>> res = optimize_graph",
    ">>> z_at = at.vector",
    ">>> dot_gather_opt",
)
def test_minikanren(reader) -> None:
    """The document is wrong in one line: the graph that it prints before the last rewrite.

    It shows ``(B @ z) + (B @ w)`` where ``B_at.dot(z_at + w_at)`` was written and nothing rewritten
    yet; read as ``(A @ (x + (y + (B @ (z + w)))))``, which its own last line agrees with.
    """
    assert (at.add,) not in associative.facts
    reader.writes(DISTRIBUTE)
    assert (at.add,) in associative.facts
    reader.types(DISTRIBUTE_EXAMPLE, DISTRIBUTED, DISTRIBUTED_DEEPER, GATHERED)


def test_the_facts_of_another_test_are_gone() -> None:
    assert (at.add,) not in associative.facts
