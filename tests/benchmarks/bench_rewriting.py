"""How fast graphs are matched and rewritten, here and in PyTensor.

    python tests/benchmarks/bench_rewriting.py [NAME ...] [--peer PYTHON] [--rounds N]

The kinds (all, if none is named):

node        an elementwise node built: microseconds
match       one pattern tried on one node: microseconds
rewrite     whole graphs through canonicalize, stabilize and specialize: milliseconds
scale       chains of 1,000, 10,000 and 100,000 links: microseconds a node, and their growth
memory      bytes that a rewritten chain and the user's own hold, by node of the user's
open        the documented relation (a dot distributes over a sum): milliseconds
dismissal   nodes that none of 200 laws matches: microseconds, and times a wrong op's
sums        sums of 300 and 3,000 different terms: milliseconds, and their ratio
extraction  from 200 relations, and 200 laws of the book, to compiled functions: milliseconds

``--peer`` is an interpreter that has PyTensor. It is measured on what it has too, in turn with this
one, each time in a process of its own; the median over the rounds is printed.
"""

import gc
import importlib
import statistics
import sys
import time
import tracemalloc
from functools import partial
from pathlib import Path

# last, so that PYTHONPATH says which checkout is measured
sys.path.append(str(Path(__file__).parents[2]))

from shared.beside_peer import answered, parser_for, rounds_of
from shared.timing import fresh, times

from tests.families.rewritten import GRAPHS, PHASES, chain

ROOT = Path(__file__).parents[2]
PEER_KINDS = ("node", "match", "rewrite", "scale", "open")
LINKS = {"relgraph": (1_000, 10_000, 100_000), "pytensor": (1_000,)}
LAWS = 200
MATCHES = 2_000


class Library:
    """The names that differ between the two libraries."""

    def __init__(self, name):
        ours = name == "relgraph"
        graph = f"{name}.graph"
        rewriting = f"{graph}.opt" if ours else f"{graph}.rewriting.basic"
        basic = importlib.import_module(rewriting)
        self.name = name
        self.T = importlib.import_module(f"{name}.tensor")
        self.FunctionGraph = importlib.import_module(f"{graph}.fg").FunctionGraph
        self.Pattern = basic.PatternSub if ours else basic.PatternNodeRewriter
        self.Equilibrium = basic.EquilibriumOptimizer if ours else basic.EquilibriumGraphRewriter
        utils = f"{graph}.opt_utils" if ours else f"{graph}.rewriting.utils"
        rewrite = "optimize_graph" if ours else "rewrite_graph"
        self.rewrite = getattr(importlib.import_module(utils), rewrite)
        self.custom = "custom_opt" if ours else "custom_rewrite"
        self.kanren = f"{graph}.kanren" if ours else f"{graph}.rewriting.kanren"

    def grad(self, cost, wrt):
        return importlib.import_module(self.name).grad(cost, wrt)

    def size(self, outputs):
        return len(self.FunctionGraph(outputs=outputs, clone=True).apply_nodes)


def different_terms(lib, n):
    return [lib.T.add(*[lib.T.exp(lib.T.dvector()) for _ in range(n)])]


# -- kinds -------------------------------------------------------------------------------------


def node(lib):
    T = lib.T
    x, y = T.dvector("x"), T.dvector("y")
    built = {"add": lambda: T.add(x, y), "add 1": lambda: x + 1.0, "exp": lambda: T.exp(x)}
    return {f"{name} µs": _microseconds(call) for name, call in built.items()}


def match(lib):
    T = lib.T
    x = T.dvector("x")
    cases = {
        "shallow": ((T.log, (T.exp, "x")), "x", T.log(T.exp(x))),
        "deep": ((T.log, (T.exp, (T.log, (T.exp, "x")))), "x", T.log(T.exp(T.log(T.exp(x))))),
        "constant": ((T.sub, 1.0, (T.erf, "x")), (T.erfc, "x"), 1.0 - T.erf(x)),
        "no match": ((T.log, (T.exp, "x")), "x", T.log(x)),
        "wrong op": ((T.log, (T.exp, "x")), "x", T.sqrt(x)),
    }
    return {
        f"{name} µs": _tried(lib, lib.Pattern(lhs, rhs), x, out)
        for name, (lhs, rhs, out) in cases.items()
    }


