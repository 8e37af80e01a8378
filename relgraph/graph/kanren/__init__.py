"""Relations as rewrites: terms, goals, laws, and the adapter to local optimizers."""

from relgraph.graph.kanren.arguments import argumentso, eacho
from relgraph.graph.kanren.building import OpenAnswerError, build
from relgraph.graph.kanren.explain import Explanation, NoSuchDirection
from relgraph.graph.kanren.goals import computo, one_cliento, whereo
from relgraph.graph.kanren.judgement import Reason
from relgraph.graph.kanren.laws import Law, law
from relgraph.graph.kanren.matching import match
from relgraph.graph.kanren.named import Relation, relation
from relgraph.graph.kanren.rewriters import KanrenRelationSub
from relgraph.graph.kanren.terms import (
    Arguments,
    Literal,
    LogicVariable,
    Term,
    logic_variables,
    several,
)
from relgraph.graph.kanren.views import View, case, view

__all__ = [
    "Arguments",
    "Explanation",
    "KanrenRelationSub",
    "Law",
    "Literal",
    "LogicVariable",
    "NoSuchDirection",
    "OpenAnswerError",
    "Reason",
    "Relation",
    "Term",
    "View",
    "argumentso",
    "build",
    "case",
    "computo",
    "eacho",
    "law",
    "logic_variables",
    "match",
    "one_cliento",
    "relation",
    "several",
    "view",
    "whereo",
]
