# %% [markdown]
# # Your own Op, your own laws
#
# relgraph does not know your Op. You will write one with `perform`, `grad` and `infer_shape`, state
# laws about it in a module of your own, have `relgraph check` test them, and use them through a
# mode. The Op is the Huber loss: a parabola near 0, straight beyond 1.

# %%
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from huber import LAWS, huber

import relgraph.tensor as at
from relgraph import Mode, explain, function, grad, law, lvars, optimize_graph, pprint
from relgraph.display import LawTable
from relgraph.gradient import verify_grad

plt.rcParams.update({"figure.figsize": (7.5, 3.2), "figure.dpi": 100, "axes.grid": True})

# %% [markdown]
# ## The module
#
# This is the file `huber.py`, beside this notebook.

# %%
print(Path("huber.py").read_text())

# %% [markdown]
# Four methods make the Op. `make_node` says which inputs are right and which type comes out.
# `perform` computes with NumPy. `grad` is a graph, and `infer_shape` says a shape without computing
# a value.
#
# Below them stands what is true of it: an even function; the same of a number and its size; and
# the formula that people write out by hand.

# %%
LawTable(LAWS)

# %% [markdown]
# ## Does it compute?

# %%
x, y = at.dvectors("x", "y")
loss = huber(x - y)
loss

# %%
points = np.linspace(-3, 3, 121)
curve = function([x], [huber(x), grad(at.sum(huber(x)), x)])
values, slopes = curve(points)

figure, panel = plt.subplots(layout="constrained")
panel.plot(points, values, color="#00798c", linewidth=2, label="huber(x)")
panel.plot(points, slopes, color="#d1495b", linewidth=2, label="its gradient")
panel.legend()
plt.show()

# %% [markdown]
# `verify_grad` compares `grad` with differences of `perform`. It says nothing if they agree.

# %%
verify_grad(huber, [np.array([-3.0, -0.4, 0.2, 2.5])], rng=np.random.default_rng(0))

# %% [markdown]
# And `infer_shape` at work: to ask for the shape alone computes no loss.

# %%
print(pprint(optimize_graph(huber(x).shape, include=["canonicalize", "specialize"])))

# %% [markdown]
# ## Are the laws true?
#
# The command is `relgraph check huber.py`. It knows nothing of the Op, but can make its nodes and
# evaluate them; that is enough.

# %%
command = [sys.executable, "-m", "relgraph", "check", "huber.py", "--examples", "100"]
print(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
# %% [markdown]
# Now a law that sounds plausible: "the loss is quadratic, so twice the error costs four times as
# much".

# %%
a, b = lvars("a b")
law("huber-scale", huber(2 * a), 4 * huber(a), sound="finite").check()

# %% [markdown]
# Quadratic only near 0. The counterexample says so, in values and as Python that imports your
# module.
#
# ## Use them
#
# Somebody wrote the loss out by hand. Without the laws it is a handful of nodes:

# %%
r = x - y
by_hand = at.switch(at.abs(r) < 1, r**2 / 2, at.abs(r) - 0.5)
function([x, y], by_hand, "None")

# %% [markdown]
# With them it is the Op. `including` takes a law, or a list of laws:

# %%
mode = Mode().including(LAWS)
compiled = function([x, y], by_hand, mode)
compiled

# %%
compiled([3.0, 0.5, -2.0], [0.0, 0.0, 0.0])

# %% [markdown]
# ## When it does not fire
#
# The formula has other spellings. This one does not become the Op; the law says where they part.

# %%
other = at.switch(at.abs(r) < 1, 0.5 * r**2, at.abs(r) - 0.5)
explain(LAWS[-1], other)

# %% [markdown]
# So state that as well, check it, and use it. A mode takes laws from anywhere.

# %%
half = law(
    "huber-half",
    at.switch(at.lt(at.abs(a), 1), 0.5 * at.sqr(a), at.abs(a) - 0.5),
    huber(a),
    sound="rounding",
)
print(half.check(examples=50).status)
print(pprint(function([x, y], other, mode.including(half)).maker.fgraph.outputs[0]))

# %% [markdown]
# ## In your own tests
#
# In a file of pytest, one line makes a test for each law:
#
# ```python
# from relgraph.testing import law_tests
# from huber import LAWS
#
# test_laws = law_tests(LAWS)
# ```
#
# **What you have seen.** An Op is four methods, and what you know of it is a list of laws: stated
# in a line each, checked, and used by a mode. The
# [next essay](05_what_the_optimizer_did.ipynb) looks at what happens to a whole training step.
