"""The commands that this package adds to `lyra` by entry points."""
