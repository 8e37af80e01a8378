# %% [markdown]
# # All the ways to write it
#
# A rewriter takes one way through the space of equal expressions, and stops somewhere. A relation
# does not have to choose. You will write nine laws, turn them into a relation "one step away", and
# let miniKanren enumerate every form of an expression that they reach. Then you cost the forms,
# time them, measure their errors, and keep the best.

# %%
import time

import matplotlib.pyplot as plt
import numpy as np
from flint import arb, ctx
from kanren import conde, conso, run, var
from kanren.core import Zzz

import relgraph.tensor as at
from relgraph import Mode, build, function, law, lvars, optimize_graph, pprint
from relgraph import forms as forms_of
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.kanren import OpenAnswerError

plt.rcParams.update({"figure.figsize": (7.5, 4.2), "figure.dpi": 100, "axes.grid": True})

# %% [markdown]
# ## The expression and the laws
#
# The logistic loss of a margin `x`, as the difference of two logarithms:

# %%
x = at.dvector("x")
start = at.log(1 + at.exp(x)) - at.log(at.exp(x))
start

# %%
a, b, c = lvars("a b c")

LAWS = [
    law("log-exp", at.log(at.exp(a)), a, sound="finite"),
    law("log-quotient", at.log(a) - at.log(b), at.log(a / b), sound="finite"),
    law("split-fraction", (a + b) / c, a / c + b / c, sound="finite"),
    law("self-quotient", a / a, 1, sound="finite"),
    law("exp-neg", 1 / at.exp(a), at.exp(-a), sound="finite"),
    law("log1p", at.log(1 + a), at.log1p(a), sound="stable"),
    law("softplus", at.log1p(at.exp(a)), at.softplus(a), sound="stable"),
    law("log-inverse", at.log(1 / a), -at.log(a), sound="finite"),
    law("sigmoid", 1 / (1 + at.exp(-a)), at.sigmoid(a), sound="stable"),
]

# %% [markdown]
# ## One step away
#
# A law is a goal, so relations are built from laws as from any other goal. `lawo` holds where one
# of the laws does, in either direction. `conde` is miniKanren's *or*.

# %%


def lawo(before, after):
    """Relate two terms that one of the laws calls equal."""
    forward = [[law_(before, after)] for law_ in LAWS]
    backward = [[law_(after, before)] for law_ in LAWS[1:]]
    return conde(*forward, *backward)


# %% [markdown]
# (`log-exp` is left out backward: anything is the logarithm of its exponential, and again, and
# again.)
#
# A law may apply anywhere in an expression. `stepo` says so: at the root, or in one of the
# arguments. A graph is an S-expression here, `(op, argument, ...)`, and `conso(head, tail, list)`
# takes it apart and puts it together. `Zzz` delays a goal, because the relation is recursive.

# %%


def stepo(before, after):
    """Relate two terms of which one law makes the other, at one place."""
    op, old, new = var(), var(), var()
    return conde(
        [lawo(before, after)],
        [conso(op, old, before), Zzz(one_of_them, old, new), conso(op, new, after)],
    )


def one_of_them(old, new):
    """Relate two lists of arguments that are a step apart in one place."""
    head, tail, other = var(), var(), var()
    return conde(
        [conso(head, tail, old), stepo(head, other), conso(other, tail, new)],
        [conso(head, tail, old), Zzz(one_of_them, tail, other), conso(head, other, new)],
    )


# %% [markdown]
# That is all. The right end is open, and it answers with what is one step from `start`:

# %%
q = var()
for answer in run(None, q, stepo(start, q)):
    print(pprint(answer))

# %% [markdown]
# The last answer holds a logic variable: for 1 the law *self-quotient*, read backward, says `a / a`
# of any `a`. That is true, and no graph: `build` refuses it, and so we leave it out.
#
# ## Everything within reach
#
# What is a step from what is a step away? Repeat until nothing is new. Equal forms print alike.

# %%


def reached_from(expression, most=60):
    """Return the forms of an expression by how they print, nearest first."""
    forms = {pprint(expression): expression}
    frontier = [expression]
    while frontier and len(forms) < most:
        found = []
        for form in frontier:
            for answer in run(None, q, stepo(form, q)):
                try:
                    graph = build(answer)
                except OpenAnswerError:
                    continue
                if forms.setdefault(pprint(graph), graph) is graph:
                    found.append(graph)
        frontier = found
    return forms


forms = reached_from(start)
print(f"{len(forms)} forms")
for text in forms:
    print(text)

# %% [markdown]
# Nobody wrote a rewriter for these, nor an order in which laws are tried. The relation runs both
# ways, so forms are reached that no simplifier would pass: to get from `log(1 + exp(x)) - x` to
# `softplus(-x)`, the `x` has to become a logarithm again.
#
# `relgraph.forms` does all of this in one call: of a law, of laws, or of a relation such as `lawo`.
# It is lazy, gives no form twice, and the small ones first.

