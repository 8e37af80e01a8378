"""Pictures as PNG, by the extra ``png``."""

from __future__ import annotations

from importlib import import_module

from relgraph.commands.named import CommandError


def png(svg: str, zoom: int = 2) -> bytes:
    """Return the text of an SVG file as the bytes of a PNG file, on white.

    Raises
    ------
    CommandError
        If resvg_py is not installed.
    """
    try:
        resvg = import_module("resvg_py")
    except ModuleNotFoundError:
        raise CommandError("a .png needs resvg_py: pip install 'relgraph[png]'") from None
    return bytes(resvg.svg_to_bytes(svg_string=svg, zoom=zoom, background="white"))
