# %% [markdown]
# # Properties
#
# relgraph's laws are tested by Hypothesis on types, values and graphs drawn at random. The
# strategies are yours too. You will look at what they draw, write a rewriter in plain Python with a
# mistake of the usual kind, and read its failures, each shrunk to a few lines, until it holds.

# %%
import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import relgraph.tensor as at
from relations.kit.guards import nonnegativeo
from relgraph import law, lvars, optimize_graph, pprint
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import local_optimizer
from relgraph.graph.reference import evaluate
from relgraph.testing import check_optimizer, graphs, tensor_types, terms, values

# %% [markdown]
# ## What is drawn
#
# A helper that shows a few draws, the same ones each time:

# %%
SAME_EACH_TIME = {
    "derandomize": True,
    "database": None,
    "deadline": None,
    "phases": [Phase.generate, Phase.shrink],
}


def some(strategy, count=10):
    """Return a few examples of a strategy."""
    drawn = []

    @settings(max_examples=count, **SAME_EACH_TIME)
    @given(strategy)
    def collect(example):
        drawn.append(example)

    collect()
    return drawn


# %% [markdown]
# **Types.** A dtype, and a shape that is known in part: `?` is a length that is not known before
# the run, and 0 and 1 come often.

# %%
some(tensor_types())

# %% [markdown]
# **Values** of a type. The edges are among them: nan, infinities, zeros, extremes, and numbers
# where functions have their zeros. `finite=True` leaves out some, `ordinary=True` all of them.

# %%
numbers = np.concatenate(some(values(at.TensorType("float64", (3,))), 500))
edges = {
    "nan": np.isnan(numbers),
    "infinite": np.isinf(numbers),
    "zeros": numbers == 0,
    "subnormal, or nearly": (numbers != 0) & (np.abs(numbers) < 1e-307),
    "too large to be squared": np.abs(numbers) > 1e154,
}
for name, where in edges.items():
    print(f"{np.sum(where):4} of {numbers.size} are {name}")

# %% [markdown]
# **Graphs**, of all tensor ops or of those that you name. They come with a strategy for values that
# their ops are defined for, and print as Python.

# %%
drawn = some(graphs(ops=[at.exp, at.mul, at.sum, at.sqrt], max_nodes=5, dtypes="float64"))
largest = max(drawn, key=lambda graph: len(str(graph)))
print(largest)

# %%
largest.outputs[0]

# %% [markdown]
# **Terms** over logic variables, for laws.

# %%
some(terms("a b"))

# %% [markdown]
# ## A rewriter
#
# `sqrt(x) * sqrt(x)` is `x`. As one would write it in Aesara or PyTensor:

# %%


@local_optimizer([at.mul])
def square_of_root(fgraph, node):
    """Replace sqrt(x) * sqrt(x) by x."""
    first, *others = node.inputs
    if first.owner is None or first.owner.op is not at.sqrt or others != [first]:
        return None
    return [first.owner.inputs[0]]


x = at.dvector("x")
print(pprint(optimize_graph(at.sqrt(x) * at.sqrt(x), include=[], custom_opt=square_of_root)))

# %% [markdown]
# ## A property, by hand
#
# *Whatever the graph, the values stay.* Draw a graph, rewrite a copy, draw values, evaluate both.
# To make graphs in which there is something to do, add to the ops a function that builds it.

# %%


def root_times_root(v):
    return at.sqrt(v) * at.sqrt(v)


@settings(max_examples=100, **SAME_EACH_TIME)
@given(
    graphs(ops=[root_times_root, at.exp, at.abs, at.add], max_nodes=4, dtypes="float64"), st.data()
)
def values_stay(graph, data):
    rewritten = FunctionGraph(list(graph.inputs), list(graph.outputs), clone=True)
    optimize_graph(rewritten, include=[], custom_opt=square_of_root)
    arrays = data.draw(graph.values())
    expected = evaluate(graph.outputs, dict(zip(graph.inputs, arrays, strict=True)))
    found = evaluate(rewritten.outputs, dict(zip(rewritten.inputs, arrays, strict=True)))
    for was, now in zip(expected, found, strict=True):
        np.testing.assert_allclose(now, was, rtol=1e-12)


try:
    values_stay()
except AssertionError as failure:
    print(*failure.__notes__, sep="\n")
    print(failure)

# %% [markdown]
# Read it from the top. The graph has shrunk to one input and the pattern itself; the value to a
# single negative number. Its root is nan, so the product is nan, and the rewriter gives the number.
#
# ## The same in one call
#
# `check_optimizer` does this for a rewriter, an optimizer or a mode: it draws graphs, compares
# values, gradients and types, says which step went wrong first, and prints Python to paste.

# %%
check_optimizer(square_of_root, examples=50)

# %% [markdown]
# *Unchecked*, not passed: no random graph happened to square a root, so nothing was tested. A
# property that holds because nothing happens is the commonest flaw of such tests. Give it graphs to
# work on:

# %%
aimed = graphs(ops=[root_times_root, at.exp, at.sqr, at.abs, at.sum], max_nodes=5)
check_optimizer(square_of_root, aimed, gradients=False)

# %% [markdown]
# A second mistake, and not the one from above: dtypes are drawn too, and `x` may hold integers. Its
# root is a float, and so is the product; the replacement would be of the wrong type.
#
# ## Mend both
#
# The rewrite is right where `x` is of the same dtype, and cannot be negative. Some ops promise
# that of real numbers.

# %%
NEVER_NEGATIVE = (at.exp, at.sqr, at.abs)


@local_optimizer([at.mul])
def square_of_root(fgraph, node):
    """Replace sqrt(x) * sqrt(x) by x, of one dtype, where x can't be negative."""
    first, *others = node.inputs
    if first.owner is None or first.owner.op is not at.sqrt or others != [first]:
        return None
    (x,) = first.owner.inputs
    safe = x.owner is not None and x.owner.op in NEVER_NEGATIVE
    return [x] if safe and x.type.dtype == first.type.dtype else None


aimed = graphs(
    ops=[
        lambda v: root_times_root(at.exp(v)),
        lambda v: root_times_root(at.abs(v)),
        lambda v: root_times_root(at.sqr(v)),
        at.add,
    ],
    dtypes=["float64", "float32", "int64", "int8"],
    max_nodes=4,
)
check_optimizer(square_of_root, aimed, gradients=False)

# %% [markdown]
# ## The same as a law
#
# That was ten lines and a few tries. As a law it is one line, with the condition as a goal. Every
# law guards its dtypes, and `nonnegativeo` asks what is known of a variable's sign, from any op
# that tells.

# %%
a = lvars("a")
root = law("square-of-root", at.sqrt(a) * at.sqrt(a), a, nonnegativeo(a), sound="rounding")
root.check()

# %%
root.explain(at.sqrt(x) * at.sqrt(x))

# %% [markdown]
# **What you have seen.** Random graphs with edge values find in seconds what examples miss;
# shrinking makes the failure readable; and a test that changed nothing says that it tested nothing.
#
# Where to go on: the [first essay](01_a_law_both_ways.ipynb), the rule book in `relations/`, and
# `relgraph laws --search WORD`.
