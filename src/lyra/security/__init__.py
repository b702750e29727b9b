"""Keeps apart what Lyra tells a language model and what the world wrote (SPEC §10, L2 to L4)."""