def _tried(lib, rewriter, x, out):
    fgraph = lib.FunctionGraph([x], [out], clone=False)
    node = out.owner
    return _microseconds(lambda: rewriter.transform(fgraph, node))


def _microseconds(call):
    return min(times(call, 0.5, count=MATCHES)) * 1e6


def rewrite(lib):
    found = {}
    for name, made in GRAPHS.items():
        make = partial(made, lib.T, lib.grad)
        found[f"{name} ms"] = _rewriting_seconds(lib, make) * 1e3
        found[f"{name} nodes left"] = lib.size(lib.rewrite(make(), include=PHASES, clone=True))
    return found


def _rewriting_seconds(lib, make, count=5):
    return fresh(lambda graph: lib.rewrite(graph, include=PHASES, clone=True), make, count)


def scale(lib):
    found = {}
    for n in LINKS[lib.name]:
        taken = _rewriting_seconds(lib, partial(chain, lib.T, n), 3)
        found[f"chain of {n:,}, µs a node"] = taken / lib.size(chain(lib.T, n)) * 1e6
    costs = list(found.values())
    if len(costs) > 1:
        found["growth from the first to the last"] = costs[-1] / costs[0]
    return found


def memory(lib):
    """What is held once a chain is rewritten: the user's graph and the rewritten copy."""
    lib.rewrite(chain(lib.T, 100), include=PHASES, clone=True)
    gc.collect()
    tracemalloc.start()
    graph = chain(lib.T, 10_000)
    fgraph = lib.FunctionGraph(outputs=graph, clone=True)
    nodes = len(fgraph.apply_nodes)
    lib.rewrite(fgraph, include=PHASES)
    gc.collect()
    held, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {"held, bytes a node": held / nodes, "most at one time, bytes a node": most / nodes}


def open_relation(lib):
    etuple = importlib.import_module("etuples").etuple
    kanren = importlib.import_module("kanren")
    assoccomm = importlib.import_module("kanren.assoccomm")
    mapo = importlib.import_module("kanren.graph").mapo
    logic_variables = importlib.import_module("unification").vars
    T = lib.T
    dot = importlib.import_module(f"{lib.name}.tensor.math")._dot
    kanren.fact(assoccomm.associative, T.add)

    def distributes(i, o):
        A, s, terms, products, flat = logic_variables(5)
        return kanren.core.lall(
            kanren.eq(i, etuple(dot, A, s)),
            kanren.heado(T.add, s),
            assoccomm.assoc_flatten(s, flat),
            kanren.tailo(terms, flat),
            kanren.conso(T.add, products, o),
            mapo(lambda x, y: kanren.conso(dot, etuple(A, x), y), terms, products),
        )

    relation = importlib.import_module(lib.kanren).KanrenRelationSub(distributes)
    optimizer = lib.Equilibrium([relation], max_use_ratio=1000)
    A, x = T.dmatrix("A"), T.dvector("x")

    def make():
        e = x
        for i in range(200):
            e = A.dot(e + x) if i % 20 == 0 else T.tanh(e)
        return [e]

    options = {"include": (), "clone": True, lib.custom: optimizer}
    return {"distribute ms": fresh(lambda graph: lib.rewrite(graph, **options), make, 3) * 1e3}


