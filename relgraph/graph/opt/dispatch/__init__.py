"""Dispatch: which rewriters to try on a node, by its op and the heads of its inputs."""
