"""Who uses a variable: lists of (node, input index) pairs from which one pair is cheap to take."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from relgraph.graph.basic import Apply

Client: TypeAlias = tuple[Apply | Literal["output"], int]

# up to here looking through the list costs no more than a hash would
SHORT = 16


class ManyClients(list[Client]):
    """A long list of clients that also knows where each of them stands.

    Removing one takes constant time, and puts the last in its place. Only `append` and `remove`
    keep the positions right: everything else that changes a list is refused.
    """

    __slots__ = ("_where",)

    _where: dict[Client, int]

    def __init__(self, clients: list[Client]) -> None:
        super().__init__(clients)
        self._where = {client: k for k, client in enumerate(clients)}

    def __contains__(self, client: object) -> bool:
        return client in self._where

    def append(self, client: Client) -> None:
        self._where[client] = len(self)
        super().append(client)

    def remove(self, client: Client) -> None:
        place = self._where.pop(client, None)
        if place is None:
            raise ValueError(f"{client} is not in the list of clients")
        last = super().pop()
        if place < len(self):
            super().__setitem__(place, last)
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


def with_client(clients: list[Client], client: Client) -> list[Client]:
    """Return `clients` with `client` at its end: the same list, or its successor if it is long."""
    if len(clients) >= SHORT and type(clients) is list:
        clients = ManyClients(clients)
    clients.append(client)
    return clients


def with_clients(clients: list[Client], more: list[Client]) -> list[Client]:
    """Return `clients` with all of `more` at its end: the same list, or its successor."""
    if type(clients) is list and len(clients) + len(more) <= SHORT:
        clients.extend(more)
        return clients
    for client in more:
        clients = with_client(clients, client)
    return clients
