"""What makes ops overwrite their inputs stands behind the DestroyHandler, or is refused."""

from typing import Any

import pytest

import relgraph.tensor as at
from relgraph.compile import get_mode, optdb
from relgraph.graph.basic import Apply
from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import (
    GlobalOptimizer,
    OpSub,
    SequenceOptimizer,
    TopoOptimizer,
    inplace_optimizer,
    local_optimizer,
)
from relgraph.graph.optdb import EquilibriumDB, LocalGroupDB, ProxyDB, SequenceDB, TopoDB
from relgraph.passes.inplace import inplace_elemwise
from relgraph.tensor.elemwise import Elemwise

exp_inplace = Elemwise(at.exp.scalar_op, {0: 0})


@inplace_optimizer
def overwriting(fgraph: FunctionGraph) -> None:
    """Do nothing, as what overwrites."""


@local_optimizer(None, inplace=True)
def locally_overwriting(fgraph: FunctionGraph, node: Apply) -> Any:
    return False


class Silent(GlobalOptimizer):
    """An optimizer that does not say what it does."""

    def apply(self, fgraph: FunctionGraph) -> None:
        return None


REFUSED = {
    "decorated": overwriting,
    "local": locally_overwriting,
    "an op": OpSub(at.exp, exp_inplace),
    "applied": TopoOptimizer(OpSub(at.exp, exp_inplace)),
    "in a sequence": SequenceOptimizer(Silent(), overwriting),
    "a pass": inplace_elemwise(),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_it_has_position_50_or_later(kind: str) -> None:
    db = SequenceDB(name="all", inplace_from=50)
    item = REFUSED[kind]
    with pytest.raises(ValueError, match=r"'mine' makes ops that overwrite.*50 or later.*not 49"):
        db.register("mine", item, "fast_run", position=49)
    assert "mine" not in db.tags()
    if isinstance(item, GlobalOptimizer):
        db.register("mine", item, "fast_run", position=50)
        assert list(db.query("+fast_run")) == [item]


def test_the_tag_says_so_too() -> None:
    for position in (1, 49.9, "first"):
        with pytest.raises(ValueError, match="makes ops that overwrite"):
            optdb.register("silent", Silent(), "fast_run", "inplace", position=position)  # type: ignore[arg-type]
    assert not optdb.knows("silent")


def test_databases_before_it_take_none() -> None:
    for phase in ("canonicalize", "specialize"):
        with pytest.raises(ValueError, match="'mine' makes ops that overwrite"):
            optdb[phase].register("mine", locally_overwriting, "fast_run")
    full = EquilibriumDB()
    full.register("mine", locally_overwriting, "fast_run")
    group = LocalGroupDB()
    group.register("mine", locally_overwriting, "fast_run")
    for held in (full, ProxyDB(full), TopoDB(group)):
        db = SequenceDB(inplace_from=50)
        with pytest.raises(ValueError, match="'mine' makes ops that overwrite"):
            db.register("held", held, position=2)
        db.register("held", held, position=60)


def test_modes_refuse_it_at_registration() -> None:
    item = inplace_elemwise()
    with pytest.raises(ValueError, match=r"InplacePass' makes ops that overwrite.*not 10"):
        get_mode("o3").register((item, 10))
    mode = get_mode("o4").register((item, 80))
    assert item in list(mode.optimizer)  # type: ignore[call-overload]
