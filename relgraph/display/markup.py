"""Parts of pages: HTML that needs no network, and escapes what users named."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from html import escape

# Where a rule names more than it seems to need, the style of notebooks would have the last word.
_STYLE = """
.rg-page{font-family:system-ui,sans-serif;font-size:14px;line-height:1.45;overflow-x:auto}
.rg-page table{border-collapse:collapse;font-size:13px}
.rg-page.rg-page table th,.rg-page.rg-page table td{padding:3px 10px;text-align:left;
vertical-align:top;border-bottom:1px solid rgba(128,128,128,.3)}
.rg-page caption{text-align:left;font-weight:bold;padding:8px 0 2px}
.rg-page th[data-sort]{cursor:pointer;user-select:none}
.rg-page th[data-sort]::after{content:" \\2195";opacity:.5}
.rg-page.rg-page table td.number{text-align:right;font-variant-numeric:tabular-nums;
white-space:nowrap}
.rg-page .rg-bar{display:block;height:4px;border-radius:2px;background:#3b82f6;min-width:1px}
.rg-page.rg-page code,.rg-page.rg-page pre{
font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;
font-size:12px;white-space:pre-wrap;overflow-wrap:anywhere;background:none;color:inherit}
.rg-page .rg-tag{display:inline-block;border:1px solid rgba(128,128,128,.6);border-radius:9px;
padding:0 8px;margin:0 4px 2px 0;font-size:12px;white-space:nowrap}
.rg-page .rg-good{border-color:#22a06b;background:rgba(34,160,107,.18)}
.rg-page .rg-bad{border-color:#e5484d;background:rgba(229,72,77,.18)}
.rg-page .rg-class{border-color:#3b82f6;background:rgba(59,130,246,.18)}
.rg-page mark,.rg-page .rg-marked{background:rgba(245,158,11,.38);color:inherit;
outline:1px solid #f59e0b;border-radius:3px;padding:3px 2px}
.rg-page math{font-size:16px;display:block math;width:max-content;margin:2px 0;padding:6px 2px}
.rg-page :is(msub,msup,munder,mover,mroot)>:nth-child(2),
.rg-page :is(msubsup,munderover)>:nth-child(n+2),.rg-page mfrac mfrac>*{font-size:max(11px,.75em)}
.rg-page mfrac>*{font-size:max(11px,1em)}
.rg-page mfrac>:first-child{padding-bottom:2px}.rg-page mfrac>:last-child{padding-top:3px}
.rg-page .rg-to{display:flex;align-items:center;gap:6px}
.rg-page mtd{text-align:left;text-align:-webkit-left}
.rg-page.rg-page .rg-whole code{white-space:nowrap;overflow-wrap:normal}
.rg-page input,.rg-page select,.rg-page button{font:inherit;color:inherit;background:transparent;
border:1px solid rgba(128,128,128,.6);border-radius:4px;padding:2px 8px;margin:0 6px 6px 0}
.rg-page select option{color:#1f2328;background:#fff}
.rg-page .rg-step{margin:4px 0 12px}.rg-page .rg-step[hidden]{display:none}
""".replace("\n", "")

_WHOLE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>{title}</title>
<style>:root{{color-scheme:light dark}}
body{{margin:16px;color:#1f2328;background:#fff}}
@media (prefers-color-scheme:dark){{body{{color:#e6edf3;background:#0d1117}}}}</style>
</head><body>{body}</body></html>
"""


def fragment(body: str, script: str = "") -> str:
    """Return a part of a page, with its style and a script.

    Parameters
    ----------
    body
        HTML in which everything is escaped that has to be.
    script
        JavaScript in which ``root`` is the element of this part.
    """
    name = "rg" + blake2b((body + script).encode(errors="replace"), digest_size=6).hexdigest()
    code = ""
    if script:
        code = (
            f'<script>(function(){{document.querySelectorAll("#{name}").forEach('
            f"function(root){{{script}}});}})();</script>"
        )
    return f'<div class="rg-page" id="{name}"><style>{_STYLE}</style>{body}</div>{code}'


def whole_page(title: str, body: str) -> str:
    """Return a page that stands by itself; `body` is HTML."""
    return _WHOLE.format(title=escape(title), body=body)


def tag(text: str, kind: str = "") -> str:
    """Return a small label."""
    return f'<span class="rg-tag {kind}">{escape(text)}</span>'


def code(text: str) -> str:
    """Return text as it would be typed."""
    return f"<code>{escape(text)}</code>"


def prose(docstring: str) -> str:
    """Return the paragraphs of a docstring, with what is quoted in it as code, and tables as they
    are laid out there."""
    return "".join(map(_paragraph, filter(None, docstring.split("\n\n"))))


def _paragraph(text: str) -> str:
    if text.lstrip().startswith("==="):
        lines = [line.replace("`", "") for line in text.splitlines() if line.strip("= ")]
        return f"<pre>{escape(chr(10).join(lines))}</pre>"
    marked = re.sub(r"``?([^`]+)``?", r"<code>\1</code>", escape(text))
    return f"<p>{marked}</p>"


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], sortable: bool = False, caption: str = ""
) -> str:
    """Return a table; the heads and the caption are text, the cells whole ``<td>`` elements."""
    attribute = " data-sort" if sortable else ""
    head = "".join(f"<th{attribute}>{escape(text)}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    first = f"<thead><tr>{head}</tr></thead>" if heads else ""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}{first}<tbody>{body}</tbody></table>"


def cell(text: str) -> str:
    """Return a cell with text."""
    return f"<td>{escape(text)}</td>"


def number_cell(value: float | None, text: str, share: float | None = None) -> str:
    """Return a cell with a number, as text, and a bar that is `share` of its width."""
    if value is None:
        return '<td class="number" data-value="-1"></td>'
    bar = "" if share is None else f'<span class="rg-bar" style="width:{100 * share:.1f}%"></span>'
    return f'<td class="number" data-value="{value!r}">{escape(text)}{bar}</td>'


SORT = """
root.querySelectorAll("th[data-sort]").forEach(function(head){
 head.addEventListener("click",function(){
  var body=head.closest("table").tBodies[0],at=head.cellIndex;
  var down=head.dataset.sort!=="down";head.dataset.sort=down?"down":"up";
  function key(row){var c=row.cells[at];
   return c.dataset.value===undefined?c.textContent:Number(c.dataset.value);}
  Array.from(body.rows).sort(function(a,b){var x=key(a),y=key(b);
   var order=typeof x==="number"?x-y:x.localeCompare(y);return down?-order:order;
  }).forEach(function(row){body.appendChild(row);});
 });
});
""".replace("\n", "")
"""A script that sorts a table by the column whose head is clicked."""
