"""Relational rewriting: terms, goals, relations and laws, and the local optimizers made of them."""

from relgraph.graph.kanren.explanation import Explanation, GraphExplanation, NoSuchDirection
from relgraph.graph.kanren.goals import (
    argumentso,
    computed,
    computo,
    eacho,
    one_cliento,
    readerso,
    whereo,
)
from relgraph.graph.kanren.laws import Law, law
from relgraph.graph.kanren.matching import match
from relgraph.graph.kanren.relations import Relation, relation
from relgraph.graph.kanren.rewriters import KanrenRelationSub
from relgraph.graph.kanren.rules import Reason
from relgraph.graph.kanren.terms import (
    Arguments,
    Literal,
    LogicVariable,
    OpenAnswerError,
    Term,
    build,
    logic_variables,
    several,
)
from relgraph.graph.kanren.views import View, case, view

__all__ = [
    "Arguments",
    "Explanation",
    "GraphExplanation",
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
    "computed",
    "computo",
    "eacho",
    "law",
    "logic_variables",
    "match",
    "one_cliento",
    "readerso",
    "relation",
    "several",
    "view",
    "whereo",
]
