"""Random graphs to JAX and back have the same values; more by hand, see `round_trips`."""

from tests.bridges.jax.round_trips import try_graphs
from tests.seeds import seed_of


def test_random_graphs_come_back_with_the_same_values() -> None:
    trips, failing = try_graphs(20, seed_of("jax and back"))
    assert failing is None, trips.problem(failing)
    assert trips.same >= 15
