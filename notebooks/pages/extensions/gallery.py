"""The directive ``gallery``: the pictures of the essays, with links to where they are made."""

import json
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class Gallery(SphinxDirective):
    """All pictures of the essays, under the headings that they stand under."""

    def run(self) -> list[nodes.Node]:
        """Return them as HTML."""
        essays = sorted(Path(self.env.srcdir).glob("[0-9][0-9]_*.ipynb"))
        builder, here = self.env.app.builder, self.env.docname
        figures = [
            f'<figure><a href="{builder.get_relative_uri(here, essay.stem)}#{nodes.make_id(head)}">'
            f'<img alt="{escape(head)}" src="data:image/png;base64,{picture}"></a>'
            f"<figcaption>{escape(head)}, in <em>{escape(title)}</em></figcaption></figure>"
            for essay in essays
            for title, head, picture in _pictures(json.loads(essay.read_text()))
        ]
        return [nodes.raw("", f'<div class="rg-gallery">{"".join(figures)}</div>', format="html")]


def _pictures(notebook: Any) -> Iterator[tuple[str, str, str]]:
    """Yield for each picture the title of the essay, the heading that it is under, and itself."""
    title = heading = ""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            headings = re.findall(r"^(#+) (.*)$", "".join(cell["source"]), re.MULTILINE)
            if headings:
                heading = headings[-1][1].replace("`", "")
                title = title or heading
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                yield title, heading, "".join(output["data"]["image/png"]).replace("\n", "")


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
