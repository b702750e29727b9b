"""Atomic claims from fragments, the pairs worth judging, and the stance of a text towards a claim."""