# %%
for form in forms_of(start, lawo, limit=8):
    print(pprint(form))

# %% [markdown]
# ## Costs
#
# How much work is a form? Count its nodes, and let a function such as `exp` weigh ten times as much
# as a sum. A shared node counts once, as it is computed once.

# %%
CHEAP = {"add", "sub", "mul", "neg", "true_div", "DimShuffle{x}"}


def cost(form):
    """Return the sum of the weights of the ops of a graph."""
    nodes = FunctionGraph(outputs=[form], clone=True).toposort()
    return sum(1 if str(node.op) in CHEAP else 10 for node in nodes)


# %% [markdown]
# ## Times
#
# Each form is run as it stands: a mode without an optimizer, on 50,000 numbers, the best of seven.

# %%
as_it_stands = Mode(linker="vm", optimizer=None)
many = np.linspace(-20, 20, 50_000)


def seconds(form):
    """Return the time of a call of a form, the least of seven."""
    compute = function([x], form, as_it_stands)
    taken = []
    for _ in range(7):
        begun = time.perf_counter()
        compute(many)
        taken.append(time.perf_counter() - begun)
    return min(taken)


# %% [markdown]
# ## Errors
#
# The truth is `log1p(exp(-x))` with 60 digits. A form's error is how many of its 16 digits are
# lost, on the mean over margins from -750 to 750: 0 if all are right everywhere, 16 if none is.

# %%
ctx.dps = 60
margins = np.concatenate([np.linspace(-750, 750, 151), np.linspace(-40, 40, 81)])
truth = np.array([float((-arb(float(m))).exp().log1p()) for m in margins])


def digits_lost(form):
    """Return how many of 16 digits a form loses, on the mean."""
    with np.errstate(all="ignore"):
        found = function([x], form, as_it_stands)(margins)
        error = np.abs(found - truth) / np.where(truth == 0, 1, truth)
        kept = -np.log10(np.where(found == truth, 1e-16, error))
    return float(np.mean(16 - np.clip(np.nan_to_num(kept, nan=0.0), 0, 16)))


costs, times, errors = (
    np.array([measure(form) for form in forms.values()]) for measure in (cost, seconds, digits_lost)
)

# %% [markdown]
# ## Time against cost
#
# The cost is a guess, and the clock is not. Mostly they agree. Far above the others are the forms
# with `softplus`: it is one node, but NumPy computes it slowly. The cost did not know.

# %%
microseconds = 1e6 * times
figure, panel = plt.subplots(layout="constrained")
panel.scatter(costs, microseconds, s=60, color="#3b6ea5", alpha=0.7, edgecolor="black")
panel.set(xlabel="cost", ylabel="microseconds for 50,000 numbers", xlim=(0, None), ylim=(0, None))
plt.show()

# %% [markdown]
# ## Error against time
#
# All these forms are *equal*, and hardly any two are alike in what they cost and lose. A form is
# worth keeping if no other is both faster and more accurate; those are joined by a line. The star
# is what relgraph's own phase `stabilize` makes of `start`.

# %%
names = list(forms)
choice = names.index(pprint(optimize_graph(start, include=["stabilize"], clone=True)))
order = np.argsort(times)
best = [i for k, i in enumerate(order) if np.all(errors[i] < errors[order[:k]])]

figure, panel = plt.subplots(figsize=(7.5, 5), layout="constrained")
panel.plot(microseconds, errors, "o", color="#3b6ea5", markersize=8, alpha=0.6)
panel.plot(microseconds[best], errors[best], "o-", color="#d1495b", markersize=9)
panel.plot(microseconds[choice], errors[choice], "*", color="#edae49", markersize=18, mec="black")
panel.set(xlabel="microseconds for 50,000 numbers", ylabel="digits lost on the mean")
plt.show()

for i in best:
    print(f"{microseconds[i]:6.0f} µs  {errors[i]:4.1f} digits lost  {names[i]}")

# %% [markdown]
# ## Keep the best
#
# It depends on what you pay for. Allow half a digit, and take the fastest form within that:

# %%
fast = min((i for i in range(len(names)) if errors[i] < 0.5), key=lambda i: times[i])
exact = min(range(len(names)), key=lambda i: (errors[i], times[i]))
for what, i in (("fast", fast), ("exact", exact)):
    compute = function([x], forms[names[i]], as_it_stands)
    with np.errstate(all="ignore"):
        print(f"{what:6} {names[i]:22}", compute([-750.0, 0.0, 40.0, 750.0]))

# %% [markdown]
# The fast one is infinite where `exp` overflows, at margins below -710; the exact one never is.
#
# **What you have seen.** With an open end, nine laws of one line each are a generator of equal
# programs; measuring chooses among them. The [next essay](04_your_own_op.ipynb) adds an Op and laws
# that the book does not have.
