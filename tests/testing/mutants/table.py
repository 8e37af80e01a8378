"""Wrong laws, made from true laws of the book by the edits of `tests.testing.mutants.edits`.

The laws were drawn at random, once for each edit, from those that it changes.
"""

from __future__ import annotations

from itertools import islice

from relgraph.graph.kanren.laws import Law
from relgraph.tensor.assembly.joining import Join
from relgraph.tensor.indexing.indices import Slice
from relgraph.tensor.indexing.subtensor import Subtensor
from relgraph.tensor.lawkit.vocabulary import lvars
from relgraph.testing.discovery import discover_laws
from tests.testing.mutants.edits import EDITS, spoiled

BOOK = discover_laws()

EDITED = {
    "swapped": (
        "arctan-less-eighth-turn-of-quotient-spread clear-sub-factor "
        "exp2-div-exp2 expm1-mul-sigmoid max-div max-of-rest neg-div-neg neg-gt-constant "
        "neg-less-root-of-products not-le one-by-root-step root-less-of-powers "
        "sigmoid-difference sigmoid-of-one sin-to-neg-tan sqrt-step-back switch-or "
        "tanh-mul-div"
    ),
    "negated": (
        "abs-mul-sign clip-of-minimum conj-cast conj-conj conj-real cosh-arccosh erf "
        "exp-neg-softplus fill-sink-3-of-3 log-odd-power log-sigmoid log-sigmoid-div "
        "log2-exp2 mul-div-cancel real-mul-conj "
        "second-difference-of-one-by-written sinh-neg split-of-join-4-3 "
        "x-less-sin-by-tan"
    ),
    "off_by_one": (
        "and-zero cosh-less-one less-root-of-difference-of-products neg-and-root "
        "nonnegative-le-zero one-by-step-around one-by-x-less-cotangent one-less-square "
        "one-less-square-of-products or-minus-one root-more-of-products sin-mul-cos "
        "square-step-back-of-powers"
    ),
    "wrong_sign": (
        "arctan-less-eighth-turn-of-quotient by-one-and-square-of-powers cbrt-step "
        "inverse-gudermannian-of-quotient less-root-of-powers neg-less-root "
        "one-by-root-step-up one-by-step-back power-below-one-less-one power-step "
        "root-more-of-powers sqrt-exp sqrt-step sqrt-step-around"
    ),
    "unguarded": (
        "abs-nonnegative abs-unsigned alloc-sink-1-of-2-2d alloc-unneeded-3d "
        "cancel-quotient cast-trunc cumulate-one dimshuffle-unneeded eq-cast-one eq-false "
        "eq-self exp-log-nonnegative fill-known hypot-of-three-by-constant-of-powers "
        "imag-real isinf-abs le-self max-minimum maximum-zero minimum-of-neg "
        "neg-le-constant neq-self nonnegative-lt-zero not-lt pow-neg-odd set-everything "
        "sqr-sqrt-nonnegative sub-self-integer switch-false-true switch-to-and "
        "unsigned-ge-zero xor-true"
    ),
    "exact": (
        "add-zero cosh-less-one cosm1-by-sin differences-of-cumsum div-self "
        "dot-divided-left erfc exp-log expm1 log-exp log-softmax-div log1p log1p-less-x "
        "mul-zero neg-less-root-of-difference-of-powers neg-sub pow-half "
        "root-less-of-products sigmoid-total softplus-log1p sub-self sum-neg sum-of-sums "
        "zero-sub"
    ),
    "all_axes": (
        "log-prod max-minimum prod-of-prods softmax-mean-div softmax-slope sum-scalar-mul"
    ),
    "narrowed": (
        "abs-mul-sign arctanh-mirrored dot-column log1p-neg max-decreasing minus-one-mul "
        "neg-and-root-of-difference-of-products pow-neg-even softplus-neg-more square-step"
    ),
    "truncated": (
        "clear-sub-fraction div-one hypot-of-powers max-of-rest min-add one-less-square prod-sqr"
    ),
    "other_op": (
        "all-or clear-sub-factor coth fraction-cancel inverse-gudermannian "
        "inverse-gudermannian-of-quotient less-root-of-difference-of-powers "
        "less-root-of-difference-of-products log-exp-div min-mul minimum-casts "
        "mul-reciprocal mul-self pow-three-halves sech-slope sigmoid-difference sin-squared "
        "softmax-of-weights sum-of-filled-number tanh-mul-div x-log-x-step-less"
    ),
    "other_argument": (
        "alloc-unneeded-2d arctan-less-eighth-turn div-by-weighed div-of-product log-step "
        "log-sum-exp-moved maximum-times-minimum mul-exp-div-exp mul-switches-else-zero "
        "not-gt sinh-scaled split-of-join-4-1 sub-add-cancel sum-of-fill "
        "switch-not"
    ),
    "dropped": (
        "by-one-and-square-of-products div-of-constant-factor entropy-slope-scaled "
        "exp2-div-exp2 expm1-log-nonnegative fractions-cancel less-root log-mul-kept-sum "
        "log-sum-weighed log1p-neg max-sub min-neg neg-and-root-of-difference-of-products "
        "neg-div power-below-one-less-one root-more-of-difference-of-products "
        "sigmoid-reciprocal"
    ),
    "rounding": "mul-div-cancel mul-zero exp-log sigmoid-of-exp add-sub-cancel",
}
"""By the name of an edit, the laws that it is made on."""

