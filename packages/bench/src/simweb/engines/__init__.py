"""Search engines of the simulated web, one a file; their pages have the structure of the real ones."""
