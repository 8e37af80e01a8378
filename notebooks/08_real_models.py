# %% [markdown]
# # Real models
#
# A model of PyMC is a graph of PyTensor, and its first value is often a long wait: PyTensor
# rewrites the graph, and numba compiles it. `mode="relgraph"` lets laws rewrite it and runs it at
# once. You will see three models that way: the time until the first value and gradient, the laws
# that were applied and why, and samples, of a model too that PyMC can't sample as it is written.
#
# For this page, `pip install 'relgraph[pytensor]' pymc` with Python 3.12 or newer.

# %%
import logging
import os
import tempfile
from collections import Counter
from time import process_time

# what was compiled before is not to be found
os.environ["PYTENSOR_FLAGS"] = f"base_compiledir={tempfile.mkdtemp()}"

import matplotlib.pyplot as plt
import numpy as np
import pymc as pm
import pytensor.tensor as pt

from relgraph import function, grad, optimize_graph

# this import gives PyTensor the modes, too
from relgraph.bridges.pytensor import from_pytensor, to_pytensor

logging.getLogger("pymc").setLevel(logging.CRITICAL)
plt.rcParams.update({"figure.figsize": (7.5, 3.4), "figure.dpi": 100, "axes.grid": True})
BEFORE, AFTER = "#d1495b", "#00798c"

# %% [markdown]
# ## Eight schools
#
# The effects of a course in eight schools, each with its standard error. The effects are like each
# other: how much, the model is to find out.

# %%
effects = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
errors = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])

with pm.Model() as schools:
    mean = pm.Normal("mean", 0, 5)
    spread = pm.HalfCauchy("spread", 5)
    offset = pm.Normal("offset", 0, 1, shape=8)
    pm.Normal("seen", mean + spread * offset, errors, observed=effects)

# %% [markdown]
# What a sampler asks for is the log density and its gradient. This is the whole way to the first of
# them, in two modes, in seconds of the processor:

# %%
seconds = {}


def first(name, model, mode):
    """Return the log density and its gradient where a sampler starts, and what computes them."""
    began = process_time()
    compute = model.logp_dlogp_function(ravel_inputs=True, mode=mode)
    compute.set_extra_values({})
    start = pm.blocking.DictToArrayBijection.map(model.initial_point()).data
    found = compute(start)
    seconds[name, mode] = process_time() - began
    return found, compute, start


for mode in ("relgraph", None):
    (value, gradient), _, _ = first("eight schools", schools, mode)
    print(
        f"{mode or 'default':10}{seconds['eight schools', mode]:6.2f} s  {value:.6f}", gradient[:3]
    )

# %% [markdown]
# The same numbers. What was done to the graph? `from_pytensor` gives the density as a graph of
# relgraph, and `trace=True` a derivation; here are the laws that it used most.

# %%
_, density = from_pytensor(schools.logp(), schools.value_vars)
_, steps = optimize_graph(density, include=("canonicalize", "stabilize"), trace=True)
print(len(steps), "steps")
for name, times in Counter(step.name for step in steps).most_common(8):
    print(f"{times:5}  {name}")

# %% [markdown]
# No magic: constants are folded, casts and axes that change nothing go, signs and factors are
# collected. Of a model that is written with PyMC's distributions little is left to stabilize, since
# their authors have done it. That is otherwise where somebody writes a density by hand.
#
# ## A mixture, as in the textbook
#
# Two groups, of each a bell; the density of a point is the weighted sum of both. One of the values
# has lost its decimal point.

# %%
rng = np.random.default_rng(8)
points = np.concatenate([rng.normal(-2.0, 0.6, 60), rng.normal(1.5, 1.0, 40), [97.0]])


def mixture_density(y, weight, means, spreads):
    """Return the density of points under a mixture of two bells."""
    shares = pt.stack([weight, 1 - weight])
    z = (pt.expand_dims(y, -1) - means) / spreads
    return (shares * (pt.exp(-0.5 * z**2) / (spreads * np.sqrt(2 * np.pi)))).sum(axis=-1)


