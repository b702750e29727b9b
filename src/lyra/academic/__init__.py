"""Scholarly works: the APIs that know them, their identity, and the citations between them."""
