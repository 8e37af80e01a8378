"""Laws and other rewriters of the user's own: in a mode, in one call, or in the phases."""
