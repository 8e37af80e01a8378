"""Writes the page of the documentation that shows what expressions with matrices cost.

python -m tests.relations.matrices.cost
"""

from __future__ import annotations

import ast
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


def _sources() -> list[str]:
    """Return the expressions of the table as text."""
    text = Path(expressions.__file__).read_text(encoding="utf-8")
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "TABLE":
            assert isinstance(statement.value, ast.List)
            return [ast.unparse(row.elts[1]) for row in statement.value.elts]
    raise LookupError("expressions.py has no TABLE")


def page() -> str:
    """Return the text of the page."""
    rows = []
    for (name, _, laws, before, after), source in zip(expressions.TABLE, _sources(), strict=True):
        shown = source.replace("small_a", "f").replace("small_b", "g").replace("trace_(", "trace(")
        rows.append(
            f"| {name}: `{shown}` | {laws} | {before:,} | {after:,} | {before / after:.1f} |"
        )
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
