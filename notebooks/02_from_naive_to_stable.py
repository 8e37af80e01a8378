# %% [markdown]
# # From naive to stable
#
# Logistic regression, written as on paper, overflows on data that nobody scaled. You will see it
# lose its digits, then watch the laws of the book bring them back one law at a time, and measure
# every step against true values from Arb.
#
# It is the model of `relgraph demo`.

# %%
import matplotlib.pyplot as plt
import numpy as np
from flint import arb, ctx

import relgraph.tensor as at
from relations import STABILIZE
from relgraph import function, optimize_graph
from relgraph.demo.model import SHIPPED_CSV, SHIPPED_TARGET, load_table, naive_model, train
from relgraph.display import LawTable

plt.rcParams.update({"figure.figsize": (7.5, 3.4), "figure.dpi": 100, "axes.grid": True})

# %% [markdown]
# ## The model
#
# `p = 1 / (1 + exp(-(X @ w + b)))` is a probability, and the loss is the mean of
# `-(y * log(p) + (1 - y) * log(1 - p))`. The model holds the loss and its gradients by `w` and `b`,
# which are just as naive. This is the loss as a graph:

# %%
model = naive_model()
model.outputs[0]

# %% [markdown]
# ## How wrong is it?
#
# One row and one column are enough: with `X = [[1]]` and `b = 0`, the weight `w` is the logit, and
# it may be anything. Arb computes the loss and its derivative with 60 digits. What comes out is
# counted in correct digits: 16 is all that a float64 can have, 0 means none, or nan.

# %%
logits = np.linspace(-800, 800, 161)
ctx.dps = 60
exact = [arb(float(z)) for z in logits]
true_losses = [float((-z).exp().log1p()) for z in exact]
true_slopes = [float(-1 / (1 + z.exp())) for z in exact]


def correct_digits(found, truth):
    """Count the digits that are right, from 0 to 16, element by element."""
    found, truth = np.asarray(found), np.asarray(truth)
    with np.errstate(all="ignore"):
        error = np.abs(found - truth) / np.where(truth == 0, 1, np.abs(truth))
        digits = -np.log10(np.where(found == truth, 1e-16, error))
    return np.clip(np.nan_to_num(digits, nan=0.0), 0, 16)


def digits_of(fgraph):
    """Return the correct digits of the loss and of its slope at each logit, where y is 1."""
    compute = function(fgraph.inputs, fgraph.outputs[:2], mode="None")
    with np.errstate(all="ignore"):
        found = [compute([[1.0]], [1.0], [z], 0.0) for z in logits]
    losses, slopes = zip(*[(loss, slope[0]) for loss, slope in found], strict=True)
    return [correct_digits(losses, true_losses), correct_digits(slopes, true_slopes)]


naive = model.graph()
before = digits_of(naive)

# %% [markdown]
# ## What the laws do
#
# `optimize_graph` with the phase `stabilize` alone, and `trace=True` for the derivation. Each step
# names a law, its class, and the place; what changes is marked.
#
# *back* and *next* walk through the steps, *all* shows every one. First the loss alone:

# %%
_, of_loss = optimize_graph(model.outputs[0], include=["stabilize"], trace=True, clone=True)
of_loss

# %% [markdown]
# Printed, a derivation is a line for each step.

# %%
print(of_loss)

# %% [markdown]
# Now the whole model, with both gradients. Which laws does that take? A table of laws is searched
# by typing into its field.

# %%
stable, derivation = optimize_graph(model.graph(), include=["stabilize"], trace=True)
fired = {step.name for step in derivation}
LawTable(law for law in STABILIZE if law.name in fired)

# %% [markdown]
# ## Before and after
#
# The same question as above, put to the graph that the laws left.

# %%
after = digits_of(stable)

figure, panels = plt.subplots(1, 2, sharey=True, layout="constrained")
for panel, name, was, now in zip(panels, ("loss", "slope"), before, after, strict=True):
    panel.plot(logits, was, color="#d1495b", label="naive", linewidth=2)
    panel.plot(logits, now, color="#00798c", label="rewritten", linewidth=2)
    panel.set(title=f"The {name}", xlabel="logit, of a row with y = 1")
