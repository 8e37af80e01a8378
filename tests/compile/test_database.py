"""The database: its order, its tags, the documented table, and adding to it."""

from collections.abc import Iterator

import pytest

import relgraph.tensor as at
from relations import CANONICALIZE, SPECIALIZE, STABILIZE
from relations.kit.vocabulary import law, lvars
from relgraph.compile import (
    function,
    optdb,
    optimize_graph,
    register_canonicalize,
    register_specialize,
    register_stabilize,
)
from relgraph.compile.database import ROWS, TAGS_OF_ROW, law_tags, rows_of
from relgraph.graph.opt import PatternSub, local_optimizer


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    phases = [optdb[name] for name in ("canonicalize", "stabilize", "specialize")]
    before = [dict(db._entries) for db in phases]
    yield
    for db, entries in zip(phases, before, strict=True):
        db._entries.clear()
        db._entries.update(entries)
        db._changes += 1


def test_every_law_of_the_book_is_there() -> None:
    book = {"canonicalize": CANONICALIZE, "stabilize": STABILIZE, "specialize": SPECIALIZE}
    for phase, laws in book.items():
        assert {law.name for law in laws} <= set(optdb[phase])
        for one in laws:
            assert optdb[phase][one.name] is one


def test_tags_of_laws() -> None:
    x, _ = lvars("x y")
    finite = law("test", at.sinh(x), at.cosh(x), sound="finite")
    assert "fast_run" not in law_tags(finite)
    row = law("test", at.sinh(x), at.cosh(x), sound="finite", tags=("mul_specialize",))
    assert {"fast_run", "mul_specialize", "local_mul_specialize"} < set(law_tags(row))
    assert rows_of(row) == ("mul_specialize",) and rows_of(finite) == ()
    exact = law_tags(law("test", at.sinh(x), at.cosh(x)))
    assert {"exact", "strict", "fast_run"} <= set(exact)
    assert "strict" not in law_tags(row)
    domain = law_tags(law("test", at.sinh(x), at.cosh(x), sound="domain"))
    assert "unsafe" in domain and not {"fast_run", "strict"} & set(domain)


def test_what_is_unsafe_is_not_found_by_its_phase() -> None:
    db = optdb["canonicalize"]
    names = {opt.name for opt in db.query("+canonicalize").local_optimizers}
    assert "remove-assert" in db and "remove-assert" not in names
    assert "neg-neg" in names


def test_a_database_is_found_by_what_is_in_it() -> None:
    assert optdb.holds({"neg-neg"}) and not optdb.holds({"no-such-law"})
    (phase, *others) = optdb.query("+neg-neg")
    assert [law.name for law in phase.local_optimizers] == ["neg-neg"]
    assert all(set(found.summary_children()) for found in others)
    assert list(optdb.query("+no-such-law")) == []


def test_soundness_is_a_tag() -> None:
    fast = optdb.query("+fast_run", "-finite")
    names = {local.name for opt in fast for local in getattr(opt, "local_optimizers", ())}
    assert "mul-div-cancel" not in names
    assert "neg-neg" in names


@pytest.mark.parametrize(
    ("register", "phase"),
    [
        (register_canonicalize, "canonicalize"),
        (register_stabilize, "stabilize"),
        (register_specialize, "specialize"),
    ],
)
def test_registration(register: object, phase: str) -> None:
    assert callable(register)
    x = at.dvector("x")
    x_lv, _ = lvars("x y")
    sinh_law = law("test-sinh", at.sinh(x_lv), at.cosh(x_lv), tags=("odd",))
    assert register(sinh_law, "mine") is sinh_law
    assert function([x], at.sinh(x)).maker.fgraph.outputs[0].owner.op is at.cosh
    for tag in ("test-sinh", "odd", "mine", phase, "exact"):
        assert optimize_graph(at.sinh(x), include=[tag]).owner.op is at.cosh  # type: ignore[union-attr]
        excluded = optimize_graph(at.sinh(x), include=["fast_run"], exclude=[tag])
        assert excluded.owner.op is at.sinh  # type: ignore[union-attr]
    assert optdb[phase]["mine"] is sinh_law


def test_a_decorator_takes_tags_and_a_name() -> None:
    x = at.dvector("x")

    @register_specialize("mine", "unsafe", name="test_named")
    @local_optimizer([at.cosh])
    def other(fgraph: object, node: object) -> object:
        return [at.tanh(node.inputs[0])]  # type: ignore[attr-defined]

    assert optdb["specialize"]["test_named"] is other
    assert function([x], at.cosh(x)).maker.fgraph.outputs[0].owner.op is at.cosh
    assert function([x], at.cosh(x), "unsafe").maker.fgraph.outputs[0].owner.op is at.tanh
    with pytest.raises(TypeError, match="has no name"):
        register_canonicalize(PatternSub((at.sinh, "x"), (at.cosh, "x")).transform)


# The table of the document, written out once more.

TABLE = """
merge                    o4 o3 o2 o1               unsafe
constant_folding         o4 o3 o2 o1               unsafe
shape_promotion          o4 o3                     unsafe
fill_cut                 o4 o3                     unsafe
inc_subtensor_serialize  o4 o3                     unsafe
reshape_chain            o4 o3                     unsafe
constant_elimination     o4 o3                     unsafe
add_canonicalize         o4 o3                     unsafe
mul_canonicalize         o4 o3                     unsafe
dot22                    o4 o3                     unsafe
sparse_dot               o4 o3                     unsafe
sum_scalar_mul           o4 o3                     unsafe
neg_neg                  o4 o3                     unsafe
neg_div_neg              o4 o3                     unsafe
add_specialize           o4 o3                     unsafe
mul_specialize           o4 o3                     unsafe
pow_specialize           o4 o3                     unsafe
inplace_setsubtensor     o4
gemm                     o4 o3                     unsafe
inplace_elemwise         o4
inplace_random           o4
elemwise_fusion          o4 o3 o2                  unsafe
local_log_softmax        o4 o3       stabilization unsafe
local_remove_all_assert                            unsafe
"""


def test_rows_and_modes() -> None:
    lines = [line.split() for line in TABLE.strip().splitlines()]
    assert [(row.name, set(row.modes)) for row in ROWS] == [(n, set(m)) for n, *m in lines]


def test_names() -> None:
    every = [name for row in ROWS for name in TAGS_OF_ROW[row.name]]
    assert len(every) == len(set(every))
    assert TAGS_OF_ROW["dot22"] == ("dot22", "local_dot_to_dot22")
