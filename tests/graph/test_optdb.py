import math

import pytest

from relgraph.graph.fg import FunctionGraph
from relgraph.graph.opt import (
    EquilibriumOptimizer,
    LocalOptGroup,
    MergeOptimizer,
    OpSub,
    SequenceOptimizer,
    TopoOptimizer,
    in2out,
    local_optimizer,
)
from relgraph.graph.optdb import (
    EquilibriumDB,
    LocalGroupDB,
    OptimizationDatabase,
    OptimizationQuery,
    ProxyDB,
    SequenceDB,
    TopoDB,
)
from relgraph.scalar import exp, float64, log, neg


def step(name=None):
    return in2out(OpSub(exp, log), name=name)


def names(optimizers):
    return [opt.name for opt in optimizers]


class TestRegister:
    def test_the_name_is_the_optimizers_own_from_then_on(self):
        db, opt = OptimizationDatabase(), step("old")
        db.register("new", opt, "tag")
        assert opt.name == "new" and db["new"] is opt
        assert "new" in db and "tag" in db and "TopoOptimizer" in db and "old" not in db

    def test_the_same_name_twice_says_where_the_first_came_from(self):
        db = OptimizationDatabase("mine")
        db.register("twice", step())
        with pytest.raises(
            ValueError, match=r"'twice' is in the database mine .*test_optdb\.py:\d"
        ):
            db.register("twice", step())

    def test_name_of_the_database_is_a_tag(self):
        db = OptimizationDatabase("mine")
        db.register("a", step())
        db.register("b", step(), use_db_name_as_tag=False)
        assert names(db.query("+mine")) == ["a"]

    def test_laws_keep_their_name_and_bring_their_tags(self):
        class LawLike:
            name, tags, forward = "mul-one", ("exact", "algebra"), OpSub(exp, log)

        db, law = EquilibriumDB(), LawLike()
        db.register("first-law", law, "canonicalize")
        assert law.name == "mul-one"
        for tag in ("first-law", "mul-one", "exact", "algebra", "canonicalize"):
            assert db.query(f"+{tag}").local_optimizers == (law.forward,)


class TestTags:
    def test_add_and_remove(self):
        db = OptimizationDatabase()
        db.register("a", step(), "t")
        db.add_tags("a", "u", "v")
        db.remove_tags("a", "t")
        assert db.query("+t") == [] and names(db.query("+u")) == ["a"]

    def test_unknown_ones(self):
        db = OptimizationDatabase("mine")
        db.register("a", step(), "t")
        with pytest.raises(KeyError, match="'b' is not in the database mine: it has a"):
            db.add_tags("b", "t")
        with pytest.raises(KeyError, match="'a' has no tag 'u'"):
            db.remove_tags("a", "u")
        with pytest.raises(ValueError, match="the name under which it is registered"):
            db.remove_tags("a", "a")

    def test_getitem(self):
        db = OptimizationDatabase()
        first, second = step(), step()
        db.register("a", first, "one", "both")
        db.register("b", second, "both")
        assert db["one"] is first and db["b"] is second
        with pytest.raises(ValueError, match="'both' is a tag of a, b"):
            db["both"]
        with pytest.raises(KeyError, match="'c' is not in the database"):
            db["c"]


class TestQuery:
    @pytest.fixture
    def db(self):
        db = OptimizationDatabase()
        db.register("a", step(), "fast_run", "fast_compile")
        db.register("b", step(), "fast_run", "inplace")
        db.register("c", step(), "fast_run", "stable", "inplace")
        db.register("d", step(), "unsafe")
        return db

    def test_strings(self, db):
        assert names(db.query("+fast_run")) == ["a", "b", "c"]
        assert names(db.query("+fast_run", "-inplace")) == ["a"]
        assert names(db.query("+fast_run", "&inplace", "&stable")) == ["c"]
        assert names(db.query("+fast_run", "+unsafe", "-stable")) == ["a", "b", "d"]
        assert names(db.query("+d")) == ["d"]
        assert db.query() == []

    def test_objects(self, db):
        query = OptimizationQuery(include=["fast_run"])
        assert names(db.query(query)) == ["a", "b", "c"]
        assert names(db.query(query.excluding("inplace"))) == ["a"]
        assert names(db.query(query.requiring("inplace"))) == ["b", "c"]
        assert names(db.query(query.including("unsafe"))) == ["a", "b", "c", "d"]
        assert names(db.query(query)) == ["a", "b", "c"], "the query itself has not changed"

    def test_str(self):
        query = OptimizationQuery(["a"], exclude=["b"], position_cutoff=2)
        for part in ("include=['a']", "exclude=['b']", "require=[]", "position_cutoff=2"):
            assert part in str(query)


