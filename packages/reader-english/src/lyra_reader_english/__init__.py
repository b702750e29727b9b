"""Weights of the larger English reader; data only."""
