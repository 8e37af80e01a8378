"""Wrong laws, made from those of the book by systematic edits."""

from __future__ import annotations

from relgraph.graph.kanren.laws import Law
from relgraph.graph.kanren.search.goals import Where
from relgraph.graph.kanren.terms.term import Literal, Term
from relgraph.tensor import cast
from relgraph.tensor.assembly.joining import Join
from relgraph.tensor.indexing.indices import Slice
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.vocabulary import lvars
from relgraph.tensor.reductions.reduction import CAReduce
from relgraph.testing.discovery import discover_laws

BOOK = discover_laws()
ORDERED = ("sub", "true_div", "pow", "lt", "le", "gt", "ge", "int_div", "mod", "arctan2", "switch")


def changed(kind, law, **parts):
    """Return a law with some parts changed."""
    known = {
        "lhs": law.lhs,
        "rhs": law.rhs,
        "conditions": law.conditions,
        "sound": law.sound,
        "mixed": law.mixed,
        "complex": law.complex,
    }
    known.update(parts)
    return Law(f"{kind} {law.name}", **known)


def first_changed(part, change):
    """Return a term with the first part for which `change` gives something replaced, or None."""
    made = change(part)
    if made is not None:
        return made
    if not isinstance(part, Term):
        return None
    for i, arg in enumerate(part.args):
        made = first_changed(arg, change)
        if made is not None:
            return Term(part.op, [*part.args[:i], made, *part.args[i + 1 :]], part._ops)
    return None


def on_either_side(law, kind, change):
    """Return `law` with a change on the right side, or on the left one if none is possible."""
    rhs = first_changed(law.rhs, change)
    if rhs is not None:
        return changed(kind, law, rhs=rhs)
    return changed(kind, law, lhs=first_changed(law.lhs, change))


def swapped(law):
    """Two arguments of an op that is not commutative change places; of a switch, the branches."""

    def change(part):
        if not isinstance(part, Term) or str(part.op) not in ORDERED:
            return None
        *before, a, b = part.args
        return Term(part.op, [*before, b, a], part._ops)

    return on_either_side(law, "swapped", change)


def negated(law):
    """The right side gets the wrong sign."""
    return changed("negated", law, rhs=-law.rhs)


def off_by_one(law):
    """A number is one more."""

    def change(part):
        return Literal(part.value + 1) if isinstance(part, Literal) else None

    return on_either_side(law, "off by one", change)


def unguarded(law):
    """The conditions are left out; what is computed stays."""
    kept = [c for c in law.conditions if not isinstance(c, Where)]
    assert len(kept) < len(law.conditions)
    return changed("unguarded", law, conditions=kept)


def raised(law, sound):
    """The law claims a stronger class."""
    return changed(f"{sound}:", law, sound=sound)


def all_axes(law):
    """The right side reduces over all axes."""

    def change(part):
        op = part.op if isinstance(part, Term) else None
        if not isinstance(op, Term) or op.op is not CAReduce:
            return None
        return Term(Term(CAReduce, [op.args[0], None], op._ops), part.args, part._ops)

    return changed("all axes", law, rhs=first_changed(law.rhs, change), mixed=True)


def narrowed(law):
    """The right side goes through a dtype of less precision."""
    return changed("narrowed", law, rhs=cast(cast(law.rhs, "float32"), "float64"))


def truncated(law):
    """The right side goes through integers."""
    return changed("truncated", law, rhs=cast(cast(law.rhs, "int64"), "float64"))


def of_op(law, old, new):
    """One scalar op is taken for another one."""

    def change(part):
        if not isinstance(part, Term) or str(part.op) != old:
            return None
        return Term(getattr(part._ops, new), part.args, part._ops)

    return on_either_side(law, f"{new} for {old}:", change)


def each(edit, names):
    return [edit(BOOK[name]) for name in names.split()]


def by_class(pairs):
    return [raised(BOOK[name], sound) for name, sound in pairs]


a, i, x, y = lvars("a i x y")
BACKWARDS = (Slice(None, None, -1),)

