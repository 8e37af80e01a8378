"""`function` and what it makes: inputs and outputs, aliasing of storage, the callable."""