class TestEquilibriumDB:
    def test_parts(self):
        @local_optimizer([exp])
        def local(fgraph, node):
            return False

        db = EquilibriumDB(ignore_newtrees=False, tracks_on_change_inputs=True, max_use_ratio=5)
        final, cleanup, everywhere = step(), MergeOptimizer(), step()
        db.register("local", local, "t")
        db.register("everywhere", everywhere, "t")
        db.register("final", final, "t", final_opt=True)
        db.register("cleanup", cleanup, "t", cleanup=True)
        opt = db.query("+t")
        assert isinstance(opt, EquilibriumOptimizer)
        assert opt.local_optimizers == (local,)
        assert opt.global_optimizers == (everywhere,)
        assert opt.final_optimizers == (final,)
        assert opt.cleanup_optimizers == (cleanup,)
        assert (opt.ignore_newtrees, opt.tracks_on_change_inputs) == (False, True)
        assert opt.max_use_ratio == 5
        assert db.query("+t", "-final").final_optimizers == ()


class TestSequenceDB:
    @pytest.fixture
    def db(self):
        db = SequenceDB()
        db.register("half", step(), "t", position=0.5)
        db.register("end", step(), "t", position="last")
        db.register("two", step(), "t", "u", position=2)
        db.register("start", step(), "t", position="first")
        db.register("one", step(), "t", position=1)
        db.register("end2", step(), "t")
        db.register("start2", step(), "t", position="first")
        return db

    def test_order(self, db):
        opt = db.query("+t")
        assert isinstance(opt, SequenceOptimizer)
        assert names(opt) == ["start2", "start", "half", "one", "two", "end", "end2"]

    def test_cutoff(self, db):
        assert names(db.query("+t", position_cutoff=1)) == ["start2", "start", "half"]
        query = OptimizationQuery(["t"], position_cutoff=2)
        assert names(db.query(query)) == ["start2", "start", "half", "one"]
        assert names(db.query(query, position_cutoff=1)) == ["start2", "start", "half"]
        assert query.position_cutoff == 2
        assert len(db.query(query, position_cutoff=math.inf)) == 7

    def test_extra_optimizations(self, db):
        extra = step("extra")
        query = OptimizationQuery(["u"]).register((extra, 1.5), (step("late"), 3))
        assert names(db.query(query)) == ["extra", "two", "late"]
        assert names(db.query(query, position_cutoff=3)) == ["extra", "two"]

    def test_databases_inside(self):
        db, inner, other = SequenceDB(), EquilibriumDB(), SequenceDB()
        inner.register("a", OpSub(exp, log), "fast", "both")
        inner.register("b", OpSub(log, exp), "slow", "both")
        other.register("c", step(), "fast", position=1)
        db.register("inner", inner, "fast", "slow", position=1)
        db.register("other", other, "fast", position=2)
        first, second = db.query("+fast")
        assert (first.name, second.name) == ("inner", "other")
        assert names(first.local_optimizers) == ["a"] and names(second) == ["c"]
        (first,) = db.query("+slow")
        assert names(first.local_optimizers) == ["b"]
        (first,) = db.query("+slow", inner=OptimizationQuery(["both"]))
        assert names(first.local_optimizers) == ["a", "b"]
        (first,) = db.query("+slow", inner=["+both", "-slow"])
        assert names(first.local_optimizers) == ["a"]
        query = OptimizationQuery(["slow"], subquery={"inner": OptimizationQuery(["fast"])})
        assert names(db.query(query)[0].local_optimizers) == ["a"]

    def test_extra_optimizations_stay_outside(self):
        db, inner = SequenceDB(), SequenceDB()
        inner.register("a", step(), "t", position=1)
        db.register("inner", inner, "t", position=1)
        opt = db.query(OptimizationQuery(["t"]).register((step("extra"), 2)))
        assert names(opt) == ["inner", "extra"] and names(opt[0]) == ["a"]


