# %% [markdown]
# # What the optimizer did
#
# A training step of a small neural network, compiled. You will look at the graph before and after,
# walk through the derivation between them, read the profile, and see in the drawing which storage
# is shared and which is overwritten.

# %%
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np

import relgraph.tensor as at
from relgraph import config, function, grad, shared
from relgraph.display import dot
from relgraph.graph.fg import FunctionGraph

plt.rcParams.update({"figure.figsize": (7.5, 3.2), "figure.dpi": 100, "axes.grid": True})

# %% [markdown]
# ## A training step
#
# Two layers, the logistic loss of labels 1 and -1 as on paper, and plain gradient descent. The
# weights are shared variables, and each call of the function updates them.

# %%
rng = np.random.default_rng(0)
X, y = at.dmatrix("X"), at.dvector("y")
W = shared(rng.normal(size=(4, 16)), name="W")
v = shared(rng.normal(size=16) / 4, name="v")
weights = [W, v]

score = at.tanh(X @ W) @ v
loss = at.mean(at.log(1 + at.exp(-y * score)))
slopes = grad(loss, weights)
updates = [(w, w - 0.5 * slope) for w, slope in zip(weights, slopes, strict=True)]

# %% [markdown]
# ## Before
#
# All that a step computes, as it was written: the loss, and both weights after it. `grad` has
# already stabilized what it differentiated; the loss itself is still naive.

# %%
before = FunctionGraph(outputs=[loss, *(update for _, update in updates)], clone=True)
print(len(before.apply_nodes), "nodes")
before

# %% [markdown]
# ## After
#
# `trace=True` keeps the derivation, `profile=True` measures the calls, and the flag has the phases
# measured too.

# %%
with config.change_flags(profile_optimizer=True):
    step = function([X, y], loss, updates=updates, trace=True, profile=True, name="step")
print(len(step.maker.fgraph.apply_nodes), "nodes")
step

# %% [markdown]
# How to read the drawing:
#
# - an edge has the shape of its value, where `?` is a length that the type leaves open, and a dtype
#   that is not float64;
# - a **red** edge ends where its value is *overwritten*: the result takes its storage.
#   `gemm_inplace` adds a product to `W` where `W` lies, and a fused node writes its result over
#   what it read last;
# - a **dashed** edge ends where its value is *viewed*: a transpose or a new axis is the same
#   numbers with other strides, and copies nothing;
# - a box with several ops between braces computes them in one pass over memory; a `Composite` is
#   elementwise, and `Fused` reduces what it computed on the way.
#
# A value is overwritten only by the last node that reads it, and never an array of yours: `X` and
# `y` have no red edge.

# %%
ways = Counter()
for node in step.maker.fgraph.toposort():
    ways["nodes that overwrite an input"] += bool(node.op.destroy_map)
    ways["nodes that view an input"] += bool(node.op.view_map)
    ways["nodes that compute several ops"] += "Composite" in str(node.op)
for what, count in ways.items():
    print(f"{count:3} {what}")

# %% [markdown]
# ## What happened between
#
# The derivation has a step for each replacement, by laws and by passes. *next* walks through it.

# %%
step.derivation

# %% [markdown]
# What a law did has a soundness class, which says what was claimed at that step. A mode can leave
# classes out: `Mode().excluding("finite")`.

# %%
claims = Counter("a pass" if s.sound is None else s.sound for s in step.derivation)
figure, panel = plt.subplots(figsize=(7.5, 2.4), layout="constrained")
panel.barh(list(claims), list(claims.values()), color="#3b6ea5")
panel.set(xlabel="steps")
plt.show()

# %% [markdown]
# A derivation is a list of steps, to be searched like any other. This is what made the loss stable:

# %%
[s for s in step.derivation if s.sound == "stable"]

# %% [markdown]
# ## Where the time goes
#
# Train, and look at the profile. A click on the head of a column sorts by it.

# %%
points = rng.normal(size=(512, 4))
labels = np.sign(points[:, 0] + np.sin(3 * points[:, 1]))
losses = [float(step(points, labels)) for _ in range(300)]

figure, panel = plt.subplots(layout="constrained")
panel.plot(losses, color="#00798c", linewidth=2)
panel.set(xlabel="step", ylabel="loss", ylim=(0, None))
plt.show()

# %%
step.profile

# %% [markdown]
# The first table is the compilation, the second its phases, laws and passes, and the others what
# was run. The pointer shows the whole of a long name.
#
# ## Is it the same?
#
# The reference meaning of a graph is: no rewriting, one node at a time. From the same weights,
# both must take the same step.

# %%
rng = np.random.default_rng(0)
start = [rng.normal(size=(4, 16)), rng.normal(size=16) / 4]
found = []
for mode in ("None", None):
    for w, value in zip(weights, start, strict=True):
        w.set_value(value)
    one_step = function([X, y], loss, updates=updates, mode=mode)
    one_step(points, labels)
    found.append([w.get_value() for w in weights])
for w, plain, fast in zip(weights, *found, strict=True):
    print(f"{w.name}: they differ by at most {np.abs(plain - fast).max():.1e}")

# %% [markdown]
# ## Take it with you
#
# A drawing is a file, too: `relgraph draw model.py:loss -o loss.svg` on the command line, also to
# `.html`, `.png` and `.dot`. In Python:

# %%
print(dot(at.tanh(X @ W)))

# %% [markdown]
# **What you have seen.** Nothing that the optimizer does is hidden: the graph is drawn with its
# storage, each step has a name and a claim, and the time is accounted for. The
# [last essay](06_properties.ipynb) tests a rewriter of your own.
