"""An e-graph of variables: classes of equal ones, why they are equal, and matching by egglog."""
