"""The commands `relgraph draw`, `explain`, `laws` and `profile`."""