class TestOtherDatabases:
    def test_local_group(self):
        db = LocalGroupDB(apply_all_opts=True, profile=True)
        db.register("b", OpSub(log, neg), "t", position=2)
        db.register("a", OpSub(exp, log), "t", position=1)
        group = db.query("+t")
        assert isinstance(group, LocalOptGroup)
        assert names(group.opts) == ["a", "b"]
        assert group.apply_all_opts and group.profile

    def test_local_group_in_an_equilibrium(self):
        group, db = LocalGroupDB(), EquilibriumDB()
        group.register("a", OpSub(exp, log), "t")
        db.register("group", group, "t")
        (made,) = db.query("+t").local_optimizers
        assert made.name == "group" and names(made.opts) == ["a"]

    def test_topo(self):
        group = LocalGroupDB()
        group.register("a", OpSub(exp, log), "t")
        group.register("b", OpSub(log, neg), "t")
        db = SequenceDB()
        topo = TopoDB(group, order="out_to_in", ignore_newtrees=True)
        db.register("topo", topo, "t", position=1)
        (made,) = db.query("+t")
        assert isinstance(made, TopoOptimizer)
        assert (made.name, made.order, made.ignore_newtrees) == ("topo", "out_to_in", True)
        x = float64("x")
        fgraph = FunctionGraph([x], [exp(log(x))])
        made.optimize(fgraph)
        assert str(fgraph) == "FunctionGraph(log(neg(x)))"

    def test_proxy(self):
        inner, db = EquilibriumDB(), SequenceDB()
        inner.register("a", OpSub(exp, log), "t")
        db.register("early", inner, "t", position=1)
        db.register("late", ProxyDB(inner), "t", position=9)
        assert names(db.query("+t")) == ["early", "late"]
        assert [names(opt.local_optimizers) for opt in db.query("+t")] == [["a"], ["a"]]


def test_print_summary(capsys):
    inner, db = EquilibriumDB(), SequenceDB(name="all")
    inner.register("a", OpSub(exp, log), "t")
    db.register("inner", inner, "t", position=1.5)
    db.register("proxy", ProxyDB(inner), "u", position="last")
    db.register("before", step(), position="first")
    db.print_summary()
    assert capsys.readouterr().out.splitlines() == [
        "SequenceDB all",
        "  first before [TopoOptimizer, all]",
        "  1.5 inner [EquilibriumDB, all, t]",
        "    EquilibriumDB inner",
        "      a [OpSub, t]",
        "  last proxy [ProxyDB, all, u]",
        "    ProxyDB proxy",
        "      EquilibriumDB inner",
        "        a [OpSub, t]",
    ]
    db.print_summary(depth=0)
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_what_was_found_out_about_rewriters_outlives_a_query():
    db = EquilibriumDB()
    db.register("one", OpSub(exp, log), "a", "b")
    db.register("two", OpSub(log, neg), "a")
    first, again, other = db.query("+a"), db.query("+a"), db.query("+b")
    assert first is not again and first.tables is again.tables
    assert other.tables is not first.tables
    x = float64("x")
    assert [r.name for r in other.tables.plan_for(exp(x).owner).early] == ["one"]
    assert other.tables.plan_for(log(x).owner).idle


def test_a_name_is_no_tag_of_something_else():
    db = OptimizationDatabase("mine")
    db.register("first", OpSub(exp, log), "shared")
    with pytest.raises(ValueError, match="'shared' is a tag of first in the database mine"):
        db.register("shared", OpSub(log, exp))
    db.add_tags("first", "later")
    with pytest.raises(ValueError, match="'later' is a tag of first"):
        db.register("later", OpSub(log, exp))
    db.remove_tags("first", "later")
    db.register("later", OpSub(log, exp))


PLAIN, AT_REST, ORDERED = OptimizationDatabase, EquilibriumDB, SequenceDB


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: PLAIN().register("exp", exp), TypeError, "expected a LocalOptimizer or a law"),
        (lambda: PLAIN().register("", step()), TypeError, "name"),
        (lambda: PLAIN().register("a", step(), 3), TypeError, "strings|tag"),
        (lambda: PLAIN().register("a", step(), position=3), TypeError, "position"),
        (lambda: PLAIN().query("fast_run"), ValueError, r"'\+tag' .include., .* not 'fast_run'"),
        (lambda: PLAIN().query(OptimizationQuery(["a"]), "+b"), TypeError, "not both"),
        (lambda: OptimizationQuery("fast_run"), TypeError, r"include=\['fast_run'\]"),
        (lambda: OptimizationQuery([3]), TypeError, "strings, not 3"),
        (lambda: AT_REST().register("a", step(), final_opt=True, cleanup=True), ValueError, "both"),
        (lambda: ORDERED().register("a", step(), position=math.nan), ValueError, "nan"),
        (lambda: ORDERED().register("a", step(), position=True), TypeError, "not True"),
        (lambda: ProxyDB(step()), TypeError, "expected an OptimizationDatabase"),
    ],
)
def test_what_is_wrong_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("db", "item", "options", "error", "message"),
    [
        (SequenceDB(), step(), {"position": "middle"}, TypeError, "a position is a number"),
        (EquilibriumDB(), OpSub(exp, log), {"final_opt": True}, TypeError, "is a GlobalOptimizer"),
    ],
)
def test_a_registration_that_fails_leaves_nothing(db, item, options, error, message):
    with pytest.raises(error, match=message):
        db.register("a", item, **options)
    assert "a" not in db