def dismissal(lib):
    """The equilibrium's look-up on nodes for which 200 laws have nothing, beside a wrong op's."""
    T = lib.T
    root = importlib.import_module("relgraph")
    law, lvars = root.law, root.lvars
    a, b = lvars("a b")
    inner = [T.exp, T.log, T.sin, T.cos, T.sinh, T.cosh, T.erf, T.erfc, T.expm1, T.log1p]
    outer = [*inner, T.sqrt, T.sqr, T.arctan, T.arcsinh]
    one = [law(f"{f} {g}", f(g(a)), a, sound="domain") for f in outer for g in inner]
    two = [
        law(f"{o} {f}", op(f(a), b), b, sound="domain")
        for o, op in (("add", T.add), ("mul", T.mul), ("sub", T.sub), ("div", T.true_div))
        for f in (*inner, T.sqrt, T.sqr, T.arctan, T.arcsinh, T.sigmoid)
    ]
    laws = [*one, *two][:LAWS]
    assert len(laws) == LAWS
    tables = lib.Equilibrium(laws).tables
    x, y = T.dvector("x"), T.dvector("y")
    nodes = {
        "unary": T.exp(T.tanh(x)),
        "binary": T.tanh(x) * y,
        "sum of 10": T.add(*[T.tanh(T.dvector()) for _ in range(10)]),
        "sum of 100": T.add(*[T.tanh(T.dvector()) for _ in range(100)]),
    }
    wrong = _tried(lib, lib.Pattern((T.log, (T.exp, "x")), "x"), x, T.sqrt(x))
    found = {"wrong op µs": wrong}
    for name, out in nodes.items():
        node, fgraph = out.owner, lib.FunctionGraph(outputs=[out], clone=False)
        taken = _dismissed(tables, fgraph, node)
        found[f"{name} µs"] = taken
        found[f"{name}, times a wrong op's"] = taken / wrong
    return found


def _dismissed(tables, fgraph, node):
    def look():
        for rewriter in tables.plan_for(node).early:
            assert rewriter.transform(fgraph, node) is False

    return _microseconds(look)


def sums(lib):
    few = _rewriting_seconds(lib, lambda: different_terms(lib, 300)) * 1e3
    many = _rewriting_seconds(lib, lambda: different_terms(lib, 3_000)) * 1e3
    return {"300 terms ms": few, "3,000 terms ms": many, "ratio": many / few}


def extraction(lib):
    """The first use of rules: a run with open ends, if it is a relation, and their compilation."""
    T = lib.T
    kanren, etuple = importlib.import_module("kanren"), importlib.import_module("etuples").etuple
    var = importlib.import_module("unification").var
    ops = [T.exp, T.log, T.sin, T.cos, T.sinh, T.cosh, T.erf, T.erfc, T.expm1, T.log1p]
    ops += [T.sqrt, T.sqr, T.arctan, T.arcsinh, T.tanh]

    def inverse(f, g):
        def relation(i, o):
            x = var()
            return kanren.core.lall(kanren.eq(i, etuple(f, etuple(g, x))), kanren.eq(o, x))

        return relation

    relations = [inverse(f, g) for f in ops for g in ops][:LAWS]
    subs = [importlib.import_module(lib.kanren).KanrenRelationSub(r) for r in relations]
    start = time.perf_counter()
    assert all(sub.closed is not None for sub in subs)
    relations_taken = time.perf_counter() - start

    laws_by_name = importlib.import_module("relgraph.testing.discovery").discover_laws()
    law = importlib.import_module("relgraph.graph.kanren.laws").Law
    laws = [one for one in laws_by_name.values() if isinstance(one, law)][:LAWS]
    start = time.perf_counter()
    assert sum(one.extraction().status == "closed" for one in laws) > LAWS // 2
    laws_taken = time.perf_counter() - start
    return {"200 relations ms": relations_taken * 1e3, "200 laws ms": laws_taken * 1e3}


MEASURES = {
    "node": node,
    "match": match,
    "rewrite": rewrite,
    "scale": scale,
    "memory": memory,
    "open": open_relation,
    "dismissal": dismissal,
    "sums": sums,
    "extraction": extraction,
}


def measure(kind, library):
    return MEASURES[kind](Library(library))


def report(kind, rounds):
    """Print the figures of one kind, and the peer's where there are any."""
    ours, theirs = zip(*rounds, strict=True)
    for name in ours[0]:
        value = statistics.median(figures[name] for figures in ours)
        line = f"{kind:10} {name:36} {value:12.3f}"
        if theirs[0] is not None and name in theirs[0]:
            other = statistics.median(figures[name] for figures in theirs)
            line += f"   peer {other:12.3f}   peer/ours {other / value:7.2f}"
        print(line, flush=True)


def main():
    options = parser_for(__doc__, MEASURES).parse_args()
    if answered(options, measure):
        return
    peer = options.peer
    for kind in options.names or MEASURES:
        options.peer = peer if kind in PEER_KINDS else None
        report(kind, rounds_of(__file__, kind, options))


if __name__ == "__main__":
    main()