# Edits of laws about indices, axes and joined parts, whose mistakes have forms of their own.
BY_HAND = [
    Law("index reversed", Subtensor(BACKWARDS)(x), x),
    Law(
        "index reversed twice",
        Subtensor(BACKWARDS)(Subtensor(BACKWARDS)(x)),
        Subtensor(BACKWARDS)(x),
    ),
    Law("row off by one", Subtensor((0,))(x), Subtensor((1,))(x)),
    Law(
        "slice off by one",
        Subtensor((Slice(1, None, None),))(Subtensor((Slice(1, None, None),))(x)),
        Subtensor((Slice(1, None, None),))(x),
    ),
    Law("last for first", Subtensor((-1,))(x), Subtensor((0,))(x)),
    Law("joined in the other order", Join(a)(x, y), Join(a)(y, x), mixed=True),
    Law("joined along another axis", Join(0)(x, y), Join(1)(x, y), mixed=True),
    Law("part dropped", Subtensor(i)(x), x, mixed=True),
]

MUTANTS = [
    *each(
        swapped,
        "add-neg neg-sub div-neg neg-div neg-div-neg div-of-fraction div-by-fraction "
        "clear-fraction-sub clear-sub-fraction switch-not switch-switch lt-neg-neg le-neg-neg "
        "gt-neg-neg not-lt sub-lt-zero sub-fractions abs-quotient exp-div-exp exp-sub-log "
        "arctan2-neg sub-of-difference",
    ),
    *each(
        negated,
        "add-zero mul-one neg-neg pow-one sub-zero log-exp exp-log mul-neg sqr-neg abs-neg "
        "cos-neg sum-neg sigmoid log1p expm1 erf-neg mul-self softplus log-sigmoid "
        "alloc-unneeded-2d alloc-unneeded-3d pow-neg-odd",
    ),
    *each(
        off_by_one,
        "mul-zero div-self sub-self pythagoras pow-two pow-half add-zero sigmoid-total sqr-exp "
        "sinh erf-total log1p expm1",
    ),
    *each(
        unguarded,
        "eq-self le-self not-lt neq-self abs-nonnegative abs-unsigned xor-true eq-false "
        "switch-to-and maximum-zero nonnegative-lt-zero unsigned-ge-zero specify-known-shape "
        "dimshuffle-unneeded set-everything cumulate-one sqr-sqrt-nonnegative "
        "exp-log-nonnegative sub-self-integer imag-cast alloc-sink-1-of-2-2d real-cast max-minimum",
    ),
    *by_class(
        [
            ("add-zero", "exact"),
            ("zero-sub", "exact"),
            ("neg-sub", "exact"),
            ("mul-div-cancel", "rounding"),
            ("mul-zero", "exact"),
            ("mul-zero", "rounding"),
            ("div-self", "exact"),
            ("sub-self", "exact"),
            ("log-exp", "exact"),
            ("exp-log", "rounding"),
            ("expm1", "exact"),
            ("log1p", "exact"),
            ("sum-neg", "exact"),
            ("div-of-fraction", "exact"),
            ("erfc", "exact"),
            ("softplus-log1p", "exact"),
            ("sigmoid-of-exp", "rounding"),
            ("pow-half", "exact"),
            ("add-sub-cancel", "rounding"),
            ("sum-of-sums", "exact"),
        ]
    ),
    *each(all_axes, "sum-neg prod-abs all-not any-not prod-sqr max-of-max any-of-any any-and"),
    *each(narrowed, "add-zero mul-one neg-neg exp-log log1p sub-zero pow-abs-even"),
    *each(truncated, "mul-one sub-zero neg-neg"),
    of_op(BOOK["log1p"], "log1p", "log"),
    of_op(BOOK["expm1"], "expm1", "exp"),
    of_op(BOOK["maximum-of-neg"], "minimum", "maximum"),
    of_op(BOOK["sub-neg"], "add", "sub"),
    of_op(BOOK["de-morgan-and"], "or_", "and_"),
    of_op(BOOK["mul-self"], "sqr", "sqrt"),
    of_op(BOOK["log-sqr"], "mul", "add"),
    of_op(BOOK["not-lt"], "ge", "gt"),
    *BY_HAND,
]

# Edits that give a law which is true after all, and why: no checker can fail them.
EQUIVALENT = {
    "unguarded specify-known-shape": "what lacks a length that its variable declares is no "
    "replacement for it, and the adapter refuses it without any guard",
    "unguarded real-cast": "nothing but a real number can be put in the place of a real part, and "
    "the adapter refuses a complex one",
}

# Wrong laws that the checker passes, and why.
SURVIVORS: dict[str, str] = {}
