"""The phases of one search, in order: discover, identify, read abstracts, rank, fetch, digest."""
