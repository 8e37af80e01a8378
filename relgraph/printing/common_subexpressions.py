"""Formulas of graphs with common subexpressions: these get names if the text is long.

Without names, a variable that is read twice by a variable that is read twice, and so on, is written
two, four, eight times. With names, the length of the text is proportional to the size of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from relgraph.graph.basic import Variable

Piece = str | Variable
"""A piece of a formula: text, or a variable whose formula is inserted."""

Pieces = Sequence[Piece]

# A formula of at most so many characters is written without names.
MAX_LENGTH = 2_000
# A subexpression of at most so many characters gets no name.
MAX_UNNAMED_LENGTH = 12


def text_with_definitions(
    root: Pieces, pieces_of: Callable[[Variable], Pieces], new_name: Callable[[], str]
) -> tuple[list[str], str]:
    """Return the text of some pieces, and the definitions of the names in it.

    Parameters
    ----------
    root
        The pieces.
    pieces_of
        Returns the pieces of the formula of a variable; it is called once for each variable.
    new_name
        Returns a new name at each call.

    Returns
    -------
    definitions
        Lines ``name = formula``, in an order in which each uses only earlier names. There are none
        if the whole text has at most `MAX_LENGTH` characters.
    text
        The text of `root`.
    """
    pieces_by_variable = _pieces_of_all(root, pieces_of)
    lengths: dict[Variable, int] = {}
    for var, pieces in pieces_by_variable.items():
        lengths[var] = _length(pieces, lengths)
    if _length(root, lengths) <= MAX_LENGTH:
        return [], _text_of(root, pieces_by_variable, {})
    return _with_names(root, pieces_by_variable, new_name)


def _with_names(
    root: Pieces, pieces_by_variable: Mapping[Variable, Pieces], new_name: Callable[[], str]
) -> tuple[list[str], str]:
    read: dict[Variable, int] = dict.fromkeys(pieces_by_variable, 0)
    for pieces in (root, *pieces_by_variable.values()):
        for piece in pieces:
            if not isinstance(piece, str):
                read[piece] += 1
    definitions: list[str] = []
    names: dict[Variable, str] = {}
    lengths: dict[Variable, int] = {}
    for var, pieces in pieces_by_variable.items():
        length = _length(pieces, lengths)
        if read[var] > 1 and length > MAX_UNNAMED_LENGTH:
            text = _text_of(pieces, pieces_by_variable, names)
            name = names[var] = new_name()
            definitions.append(f"{name} = {text}")
            length = len(name)
        lengths[var] = length
    return definitions, _text_of(root, pieces_by_variable, names)


def _pieces_of_all(root: Pieces, pieces_of: Callable[[Variable], Pieces]) -> dict[Variable, Pieces]:
    """Return the pieces of each variable in `root`, directly or indirectly, in evaluation order."""
    done: dict[Variable, Pieces] = {}
    path: list[tuple[Variable | None, Pieces, Iterator[Variable]]] = [
        (None, root, _variables_in(root))
    ]
    while path:
        var, pieces, rest = path[-1]
        for part in rest:
            if part not in done:
                inner = pieces_of(part)
                path.append((part, inner, _variables_in(inner)))
                break
        else:
            path.pop()
            if var is not None:
                done[var] = pieces
    return done


def _variables_in(pieces: Pieces) -> Iterator[Variable]:
    return (piece for piece in pieces if not isinstance(piece, str))


def _length(pieces: Pieces, lengths: Mapping[Variable, int]) -> int:
    return sum(len(p) if isinstance(p, str) else lengths[p] for p in pieces)


def _text_of(
    root: Iterable[Piece],
    pieces_by_variable: Mapping[Variable, Pieces],
    names: Mapping[Variable, str],
) -> str:
    text: list[str] = []
    stack = list(root)[::-1]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            text.append(piece)
        elif piece in names:
            text.append(names[piece])
        else:
            stack.extend(reversed(pieces_by_variable[piece]))
    return "".join(text)


def fresh_names(taken: Collection[str]) -> Iterator[str]:
    """Yield ``t0``, ``t1``, ... without the names in `taken`, which may change meanwhile."""
    number = 0
    while True:
        name = f"t{number}"
        if name not in taken:
            yield name
        number += 1