unknown = [pt.dscalar("share"), pt.dvector("centres"), pt.dvector("widths")]


def log_likelihood(values, share, centres, widths):
    """Return the log density of all values; the share is a logit, and the widths are logarithms."""
    return pt.log(mixture_density(values, pt.sigmoid(share), centres, pt.exp(widths))).sum()


def mixture_of(values, likelihood=log_likelihood):
    """Return a model of values from two groups."""
    with pm.Model() as model:
        share = pm.Logistic("share", 0, 1)
        centres = pm.Normal("centres", np.array([-2.0, 2.0]), 1, shape=2)
        widths = pm.Normal("widths", 0, 0.5, shape=2)
        pm.Potential("seen", likelihood(values, share, centres, widths))
    return model


with np.errstate(all="ignore"):
    (value, gradient), _, _ = first("as written", mixture_of(points), "relgraph")
print(value, gradient)

# %% [markdown]
# At 97 both bells underflow to 0, whose logarithm is minus infinity. The laws have mended the
# value; but the gradient is that which PyTensor has made of the formula as it is written, before
# any mode sees it, and it has lost what no law can find again. So rewrite first: there and back,
# and PyTensor differentiates what the laws have left.

# %%
PHASES = ("canonicalize", "stabilize")


def stable_log_likelihood(values, *parameters):
    """Return what `log_likelihood` does, as laws leave it."""
    inputs, ours = from_pytensor(log_likelihood(values, *parameters), list(parameters))
    return to_pytensor(optimize_graph(ours, include=PHASES), inputs)[1]


mixture = mixture_of(points, stable_log_likelihood)
for mode in ("relgraph", None):
    (value, gradient), _, _ = first("mixture", mixture, mode)
    print(f"{mode or 'default':10}{seconds['mixture', mode]:6.2f} s ", value, gradient.round(3))

# %% [markdown]
# Why could the laws do that? The derivation says it. This is the density of one point, for short:

# %%
inputs, naive = from_pytensor(log_likelihood(pt.dscalar("y"), *unknown))
stable, steps = optimize_graph(naive, include=PHASES, trace=True)
stable

# %%
for step in steps:
    if step.name.startswith("log"):
        print(step)

# %% [markdown]
# `log-sum-weighed-quotient` is the one that matters: the exponentials under the logarithm are never
# computed. What is left is a `logsumexp`, which takes the greatest exponent out before. The picture
# has the log density of a point and its slope, as it is written and as the laws leave it.

# %%
places = np.linspace(-60, 100, 321)
values = {"y": places, "share": -0.4, "centres": [-2.0, 1.5], "widths": [-0.5, 0.0]}
figure, panels = plt.subplots(1, 2, layout="constrained")
for out, name, style, colour in (
    (naive, "as written", "-", BEFORE),
    (stable, "rewritten", "--", AFTER),
):
    (point,) = (v for v in inputs if v.name == "y")
    compute = function(inputs, [out, grad(out, point, stabilize=False)], mode="None")
    with np.errstate(all="ignore"):
        found = [compute(*({**values, "y": y}[v.name] for v in inputs)) for y in places]
    for panel, curve in zip(panels, np.array(found).T, strict=True):
        panel.plot(places, curve, style, color=colour, label=name, linewidth=2.5)
panels[0].set(title="log density of a point", xlabel="the point")
panels[1].set(title="its slope", xlabel="the point")
panels[0].legend(loc="lower center")
plt.show()

# %% [markdown]
# Where the red curve ends, it is minus infinity or nan. The dashed one goes on, and so the model
# can be sampled: with the typing error, and without.


# %%
def sampled(model):
    """Return draws from the posterior of a model."""
    with model, np.errstate(all="ignore"):
        return pm.sample(
            200,
            tune=300,
            chains=2,
            cores=1,
            progressbar=False,
            random_seed=8,
            compile_kwargs={"mode": "relgraph"},
        ).posterior


posteriors = {
    "with 97": sampled(mixture),
    "without": sampled(mixture_of(points[:-1], stable_log_likelihood)),
}

