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
# Two layers, the naive cross-entropy, plain gradient descent. The parameters are shared variables,
# and each call of the function updates them.

# %%
rng = np.random.default_rng(0)
X, y = at.dmatrix("X"), at.dvector("y")
W = shared(rng.normal(size=(4, 16)), name="W")
b = shared(np.zeros(16), name="b")
v = shared(rng.normal(size=16) / 4, name="v")
parameters = [W, b, v]

hidden = at.tanh(X @ W + b)
p = 1 / (1 + at.exp(-(hidden @ v)))
loss = -at.mean(y * at.log(p) + (1 - y) * at.log(1 - p))
updates = [
    (theta, theta - 0.5 * slope)
    for theta, slope in zip(parameters, grad(loss, parameters), strict=True)
]

# %% [markdown]
# ## Before
#
# All that a step computes, as it was written: the loss, and three updated parameters. `grad` has
# already stabilized what it differentiated; the loss itself is still naive.

# %%
before = FunctionGraph(outputs=[loss, *(update for _, update in updates)], clone=True)
print(len(before.apply_nodes), "nodes")
before

# %% [markdown]
# ## After
#
# `trace=True` keeps the derivation, `profile=True` measures the calls.

# %%
config.profile_optimizer = True
step = function([X, y], loss, updates=updates, trace=True, profile=True, name="step")
config.profile_optimizer = False
print(len(step.maker.fgraph.apply_nodes), "nodes")
step

# %% [markdown]
# How to read the drawing:
#
# - a **red** edge ends where its value is *overwritten*: the result takes its storage.
#   `gemm_inplace` adds a product to `W` where `W` lies, and a fused node writes its result over
#   what it read last;
# - a **dashed** edge ends where its value is *viewed*: a transpose or a new axis is the same
#   numbers with other strides, and copies nothing;
# - a `Composite` is a chain of elementwise ops that runs as one pass over memory.
#
# A value is overwritten only by the last node that reads it, and never an array of yours: `X` and
# `y` have no red edge.

# %%
ways = Counter()
for node in step.maker.fgraph.toposort():
    ways["nodes that overwrite an input"] += bool(node.op.destroy_map)
    ways["nodes that view an input"] += bool(node.op.view_map)
    ways["fused elementwise nodes"] += "Composite" in str(node.op)
for what, count in ways.items():
    print(f"{count:3} {what}")

# %% [markdown]
# ## What happened between
#
# The derivation has a step for each replacement, by laws and by passes.

# %%
print(len(step.derivation), "steps; the most frequent:")
for name, count in Counter(s.label for s in step.derivation).most_common(12):
    print(f"{count:3} {name}")

# %% [markdown]
# Those that a law made have a soundness class, which says what was claimed at each step. A mode can
# leave classes out: `Mode().excluding("finite")`.

# %%
claims = Counter("a pass" if s.sound is None else s.sound for s in step.derivation)
figure, panel = plt.subplots(figsize=(7.5, 2.4), layout="constrained")
panel.barh(list(claims), list(claims.values()), color="#3b6ea5")
panel.set(xlabel="steps")
plt.show()

# %% [markdown]
# Steps can be looked at one by one. These are the ones that made the loss stable:

# %%
for s in step.derivation:
    if s.sound == "stable":
        print(s)

# %% [markdown]
# ## Where the time goes
#
# Train, and look at the profile. A click on the head of a column sorts by it.

# %%
points = rng.normal(size=(512, 4))
labels = (points[:, 0] * points[:, 1] > 0).astype(float)
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
# The reference meaning of a graph is: no rewriting, one node at a time. From the same parameters,
# both must take the same step.

# %%
rng = np.random.default_rng(0)
start = [rng.normal(size=(4, 16)), np.zeros(16), rng.normal(size=16) / 4]
found = []
for mode in ("None", None):
    for theta, value in zip(parameters, start, strict=True):
        theta.set_value(value)
    one_step = function([X, y], loss, updates=updates, mode=mode)
    one_step(points, labels)
    found.append([theta.get_value() for theta in parameters])
for theta, plain, fast in zip(parameters, *found, strict=True):
    print(f"{theta.name}: they differ by at most {np.abs(plain - fast).max():.1e}")

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