SPOILED = {
    "bool": "add-self-boolean and-self de-morgan-or maximum-minimum",
    "unsigned integers": "absorb-or absorb-or-not pow-five",
    "signed integers": "abs-neg neg-neg or-zero sqr-neg",
    "float16": "div-reciprocal-by-constant pow-five pow-neg-even pow-six",
    "float32": "abs-abs abs-neg add-sub-cancel clear-fraction-add",
    "float64": "clear-factor-add conj-real exp-div-exp minimum-maximum",
    "complex": "abs-conj conj-conj",
    "imaginary parts": "abs-conj conj-conj",
    "rank 0": "add-neg clear-sub-fraction neg-div-by-constant pow-minus-one",
    "rank 1": "abs-product div-one mul-true pow-four",
    "rank 2": "absorb-and add-zero-discrete and-self conj-conj",
    "length 0": "absorb-or-not clear-factor-add exp-div-mul-exp fill-of-fill",
    "length 1": "absorb-or and-minus-one minimum-self pow-three-halves",
    "more than one row": "abs-conj exp-div-mul-exp maximum-less-minimum neg-div",
    "fortran order": "conj-conj minimum-greatest pow-minus-half pow-two",
    "negative strides": "abs-abs add-sub-cancel conj-conj",
    "zero strides": "add-sub-cancel de-morgan-or maximum-plus-minimum neg-div-neg",
    "gaps": "abs-neg absorb-and-not maximum-minimum or-false",
    "read-only": "minimum-greatest minimum-neg-self or-or-self pow-exp",
    "duplicates": "and-minus-one de-morgan-and div-minus-one mul-self",
    "nan": "abs-abs add-minus-zero conj-conj maximum-times-minimum",
    "inf": "abs-conj conj-conj minimum-greatest minimum-of-neg",
    "-inf": "add-minus-zero exp-div-mul-exp maximum-times-minimum pow-eight",
    "-0": "abs-abs abs-neg conj-conj maximum-least",
    "0": "add-neg minimum-neg-self mul-one pow-minus-two",
    "the greatest number": "de-morgan-and maximum-of-neg mul-self or-or-self",
    "the least number": "minimum-neg-self sqr-neg",
    "the least normal number": "abs-neg conj-real div-reciprocal-by-constant neg-div-by-constant",
    "subnormal numbers": "abs-of-abs-product clear-sub-factor exp-mul-exp fraction-cancel",
}
"""The same for laws that are wrong for certain inputs alone: see `spoiled`."""

a, i, x, y = lvars("a i x y")
BACKWARDS = (Slice(None, None, -1),)
TAIL = (Slice(1, None, None),)

# Mistakes about indices, axes and joined parts, which have forms of their own.
BY_HAND = [
    Law("index reversed", Subtensor(BACKWARDS)(x), x),
    Law(
        "index reversed twice",
        Subtensor(BACKWARDS)(Subtensor(BACKWARDS)(x)),
        Subtensor(BACKWARDS)(x),
    ),
    Law("row off by one", Subtensor((0,))(x), Subtensor((1,))(x)),
    Law("slice off by one", Subtensor(TAIL)(Subtensor(TAIL)(x)), Subtensor(TAIL)(x)),
    Law("last for first", Subtensor((-1,))(x), Subtensor((0,))(x)),
    Law("joined in the other order", Join(a)(x, y), Join(a)(y, x), mixed=True),
    Law("joined along another axis", Join(0)(x, y), Join(1)(x, y), mixed=True),
    Law("part dropped", Subtensor(i)(x), x, mixed=True),
]


def mutants() -> list[Law]:
    """Return the wrong laws of the tables: the first that an edit gives, and one for each guard."""
    made = []
    for name, laws in EDITED.items():
        most = None if name == "unguarded" else 1
        made += [m for law in laws.split() for m in islice(EDITS[name](BOOK[law]), most)]
    for where, laws in SPOILED.items():
        made += [m for law in laws.split() for m in spoiled(where)(BOOK[law])]
    return [*made, *BY_HAND]


_PADDING = "the number only keeps the branch that is not taken from dividing by 0"
_BORDER = "at the border both branches are right"
_NO_TYPE = "without this guard another one, or the types of the two sides, refuse the same graphs"
_FORM = "the guard keeps the book from undoing its own forms; the law is true without it"

# Edits that give a law which is true after all, and why: no checker can fail them.
EQUIVALENT = {
    **dict.fromkeys(
        (
            "wrong sign: cbrt-step",
            "wrong sign: one-by-root-step-up",
            "wrong sign: one-by-step-back",
            "wrong sign: sqrt-step",
        ),
        _PADDING,
    ),
    "wrong sign: inverse-gudermannian-of-quotient": "cos(-2 * x) is cos(2 * x)",
    **dict.fromkeys(
        (
            "other op: inverse-gudermannian",
            "other op: inverse-gudermannian-of-quotient",
            "other op: less-root-of-difference-of-powers",
            "other op: less-root-of-difference-of-products",
            "other op: x-log-x-step-less",
        ),
        _BORDER,
    ),
    "other argument: log-step": "abs(x) < x holds nowhere: the right side is always the left one",
    **dict.fromkeys(
        (
            "unguarded 1: alloc-sink-1-of-2-2d",
            "unguarded 1: alloc-unneeded-3d",
            "unguarded 2: cancel-quotient",
            "unguarded 1: eq-cast-one",
            "unguarded 1: max-minimum",
            "unguarded 1: neg-le-constant",
            "unguarded 2: neg-le-constant",
            "unguarded 1: sqr-sqrt-nonnegative",
            "unguarded 1: switch-false-true",
            "unguarded 1: switch-to-and",
        ),
        _NO_TYPE,
    ),
    "unguarded 3: neg-le-constant": _FORM,
}

# Wrong laws that the checker passes, and why.
SURVIVORS: dict[str, str] = {
    "unguarded 1: isinf-abs": "no complex number is drawn whose absolute value overflows alone",
}
