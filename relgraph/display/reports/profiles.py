"""A profile as a table that can be sorted, with bars."""

from __future__ import annotations

from html import escape
from typing import Any

from relgraph.display.drawing.picture import cut
from relgraph.display.markup import SORT, code, fragment, number_cell, table
from relgraph.graph.opt.profile.report import ProfileRow, profile_rows

_HEADS = ("name", "class", "time", "validate time", "nodes before", "nodes after", "times applied",
          "nodes created")  # fmt: skip
_MOST_LETTERS = 64  # of an op or a node: its times stay beside it


def profile_html(profile: Any) -> str:
    """Return the profile of a function: its times, and those of its optimizer if they were kept."""
    title = f"Function profiling: {profile.message or 'a function'}"
    entries = profile.times()
    longest = max((seconds for _, seconds in entries), default=0.0)
    rows = [(f"<td>{escape(name)}</td>", _seconds(seconds, longest)) for name, seconds in entries]
    rows.append(("<td>Number of Apply nodes</td>", _count(profile.nodes)))
    body = [table((), rows, caption=title)]
    if profile.tiers is not None:
        body.append(f"<p>{'<br>'.join(map(escape, profile.tiers.lines()))}</p>")
    if profile.optimizer_profile is not None:
        body.append(_optimizer(profile_rows(*profile.optimizer_profile)))
    if profile.node_times.calls:
        body += [_by_op(profile.by_op()), _by_node(profile.by_node())]
    return fragment("".join(body), SORT)


def _by_op(rows: list[tuple[str, float, int, int]]) -> str:
    longest = max((seconds for _, seconds, _, _ in rows), default=0.0)
    cells = [
        (_name(name), _seconds(seconds, longest), _seconds(seconds / calls), _count(calls),
         _count(nodes))
        for name, seconds, calls, nodes in rows
    ]  # fmt: skip
    heads = ("op", "time", "a call", "calls", "nodes")
    return table(heads, cells, sortable=True, caption="Ops by time")


def _by_node(rows: list[tuple[str, float, int]]) -> str:
    longest = max((seconds for _, seconds, _ in rows), default=0.0)
    cells = [
        (_name(text), _seconds(seconds, longest), _seconds(seconds / calls), _count(calls))
        for text, seconds, calls in rows
    ]  # fmt: skip
    return table(("node", "time", "a call", "calls"), cells, sortable=True, caption="Nodes by time")


def _name(text: str) -> str:
    """Return a cell with the beginning of what may be long; the pointer shows the rest."""
    return f'<td class="rg-whole" title="{escape(text)}">{code(cut(text, _MOST_LETTERS))}</td>'


def _optimizer(rows: list[ProfileRow]) -> str:
    longest = max((row.time or 0.0 for row in rows), default=0.0)
    most = max((row.applied or 0 for row in rows[1:]), default=0)
    cells = [
        (
            f'<td style="padding-left:{_depth(row.name) + 0.8:g}em">'
            f"{escape(row.name.strip())}</td>",
            f'<td class="rg-whole">{code(row.kind)}</td>',
            _seconds(row.time, longest),
            _seconds(row.validate_time),
            _count(row.nodes_before),
            _count(row.nodes_after),
            _count(row.applied, most),
            _count(row.created),
        )
        for row in rows
    ]
    return table(_HEADS, cells, sortable=True, caption="Optimizer Profile")


def _depth(name: str) -> int:
    return (len(name) - len(name.lstrip(" "))) // 2


def _seconds(value: float | None, longest: float | None = None) -> str:
    share = None if longest is None or value is None else value / longest if longest else 0.0
    return number_cell(value, "" if value is None else f"{1000 * value:.3f} ms", share)


def _count(value: int | None, most: int | None = None) -> str:
    share = None if most is None or value is None else min(value / most, 1.0) if most else 0.0
    return number_cell(value, "" if value is None else f"{value:,}", share)
