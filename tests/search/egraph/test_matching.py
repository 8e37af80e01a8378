"""Matching: what egglog finds, and that each match is given once."""

from relgraph.search.saturation import Matcher


def test_matches_are_given_once_and_again_when_classes_are_one() -> None:
    with Matcher() as matcher:
        matcher.declare("n1x", "ivv")
        for term in range(4):
            matcher.state("v", term)
        matcher.state("n1x", 7, 1, 0)
        matcher.state("n1x", 7, 3, 2)
        matcher.ask(5, ["(n1x 7 c a)", "(n1x 7 a b)", "(= r (rep b))"], ["r"])
        assert matcher.matches() == []
        matcher.state("u", 1, 2)
        assert matcher.matches() == [(5, 0)]
        assert matcher.matches() == []


def test_a_query_that_was_off_gives_all_its_matches() -> None:
    with Matcher() as matcher:
        matcher.state("v", 0)
        matcher.ask(0, ["(s 1 m c)", "(h m i a)", "(= r (rep a))"], ["m", "i", "r"])
        matcher.state("s", 1, 9, 0)
        matcher.state("h", 9, 0, 0)
        assert matcher.matches() == [(0, 9, 0, 0)]
        matcher.switch(0, on=False)
        assert matcher.matches() == []
        matcher.switch(0, on=True)
        assert matcher.matches() == [(0, 9, 0, 0)]


def test_what_is_dropped_matches_no_more() -> None:
    with Matcher() as matcher:
        matcher.state("v", 0)
        matcher.state("s", 1, 9, 0)
        matcher.state("h", 9, 0, 0)
        matcher.drop(9)
        matcher.ask(0, ["(s 1 m c)", "(h m i a)"], ["m", "i"])
        assert matcher.matches() == []


def test_rules_share_their_parts() -> None:
    with Matcher() as matcher:
        matcher.declare("n1x", "ivv")
        first = matcher.part(["(n1x 3 c a)"], ["c", "a"], "vv")
        assert matcher.part(["(n1x 3 c a)"], ["c", "a"], "vv") == first
        assert matcher.part(["(n1x 4 c a)"], ["c", "a"], "vv") != first
