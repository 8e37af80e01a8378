"""Who uses a variable: lists of (node, input index) pairs from which one pair is cheap to take."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from relgraph.graph.basic import Apply

Client: TypeAlias = tuple[Apply | Literal["output"], int]

# up to here looking through the list costs no more than a hash would
SHORT = 16
# up to here taking one of the first out of a list costs no more either
LONG = 1024


# `super` takes longer than what it finds
_append, _pop, _put = list.append, list.pop, list.__setitem__


class ManyClients(list[Client]):
    """A long list of clients that also knows where each of them stands: what a list becomes when
    one is taken from it.

    Removing one takes constant time, and puts the last in its place. Only `append` and `remove`
    keep the positions right: everything else that changes a list is refused.
    """

    __slots__ = ("_where",)

    _where: dict[Client, int]

    def __init__(self, clients: list[Client]) -> None:
        super().__init__(clients)
        self._where = {client: k for k, client in enumerate(clients)}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self),)

    def __contains__(self, client: object) -> bool:
        return client in self._where

    def append(self, client: Client) -> None:
        self._where[client] = len(self)
        _append(self, client)

    def remove(self, client: Client) -> None:
        place = self._where.pop(client, None)
        if place is None:
            raise ValueError(f"{client} is not in the list of clients")
        last = _pop(self)
        if place < len(self):
            _put(self, place, last)
            self._where[last] = place

    def misplaced(self) -> list[Client]:
        """Return the clients whose recorded position is wrong."""
        listed = {client: k for k, client in enumerate(self)}
        return [c for c in {**listed, **self._where} if listed.get(c) != self._where.get(c)]

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            "a list of clients belongs to its FunctionGraph: use add_client and remove_client, "
            "or change a copy of it"
        )

    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refuse
    clear = extend = insert = pop = reverse = sort = _refuse


def easily_taken_from(clients: list[Client], client: Client) -> list[Client]:
    """Return `clients` as a list from which to take one of them: the same one, or its successor."""
    if len(clients) <= SHORT or type(clients) is not list:
        return clients
    # nodes most often go in the order in which they came
    if len(clients) <= LONG and client in clients[:SHORT]:
        return clients
    return ManyClients(clients)


def with_clients(clients: list[Client], more: list[Client]) -> list[Client]:
    """Return `clients` with all of `more` at its end."""
    if type(clients) is list:
        clients.extend(more)
    else:
        for client in more:
            clients.append(client)
    return clients


class _Unknown(dict[Any, list[Client]]):
    """Readers of whom nothing is known but that there may be more than one."""

    _SOME: list[Client] = [("output", 0), ("output", 1)]

    def get(self, var: Any, default: Any = None) -> Any:
        return self._SOME

    def __missing__(self, var: Any) -> list[Client]:
        return self._SOME


class UnknownReaders:
    """Stands for a graph where there is none: each variable may be read more than once.

    Patterns then look at a node and what it reads, and take no sum in a sum apart. What is equal
    is one variable.
    """

    clients: dict[Any, list[Client]] = _Unknown()
    merged = True


UNKNOWN_READERS = UnknownReaders()
