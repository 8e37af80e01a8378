# %% [markdown]
# # Bring your code
#
# You have a function in NumPy, or a loss in JAX, and it returns nan. You need not write it again in
# another library: a function of NumPy is traced, a function of JAX gets one line in front. You will
# see both made stable by laws, their derivatives too, and run on another engine than the one they
# were written for.
#
# For the second half, `pip install 'relgraph[jax]'`.

# %%
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import relgraph.tensor as at
from relgraph import grad, law, lvars, pprint, trace
from relgraph.bridges import from_jax, rewrite, to_jax

jax.config.update("jax_enable_x64", True)
plt.rcParams.update({"figure.figsize": (7.5, 3.4), "figure.dpi": 100, "axes.grid": True})

# %% [markdown]
# ## A function of NumPy
#
# A mixture of two bells, as one writes it down: the density of each point, and the logarithm of
# that. Far from both centres the densities underflow to 0, whose logarithm is minus infinity.


# %%
def surprise(points, centres):
    """Return how unlikely points are under a mixture of two bells."""
    first = np.exp(-0.5 * (points - centres[0]) ** 2)
    second = np.exp(-0.5 * (points - centres[1]) ** 2)
    return -np.log((first + second) / 2)


points = np.array([0.0, 3.0, 30.0, 60.0])
with np.errstate(divide="ignore"):
    print(surprise(points, [0.0, 5.0]))

# %% [markdown]
# `trace` calls the function once, on variables. What represents an argument says its dtype and
# shape; `None` leaves a length open. What comes back is its graph.

# %%
traced = trace(surprise)(("float64", None), ("float64", 2))
traced

# %% [markdown]
# The laws see the exponentials under the logarithm, and never compute them.

# %%
stable = traced.rewritten()
stable

# %% [markdown]
# `function` compiles it: it takes and returns what `surprise` does.

# %%
stable.function()(points, [0.0, 5.0])

# %% [markdown]
# Inputs and outputs are variables as any other, so there is a gradient, of what NumPy's function
# computes. How does the total move with the centres?

# %%
slopes = grad(at.sum(traced.outputs[0]), traced.inputs[1])
slopes.eval({traced.inputs[0]: points, traced.inputs[1]: [0.0, 5.0]})

# %% [markdown]
# ## A loss in JAX
#
# Cross-entropy from probabilities, in the way of a first lecture. `rewrite` makes another function
# of it, and that is all.


# %%
def loss(logits, label):
    """Return the cross-entropy of a label, by way of probabilities."""
    probabilities = jnp.exp(logits) / jnp.sum(jnp.exp(logits))
    return -jnp.log(probabilities[label])


stable_loss = rewrite(loss)
logits = jnp.array([900.0, 0.0, -900.0])
print("as written:", loss(logits, 1), jax.grad(loss)(logits, 1))
print("rewritten: ", stable_loss(logits, 1), jax.grad(stable_loss)(logits, 1))

# %% [markdown]
# What became of it can be looked at. There are no exponentials and no division any more: a
# log-softmax is left, of which the element of the label is taken. (JAX counts negative labels from
# the end, and moves others inside.)

# %%
stable_loss.graph(logits, 1)

# %% [markdown]
# It is a function of JAX like any other: compiled, differentiated, vectorized. Here is one logit
# against 0, over a wide range, with `vmap` and `grad` in one line.

# %%
margins = jnp.linspace(-900, 900, 181)


def at_margin(fn):
    """Return the loss of a margin between two logits."""
    return lambda margin: fn(jnp.stack([margin, 0.0]), 0)


figure, panels = plt.subplots(1, 2, layout="constrained")
for fn, name, style, colour in (
    (loss, "as written", "-", "#d1495b"),
    (stable_loss, "rewritten", "--", "#00798c"),
):
    values, slopes = jax.jit(jax.vmap(jax.value_and_grad(at_margin(fn))))(margins)
    panels[0].plot(margins, values, style, color=colour, label=name, linewidth=2.5)
    panels[1].plot(margins, slopes, style, color=colour, linewidth=2.5)
panels[0].set(title="The loss", xlabel="margin of the label")
panels[1].set(title="Its slope", xlabel="margin of the label")
panels[0].legend()
plt.show()

# %% [markdown]
# Beyond a margin of 709 the formula as written is infinite or nan. Its slope is wrong much sooner:
# it is computed from squares of the exponentials, which overflow from 355 on. The slope of the
# rewritten function comes from its own graph, and is rewritten in turn; so are those of any order.
#
# ## A law of your own
#
# `laws=` takes laws that nobody else has. This one knows a sum of squares.

# %%
angle = lvars("angle")
circle = law("circle", at.sin(angle) ** 2 + at.cos(angle) ** 2, 1, sound="finite")


@rewrite(laws=circle, mode="stabilize")
def turned(x):
    """Return something that need not look at the angle at all."""
    return jnp.log(jnp.sin(x) ** 2 + jnp.cos(x) ** 2 + jnp.exp(x))


pprint(turned.graph(1.0).outputs[0])

# %% [markdown]
# ## Another engine
#
# What was written with NumPy, compiled by JAX: `mode="jax"`. What was written with JAX, run by
# NumPy.

# %%
by_jax = traced.function(mode="jax")
by_numpy = from_jax(loss, logits, 1).function()
by_jax(points, [0.0, 5.0]), by_numpy(logits, 1)

# %% [markdown]
# And the NumPy function as one of JAX, which JAX then differentiates and maps over many points: in
# each row the slopes by the two centres. Far to the right only the nearer one matters.

# %%
of_point = to_jax(traced.inputs, traced.outputs[0])
slopes = jax.jacobian(lambda point, centres: of_point(point[None], centres)[0], argnums=1)
jax.vmap(slopes, (0, None))(points, jnp.array([0.0, 5.0]))

# %% [markdown]
# *What has no counterpart here, a convolution or random bits of JAX, is carried through as it is.
# The page [Bringing code from NumPy and JAX](pages/bridges.md) has the details.*
