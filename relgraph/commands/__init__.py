"""The commands `relgraph draw`, `explain`, `improve`, `laws` and `profile`."""
