"""Writes the page of the documentation that shows what expressions with matrices cost.

python -m tests.relations.matrices.cost
"""

from __future__ import annotations

from pathlib import Path

from tests.relations.matrices.cost import expressions

PAGE = Path(__file__).parents[4] / "notebooks" / "pages" / "matrices.md"

HEAD = """# What laws about matrices save

Expressions as people write them, and the floating-point operations that they take as they stand and
as laws leave them. `a`, `b` and `c` are matrices of 40 rows and columns, `p` is a positive definite
one, `lower` a lower triangular, `q` an orthogonal one, by `relgraph.tensor.linalg.assume`; `u` and
`x` have 4 columns, `t` has 4 rows, `f` and `g` are of 5 and 8; `v`, `w`, `y` and `d` are vectors.
`noisy` is `assume(scale * p + 0.1 * eye, "positive definite")`.

The laws are those of the mode `o4`; with *all*, those that hold for finite numbers too,
`include=["fast_run", "linear_algebra"]`; with *unsafe*, those that hold for what is far from
singular, `"unsafe"` besides. The values agree to 8 digits. The counts are the usual ones for dense
matrices (Golub and Van Loan, Matrix Computations): a test computes them, and this page is written
by `python -m tests.relations.matrices.cost`.

| expression | laws | before | after | times |
|---|---|---|---|---|
"""


def page() -> str:
    """Return the text of the page."""
    rows = [
        f"| {name}: `{text}` | {laws} | {before:,} | {after:,} | {before / after:.1f} |"
        for name, text, laws, before, after in expressions.TABLE
    ]
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
