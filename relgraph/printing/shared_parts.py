"""Formulas of graphs that share parts: what is read more than once gets a name.

Written out in each place, a value that is read twice by one that is read twice, and so on, takes
two, four, eight times its length. Names keep the text as long as the graph is large.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from relgraph.graph.basic import Variable

# Text, or a variable whose text stands here.
Piece = str | Variable
Pieces = Sequence[Piece]

# Formulas of so many characters are written without names.
LONGEST = 2_000
# What has no more characters than this is shorter than it would be clear by a name.
SHORT = 12


def written(
    root: Pieces, pieces_of: Callable[[Variable], Pieces], new_name: Callable[[], str]
) -> tuple[list[str], str]:
    """Return `root` as text, and before it the definitions of the names in that text.

    Parameters
    ----------
    pieces_of
        What the text of a variable consists of; asked once for each variable.
    new_name
        Gives another name each time it is called.

    Returns
    -------
    definitions
        Lines ``name = formula``, each after those whose names it uses. None if all of the text
        has at most `LONGEST` characters, or nothing is in it more than once.
    text
        The text of `root`.
    """
    answers = _answers(root, pieces_of)
    lengths: dict[Variable, int] = {}
    for var, pieces in answers.items():
        lengths[var] = _length(pieces, lengths)
    if _length(root, lengths) <= LONGEST:
        return [], _spelt(root, answers, {})
    return _with_names(root, answers, new_name)


def _with_names(
    root: Pieces, answers: Mapping[Variable, Pieces], new_name: Callable[[], str]
) -> tuple[list[str], str]:
    read: dict[Variable, int] = dict.fromkeys(answers, 0)
    for pieces in (root, *answers.values()):
        for piece in pieces:
            if not isinstance(piece, str):
                read[piece] += 1
    definitions: list[str] = []
    names: dict[Variable, str] = {}
    lengths: dict[Variable, int] = {}
    for var, pieces in answers.items():
        length = _length(pieces, lengths)
        if read[var] > 1 and length > SHORT:
            text = _spelt(pieces, answers, names)
            name = names[var] = new_name()
            definitions.append(f"{name} = {text}")
            length = len(name)
        lengths[var] = length
    return definitions, _spelt(root, answers, names)


def _answers(root: Pieces, pieces_of: Callable[[Variable], Pieces]) -> dict[Variable, Pieces]:
    """Return the pieces of all that is part of `root`, of each variable after its own parts."""
    done: dict[Variable, Pieces] = {}
    path: list[tuple[Variable | None, Pieces, Iterator[Variable]]] = [(None, root, _parts(root))]
    while path:
        var, pieces, rest = path[-1]
        for part in rest:
            if part not in done:
                answer = pieces_of(part)
                path.append((part, answer, _parts(answer)))
                break
        else:
            path.pop()
            if var is not None:
                done[var] = pieces
    return done


def _parts(pieces: Pieces) -> Iterator[Variable]:
    return (piece for piece in pieces if not isinstance(piece, str))


def _length(pieces: Pieces, lengths: Mapping[Variable, int]) -> int:
    return sum(len(p) if isinstance(p, str) else lengths[p] for p in pieces)


def _spelt(
    root: Iterable[Piece], answers: Mapping[Variable, Pieces], names: Mapping[Variable, str]
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
            stack.extend(reversed(answers[piece]))
    return "".join(text)


def names_besides(taken: Collection[str]) -> Iterator[str]:
    """Yield ``t0``, ``t1``, ... but for those that are `taken` when their turn comes."""
    number = 0
    while True:
        name = f"t{number}"
        if name not in taken:
            yield name
        number += 1
