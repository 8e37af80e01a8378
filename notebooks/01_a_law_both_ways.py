# %% [markdown]
# # A law, both ways
#
# A rewrite of a graph is often twenty lines of Python that walk over nodes. Here it is one line of
# algebra. You will write one, run it forward and backward, ask it what it matches and why it does
# not, have a machine check it against NumPy, and break it on purpose to read what the check says.
#
# You need to know what Aesara or PyTensor do: an expression is a graph, and a graph can be
# rewritten. miniKanren is explained where it is used.

# %%
from kanren import run, var

import relgraph.tensor as at
from relgraph import Mode, explain, function, law, lvars, optimize_graph, pprint

a, b, c = lvars("a b c")
distribute = law("distribute", a * (b + c), a * b + a * c, sound="finite")
distribute

# %% [markdown]
# That is the law. `a`, `b` and `c` are *logic variables*: they represent any expression. Python's
# operators and the functions of `relgraph.tensor` work on them as they do on tensors.
#
# `sound="finite"` is what the law claims of values: both sides are the same up to rounding wherever
# everything is finite. There are four other classes, from `exact`, the same bits for every input,
# to `domain`, the same under a stated condition.
#
# ## Forward
#
# Three vectors, and an expression that the left side matches. A variable draws itself.

# %%
x, y, z = at.dvectors("x", "y", "z")
product = x * (y + z)
product

# %% [markdown]
# `optimize_graph` applies the law wherever it matches, until nothing changes. `include=[]` leaves
# out the laws that relgraph has of its own.

# %%
spread = optimize_graph(product, include=[], custom_opt=distribute)
spread

# %% [markdown]
# ## Backward
#
# The same law, read from right to left, gathers what it spread. Nobody wrote that rewrite.

# %%
gathered = optimize_graph(spread, include=[], custom_opt=distribute.backward)
print(pprint(spread), "→", pprint(gathered))

# %% [markdown]
# Not every law has two directions. `a * 0 → 0` read backward would have to invent `a`. It says so:

# %%
zero = law("times-zero", a * 0, 0, sound="finite")
zero.report()

# %% [markdown]
# ## A law is a relation
#
# `distribute(before, after)` is a miniKanren goal. `run(n, q, goal)` returns up to `n` values of
# `q` for which the goal holds, and `None` asks for all of them. Which end is open is up to you.
#
# The left end is known. What may stand on the right? Multiplication and addition commute, so there
# are two answers:

# %%
q, r = var(), var()
[pprint(answer) for answer in run(None, q, distribute(product, q))]

# %% [markdown]
# The right end is known. What could have been there before?

# %%
[pprint(answer) for answer in run(None, q, distribute(q, spread))]

# %% [markdown]
# Both ends are open: *give me an example of yourself*. The answer holds logic variables of its
# own, numbered so that they meet no others. This question is how the engine learns what a relation
# can do, and how the check below gets something to check.

# %%
[(pprint(before), pprint(after)) for before, after in run(None, (q, r), distribute(q, r))]

# %% [markdown]
# Both ends are known: *is this an instance?* There is an answer, or there is none.

# %%
print("the law relates them:", bool(list(run(1, q, distribute(product, spread)))))
print("and these:           ", bool(list(run(1, q, distribute(product, x * y)))))

# %% [markdown]
# ## Why does it not match?
#
# A matcher written by hand returns `None`, and you add print statements. A law points at the
# place. Here is one for the logistic function, and a formula that lacks a minus sign.

# %%
logistic = law("logistic", 1 / (1 + at.exp(-a)), at.sigmoid(a), sound="rounding")
logistic.explain(1 / (1 + at.exp(x)))

# %% [markdown]
# Where it matches, it says with what.

# %%
distribute.explain(at.exp(x) * (y + z))

# %% [markdown]
# Often a law does not fire because an earlier one rewrote what it looks for. `explain` knows the
# phases: here `sin(x) ** 2` has become `sqr(sin(x))` before the law was tried.

# %%
circle = law("circle", at.sin(a) ** 2 + at.cos(a) ** 2, 1, sound="finite")
explain(circle, optimize_graph(at.sin(x) ** 2 + at.cos(x) ** 2))

# %% [markdown]
# ## Is it true?
#
# `check` draws types, shapes and values, with nan, infinities, zeros of both signs and the
# extremes of each dtype among them. It evaluates both sides with NumPy, in both directions, and
# compares them as closely as the class claims.

# %%
distribute.check()

# %% [markdown]
# The same for the law of the circle:

# %%
circle.check()

# %% [markdown]
# Now claim too much. `rounding` is the same claim as `finite`, but for nan and infinities too.

# %%
law("circle-everywhere", circle.lhs, circle.rhs, sound="rounding").check()

# %% [markdown]
# The sine of nan is nan, and the law says 1. The counterexample has been made small, and its last
# lines are Python: paste them, and you have the failure in your own session.
#
# ## Break it
#
# A slip of the pen, of the kind that gets past review: the root of a square is the number.

# %%
law("root-of-square", at.sqrt(at.sqr(a)), a, sound="finite").check()

# %% [markdown]
# One negative number is enough.
#
# ## Use it
#
# A mode takes the law along with all the others. Run the cell again after a change: a law of the
# same name takes the place of the one before.

# %%
turned = x + at.sin(y) ** 2 + at.cos(y) ** 2
compiled = function([x, y], turned, Mode().including(circle))
compiled

# %%
compiled([1.0, 2.0], [0.3, 0.4])

# %% [markdown]
# **What you have seen.** One line of algebra is a rewrite in two directions, a question with open
# ends, an explanation and a test. The [next essay](02_from_naive_to_stable.ipynb) lets the laws of
# the book loose on a model.
