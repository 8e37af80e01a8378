"""Relational rewriting: terms, goals, relations and laws, and the local optimizers made of them."""

from relgraph.graph.kanren.explanation.explain import Explanation, NoSuchDirection
from relgraph.graph.kanren.explanation.failures import Reason
from relgraph.graph.kanren.explanation.places import GraphExplanation
from relgraph.graph.kanren.laws import Law, law
from relgraph.graph.kanren.relation_rewriter import KanrenRelationSub
from relgraph.graph.kanren.relations import Relation, relation
from relgraph.graph.kanren.rules.matching import match
from relgraph.graph.kanren.rules.views import View, case, view
from relgraph.graph.kanren.search.goals import computo, one_cliento, readerso, whereo
from relgraph.graph.kanren.search.variadic import argumentso, eacho
from relgraph.graph.kanren.terms.building import OpenAnswerError, build
from relgraph.graph.kanren.terms.term import (
    Arguments,
    Literal,
    LogicVariable,
    Term,
    logic_variables,
    several,
)

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
