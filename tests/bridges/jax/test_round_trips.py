"""Random graphs to JAX and back have the same values; more by hand, see `round_trips`."""

from tests.bridges.jax.round_trips import try_graphs


def test_random_graphs_come_back_with_the_same_values() -> None:
    trips, failing = try_graphs(20, seed=0)
    assert failing is None, trips.problem(failing)
    assert trips.same >= 15
