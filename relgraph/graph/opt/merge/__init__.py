"""One node for each op and inputs."""
