"""Products of several factors as one op."""

from __future__ import annotations

from relgraph.search.accuracy.expressions import NUMBER, Expr, apply, scaled_product

_MOST_FACTORS = 10


def as_scaled_product(expr: Expr) -> Expr | None:
    """Return a product of factors and divisors, three or more, as one op that neither over- nor
    underflows on the way; None of what is none."""
    found: tuple[list[Expr], list[Expr]] = ([], [])
    negative = False
    stack = [(expr, 0)]
    while stack:
        e, side = stack.pop()
        if e.op == "neg":
            negative = not negative
            stack.append((e.args[0], side))
        elif e.op in ("mul", "true_div"):
            stack.append((e.args[1], side if e.op == "mul" else 1 - side))
            stack.append((e.args[0], side))
        elif e.op == "sqr":
            stack += [(e.args[0], side)] * 2
        elif e.op != NUMBER or e.value != 1:
            found[side].append(e)
        if len(stack) + len(found[0]) + len(found[1]) > _MOST_FACTORS:
            return None
    factors, divisors = found
    if len(factors) + len(divisors) < 3:
        return None
    made = scaled_product(factors, divisors)
    return apply("neg", made) if negative else made
