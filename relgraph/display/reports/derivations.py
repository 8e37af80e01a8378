"""A derivation as steps to walk through, with what changes highlighted."""

from __future__ import annotations

from html import escape
from itertools import islice

from relgraph.display.formulas.writer import mathml
from relgraph.display.markup import code, fragment, tag
from relgraph.graph.basic import Variable
from relgraph.graph.opt import Derivation
from relgraph.graph.opt.derivation.replay import Step

MOST_FORMULAS = 40
"""Of how many steps the whole formula is shown; of the others what changed."""
_MOST_LETTERS = 600_000

_WALK = """
var steps=Array.from(root.querySelectorAll(".rg-step")),at=0,all=false;
var bar=root.querySelector(".rg-walk"),buttons=bar.querySelectorAll("button");
var count=bar.querySelector(".rg-count");bar.hidden=false;
function show(i){at=Math.max(0,Math.min(steps.length-1,i));
 steps.forEach(function(step,k){step.hidden=!all&&k!==at;});
 count.textContent=all?steps.length+" steps":(at+1)+" of "+steps.length;}
buttons[0].onclick=function(){all=false;show(at-1);};
buttons[1].onclick=function(){all=false;show(at+1);};
buttons[2].onclick=function(){all=!all;show(at);};show(0);
""".replace("\n", "")


def derivation_html(derivation: Derivation) -> str:
    """Return a derivation, with buttons to walk through it; without a script all is shown."""
    if not len(derivation):
        return fragment("<i>no steps</i>")
    formulas = list(_formulas(derivation))
    formulas += [_parts(step) for step in derivation[len(formulas) :]]
    steps = "".join(
        f'<div class="rg-step">{_title(step)}{formula}</div>'
        for step, formula in zip(derivation, formulas, strict=True)
    )
    walk = (
        '<div class="rg-walk" hidden><button>back</button><button>next</button>'
        '<button>all</button><span class="rg-count"></span></div>'
    )
    return fragment(walk + steps, _WALK)


def _title(step: Step) -> str:
    where = ", ".join(step.where[:3]) + (", …" if len(step.where) > 3 else "")
    sound = tag(step.sound, "rg-class") if step.sound else ""
    return f"<div>{step.number}. <b>{escape(step.label)}</b> {sound} {escape(where)}</div>"


def _parts(step: Step) -> str:
    if step.before == step.after:
        return f"<div><mark>{code(step.before)}</mark> is kept once</div>"
    return f"<div>{code(step.before)} → <mark>{code(step.after)}</mark></div>"


def _formulas(derivation: Derivation) -> list[str]:
    """Return the formulas of the whole graph before and after the first steps.

    There are none of a graph that is too large for one.
    """
    found: list[str] = []
    letters = 0
    for step, before, after in islice(derivation.walk(_formula), MOST_FORMULAS):
        if before is None or after is None:
            break
        letters += len(before) + len(after)
        if letters > _MOST_LETTERS:
            break
        kept = f'<div>{before}</div><div class="rg-to">→ {after}</div>'
        found.append(kept if step.built else _parts(step) + f"<div>{after}</div>")
    return found


def _formula(outputs: list[Variable], changed: Variable | None) -> str | None:
    try:
        return mathml(outputs, () if changed is None else (changed,))
    except ValueError:
        return None