panels[0].set_ylabel("correct digits")
panels[0].legend(loc="center")
plt.show()

# %% [markdown]
# To the far left `exp` overflows, `p` is 0 and the naive loss infinite. To the right it loses its
# digits one by one, until `p` rounds to 1 and `0 * log(1 - p)` is nan. The rewritten one is right
# everywhere.
#
# One notch remains in the slope, from 710 to 745. There the truth is below 1e-308, where a float64
# has few digits left, and SciPy's logistic function rounds it to 0.
#
# ## Law by law
#
# `derivation.replay(steps=n)` gives the graph after `n` steps, so every step can be measured.
# Below, each row is the graph after one more step; the colour says how many digits are right.

# %%
stages = [digits_of(derivation.replay(steps=n)) for n in range(len(derivation) + 1)]

figure, panels = plt.subplots(1, 2, sharey=True, figsize=(10, 8), layout="constrained")
for k, (panel, name) in enumerate(zip(panels, ("loss", "slope"), strict=True)):
    image = panel.imshow(
        [stage[k] for stage in stages], aspect="auto", cmap="viridis", vmin=0, vmax=16,
        extent=(logits[0], logits[-1], len(stages) - 0.5, -0.5), interpolation="nearest",
    )  # fmt: skip
    panel.set(title=f"The {name}", xlabel="logit")
    panel.grid(visible=False)
labels = ["as written", *(f"{step.number}. {step.label}" for step in derivation)]
panels[0].set_yticks(range(len(labels)), labels, fontsize=8)
figure.colorbar(image, ax=panels, label="correct digits", shrink=0.6)
plt.show()

# %% [markdown]
# Most steps change no digit: they bring the graph into the form in which the next law matches.
# A few change much, and the rows where the colour changes name them:

# %%
lost = [sum(float((16 - digits).mean()) for digits in stage) for stage in stages]
for step, was, now in zip(derivation, lost, lost[1:], strict=False):
    if abs(was - now) > 0.1:
        print(f"{step.label:20} {was:5.1f} → {now:4.1f} digits lost on average")

# %% [markdown]
# ## Does it matter?
#
# Real data: tumours, measured in units from thousandths to thousands, not scaled. Both versions
# take the same steps, and both are run as they stand, without further rewriting.

# %%
table = load_table(SHIPPED_CSV, SHIPPED_TARGET)
results = {
    "naive": train(naive, table.X, table.y, steps=200, rate=3.0),
    "rewritten": train(stable, table.X, table.y, steps=200, rate=3.0),
}
for name, result in results.items():
    lost_at = "never" if result.lost_at is None else f"from step {result.lost_at}"
    print(f"{name:9}  accuracy {result.accuracy:.3f}  nan or inf: {lost_at}")

# %%
figure, panel = plt.subplots(layout="constrained")
for (name, result), color in zip(results.items(), ("#d1495b", "#00798c"), strict=True):
    panel.plot(result.losses, color=color, label=name, linewidth=2 + 3 * (name == "naive"))
panel.set(xlabel="step", ylabel="loss", yscale="log")
panel.legend()
plt.show()

# %% [markdown]
# ## Without asking
#
# None of this has to be asked for. `function` does it by default, and `grad` stabilizes a cost
# before it differentiates it.

# %%
z = at.dvector("z")
p = 1 / (1 + at.exp(-z))
for name, mode in (("as written", "None"), ("by default", None)):
    with np.errstate(all="ignore"):
        print(name, function([z], -at.log(p), mode=mode)([-800.0, 0.0, 800.0]))

# %% [markdown]
# **What you have seen.** Stability is not one trick but a short derivation, of which every step is
# a law with a name and a claim. The [next essay](03_all_the_ways_to_write_it.ipynb) turns the laws
# loose in both directions at once.
