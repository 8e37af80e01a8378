"""The result of a check, with its counterexample."""

from __future__ import annotations

from html import escape
from typing import Any

from relgraph.display.formulas.writer import mathml
from relgraph.display.markup import code, fragment, table, tag

_KINDS = {"passed": "rg-good", "failed": "rg-bad"}


def check_html(result: Any) -> str:
    """Return the result of the check of a law."""
    body = [
        f"<div><b>{escape(result.name)}</b> {tag(result.sound, 'rg-class')}"
        f"{tag(result.status, _KINDS.get(result.status, ''))}</div>",
        f"<div>{code(result.algebra)}</div>",
    ]
    if result.reason:
        body.append(f"<div>{escape(result.reason)}</div>")
    counts = f"{result.examples} examples, {result.instances} instances, {result.types} types, "
    body.append(f"<div>{counts}{result.edge_values} edge values, {result.seconds:.2f} s</div>")
    if result.stronger is not None:
        body.append(f"<div>it held as {escape(result.stronger)} throughout</div>")
    body += [f"<div>remark: {escape(remark)}</div>" for remark in result.remarks]
    coverage = escape(str(result.coverage)).replace("\n", "<br>")
    body.append(f"<details><summary>coverage</summary>{coverage}</details>")
    if result.counterexample is not None:
        body.append(_counterexample(result.counterexample))
    return fragment("".join(body))


def counterexample_html(counterexample: Any) -> str:
    """Return a counterexample: both sides, their values, and the code that shows it."""
    return fragment(_counterexample(counterexample))


def _counterexample(found: Any) -> str:
    body = [
        f"<div>{tag('counterexample', 'rg-bad')}{escape(found.direction)}: "
        f"{escape(found.why)}</div>"
    ]
    sides = [("before", found.old, found.old_value), ("after", found.new, found.new_value)]
    rows = [
        (f"<td>{name}</td>", f"<td>{_formula(side)}</td>", f"<td>{code(_short(value))}</td>")
        for name, side, value in sides
        if side is not None
    ]
    body.append(table(("", "side", "value"), rows))
    if found.values:
        inputs = [
            (
                f"<td>{code(str(var))}</td>",
                f"<td>{code(str(var.type))}</td>",
                f"<td>{code(_short(value))}</td>",
            )
            for var, value in zip(found.inputs, found.values, strict=True)
        ]
        body.append(table(("input", "type", "value"), inputs))
    body.append(f"<pre>{escape(str(found))}</pre>")
    return "".join(body)


def _formula(side: Any) -> str:
    try:
        return mathml(side)
    except ValueError:
        return code(str(side))


def _short(value: Any) -> str:
    text = "" if value is None else " ".join(repr(value).split())
    return text if len(text) <= 200 else f"{text[:199]}…"
