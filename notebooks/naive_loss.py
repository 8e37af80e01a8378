"""Draws ``pages/static/naive_loss.svg``, the picture of README.md: a naive loss of JAX and its
slope, as it was written and after one line.

``python notebooks/naive_loss.py`` draws it anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

from relgraph.bridges import rewrite

PICTURE = Path(__file__).parent / "pages" / "static" / "naive_loss.svg"
GRAY, NAIVE, STABLE = "#808080", "#d9534f", "#2f8f5b"
# one file, whenever and wherever it is drawn; text stays text
STYLE = {
    "svg.hashsalt": "relgraph",
    "svg.fonttype": "none",
    "font.size": 11,
    "text.color": GRAY,
    "axes.edgecolor": GRAY,
    "axes.labelcolor": GRAY,
    "xtick.color": GRAY,
    "ytick.color": GRAY,
}


def naive(x: Any) -> Any:
    """Return the loss of a prediction, the logarithm of the odds, as it stands in textbooks."""
    return -jnp.log(1 / (1 + jnp.exp(-x)))


def draw() -> Any:
    """Return the figure."""
    x = np.linspace(-150, 50, 801).astype("float32")
    figure, panels = plt.subplots(1, 2, figsize=(7.6, 2.7), layout="constrained")
    for panel, title, of in zip(
        panels, ("the loss", "its slope"), (jax.vmap, lambda f: jax.vmap(jax.grad(f))), strict=True
    ):
        panel.plot(x, of(rewrite(naive))(x), color=STABLE, lw=2, label="after one line")
        found = np.asarray(of(naive)(x))
        panel.plot(x, found, color=NAIVE, lw=4, alpha=0.6, label="as it was written")
        lost = x[~np.isfinite(found)]
        panel.axvspan(lost.min(), lost.max(), color=NAIVE, alpha=0.12, lw=0)
        panel.set_title(title, fontsize=12)
        panel.set_xlabel("x, in single precision")
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].text(-147, 15, "infinite", color=NAIVE)
    panels[1].text(-147, -0.5, "not a\nnumber", color=NAIVE)
    panels[0].legend(frameon=False)
    return figure


if __name__ == "__main__":
    with plt.rc_context(STYLE):
        draw().savefig(PICTURE, transparent=True, metadata={"Date": None})
