"""Formulas as MathML, which browsers show without a script from elsewhere."""

from typing import Any

from docutils.nodes import SkipNode
from latex2mathml.converter import convert


def _inline(self: Any, node: Any) -> None:
    self.body.append(convert(node.astext()))
    raise SkipNode


def _block(self: Any, node: Any) -> None:
    self.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