# %%
figure, panel = plt.subplots(layout="constrained")
panel.hist(points[:-1], bins=30, density=True, color="#cccccc")
x = np.linspace(-6, 8, 400)
for (name, posterior), colour in zip(posteriors.items(), (BEFORE, AFTER), strict=True):
    shares = 1 / (1 + np.exp(-posterior["share"].values.reshape(-1, 1) * [1, -1]))
    centres = posterior["centres"].values.reshape(-1, 2)
    widths = np.exp(posterior["widths"].values.reshape(-1, 2))
    bells = np.exp(-0.5 * ((x[:, None, None] - centres) / widths) ** 2) / widths
    curve = (shares * bells).sum(axis=2).mean(axis=1) / np.sqrt(2 * np.pi)
    panel.plot(x, curve, color=colour, label=name, linewidth=2)
panel.set(title="Posterior mean of the density", xlabel="value")
panel.legend()
plt.show()

# %% [markdown]
# ## A Gaussian process
#
# Forty measurements of a curve, of which nothing is known but that it is smooth. The covariance of
# all pairs is factored in each evaluation.

# %%
x = np.sort(rng.uniform(0, 10, 40))
y = np.sin(x) + 0.3 * x + rng.normal(0, 0.3, 40)

with pm.Model() as smooth:
    length = pm.Gamma("length", 4, 2)
    height, noise = pm.HalfNormal("height", 2), pm.HalfNormal("noise", 1)
    process = pm.gp.Marginal(cov_func=height**2 * pm.gp.cov.ExpQuad(1, length))
    process.marginal_likelihood("seen", X=x[:, None], y=y, sigma=noise)

(value, gradient), _, _ = first("Gaussian process", smooth, "relgraph")
print(f"{seconds['Gaussian process', 'relgraph']:.2f} s ", value, gradient)

# %% [markdown]
# With the default mode the first value of this one takes the longest of the three: a Cholesky
# factor and its gradient are much to compile. Here the time goes into samples instead. For a few
# draws of the parameters, NumPy draws a curve each.

# %%
posterior = sampled(smooth)
grid = np.linspace(0, 10, 120)
figure, panel = plt.subplots(layout="constrained")
panel.plot(x, y, "o", color="#333333", markersize=4)
for k in range(0, 200, 8):
    length, height, noise = (float(posterior[v][0, k]) for v in ("length", "height", "noise"))

    def covariance(a, b, length=length, height=height):
        """Return how like each other the curve is at two places."""
        return height**2 * np.exp(-0.5 * ((a[:, None] - b) / length) ** 2)

    weights = np.linalg.solve(covariance(x, x) + noise**2 * np.eye(len(x)), y)
    panel.plot(grid, covariance(grid, x) @ weights, color=AFTER, alpha=0.25)
panel.set(title="Curves that the measurements allow", xlabel="x")
plt.show()

# %% [markdown]
# ## The wait
#
# From model to first value and gradient, with empty caches, on the machine that ran this page:

# %%
figure, panel = plt.subplots(figsize=(7.5, 2.2), layout="constrained")
for i, ((_, mode), took) in enumerate(reversed(seconds.items())):
    panel.barh(i, took, color=BEFORE if mode is None else AFTER)
    panel.text(took, i, f" {took:.1f} s", va="center")
labels = [f"{name}, {mode or 'default'}" for name, mode in reversed(seconds)]
panel.set_yticks(range(len(labels)), labels)
panel.set(xlabel="seconds of the processor")
panel.margins(x=0.15)
plt.show()

# %% [markdown]
# A call takes longer afterwards than one that numba has compiled, where data are as small as here;
# if a function is called often, relgraph compiles it in the background, too. So the mode pays where
# a model changes more often than it is sampled.
#
# *Sixteen models, with the times of a call: `python -m tests.benchmarks.bench_models`. The page
# [Laws for PyTensor's graphs](pages/bridges_pytensor.md) has the modes and what they take.*
